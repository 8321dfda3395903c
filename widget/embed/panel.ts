import { openPanel as open, type OpenedPanel, type PanelOptions } from '../panel.tsx';
import { readSettings } from '../browser/settings.ts';
import type { Events } from '../chat/turn.ts';

/** Advice for the site's developer, by error code; logged to the console. */
const ADVICE: Record<string, string> = {
  forbidden_origin: "is not for this page's origin: add it to the widget setting allowed_origins",
  not_found: 'is not there, or private: compare data-chatbot and the server with what the server lists',
};

/** Colours for a browser that computes neither `light-dark()` nor relative colours, such as Chromium 117, where the page sets none. */
const PLAIN_COLORS = { surface: '#fff', ink: '#112', accent: '#112', 'on-color': '#fff' };

function setPlainColors({ style }: HTMLElement, set: CSSStyleDeclaration): void {
  for (const [name, color] of Object.entries(PLAIN_COLORS))
    if (!set.getPropertyValue(`--docent-${name}`)) style.setProperty(`--docent-${name}`, color);
}

/** The panel that the script tag's launcher loads: also parses the tag's attributes, which would not fit into the launcher. */
export function openPanel(root: ShadowRoot, { settings, ...options }: PanelOptions): OpenedPanel {
  const advise = ({ detail }: CustomEventInit<Events['error']>): void => {
    const advice = ADVICE[detail!.code];
    if (!advice) return;
    root.host.removeEventListener('error', advise);
    console.error(`[docent] The chatbot ${options.chatbot} ${advice} (${location.origin})`);
  };
  root.host.addEventListener('error', advise);
  if (!CSS.supports('color', 'light-dark(lab(from red l a b), red)'))
    setPlainColors(root.host as HTMLElement, getComputedStyle(root.host));
  return open(root, { ...options, settings: readSettings(settings) });
}

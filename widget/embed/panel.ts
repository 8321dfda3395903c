import { openPanel as open, type OpenedPanel, type PanelOptions } from '../panel.tsx';
import { readSettings } from '../browser/settings.ts';
import type { Events } from '../chat/turn.ts';

/** Colours for a browser that computes neither `light-dark()` nor relative colours, such as Chromium 117, where the page sets none. */
const PLAIN_COLORS = { surface: '#fff', ink: '#112', accent: '#112', 'on-color': '#fff', 'on-accent': '#fff' };

function setPlainColors({ style }: HTMLElement, set: CSSStyleDeclaration): void {
  for (const [name, color] of Object.entries(PLAIN_COLORS))
    if (!set.getPropertyValue(`--docent-${name}`)) style.setProperty(`--docent-${name}`, color);
}

/** The panel that the script tag's launcher loads: also parses the tag's attributes, which would not fit into the launcher. */
export function openPanel(root: ShadowRoot, options: PanelOptions): OpenedPanel {
  const { page, user, ...settings } = (options.settings ?? {}) as Record<string, string>;
  root.host.addEventListener(
    'error',
    ({ detail }: CustomEventInit<Events['error']>) =>
      void import('./advice.ts').then(({ advise }) => advise(detail!.code, options.chatbot, root), Boolean),
  );
  if (!CSS.supports('color', 'light-dark(lab(from red l a b), red)'))
    setPlainColors(root.host as HTMLElement, getComputedStyle(root.host));
  const context = { user, ...(page === undefined ? {} : { page }) };
  return open(root, { ...options, context, settings: readSettings(settings) });
}

import { openPanel as open, type OpenedPanel, type PanelOptions } from '../panel.tsx';
import { readSettings } from '../browser/settings.ts';
import type { Events } from '../chat/turn.ts';

/** Advice for the site's developer, by error code; logged to the console. */
const ADVICE: Record<string, string> = {
  forbidden_origin: "is not for this page's origin: add it to the widget setting allowed_origins",
  not_found: 'is not there, or private: compare data-chatbot and the server with what the server lists',
};

/** The panel that the script tag's launcher loads: also parses the tag's attributes, which would not fit into the launcher. */
export function openPanel(root: ShadowRoot, { settings, ...options }: PanelOptions): OpenedPanel {
  const advise = ({ detail }: CustomEventInit<Events['error']>): void => {
    const advice = ADVICE[detail!.code];
    if (!advice) return;
    root.host.removeEventListener('error', advise);
    console.error(`[docent] The chatbot ${options.chatbot} ${advice} (${location.origin})`);
  };
  root.host.addEventListener('error', advise);
  return open(root, { ...options, settings: readSettings(settings) });
}

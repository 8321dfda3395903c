import type { VisitorMessage } from '../server/types.ts';
import { launch, type Handle } from '../widget/launch.ts';
import { readSettings } from '../widget/browser/settings.ts';
import { openPanel, type OpenedPanel } from '../widget/panel.tsx';
import { citedAnswer } from './samples.ts';
import { demoProfile, pageStorage, streamText, createScriptedClient } from './script.ts';
import style from './preview.css?inline';

/** The window of preview.html, as the page around it sees it. */
export interface Preview extends Window {
  /** Puts the widget there as the attributes of its tag would; `page` is what it stands on: light, dark, rtl or phone. */
  show?: (settings: Record<string, string>, page: string) => void;
}

/** The conversation outlives the widgets that show it. */
const messages: VisitorMessage[] = [];

const client = {
  ...createScriptedClient({
    waitForElement: { greeting: '', suggestions: [] },
    messages,
    async *answer(query, signal) {
      const said = { ...citedAnswer, query, uuid: `m${messages.length}` };
      yield { event: 'session', data: { uuid: 's1' } };
      yield { event: 'message', data: { uuid: said.uuid } };
      yield* streamText(said.response, signal);
      messages.push(said);
      yield { event: 'done', data: said };
    },
  }),
  forget: async () => void messages.splice(0),
};

let handle: Handle | undefined;
let opened: OpenedPanel | undefined;

function show(settings: Record<string, string>, page: string): void {
  const wasOpen = opened?.chat.isOpen.peek();
  handle?.destroy();
  opened = undefined;
  document.documentElement.dir = page === 'rtl' ? 'rtl' : 'ltr';
  document.documentElement.style.colorScheme = page === 'dark' ? 'dark' : 'light';
  const storage = pageStorage({ session: messages.length ? 's1' : undefined });
  handle = launch(
    { server: location.origin, chatbot: demoProfile.uuid, settings: readSettings(settings) },
    async () => ({
      openPanel: (root, options) => (opened = openPanel(root, { ...options, client, storage })),
    }),
  );
  // As if the visitor came near it: the launcher looks as it does in the end only when the panel is there.
  const button = document.querySelector('docent-widget')?.shadowRoot?.querySelector('button');
  button?.dispatchEvent(new PointerEvent('pointerenter'));
  // What stays open leaves the focus where somebody is typing.
  if (wasOpen) setTimeout(() => opened?.chat.open('quietly'));
}

const sheet = new CSSStyleSheet();
sheet.replaceSync(style);
document.adoptedStyleSheets = [sheet];
(window as Preview).show = show;

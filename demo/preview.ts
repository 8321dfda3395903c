import type { VisitorMessage } from '../server/types.ts';
import { launch, type Handle } from '../widget/embed/launcher.ts';
import { readSettings } from '../widget/browser/settings.ts';
import { openPanel, type OpenedPanel } from '../widget/panel.tsx';
import { citedAnswer } from './samples.ts';
import { demoProfile, pageStorage, streamText, createScriptedClient } from './script.ts';
import style from './preview.css?inline';

/** The window of preview.html, as the playground around it uses it. */
export interface Preview extends Window {
  /** Replaces the widget by one with these settings, by the names of their attributes; `page`: light, dark, rtl or phone. */
  show?: (settings: Record<string, string>, page: string) => void;
}

/** Kept when the widget is replaced, so that the conversation goes on. */
const messages: VisitorMessage[] = [];

const client = {
  ...createScriptedClient({
    profile: { greeting: '', suggestions: [] },
    messages,
    async *answer(query, signal) {
      const message = { ...citedAnswer, query, uuid: `m${messages.length}` };
      yield { event: 'session', data: { uuid: 's1' } };
      yield { event: 'message', data: { uuid: message.uuid } };
      yield* streamText(message.response, signal);
      messages.push(message);
      yield { event: 'done', data: message };
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
  // Loads the panel at once, as a hover does: only with it has the launcher its label and icon.
  const button = document.querySelector('docent-widget')?.shadowRoot?.querySelector('button');
  button?.dispatchEvent(new PointerEvent('pointerenter'));
  // `quietly` leaves the focus in the form's field.
  if (wasOpen) setTimeout(() => opened?.chat.open('quietly'));
}

const sheet = new CSSStyleSheet();
sheet.replaceSync(style);
document.adoptedStyleSheets = [sheet];
(window as Preview).show = show;

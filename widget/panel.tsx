import { effect } from '@preact/signals';
import { render } from 'preact';
import { createChat, type Chat } from './chat.ts';
import { createClient, type Client } from './client.ts';
import { tendLauncher } from './launcher.ts';
import { createMemory, type Memory } from './memory.ts';
import { readSettings, type Context, type Settings } from './settings.ts';
import { applyTheme } from './theme.ts';
import { createFollower } from './view/follow.ts';
import { greet } from './view/greet.tsx';
import { Panel } from './view/Panel.tsx';
import style from './style.css?inline';
import type { Events } from './turn.ts';
import type { Words } from './words/en.ts';

export interface PanelOptions {
  server: string;
  chatbot: string;
  /** The launcher's; absent where there is none. */
  button?: HTMLButtonElement | undefined;
  /** Part of the page's own flow: no close button, no focus taken. */
  isInline?: boolean | undefined;
  words?: Partial<Words> | undefined;
  settings?: object | undefined;
  context?: Context | undefined;
  /** Another wire than the server's door. */
  client?: Client | undefined;
  memory?: Memory | undefined;
}

export interface OpenedPanel {
  chat: Chat;
  open(): void;
  close(): void;
  ask(query: string): void;
  destroy(): void;
}

/** The owner's settings in the page win over those that the server keeps; without the server there are only these. */
function facing(client: Client, { title, ...own }: Partial<Settings>): Client {
  return {
    ...client,
    face: async () => {
      const found = await client.face();
      return { ...found, ...own, name: title || found.title || found.name };
    },
  };
}

/** Draws the panel into a shadow root, closed; `chat` opens it. What happens is told as events of the root's host. */
export function openPanel(root: ShadowRoot, options: PanelOptions): OpenedPanel {
  const { server, chatbot, words, context, button, isInline = false } = options;
  const host = root.host as HTMLElement;
  const settings = readSettings(options.settings);
  const client = facing(options.client ?? createClient(server, chatbot, context), settings);
  const memory = options.memory ?? createMemory(server, chatbot);
  const emit = <Name extends keyof Events>(name: Name, detail: Events[Name]): void =>
    void host.dispatchEvent(new CustomEvent(name, { detail }));
  const chat = createChat({ client, memory, emit, words, host, language: settings.language });
  const sheet = new CSSStyleSheet();
  const place = document.createElement('div');
  place.style.display = 'contents';
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  sheet.replaceSync(style);
  root.prepend(place);
  render(<Panel chat={chat} follower={createFollower()} isInline={isInline} />, place);
  const stopTheme = effect(() => applyTheme(host, settings, chat.face.value ?? settings));
  const leaveLauncher = button && tendLauncher(button, chat, settings);
  let leaveGreeting: (() => void) | undefined;
  let isGone = false;
  const greetNow = (): void => {
    if (!isGone) leaveGreeting = greet(root, chat, memory, { ...settings, ...chat.face.peek() });
  };
  if (button && !isInline)
    if ('settings' in settings) void chat.meet().then(greetNow);
    else greetNow();
  return {
    chat,
    open: () => chat.open(),
    close: chat.close,
    ask(query) {
      chat.open();
      chat.ask(query);
    },
    destroy() {
      isGone = true;
      leaveGreeting?.();
      leaveLauncher?.();
      stopTheme();
      chat.destroy();
      render(null, place);
      place.remove();
    },
  };
}

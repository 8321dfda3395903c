import { effect } from '@preact/signals';
import { render } from 'preact';
import { createChat, type Chat } from './chat.ts';
import { createClient, type Client } from './client.ts';
import { createMemory, type Memory } from './memory.ts';
import { createFollower } from './view/follow.ts';
import { Panel } from './view/Panel.tsx';
import style from './style.css?inline';
import type { Emit } from './turn.ts';
import type { Words } from './words/en.ts';

export interface PanelOptions {
  server: string;
  chatbot: string;
  emit: Emit;
  /** Part of the page's own flow: no close button, no focus taken. */
  isInline?: boolean | undefined;
  words?: Partial<Words> | undefined;
  /** Another wire than the server's door. */
  client?: Client | undefined;
  memory?: Memory | undefined;
}

export interface OpenedPanel {
  chat: Chat;
  destroy(): void;
}

// A theme comes over the wire: it may name colours and sizes, never something to fetch.
const isHarmless = (value: string): boolean => /^[\w\s#%.,()/-]*$/.test(value) && !/url|image/i.test(value);

function applyTheme(host: HTMLElement, theme: Record<string, string> = {}): void {
  for (const [name, value] of Object.entries(theme)) {
    if (isHarmless(value)) host.style.setProperty(`--docent-${name}`, value);
  }
}

/** Draws the panel into a shadow root, closed; `chat` opens it. */
export function openPanel(root: ShadowRoot, { emit, isInline = false, words, ...options }: PanelOptions): OpenedPanel {
  const client = options.client ?? createClient(options.server, options.chatbot);
  const memory = options.memory ?? createMemory(options.server, options.chatbot);
  const chat = createChat({ client, memory, emit, words });
  const sheet = new CSSStyleSheet();
  const place = document.createElement('div');
  place.style.display = 'contents';
  sheet.replaceSync(style);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  root.prepend(place);
  render(<Panel chat={chat} follower={createFollower()} isInline={isInline} />, place);
  const stopTheme = effect(() => applyTheme(root.host as HTMLElement, chat.face.value?.theme));
  return {
    chat,
    destroy() {
      stopTheme();
      chat.destroy();
      render(null, place);
      place.remove();
    },
  };
}

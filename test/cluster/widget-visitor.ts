import { effect } from '@preact/signals';
import type { ChatStorage, StoredChat } from '../../widget/browser/storage.ts';
import { createChat } from '../../widget/chat/chat.ts';
import { hasEnded } from '../../widget/chat/status.ts';
import type { Chat } from '../../widget/chat/types.ts';
import type { Turn } from '../../widget/chat/turn.ts';

/** The least of a browser that the widget's model of a chat needs, beside what Node has. */
export const BROWSER_GLOBALS = {
  Document: { prototype: { hidden: false } },
  document: {},
  location: { origin: 'https://shop.example', pathname: '/' },
  navigator: { onLine: true, languages: ['en'] },
  addEventListener() {},
  requestAnimationFrame: (draw: () => void) => setTimeout(draw, 16),
};

/** A visitor who asks by the widget's own code, its storage in memory. Needs `BROWSER_GLOBALS`. */
export function openWidget(server: string, chatbot: string): Chat {
  let stored: StoredChat = {};
  const storage: ChatStorage = {
    read: () => stored,
    write: (change) => void (stored = { ...stored, ...change }),
  };
  const host = Object.assign(new EventTarget(), { closest: () => null }) as unknown as HTMLElement;
  return createChat(host, { server, chatbot, storage });
}

/** Asks, and resolves with the turn once it has ended as the visitor sees it. */
export function askWidget(chat: Chat, query: string): Promise<Turn> {
  chat.ask(query);
  const turn = chat.turns.peek().at(-1)!;
  return new Promise((resolve) => {
    effect(() => void (hasEnded(turn.status.value) && resolve(turn)));
  });
}

import type { Chat } from '../chat/types.ts';
import { fullScreen } from '../browser/full-screen.ts';
import { readDocument } from '../browser/read-document.ts';
import { elements } from './elements.ts';
import { stickToEnd } from './scroll.ts';

export interface PanelProps {
  chat: Chat;
  isInline?: boolean | undefined;
}

/** A tab learns a message's uuid before the server has stored it: another tab waits this long before it loads it. */
const STORE_DELAY_MS = 400;

const focusOf = (panel: HTMLElement): Element | null => (panel.getRootNode() as ShadowRoot).activeElement;

/** Binds focus, keyboard, viewport and tab synchronisation to an open panel; returns a function that unbinds them. */
export function bindPanel(panel: HTMLElement, { chat, isInline }: PanelProps): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  const log = panel.querySelector<HTMLElement>('.log')!;

  // Hidden tabs would use up the browser's connections to one server (six with HTTP/1.1): they refresh when they become visible.
  const refresh = (event: Event): void => {
    if (!readDocument('hidden') && !signal.aborted) void chat.restore(event);
  };

  /** The field, or the consent button shown in its place. */
  const field = (): HTMLElement => log.nextElementSibling!.querySelector<HTMLElement>('textarea, button')!;

  stickToEnd(log);
  import('./sources/sources.ts').then((part) => part.attend(panel, chat, elements, signal), chat.report);
  // A pressed button that is removed would lose the focus to the page: move it to the field, or, where that calls a keyboard, to the log.
  panel.onclick = () =>
    setTimeout(
      () => focusOf(panel) ?? (matchMedia('(hover:hover)').matches ? field() : log).focus({ preventScroll: true }),
    );
  addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || event.isComposing) return;
      // An open citation card closes first, wherever the focus is.
      if (chat.card.peek()) chat.setCard();
      else if (!isInline && focusOf(panel)) chat.close();
      else return;
      event.stopPropagation();
    },
    { signal, capture: true },
  );
  signal.onabort = chat.consent.subscribe(() => {
    const focused = focusOf(panel);
    // Where it is still there, it has the focus, or the page or the visitor has moved that since.
    setTimeout(() => focused?.isConnected === false && field().focus());
  });
  for (const event of ['storage', 'visibilitychange'])
    addEventListener(event, (event) => setTimeout(refresh, STORE_DELAY_MS, event), { signal });
  // The page would take what is typed here for its shortcuts, since it sees the host alone, and may lock scrolling.
  panel.onkeydown = panel.onkeypress = panel.onkeyup = panel.onwheel = (event: Event) => event.stopPropagation();
  if (!isInline) {
    if (chat.isOpen.peek() !== 'quietly') field().focus();
    const media = fullScreen();
    const fill = (): unknown =>
      media.matches && import('./full-screen.ts').then((part) => part.bind(panel, chat, signal), chat.report);
    media.addEventListener('change', fill, { signal });
    fill();
  }
  return () => controller.abort();
}

import type { Chat } from '../chat/types.ts';
import { stickToEnd } from './scroll.ts';

export interface PanelProps {
  chat: Chat;
  isInline?: boolean | undefined;
}

/** The server names a message before it has stored it: so much later another tab can read it back. */
const STORE_DELAY_MS = 400;

/** What the page is drawn in, `light`, `dark` or both; both where it does not say. */
const pageScheme = (): string => getComputedStyle(document.documentElement).colorScheme.replace('normal', 'light dark');

/** Whether it fills the window: only there the style sheet fixes it. */
const isFull = (panel: HTMLElement): boolean => getComputedStyle(panel).position === 'fixed';

const focusOf = (panel: HTMLElement): Element | null => (panel.getRootNode() as ShadowRoot).activeElement;

/** What an open panel does beside what is drawn. Returns what ends it. */
export function bindPanel(panel: HTMLElement, { chat, isInline }: PanelProps): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  const log = panel.querySelector<HTMLElement>('.log')!;

  // Hidden tabs would use up the few connections to one server that a browser opens: each looks when it is looked at.
  const refresh = (): void => {
    if (!document.hidden && !signal.aborted) void chat.restore();
  };

  /** Keeps within what is seen of a phone's window: the keyboard covers the rest without making the window smaller. */
  const fitToViewport = (): void => {
    const { scale, offsetTop, height } = visualViewport!;
    // Who zooms in wants to look around.
    if (scale > 1.01) return;
    panel.style.setProperty('--top', `${offsetTop}px`);
    panel.style.setProperty('--height', `${height}px`);
  };

  /** To the field, or to the consent in its place. */
  const focusField = (): void => log.nextElementSibling!.querySelector<HTMLElement>('textarea, button')!.focus();

  stickToEnd(log);
  panel.style.setProperty('--scheme', pageScheme());
  // Where what was pressed has gone, the focus stays in the chat.
  panel.onclick = () => setTimeout(() => focusOf(panel) ?? log.focus({ preventScroll: true }));
  addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || event.isComposing) return;
      // A citation's card goes first, wherever the focus is.
      if (chat.card.peek()) chat.setCard();
      else if (!isInline && focusOf(panel)) chat.close();
      else return;
      event.stopPropagation();
    },
    { signal, capture: true },
  );
  signal.onabort = chat.consent.subscribe(() => {
    if (panel.contains(focusOf(panel))) setTimeout(() => focusOf(panel) ?? focusField());
  });
  for (const event of ['storage', 'visibilitychange'])
    addEventListener(event, () => setTimeout(refresh, STORE_DELAY_MS), { signal });
  if (!isInline) {
    // The field has the reader's next words.
    if (chat.isOpen.peek() !== 'quietly') focusField();
    if (isFull(panel)) panel.ariaModal = 'true';
    // It would cover what the focus goes to: it goes when the focus does.
    panel.addEventListener('focusout', ({ relatedTarget }) => {
      if (isFull(panel) && relatedTarget && !panel.contains(relatedTarget as Node)) chat.close();
    });
    for (const event of ['resize', 'scroll']) visualViewport!.addEventListener(event, fitToViewport, { signal });
    fitToViewport();
  }
  return () => controller.abort();
}

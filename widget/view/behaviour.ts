import type { Chat } from '../chat/types.ts';
import { stickToEnd } from './scroll.ts';

export interface PanelProps {
  chat: Chat;
  isInline?: boolean | undefined;
}

/** A tab learns a message's uuid before the server has stored it: another tab waits this long before it loads it. */
const STORE_DELAY_MS = 400;

/** The page's color-scheme; both where it has none. */
const pageScheme = (): string => getComputedStyle(document.documentElement).colorScheme.replace('normal', 'light dark');

/** Whether the panel is full-screen: only then the style sheet positions it `fixed`. */
const isFull = (panel: HTMLElement): boolean => getComputedStyle(panel).position === 'fixed';

const focusOf = (panel: HTMLElement): Element | null => (panel.getRootNode() as ShadowRoot).activeElement;

/** Shows a panel that was removed once more, out of reach, for as long as the style sheet lets it fade. */
function fadeOut(panel: HTMLElement, parent: Node): void {
  panel.inert = true;
  parent.appendChild(panel);
  const [fading] = panel.getAnimations?.() ?? [];
  void Promise.allSettled([fading?.finished]).then(() => panel.remove());
}

/** Binds focus, keyboard, viewport and tab synchronisation to an open panel; returns a function that unbinds them. */
export function bindPanel(panel: HTMLElement, { chat, isInline }: PanelProps): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  const log = panel.querySelector<HTMLElement>('.log')!;

  // Hidden tabs would use up the browser's connections to one server (six with HTTP/1.1): they refresh when they become visible.
  const refresh = (): void => {
    if (!document.hidden && !signal.aborted) void chat.restore();
  };

  /** Fits the panel to the visual viewport: a phone's keyboard covers part of the window without resizing it. */
  const fitToViewport = (): void => {
    const { scale, offsetTop, height } = visualViewport!;
    // Pinch-zoomed: the visual viewport is a part of the panel.
    if (scale > 1.01) return;
    panel.style.setProperty('--top', `${offsetTop}px`);
    panel.style.setProperty('--height', `${height}px`);
  };

  /** Focuses the field, or the consent button shown in its place. */
  const focusField = (): void => log.nextElementSibling!.querySelector<HTMLElement>('textarea, button')!.focus();

  stickToEnd(log);
  // Of the launcher too, which is beside the open panel.
  ((panel.getRootNode() as ShadowRoot).host as HTMLElement).style.setProperty('--scheme', pageScheme());
  // A pressed button that is removed would lose the focus to the page: move it to the log.
  panel.onclick = () => setTimeout(() => focusOf(panel) ?? log.focus({ preventScroll: true }));
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
    if (panel.contains(focusOf(panel))) setTimeout(() => focusOf(panel) ?? focusField());
  });
  for (const event of ['storage', 'visibilitychange'])
    addEventListener(event, () => setTimeout(refresh, STORE_DELAY_MS), { signal });
  if (!isInline) {
    if (chat.isOpen.peek() !== 'quietly') focusField();
    if (isFull(panel)) panel.setAttribute('aria-modal', 'true');
    // A full-screen panel would cover the element that takes the focus: close it.
    panel.addEventListener('focusout', ({ relatedTarget }) => {
      if (isFull(panel) && relatedTarget && !panel.contains(relatedTarget as Node)) chat.close();
    });
    for (const event of ['resize', 'scroll']) visualViewport!.addEventListener(event, fitToViewport, { signal });
    fitToViewport();
  }
  return () => {
    const parent = panel.parentNode!;
    controller.abort();
    if (!isInline) queueMicrotask(() => fadeOut(panel, parent));
  };
}

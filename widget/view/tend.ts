import type { Chat } from '../chat.ts';

/** The server names a message before it has stored it: so much later another tab can read it back. */
const STORING_MS = 400;

/** As the style sheet has it: where the panel fills the window. */
const FULL = '(max-width: 520px), (max-height: 420px)';

const focusOf = (panel: HTMLElement): Element | null => (panel.getRootNode() as ShadowRoot).activeElement;

/** What an open panel does beside what is drawn. Returns what ends it. */
export function tend(panel: HTMLElement, chat: Chat, isInline?: boolean): () => void {
  const over = new AbortController();
  const { signal } = over;
  panel.addEventListener('click', () => setTimeout(() => keepFocus(panel)), { signal });
  addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || event.isComposing) return;
      // A citation's card goes first, wherever the focus is.
      if (chat.card.peek()) chat.cite();
      else if (!isInline && focusOf(panel)) chat.close();
      else return;
      event.stopPropagation();
    },
    { signal, capture: true },
  );
  // Hidden tabs would use up the few connections to one server that a browser opens: each looks when it is looked at.
  const look = (): void => {
    if (!document.hidden && !signal.aborted) void chat.restore();
  };
  for (const event of ['storage', 'visibilitychange'])
    addEventListener(event, () => setTimeout(look, STORING_MS), { signal });
  if (isInline) return () => over.abort();
  // A panel that fills the window covers what the focus would go to: it goes when the focus does.
  const isModal = matchMedia(FULL).matches;
  if (isModal) panel.ariaModal = 'true';
  panel.addEventListener(
    'focusout',
    ({ relatedTarget }) => {
      if (isModal && relatedTarget && !panel.contains(relatedTarget as Node)) chat.close();
    },
    { signal },
  );
  if (globalThis.visualViewport) fit(panel, visualViewport!, signal);
  return () => over.abort();
}

/** Where what was pressed has gone, the focus stays in the chat. */
function keepFocus(panel: HTMLElement): void {
  if (!focusOf(panel)) panel.querySelector<HTMLElement>('.log')?.focus();
}

/** Keeps the panel within what is seen of a phone's window: the keyboard covers the rest without making the window smaller. */
function fit(panel: HTMLElement, view: VisualViewport, signal: AbortSignal): void {
  const keep = (): void => {
    // Who zooms in wants to look around.
    if (view.scale > 1.01) return;
    panel.style.setProperty('--top', `${view.offsetTop}px`);
    panel.style.setProperty('--height', `${view.height}px`);
  };
  for (const event of ['resize', 'scroll']) view.addEventListener(event, keep, { signal });
  keep();
}

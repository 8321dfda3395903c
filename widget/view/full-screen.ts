import type { Chat } from '../chat/types.ts';

/** Binds an open panel that fills the window to the visual viewport and to the focus, until `signal` is aborted. */
export function bind(panel: HTMLElement, chat: Chat, signal: AbortSignal): void {
  if (signal.aborted) return;

  /** Fits the panel to the visual viewport: a phone's keyboard covers part of the window without resizing it. */
  const fit = (): void => {
    const { scale, offsetTop, height } = visualViewport!;
    // Pinch-zoomed: the visual viewport is a part of the panel.
    if (scale > 1.01) return;
    panel.style.setProperty('--top', `${offsetTop}px`);
    panel.style.setProperty('--height', `${height}px`);
  };

  panel.setAttribute('aria-modal', 'true');
  // It would cover the element that takes the focus: close it.
  panel.addEventListener('focusout', ({ relatedTarget }) => {
    const isFull = getComputedStyle(panel).position === 'fixed';
    if (isFull && relatedTarget && !panel.contains(relatedTarget as Node)) chat.close();
  });
  for (const event of ['resize', 'scroll']) visualViewport!.addEventListener(event, fit, { signal });
  fit();
}

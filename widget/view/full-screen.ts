import type { Chat } from '../chat/types.ts';

/** Binds an open panel that fills the window to the visual viewport and to the focus, until `signal` is aborted. */
export function bind(panel: HTMLElement, chat: Chat, signal: AbortSignal): void {
  if (signal.aborted) return;

  /** The window may have become larger since. */
  const isFull = (): boolean => getComputedStyle(panel).position === 'fixed';
  /** Fits the panel to the visual viewport: a phone's keyboard covers part of the window without resizing it. */
  const fit = (): void => {
    const { scale, offsetTop, height } = visualViewport!;
    panel.setAttribute('aria-modal', `${isFull()}`);
    // Pinch-zoomed: the visual viewport is a part of the panel.
    if (scale > 1.01) return;
    panel.style.setProperty('--top', `${offsetTop}px`);
    panel.style.setProperty('--height', `${height}px`);
  };

  // It covers all else: the focus goes round in it, and where the page takes it the panel closes.
  let isLeaving: 'forwards' | 'backwards' | undefined;
  panel.addEventListener('keydown', ({ key, shiftKey }) => {
    if (key !== 'Tab') return;
    isLeaving = shiftKey ? 'backwards' : 'forwards';
    setTimeout(() => (isLeaving = undefined));
  });
  panel.addEventListener('focusout', ({ relatedTarget }) => {
    if (!isFull() || !relatedTarget || panel.contains(relatedTarget as Node)) return;
    if (!isLeaving) return chat.close();
    const all = [...panel.querySelectorAll<HTMLElement>('a[href], button, textarea, input, [tabindex="0"]')];
    const reachable = all.filter((one) => one.checkVisibility?.() !== false && !one.matches(':disabled, [inert] *'));
    const next = reachable.at(isLeaving === 'forwards' ? 0 : -1);
    // After the browser has moved it.
    setTimeout(() => next?.focus());
  });
  // It would cover the page that the visitor follows a link to, where that is this one, or drawn in its place.
  panel.addEventListener('click', ({ target, ctrlKey, metaKey, shiftKey }) => {
    if (!isFull() || ctrlKey || metaKey || shiftKey) return;
    if ((target as Element).closest('a[target="_self"]')) setTimeout(() => chat.close());
  });
  for (const event of ['resize', 'scroll']) visualViewport!.addEventListener(event, fit, { signal });
  fit();
}

/** As the style sheet has it: where the panel fills the window. */
const FULL = '(max-width: 520px), (max-height: 420px)';

export const isFull = (): boolean => matchMedia(FULL).matches;

/**
 * Keeps the panel within what is seen of a phone's window: the keyboard covers the rest without making the window smaller. Returns
 * what ends that.
 */
export function fit(panel: HTMLElement): () => void {
  const view = globalThis.visualViewport;
  const keep = (): void => {
    // Who zooms in wants to look around.
    if (!view || view.scale > 1.01) return;
    panel.style.setProperty('--top', `${view.offsetTop}px`);
    panel.style.setProperty('--height', `${view.height}px`);
  };
  const events = ['resize', 'scroll'];
  for (const event of events) view?.addEventListener(event, keep);
  keep();
  return () => {
    for (const event of events) view?.removeEventListener(event, keep);
  };
}

/** What the page is drawn in, `light`, `dark` or both; '' where it does not say. */
export function pageScheme(): string {
  const { colorScheme } = getComputedStyle(document.documentElement);
  return colorScheme === 'normal' ? '' : colorScheme;
}

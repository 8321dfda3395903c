import type { ChatbotFace } from '../server/types.ts';

// A theme comes over the wire: it may name colours and sizes, never something to fetch.
const isHarmless = (value: string): boolean => /^[\w\s#%.,()/-]*$/.test(value) && !/url|image/i.test(value);

/** The looks that the server keeps, put on the host; those in the page are there already, and win. */
export function applyTheme(
  host: HTMLElement,
  own: object,
  { theme = {}, density, position }: Partial<ChatbotFace>,
): void {
  for (const [name, value] of Object.entries(theme)) {
    if (!(name in own) && isHarmless(value)) host.style.setProperty(`--docent-${name}`, value);
  }
  // Beside the launcher, which goes by the page's direction and not by that of the chat's language.
  const isLeft = (position === 'start') !== (document.dir === 'rtl');
  host.dataset.density = density;
  host.dataset.side = position === 'right' || position === 'left' ? position : isLeft ? 'left' : 'right';
}

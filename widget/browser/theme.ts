import type { ChatbotFace } from '../../server/types.ts';

/** The looks that the server keeps, put on the host; those in the page are there already, and win. */
export function applyTheme(
  host: HTMLElement,
  pageSettings: object,
  { theme, icon, position, density }: Partial<ChatbotFace>,
): void {
  const size = density === 'compact' ? '14px' : '';
  for (const [name, value] of Object.entries({ icon, position, size, ...theme })) {
    // It comes over the wire: a word, a colour or a size, never something to fetch.
    if (!(name in pageSettings) && /^[#\w]+$/.test(value ?? '')) host.style.setProperty(`--docent-${name}`, value!);
  }
}

import type { ChatbotProfile } from '../../server/types.ts';

/** Sets the server's theme as custom properties on the host; properties that the page sets itself win. */
export function applyTheme(
  host: HTMLElement,
  pageSettings: object,
  { theme, icon, position, density }: Partial<ChatbotProfile>,
): void {
  const size = density === 'compact' ? '14px' : '';
  for (const [name, value] of Object.entries({ icon, position, size, ...theme })) {
    // Untrusted: words, colours and sizes only, so that no `url()` is ever fetched.
    if (!(name in pageSettings) && /^[#\w]+$/.test(value ?? '')) host.style.setProperty(`--docent-${name}`, value!);
  }
}

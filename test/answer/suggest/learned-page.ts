import { expect, vi } from 'vitest';
import { PATIENCE_MS } from '../../patience.ts';
import type { Running } from '../../running.ts';

/** Makes a public chatbot that has learned the page at `url` and cites it; resolves with its uuid. */
export async function learnPage(docent: Running, url: string): Promise<string> {
  const made = { name: 'Help', visibility: 'public', show_citations: true };
  const chatbot = (await docent.api('POST', '/chatbot/create', made)).body.uuid as string;
  await docent.api('POST', `/chatbot/${chatbot}/data-source/url`, { url });
  await vi.waitFor(
    async () => expect((await docent.api('GET', `/chatbot/${chatbot}/data-sources`)).body[0].status).toBe('success'),
    { timeout: PATIENCE_MS * 3 },
  );
  return chatbot;
}

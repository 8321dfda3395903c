import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { PATIENCE_MS } from '../../patience.ts';
import { site, start, type Running } from '../../running.ts';
import { learnPage } from './learned-page.ts';

const load = vi.hoisted(() => vi.fn());
vi.mock('tinyld', (original) => {
  load();
  return original();
});

const PAGE = `<!doctype html><title>The bindery</title><main><h1>The bindery</h1>
  <h2>The people</h2><p>The people who bind the books are Ana and Bo.</p>
  <h2>Can I pay by invoice?</h2><p>Schools and libraries can pay by invoice within 30 days.</p></main>`;

let docent: Running;
let pages: Awaited<ReturnType<typeof site>>;

beforeAll(async () => {
  pages = await site({ '/': PAGE });
  docent = await start({ FETCH_ALLOW: pages.host });
});
afterAll(async () => {
  vi.doUnmock('tinyld');
  await docent.stop();
  await pages.close();
});

it('the language detector is loaded for a reply that needs it, not where suggestions are chosen', async () => {
  const chatbot = await learnPage(docent, `${pages.base}/`);
  const suggestions = async (): Promise<string[]> =>
    (await (await fetch(`${docent.base}/chat/${chatbot}`)).json()).suggestions;
  await vi.waitFor(async () => expect(await suggestions()).toContain('Can I pay by invoice?'), PATIENCE_MS * 3);
  expect(load).not.toHaveBeenCalled();
  const asked = { method: 'POST', headers: { 'content-type': 'application/json' } };
  const reply = await fetch(`${docent.base}/chat/${chatbot}/ask`, { ...asked, body: '{"query":"The people"}' });
  await reply.text();
  expect(load).toHaveBeenCalledOnce();
});

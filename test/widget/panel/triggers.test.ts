// @vitest-environment happy-dom
import { waitFor } from '@testing-library/preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Trigger } from '../../../server/types.ts';
import { fitsPattern } from '../../../widget/view/teaser/triggers.ts';
import { jsonResponse } from '../fake-server.ts';
import { mountChat, type MountedChat } from '../mounted.ts';

const STORED = 'docent:https://docent.test/:c1';
const face = { uuid: 'c1', name: 'x', show_citations: true, greeting: '', suggestions: [], theme: {}, words: {} };
let chat: MountedChat;

beforeEach(() => {
  // The visitor's presses: happy-dom has no such API.
  Object.defineProperty(navigator, 'userActivation', { value: { isActive: true }, configurable: true });
  localStorage.clear();
  sessionStorage.clear();
});
afterEach(() => chat?.close());

/** The page again. */
function load(triggers: Trigger[], more: object = {}): void {
  chat?.close();
  const teased = { ...face, teaser: 'May I help?', triggers, ...more };
  chat = mountChat({ 'GET ': () => jsonResponse(teased) }, { settings: { settings: '' } as object });
}
const teaser = (name = 'May I help?'): HTMLElement | null => chat.screen.queryByRole('button', { name });
const shown = (name?: string): Promise<void> => waitFor(() => expect(teaser(name)).not.toBeNull(), { timeout: 10_000 });
/** Longer than a teaser would take: the panel is loaded after a second. */
async function hidden(): Promise<void> {
  await waitFor(() => expect(chat.server.requests).toHaveLength(1), { timeout: 10_000 });
  await new Promise((done) => setTimeout(done, 700));
  expect(teaser()).toBeNull();
}

test('it is shown once all conditions of a trigger hold, with the text of that trigger', async () => {
  load([{ returning: true, text: 'Again?' }, { page: '/other/*' }, { exit: true, seconds: 0, text: 'Leaving?' }]);
  await hidden();
  document.dispatchEvent(new MouseEvent('mouseout', { bubbles: true, clientY: -1 }));
  await shown('Leaving?');
  expect(localStorage.length + sessionStorage.length).toBe(0);
});

test('a trigger with a text of its own needs no teaser, and one without any is left out', async () => {
  load([{}, { text: 'Only here' }], { teaser: '' });
  await shown('Only here');
});

test('a returning visitor is one whose browser holds a conversation', async () => {
  localStorage.setItem(STORED, JSON.stringify({ session: 's1' }));
  load([{ returning: true }]);
  await shown();
});

test('it is shown once a page to a visitor who never acted, and once a visit to one who has', async () => {
  load([{}]);
  await shown();
  load([{}]);
  await shown();
  teaser()!.click();
  await waitFor(() => expect(localStorage.getItem(STORED)).toContain('acted'));
  // Another visit: a tab that has not stored that the chat is open.
  sessionStorage.clear();
  load([{}]);
  await shown();
  load([{}]);
  await hidden();
});

test('it is not shown again once the visitor has closed it', async () => {
  load([{}]);
  await shown();
  chat.screen.getByRole('button', { name: 'Close this message' }).click();
  await waitFor(() => expect(teaser()).toBeNull());
  sessionStorage.clear();
  load([{}]);
  await hidden();
});

test('it waits for the consent that the owner asks for', async () => {
  load([{}], { consent: 'May we keep it?' });
  await hidden();
  localStorage.setItem(STORED, JSON.stringify({ agreed: true }));
  load([{}], { consent: 'May we keep it?' });
  await shown();
});

test.each<[string, string, boolean]>([
  ['/shop/lamps', '/shop/*', true],
  ['/shop', '/shop/*', false],
  ['/shop', '/shop', true],
  ['/shop/1', '/shop', false],
  ['/de/shop/lamps/7', '*/shop/*/7', true],
  ['/aba', '/ab*ba', false],
  ['/a', '*', true],
  ['/abcabc', '/*b*b*', true],
  ['/abc', '/*b*b*', false],
])('the path %s and the pattern %s', (path, pattern, fits) => {
  expect(fitsPattern(path, pattern)).toBe(fits);
});

test('how far the page before was scrolled does not count on the next one of the same document', async () => {
  const scroll = (top: number): void => {
    Object.assign(globalThis, { scrollY: top });
    dispatchEvent(new Event('scroll'));
  };
  const height = vi.spyOn(document.documentElement, 'scrollHeight', 'get').mockReturnValue(10_000);
  history.pushState({}, '', '/long');
  load([{ scroll: 60, page: '/next' }]);
  await hidden();
  scroll(9000);
  scroll(0);
  history.pushState({}, '', '/next');
  await hidden();
  scroll(9000);
  await shown();
  scroll(0);
  height.mockRestore();
});

test('that the mouse left the page before does not count on the next one of the same document', async () => {
  const leave = (): boolean => document.dispatchEvent(new MouseEvent('mouseout', { bubbles: true, clientY: -1 }));
  history.pushState({}, '', '/first');
  load([{ exit: true, page: '/next' }]);
  await hidden();
  leave();
  history.pushState({}, '', '/next');
  await hidden();
  leave();
  await shown();
});

test('it goes where a single-page application leaves the page that it is for', async () => {
  const start = location.href;
  history.pushState({}, '', '/events/spring');
  try {
    load([{ page: '/events*' }]);
    await shown();
    history.pushState({}, '', '/events/summer');
    await new Promise((done) => setTimeout(done, 600));
    expect(teaser()).not.toBeNull();
    history.pushState({}, '', '/rooms');
    await waitFor(() => expect(teaser()).toBeNull(), { timeout: 3000 });
    expect(chat.screen.queryByRole('button', { name: 'Close this message' })).toBeNull();
  } finally {
    history.pushState({}, '', start);
  }
});

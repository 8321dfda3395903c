// @vitest-environment happy-dom
import { waitFor } from '@testing-library/preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  answerEvents,
  encodeEvents,
  jsonResponse,
  messageRecord,
  openConnection,
  server,
  streamResponse,
  type Handler,
} from './fake-server.ts';
import { mount } from '../../widget/index.tsx';
import { mountAndOpen, mountChat, type MountedChat } from './mounted.ts';

const record = messageRecord('q', 'An answer.');
let chat: MountedChat;

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  document.title = 'Shop';
  activate({ isActive: true });
});

/** What the browser says of the visitor's presses; happy-dom has no such API. */
function activate(value: Partial<UserActivation> | undefined): void {
  Object.defineProperty(navigator, 'userActivation', { value, configurable: true });
}

afterEach(() => {
  chat.close();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const panel = (): Element | null => chat.root.querySelector('section');
const launcher = (): HTMLElement => chat.root.querySelector<HTMLElement>('.l')!;
const isMarked = (): unknown[] => [document.title, 'unread' in launcher().dataset, launcher().title];
const MARKED = ['(1) Shop', true, 'Open chat (New answer)'];
const CLEAR = ['Shop', false, 'Close chat'];
/** As long as anything would take that is not to happen. */
const pause = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 50));

/** The next page of the tab. */
function nextPage(answers: Record<string, Handler> = {}): void {
  chat.close();
  chat = mountChat(answers);
}

test('a chat that the visitor has opened is open on the next page, without the focus, until it is closed', async () => {
  chat = await mountAndOpen({});
  await waitFor(() => expect(sessionStorage.getItem('docent')).toBe('1'));
  expect(localStorage.length).toBe(0);
  nextPage();
  await waitFor(() => expect(panel()).toBeTruthy());
  expect(chat.root.activeElement).toBeNull();
  await waitFor(() => expect(launcher().title).toBe('Close chat'));
  launcher().click();
  await waitFor(() => expect(panel()).toBeNull());
  nextPage();
  await pause();
  expect(panel()).toBeNull();
});

test('the texts follow the language of a page that changes it', async () => {
  chat = await mountAndOpen({});
  await waitFor(() => expect(sessionStorage.getItem('docent')).toBe('1'));
  document.documentElement.lang = 'de';
  await waitFor(() => chat.screen.getByPlaceholderText('Ihre Frage'));
  document.documentElement.removeAttribute('lang');
  await waitFor(() => chat.screen.getByPlaceholderText('Your question'));
});

test('an answer that cannot be loaded on the next page marks nothing', async () => {
  sessionStorage.setItem('docent', '1');
  sessionStorage.setItem(`docent:${server}:c1`, '{"unread":"waiting"}');
  localStorage.setItem(`docent:${server}:c1`, '{"session":"s1","last":"m1"}');
  chat = mountChat({ 'GET /session/s1/messages': () => Promise.reject(new TypeError('refused')) });
  await waitFor(() => expect(chat.server.requests.length).toBeGreaterThan(0));
  await pause();
  expect(launcher().dataset['unread']).toBeUndefined();
});

test('it is not opened on a phone', async () => {
  chat = await mountAndOpen({});
  await waitFor(() => expect(sessionStorage.getItem('docent')).toBe('1'));
  vi.stubGlobal('matchMedia', () => ({ matches: true, addEventListener: () => undefined }));
  nextPage();
  await pause();
  expect(panel()).toBeNull();
});

test('a chat that the page opens stores nothing', async () => {
  activate({ isActive: false });
  chat = mountChat({});
  chat.handle.open();
  await waitFor(() => expect(panel()).toBeTruthy());
  await pause();
  expect([localStorage.length, sessionStorage.length]).toEqual([0, 0]);
});

test('a chat that the page has opened stays open on the next page once the visitor asks there', async () => {
  activate({ isActive: false });
  chat = mountChat({ 'POST /ask': () => streamResponse(answerEvents(record)) }, { settings: { open: true } });
  await waitFor(() => expect(panel()).toBeTruthy(), { timeout: 5000 });
  await pause();
  expect(sessionStorage.length).toBe(0);
  activate({ isActive: true });
  chat.ask('q');
  await waitFor(() => expect(sessionStorage.getItem('docent:https://docent.test/:c1')).toContain('"open":true'));
  nextPage();
  await waitFor(() => expect(panel()).toBeTruthy());
});

test.each([{ isActive: false }, undefined])(
  'a question that the page asks is no act of the visitor’s (userActivation: %j)',
  async (activation) => {
    activate(activation);
    chat = mountChat({ 'POST /ask': () => streamResponse(answerEvents(record)) });
    chat.handle.ask('q');
    await waitFor(() => expect(localStorage.getItem('docent:https://docent.test/:c1')).toContain('"last":"m1"'));
    await pause();
    expect(localStorage.getItem('docent:https://docent.test/:c1')).not.toContain('acted');
    expect(sessionStorage.getItem('docent:https://docent.test/:c1') ?? '').not.toContain('"open"');
  },
);

test('a page whose own title begins as a marked one keeps it, and is marked where its head is replaced', async () => {
  document.title = '(1) Inbox';
  chat = await mountAndOpen({ 'POST /ask': () => streamResponse(answerEvents(record)) });
  await waitFor(() => expect(sessionStorage.getItem('docent')).toBe('1'));
  expect(document.title).toBe('(1) Inbox');
  const open = openConnection();
  chat.close();
  chat = await mountAndOpen({ 'POST /ask': () => open.response });
  chat.ask('q');
  await waitFor(() => expect(chat.server.askRequests()).toHaveLength(1));
  launcher().click();
  await waitFor(() => expect(panel()).toBeNull());
  open.send(encodeEvents(answerEvents(record)));
  await waitFor(() => expect('unread' in launcher().dataset).toBe(true));
  expect(document.title).toBe('(1) Inbox');
  const head = document.createElement('head');
  head.append(Object.assign(document.createElement('title'), { textContent: 'Drafts' }));
  document.head.replaceWith(head);
  await waitFor(() => expect(document.title).toBe('(1) Drafts'));
  launcher().click();
  await waitFor(() => expect(document.title).toBe('Drafts'));
});

test('an answer that ends while the panel is closed marks launcher and title until it is opened, whatever the page’s titles', async () => {
  const open = openConnection();
  chat = await mountAndOpen({ 'POST /ask': () => open.response });
  chat.ask('q');
  await waitFor(() => expect(chat.server.askRequests()).toHaveLength(1));
  await waitFor(() => expect(sessionStorage.getItem('docent')).toBe('1'));
  launcher().click();
  await waitFor(() => expect(panel()).toBeNull());
  open.send(encodeEvents(answerEvents(record)));
  await waitFor(() => expect(isMarked()).toEqual(MARKED));
  document.title = 'Bags';
  await waitFor(() => expect(document.title).toBe('(1) Bags'));
  document.title = 'Shop';
  launcher().click();
  await waitFor(() => expect(isMarked()).toEqual(CLEAR));
  document.title = 'Bags';
  await pause();
  expect(document.title).toBe('Bags');
});

test.each([
  ['ended', 'stop' as const],
  ['ends later', '' as const],
])('an answer that %s on the next page, the panel closed, marks that', async (_, finish) => {
  const open = openConnection();
  chat = await mountAndOpen({ 'POST /ask': () => open.response });
  chat.ask('q');
  await waitFor(() => expect(chat.server.askRequests()).toHaveLength(1));
  open.send(encodeEvents(answerEvents(record).slice(0, 2)));
  await waitFor(() => expect(localStorage.getItem('docent:https://docent.test/:c1')).toContain('m1'));
  await waitFor(() => expect(sessionStorage.getItem('docent:https://docent.test/:c1')).toContain('waiting'));
  launcher().click();
  await waitFor(() => expect(sessionStorage.getItem('docent:https://docent.test/:c1')).not.toContain('open'));
  const rest = openConnection();
  const { response } = finish ? record : { response: '' };
  nextPage({
    'GET /session/s1/messages': () => jsonResponse([{ ...record, response, finish_reason: finish }]),
    'GET /session/s1/message/m1/stream': () => rest.response,
  });
  if (!finish) {
    await waitFor(() => expect(chat.server.requests.at(-1)!.path).toContain('/stream'));
    expect(document.title).toBe('Shop');
    rest.send(encodeEvents(answerEvents(record).slice(2)));
  }
  await waitFor(() => expect(isMarked()).toEqual(MARKED));
  expect(panel()).toBeNull();
  // Unread it stays on the page after.
  nextPage();
  await waitFor(() => expect(isMarked()).toEqual(MARKED));
  launcher().click();
  await waitFor(() => expect(isMarked()).toEqual(CLEAR));
  nextPage();
  await waitFor(() => expect(panel()).toBeTruthy());
  expect(document.title).toBe('Shop');
});

test('a page from the browser’s cache gets the panel as another page of the tab left it', async () => {
  chat = await mountAndOpen({});
  await waitFor(() => expect(sessionStorage.getItem('docent')).toBe('1'));
  const back = (): boolean => dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
  sessionStorage.setItem('docent:https://docent.test/:c1', '{}');
  localStorage.setItem('docent:https://docent.test/:c1', '{"closed":true}');
  back();
  await waitFor(() => expect(panel()).toBeNull());
  sessionStorage.setItem('docent:https://docent.test/:c1', '{"open":true}');
  back();
  await waitFor(() => expect(panel()).toBeTruthy());
});

test('a page from the browser’s cache keeps the panel that the page itself has opened', async () => {
  chat = mountChat(
    { 'GET ': () => jsonResponse({ name: 'Shop', open: true }) },
    { settings: { settings: '' } as object },
  );
  await waitFor(() => expect(panel()).toBeTruthy(), { timeout: 10_000 });
  await pause();
  dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
  await pause();
  expect(panel()).toBeTruthy();
});

test('answers that end unseen in two widgets mark the title once, until both were seen', async () => {
  const open = [openConnection(), openConnection()];
  const left = [...open];
  chat = await mountAndOpen({ 'POST /ask': () => left.shift()!.response });
  // happy-dom confuses the focus within two shadow roots.
  vi.spyOn(ShadowRoot.prototype, 'activeElement', 'get').mockReturnValue(null);
  // Two that went on for ever would stop the tests, too.
  const above = Object.getPrototypeOf(Document.prototype) as object;
  let changes = 0;
  Object.defineProperty(Document.prototype, 'title', {
    get: () => Reflect.get(above, 'title', document) as string,
    set(title) {
      if (++changes < 20) Reflect.set(above, 'title', title, document);
    },
    configurable: true,
  });
  const other = mount({ server, chatbot: 'c2' });
  try {
    chat.ask('q');
    other.ask('q');
    await waitFor(() => expect(chat.server.askRequests()).toHaveLength(2));
    chat.handle.close();
    other.close();
    for (const one of open) one.send(encodeEvents(answerEvents(record)));
    const launchers = Array.from(document.querySelectorAll('docent-widget'), (one) =>
      one.shadowRoot!.querySelector('.l'),
    );
    await waitFor(() => expect(launchers.map((one) => 'unread' in (one as HTMLElement).dataset)).toEqual([true, true]));
    await pause();
    expect(document.title).toBe('(1) Shop');
    chat.handle.open();
    await pause();
    expect(document.title).toBe('(1) Shop');
    other.open();
    await waitFor(() => expect(document.title).toBe('Shop'));
  } finally {
    other.destroy();
    Reflect.deleteProperty(Document.prototype, 'title');
  }
});

test('a profile that does not load stores nothing', async () => {
  const refuse = async (): Promise<Response> => {
    // What marks unread answers is loaded by then.
    await pause();
    throw new TypeError('refused');
  };
  chat = mountChat({ 'GET ': refuse }, { settings: { settings: '' } as object });
  await waitFor(() => expect(chat.events.map(([name]) => name)).toEqual(['error']), { timeout: 10_000 });
  await pause();
  expect([localStorage.length, sessionStorage.length]).toEqual([0, 0]);
});

test.each([
  ['where the owner wants it', { sound: true }, true, 1],
  ['never by default', {}, true, 0],
  ['not on a page that the visitor has not touched', { sound: true }, false, 0],
])('an answer that nobody saw plays a sound: %s', async (_, settings, hasBeenActive, times) => {
  const play = vi.fn(function () {
    throw new Error('no device');
  });
  vi.stubGlobal('AudioContext', play);
  activate({ hasBeenActive });
  const open = openConnection();
  chat = await mountAndOpen({
    'GET ': () => jsonResponse({ name: 'Shop', ...settings }),
    'POST /ask': () => open.response,
  });
  chat.ask('q');
  await waitFor(() => expect(chat.server.askRequests()).toHaveLength(1));
  chat.handle.close();
  const faults = vi.fn();
  chat.handle.on('error', faults);
  open.send(encodeEvents(answerEvents(record)));
  await waitFor(() => expect('unread' in launcher().dataset).toBe(true));
  if (times) await waitFor(() => expect(play).toHaveBeenCalledTimes(times));
  else await pause();
  expect([play.mock.calls.length, faults.mock.calls.length]).toEqual([times, 0]);
  vi.unstubAllGlobals();
});

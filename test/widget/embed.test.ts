// @vitest-environment happy-dom
import { waitFor, within } from '@testing-library/preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openPanel } from '../../widget/embed/panel.ts';
import {
  answerEvents,
  jsonResponse,
  startFakeServer,
  messageRecord,
  streamResponse,
  type FakeServer,
} from './fake-server.ts';
import type { Handle } from '../../widget/index.tsx';
import { readSettings } from '../../widget/browser/settings.ts';

type Docent = Handle & { q: { push(...calls: unknown[][]): void } };
const page = globalThis as unknown as { Docent?: Partial<Docent> | { q: unknown[][] }; __DOCENT_PANEL__?: string };

// The launcher loads the panel by its address; this one hands over the real panel.
const panel = 'data:text/javascript,export const openPanel = globalThis.realOpenPanel';
Object.assign(globalThis, { realOpenPanel: openPanel });
let fakeServer: FakeServer;

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  page.__DOCENT_PANEL__ = panel;
  fakeServer = startFakeServer({
    'POST /ask': ({ body }) => streamResponse(answerEvents(messageRecord(body['query']!, 'An answer.'))),
  });
});

afterEach(() => {
  (page.Docent as Docent | undefined)?.destroy?.();
  for (const host of document.querySelectorAll('docent-widget')) host.remove();
  delete page.Docent;
  fakeServer.close();
  vi.restoreAllMocks();
});

/** Runs embed.js as a script tag would. */
async function embed(dataset: Record<string, string> = { chatbot: 'c1' }): Promise<void> {
  const script = document.createElement('script');
  Object.defineProperty(script, 'src', { value: 'https://docent.test/embed.js' });
  Object.assign(script.dataset, dataset);
  Object.defineProperty(Document.prototype, 'currentScript', { get: () => script, configurable: true });
  vi.resetModules();
  await import('../../widget/embed/embed.ts');
}

const docent = (): Docent => page.Docent as Docent;
const hosts = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('docent-widget')];
const launcher = (): HTMLButtonElement => hosts()[0]!.shadowRoot!.querySelector<HTMLButtonElement>('.l')!;
const asked = (): (string | undefined)[] => fakeServer.askRequests().map(({ body }) => body['query']);

test('adds a launcher outside the body, and loads and stores nothing', async () => {
  await embed();
  expect(hosts()[0]!.parentElement).toBe(document.documentElement);
  expect(launcher().title).toBe('Open chat');
  expect(hosts()[0]!.shadowRoot!.querySelector('textarea')).toBeNull();
  expect(fakeServer.requests).toEqual([]);
  expect(localStorage.length).toBe(0);
});

test('queues calls until the panel is loaded and runs them in order', async () => {
  await embed();
  const told: string[] = [];
  docent().on('ask', ({ query }) => told.push(query));
  docent().on('open', () => told.push('open'));
  docent().ask('one');
  docent().ask('two');
  await waitFor(() => expect(asked()).toEqual(['one', 'two']));
  expect(told).toEqual(['open', 'one', 'two']);
});

test('runs calls queued before the script ran, and later ones', async () => {
  page.Docent = { q: [['ask', 'early']] };
  await embed();
  docent().q.push(['ask', 'late']);
  await waitFor(() => expect(asked()).toEqual(['early', 'late']));
});

test('sends what the tag says of user and page with the questions, and where it says nothing the page’s address', async () => {
  await embed({ chatbot: 'c1', user: 'C-7', page: '/cart' });
  docent().ask('one');
  await waitFor(() => expect(asked()).toEqual(['one']));
  expect(fakeServer.askRequests()[0]!.body['variables']).toEqual({ user: 'C-7', page: '/cart' });
  docent().destroy();
  localStorage.clear();
  await embed({ chatbot: 'c1' });
  docent().ask('two');
  await waitFor(() => expect(asked()).toEqual(['one', 'two']));
  expect(fakeServer.askRequests()[1]!.body['variables']).toEqual({ page: `${location.origin}/` });
});

test('two tags of one chatbot make one widget', async () => {
  await embed();
  const first = docent();
  await embed();
  expect(hosts()).toHaveLength(1);
  expect(docent()).toBe(first);
});

test('a tag without data-chatbot logs what to do', async () => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  await embed({});
  expect(error).toHaveBeenCalledOnce();
  expect(error.mock.calls[0]![0]).toMatch(/^\[docent\] no data-chatbot/);
  expect(hosts()).toEqual([]);
});

test('reports a panel that does not load; the next click retries and runs the queued calls', async () => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  page.__DOCENT_PANEL__ = 'data:text/javascript,throw new Error("gone")';
  await embed();
  docent().ask('kept');
  await waitFor(() => expect(launcher().title).toBe('Failed. Try again.'));
  expect(error.mock.calls[0]![0]).toMatch(/^\[docent\]/);
  page.__DOCENT_PANEL__ = panel;
  launcher().click();
  await waitFor(() => expect(asked()).toEqual(['kept']));
  expect(launcher().title).toBe('Close chat');
});

test('applies color, offset, z-index and position from the tag’s attributes', async () => {
  await embed({ chatbot: 'c1', color: '#fc0', offset: '32', z: '7', position: 'start', scheme: 'auto' });
  const { style } = hosts()[0]!;
  const names = ['color', 'offset', 'z', 'position', 'scheme'];
  const set = names.map((name) => style.getPropertyValue(`--docent-${name}`));
  expect(set).toEqual(['#fc0', '32px', '7', 'start', '']);
  expect(fakeServer.requests).toEqual([]);
});

test.each([
  ['offset', '32', 0],
  ['radius', '4', 0],
  ['settings', 'server', 1],
  ['label', 'Help', 1],
  ['triggers', '[{"scroll":50,"text":"Questions?"}]', 1],
])('data-%s="%s" alone starts %d timers that load the panel on idle', async (name, value, timers) => {
  vi.useFakeTimers();
  try {
    await embed({ chatbot: 'c1', [name]: value });
    expect(vi.getTimerCount()).toBe(timers);
  } finally {
    vi.useRealTimers();
  }
});

test('parses attributes to numbers and lists, and reads z-index as z', async () => {
  await embed({ chatbot: 'c1', zIndex: '7', teaserAfter: '9', open: '', suggestions: 'One?|Two?', radius: '4px' });
  expect(hosts()[0]!.style.getPropertyValue('--docent-z')).toBe('7');
  docent().open();
  const see = within(hosts()[0]!.shadowRoot as unknown as HTMLElement);
  await waitFor(() => expect(see.getAllByRole('button', { name: /^(One|Two)\?$/ })).toHaveLength(2));
  expect(readSettings({ zIndex: '7', 'teaser-after': '9', offset: '0', radius: '4px', label: '42' })).toEqual({
    z: 7,
    teaser_after: 9,
    offset: 0,
    radius: 4,
    label: '42',
  });
  expect(readSettings({ triggers: '[{"exit":true}]', constructor: 'x', ['__proto__']: 'x' })).toEqual({
    triggers: [{ exit: true }],
    constructor: 'x',
  });
  for (const triggers of ['[', '{}', '']) expect(readSettings({ triggers })).toEqual({});
});

test('suggestions by auto in the tag are those of the server', async () => {
  fakeServer = startFakeServer({ 'GET ': () => jsonResponse({ suggestions: ['Of the server?'] }) });
  await embed({ chatbot: 'c1', suggestions: 'auto' });
  docent().open();
  const see = within(hosts()[0]!.shadowRoot as unknown as HTMLElement);
  await waitFor(() => see.getByRole('button', { name: 'Of the server?' }));
  expect(see.queryByRole('button', { name: 'auto' })).toBeNull();
});

test('an element with data-docent-open opens the chat and gets the focus back', async () => {
  await embed();
  document.body.innerHTML = '<a href="#help" data-docent-open><b>Help</b></a>';
  const link = document.querySelector('a')!;
  link.focus();
  const press = new MouseEvent('click', { bubbles: true, cancelable: true, composed: true });
  link.firstElementChild!.dispatchEvent(press);
  // The page stays where it is.
  expect(press.defaultPrevented).toBe(true);
  await waitFor(() => expect(hosts()[0]!.shadowRoot!.querySelector('textarea')).toBeTruthy());
  expect(launcher().title).toBe('Close chat');
  docent().close();
  await waitFor(() => expect(launcher().title).toBe('Open chat'));
  expect(document.activeElement).toBe(link);
  document.body.innerHTML = '';
});

test('one press of data-docent-open opens one of two widgets: the one it names, else the first', async () => {
  await embed({ chatbot: '11111111111111111111111111111111' });
  await embed({ chatbot: '22222222222222222222222222222222' });
  document.body.innerHTML =
    '<a data-docent-open></a><a data-docent-open="true"></a><a data-docent-open="22222222222222222222222222222222"></a>' +
    '<a data-docent-open="33333333333333333333333333333333"></a><a></a>';
  const open = (): boolean[] => hosts().map(({ shadowRoot }) => !!shadowRoot!.querySelector('section'));
  const opened = async (link: Element, which: boolean[]): Promise<void> => {
    const press = new MouseEvent('click', { bubbles: true, cancelable: true, composed: true });
    link.dispatchEvent(press);
    expect(press.defaultPrevented).toBe(which.includes(true));
    await waitFor(() => expect(open()).toEqual(which));
    for (const { shadowRoot } of hosts())
      shadowRoot!.querySelector<HTMLElement>('header button[title="Close chat"]')?.click();
    await waitFor(() => expect(open()).toEqual([false, false]));
  };
  const [first, written, second, unknown, other] = document.querySelectorAll('a');
  await opened(first!, [true, false]);
  await opened(second!, [false, true]);
  await opened(written!, [true, false]);
  await opened(unknown!, [false, false]);
  await opened(other!, [false, false]);
  document.body.innerHTML = '';
});

test('data-inline selects the element that contains the chat', async () => {
  document.body.innerHTML = '<div id="help"></div>';
  await embed({ chatbot: 'c1', inline: '#help' });
  await waitFor(() =>
    expect(document.querySelector('#help docent-widget')?.shadowRoot?.querySelector('textarea')).toBeTruthy(),
  );
  docent().destroy();
  document.body.innerHTML = '';
});

test('a page that swaps its body with an inline chat gets the new one as window.Docent, and the old one is destroyed', async () => {
  document.body.innerHTML = '<div id="help"></div>';
  await embed({ chatbot: 'c1', inline: '#help' });
  const old = docent();
  await waitFor(() => expect(hosts()[0]!.shadowRoot!.querySelector('textarea')).toBeTruthy());
  const { shadowRoot } = hosts()[0]!;
  document.body.innerHTML = '<div id="help"></div>';
  await embed({ chatbot: 'c1', inline: '#help' });
  expect(docent()).not.toBe(old);
  expect(shadowRoot!.querySelector('textarea')).toBeNull();
  docent().ask('to the new one');
  await waitFor(() => expect(hosts()[0]!.shadowRoot!.textContent).toContain('An answer.'));
  docent().destroy();
  document.body.innerHTML = '';
});

test('of two widgets on a page, the first is window.Docent', async () => {
  await embed({ chatbot: 'c1' });
  const first = docent();
  await embed({ chatbot: 'c2' });
  expect(docent()).toBe(first);
  expect(hosts()).toHaveLength(2);
});

test('destroy removes the widget and window.Docent', async () => {
  await embed();
  docent().destroy();
  expect(hosts()).toEqual([]);
  expect(page.Docent).toBeUndefined();
});

test.each([
  ['forbidden_origin', 403, /^\[docent\] The chatbot c1 .* allowed_origins \(/],
  ['not_found', 404, /^\[docent\] The chatbot c1 .* data-chatbot/],
])('logs once what to do about %s', async (code, status, advice) => {
  fakeServer.close();
  const refuse = (): Response => jsonResponse({ error: 'no', code }, status);
  fakeServer = startFakeServer({ 'GET ': refuse, 'POST /ask': refuse });
  const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  await embed();
  docent().ask('one');
  docent().ask('two');
  await waitFor(() => expect(asked()).toEqual(['one', 'two']));
  await waitFor(() => expect(hosts()[0]!.shadowRoot!.querySelectorAll('.warning')).toHaveLength(2));
  expect(error.mock.calls).toEqual([[expect.stringMatching(advice)]]);
});

// @vitest-environment happy-dom
import { render, waitFor } from '@testing-library/preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ChatWidget, mount, type Handle } from '../../widget/index.tsx';
import type { Host } from '../../widget/embed/launcher.ts';
import {
  answerEvents,
  jsonResponse,
  openConnection,
  startFakeServer,
  messageRecord,
  server,
  streamResponse,
  encodeEvents,
  type FakeServer,
  type Connection,
} from './fake-server.ts';
import { mountChat, mountAndOpen, type MountedChat } from './mounted.ts';

const answer = messageRecord('q', 'An answer.');
const replies = { 'POST /ask': () => streamResponse(answerEvents(answer)) };
let fakeServer: FakeServer | undefined;
let chat: MountedChat | undefined;

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

afterEach(() => {
  chat?.close();
  fakeServer?.close();
  chat = fakeServer = undefined;
  vi.restoreAllMocks();
});

test('ask() opens the chat and sends the question, and events are dispatched in order', async () => {
  chat = mountChat(replies);
  chat.handle.ask('q');
  // The first of all loads the panel.
  const told = (): string[] => chat!.events.map(([name]) => name);
  await waitFor(() => expect(told()).toEqual(['open', 'ask', 'answer']), { timeout: 5000 });
  chat.handle.close();
  const { response, finish_reason } = chat.events[2]![1] as typeof answer;
  expect([response, finish_reason]).toEqual(['An answer.', 'stop']);
  expect(chat.events.at(-1)).toEqual(['close', null]);
});

test('a removed listener gets no further events', async () => {
  chat = mountChat(replies);
  const heard = vi.fn();
  chat.handle.on('open', heard)();
  chat.handle.open();
  await waitFor(() => expect(chat!.events).toHaveLength(1));
  expect(heard).not.toHaveBeenCalled();
});

test('with a target the chat is inside that element, open, and takes no focus', async () => {
  const target = document.createElement('div');
  document.body.append(target);
  chat = await mountAndOpen(replies, { target });
  expect(target.querySelector('docent-widget')).toBe(chat.host);
  await waitFor(() => chat!.screen.getByRole('region', { name: 'Shop help' }));
  expect(chat.screen.queryByRole('button', { name: /chat/i })).toBeNull();
  expect(chat.root.activeElement).toBeNull();
  target.remove();
});

test('the owner’s texts replace the English ones', async () => {
  chat = mountChat({}, { words: { open: 'Frag uns', field: 'Deine Frage' } });
  chat.screen.getByRole('button', { name: 'Frag uns' }).click();
  await waitFor(() => chat!.screen.getByPlaceholderText('Deine Frage'));
});

test('destroy leaves no node, listener, timer or stream', async () => {
  const before = document.documentElement.outerHTML;
  const added = vi.spyOn(globalThis, 'addEventListener');
  const removed = vi.spyOn(globalThis, 'removeEventListener');
  let signal: AbortSignal | null | undefined;
  let open!: Connection;
  chat = mountChat({
    'POST /ask': (request) => {
      ({ signal } = request);
      open = openConnection(signal);
      return open.response;
    },
  });
  chat.handle.ask('q');
  await waitFor(() => expect(open).toBeDefined());
  open.send(encodeEvents(answerEvents(answer).slice(0, 3)));
  await waitFor(() => expect(chat!.root.querySelector('.text')?.textContent).toBe('An an'));
  chat.handle.destroy();
  expect(document.documentElement.outerHTML).toBe(before);
  expect(signal?.aborted).toBe(true);
  const stay = added.mock.calls.filter(([, , options]) => !(options as AddEventListenerOptions)?.signal?.aborted);
  await waitFor(() => expect(removed.mock.calls.length).toBeGreaterThanOrEqual(stay.length));
  chat.handle.open();
  chat.handle.ask('q');
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(document.documentElement.outerHTML).toBe(before);
  expect(chat.server.askRequests()).toHaveLength(1);
});

test('destroyed before earlier messages are loaded, the widget does not send an unsent question again', async () => {
  chat = mountChat({ 'POST /ask': () => new Promise(() => {}) });
  chat.handle.ask('q');
  await waitFor(() => expect(chat!.server.askRequests()).toHaveLength(1));
  chat.handle.destroy();
  chat = mountChat({});
  const opened = new Promise<void>((resolve) => {
    chat!.handle.on('open', () => {
      chat!.handle.destroy();
      resolve();
    });
  });
  chat.handle.open();
  await opened;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(chat.server.askRequests()).toEqual([]);
});

test('destroyed before its profile is loaded, the widget does not open', async () => {
  let say: ((face: Response) => void) | undefined;
  const settings = { settings: '' } as object;
  chat = mountChat({ 'GET ': () => new Promise((resolve) => (say = resolve)) }, { settings });
  chat.screen.getByRole('button').dispatchEvent(new Event('pointerenter'));
  await waitFor(() => expect(say).toBeDefined());
  chat.handle.destroy();
  say!(jsonResponse({ open: true }));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(chat.events).toEqual([]);
});

test('on a site that is not allowed, the chat says so at once and does not retry', async () => {
  const refused = (): Response => jsonResponse({ error: 'not from here', code: 'forbidden_origin' }, 403);
  chat = mountChat({ 'GET ': refused, 'POST /ask': refused });
  chat.handle.ask('q');
  await waitFor(() => expect(chat!.screen.getAllByText('This chat is not available.').length).toBeGreaterThan(0));
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect(chat.server.askRequests()).toHaveLength(1);
  expect(chat.events.at(-1)).toEqual(['error', { code: 'forbidden_origin', error: 'not from here', status: 403 }]);
});

test('destroyed while waiting for the network, the widget sends nothing', async () => {
  chat = mountChat({
    'POST /ask': () => {
      throw new TypeError('refused');
    },
  });
  chat.handle.ask('q');
  await waitFor(() => expect(chat!.screen.getAllByText('Reconnecting…').length).toBeGreaterThan(0));
  chat.handle.destroy();
  const { length } = chat.server.askRequests();
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect(chat.server.askRequests()).toHaveLength(length);
});

test('destroyed at any time, the widget leaves no timer', async () => {
  const left = new Set<unknown>();
  const { setTimeout: start, clearTimeout: end } = globalThis;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((act: () => void, ms = 0) => {
    const timer = start(() => {
      left.delete(timer);
      act();
    }, ms);
    if (ms > 100) left.add(timer);
    return timer;
  }) as typeof setTimeout);
  vi.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
    left.delete(timer);
    end(timer);
  });
  const limited = (): Response => jsonResponse({ error: 'Too many.', code: 'rate_limited', retry_after: 9 }, 429);
  const refused = (): never => {
    throw new TypeError('refused');
  };
  chat = mountChat({}, { settings: { label: 'Help', teaser: 'Questions?' } });
  expect(left.size).toBe(1);
  chat.close();
  expect(left.size).toBe(0);
  for (const [reply, note] of [
    [limited, 'Too many.'],
    [refused, 'Reconnecting…'],
  ] as const) {
    localStorage.clear();
    chat = mountChat({ 'POST /ask': reply });
    chat.handle.ask('q');
    await waitFor(() => expect(chat!.screen.getAllByText(note).length).toBeGreaterThan(0));
    chat.close();
    await waitFor(() => expect(left.size).toBe(0), { timeout: 90, interval: 10 });
  }
  // A countdown and a reconnection at once.
  localStorage.clear();
  let asked = 0;
  chat = mountChat({ 'POST /ask': () => (asked++ ? refused() : limited()) });
  chat.handle.ask('one');
  chat.handle.ask('two');
  for (const note of ['Too many.', 'Reconnecting…'])
    await waitFor(() => expect(chat!.screen.getAllByText(note).length).toBeGreaterThan(0));
  chat.close();
  await waitFor(() => expect(left.size).toBe(0), { timeout: 90, interval: 10 });
});

test('the component mounts and unmounts, and a second mount makes no second chat', async () => {
  fakeServer = startFakeServer({});
  const handles: Handle[] = [];
  const ready = (handle: Handle): void => void handles.push(handle);
  const { rerender, unmount } = render(<ChatWidget server={server} chatbot="c1" onReady={ready} />);
  expect(document.querySelectorAll('docent-widget')).toHaveLength(1);
  rerender(<ChatWidget server={server} chatbot="c2" onReady={ready} />);
  const hosts = (): Host[] => [...document.querySelectorAll<Host>('docent-widget')];
  await waitFor(() => expect(hosts().map(({ docent }) => docent)).toEqual(['c2']));
  expect(handles).toHaveLength(2);
  unmount();
  await waitFor(() => expect(document.querySelector('docent-widget')).toBeNull());
});

test('the inline component renders in its place', async () => {
  fakeServer = startFakeServer({ 'GET ': () => jsonResponse({}, 500) });
  const { container, unmount } = render(<ChatWidget server={server} chatbot="c1" inline />);
  await waitFor(() =>
    expect(container.querySelector('docent-widget')?.shadowRoot?.querySelector('textarea')).toBeTruthy(),
  );
  unmount();
});

test('several chats work on one page', () => {
  fakeServer = startFakeServer({});
  const handles = ['c1', 'c2'].map((chatbot) => mount({ server, chatbot }));
  expect(document.querySelectorAll('docent-widget')).toHaveLength(2);
  handles[0]!.destroy();
  expect(document.querySelector<Host>('docent-widget')?.docent).toBe('c2');
  handles[1]!.destroy();
});

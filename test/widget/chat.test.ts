// @vitest-environment happy-dom
import { waitFor, within } from '@testing-library/preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  answerEvents,
  citation,
  deltas,
  jsonResponse,
  openConnection,
  messageRecord,
  streamResponse,
  encodeEvents,
  type Handler,
  type Connection,
} from './fake-server.ts';
import { mountAndOpen, pressKey, typeText, type MountedChat } from './mounted.ts';

const question = 'How long do I have?';
const citations = { 1: citation() };
const answer = messageRecord(question, 'You have **45 days** [1]. See [2].', citations);
const replies: Record<string, Handler> = { 'POST /ask': () => streamResponse(answerEvents(answer)) };

let chat: MountedChat;

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

afterEach(() => {
  chat.close();
  vi.useRealTimers();
});

const textOf = (): string => chat.root.querySelector('.text')?.textContent ?? '';

test('the launcher opens the chat with the focus in its field, and Escape closes it', async () => {
  chat = await mountAndOpen(replies);
  const { screen, root } = chat;
  const field = screen.getByRole('textbox', { name: 'Your question' });
  await waitFor(() => expect(root.activeElement).toBe(field));
  await waitFor(() => screen.getByText('Good day!'));
  screen.getByRole('dialog', { name: 'Shop help' });
  pressKey(field, 'Escape');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('a question is sent by Enter, and its answer streams in with its sources', async () => {
  const open = openConnection();
  chat = await mountAndOpen({ 'POST /ask': () => open.response });
  chat.ask(question);
  await waitFor(() => chat.screen.getByRole('group', { name: 'Your question' }));
  const events = answerEvents(answer);
  open.send(encodeEvents(events.slice(0, 5)));
  await waitFor(() => expect(textOf()).toBe('You have 45 d'));
  expect(chat.screen.queryByRole('button', { name: /^Source/ })).toBeNull();
  open.send(encodeEvents(events.slice(5)));
  open.end();
  await waitFor(() => chat.screen.getByRole('button', { name: 'Source 1: Returns' }));
  expect(chat.root.querySelector('.text strong')?.textContent).toBe('45 days');
  expect(chat.server.askRequests()).toHaveLength(1);
  const { query, id } = chat.server.askRequests()[0]!.body;
  expect(query).toBe(question);
  expect(id).toMatch(/^[\w-]{20,64}$/);
  expect(chat.screen.getByRole('link', { name: /Returns/ }).getAttribute('href')).toBe(
    'https://shop.test/returns#:~:text=You%20have%2045%20days.',
  );
});

test('an answer without a model, the credits being spent, looks like any other; without a text it is an error', async () => {
  const quoted = messageRecord(question, answer.response, citations, 'quota');
  const answers = [quoted, messageRecord(question, '', {}, 'quota')];
  chat = await mountAndOpen({ 'POST /ask': () => streamResponse(answerEvents(answers.shift()!)) });
  chat.ask(question);
  await waitFor(() => chat.screen.getByRole('button', { name: /^Source 1/ }));
  expect(chat.root.querySelector('.note.warning')).toBeNull();
  chat.ask(question);
  await waitFor(() => expect(chat.root.querySelector('.note.warning')).not.toBeNull());
  expect(chat.root.querySelector('.note.warning')?.textContent).toContain('This chat is not available for now.');
});

test('a marker without a citation is not a button', async () => {
  chat = await mountAndOpen(replies);
  chat.ask(question);
  await waitFor(() => chat.screen.getByRole('button', { name: /^Source 1/ }));
  expect(chat.screen.queryByRole('button', { name: /^Source 2/ })).toBeNull();
});

test('a citation opens as a card with its quote and a link to it; Escape closes it and returns to the marker', async () => {
  chat = await mountAndOpen(replies);
  const { screen, root } = chat;
  chat.ask(question);
  const found = (): HTMLElement => screen.getByRole('button', { name: 'Source 1: Returns' });
  (await waitFor(found)).click();
  const card = await waitFor(() => screen.getByRole('dialog', { name: 'Source 1: Returns' }));
  const marker = found();
  expect(card.textContent).toContain('You have 45 days.');
  expect(marker.getAttribute('aria-expanded')).toBe('true');
  const link = within(card).getByRole('link', { name: 'Returns' });
  expect(card.textContent).toContain('shop.test');
  expect(link.getAttribute('target')).toBe('_blank');
  expect(link.getAttribute('rel')).toContain('noopener');
  expect(root.activeElement).toBe(card);
  pressKey(card, 'Escape');
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Source 1: Returns' })).toBeNull());
  expect(root.activeElement).toBe(marker);
  screen.getByRole('dialog', { name: 'Shop help' });
  expect(chat.events).toContainEqual(['citation', { marker: '1', citation: citation() }]);
});

test.each([
  ['the page’s own site', {}, location.origin, '_self', ''],
  ['another site', {}, 'https://shop.test', '_blank', 'new tab'],
  ['the page’s own site, from an inline chat,', { target: document.body }, location.origin, '_blank', 'new tab'],
])('a source of %s opens where it should', async (_, options, origin, target, title) => {
  const text = `See [this](${origin}/a) [1].`;
  const citations = { 1: citation({ file_name: `${origin}/returns` }) };
  const answers = { 'POST /ask': () => streamResponse(answerEvents(messageRecord(question, text, citations))) };
  chat = await mountAndOpen(answers, options);
  chat.ask(question);
  const links = await waitFor(() => [
    chat.screen.getByRole('link', { name: 'this' }),
    chat.screen.getByRole('link', { name: 'Returns' }),
  ]);
  expect(links.map((link) => [link.getAttribute('target'), link.title])).toEqual([
    [target, ''],
    [target, title],
  ]);
});

test('a card opens at the marker that was clicked, and only one is open', async () => {
  chat = await mountAndOpen({
    'POST /ask': () => streamResponse(answerEvents(messageRecord(question, 'One [1]. Again [1].', citations))),
  });
  chat.ask(question);
  const markers = (): HTMLElement[] => chat.screen.queryAllByRole('button', { name: /^Source 1/ });
  await waitFor(() => expect(markers()).toHaveLength(2));
  const open = (): (string | null)[] => markers().map((marker) => marker.getAttribute('aria-expanded'));
  markers()[0]!.click();
  await waitFor(() => expect(open()).toEqual(['true', 'false']));
  markers()[1]!.click();
  await waitFor(() => expect(open()).toEqual(['false', 'true']));
  expect(chat.root.querySelectorAll('.card')).toHaveLength(1);
  markers()[1]!.click();
  await waitFor(() => expect(open()).toEqual(['false', 'false']));
});

test('closing and opening keeps the conversation and the draft', async () => {
  chat = await mountAndOpen(replies);
  chat.ask(question);
  await waitFor(() => chat.screen.getByRole('button', { name: /^Source 1/ }));
  typeText(chat.screen.getByRole('textbox', { name: 'Your question' }), 'And what of');
  chat.handle.close();
  await waitFor(() => expect(chat.screen.queryByRole('dialog')).toBeNull());
  chat.handle.open();
  await waitFor(() => expect(textOf()).toBe('You have 45 days\u00a01. See\u00a02.'));
  const field = chat.screen.getByRole('textbox', { name: 'Your question' }) as HTMLTextAreaElement;
  expect(field.value).toBe('And what of');
  expect(chat.root.activeElement).toBe(field);
  expect(chat.server.askRequests()).toHaveLength(1);
});

test('Shift+Enter and the Enter that ends an IME composition send nothing', async () => {
  chat = await mountAndOpen(replies);
  const field = chat.screen.getByRole('textbox', { name: 'Your question' });
  typeText(field, 'かな');
  pressKey(field, 'Enter', { shiftKey: true });
  pressKey(field, 'Enter', { isComposing: true });
  pressKey(field, 'Enter', { keyCode: 229 } as KeyboardEventInit);
  expect(chat.server.askRequests()).toEqual([]);
  pressKey(field, 'Enter');
  await waitFor(() => expect(chat.server.askRequests()).toHaveLength(1));
});

test('one click asks a suggested question', async () => {
  chat = await mountAndOpen(replies);
  (await waitFor(() => chat.screen.getByRole('button', { name: 'Where is my order?' }))).click();
  await waitFor(() => expect(chat.server.askRequests()[0]?.body['query']).toBe('Where is my order?'));
});

test('a failed answer keeps its text; retrying sends another message', async () => {
  const answers = [
    jsonResponse({ error: 'the model failed', code: 'model_failed' }, 502),
    streamResponse(answerEvents(answer)),
  ];
  chat = await mountAndOpen({ 'POST /ask': () => answers.shift()! });
  chat.ask(question);
  const retry = await waitFor(() => chat.screen.getByRole('button', { name: 'Try again' }));
  expect(chat.screen.getByRole('group', { name: 'Your question' }).textContent).toBe(question);
  retry.click();
  await waitFor(() => chat.screen.getByRole('button', { name: /^Source 1/ }));
  const [first, second] = chat.server.askRequests();
  expect(second!.body['query']).toBe(question);
  expect(second!.body['id']).not.toBe(first!.body['id']);
  expect(chat.events.filter(([name]) => name === 'error')).toEqual([
    ['error', { code: 'model_failed', error: 'the model failed', status: 502 }],
  ]);
});

test('an answer that ends in an error keeps its text and offers to try again', async () => {
  const cut = answerEvents(answer).slice(0, 3);
  chat = await mountAndOpen({
    'POST /ask': () => streamResponse([...cut, { event: 'error', data: { error: 'too slow', code: 'model_timeout' } }]),
  });
  chat.ask(question);
  await waitFor(() => chat.screen.getByRole('button', { name: 'Try again' }));
  expect(textOf()).toBe('You h');
});

test('a rate limit shows the server’s error, counts down and offers a retry', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  const refused = jsonResponse({ error: 'Take a break.', code: 'rate_limited', retry_after: 65 }, 429, {
    'Retry-After': '65',
  });
  const answers = [refused, streamResponse(answerEvents(answer))];
  chat = await mountAndOpen({ 'POST /ask': () => answers.shift()! });
  chat.ask(question);
  const after = (time: string): HTMLElement => chat.screen.getByRole('button', { name: `Try again (${time})` });
  const retry = (await vi.waitFor(() => after('1:05'))) as HTMLButtonElement;
  expect(chat.screen.getAllByText(/Take a break\./).length).toBeGreaterThan(0);
  expect(retry.disabled).toBe(true);
  await vi.advanceTimersByTimeAsync(5000);
  await vi.waitFor(() => after('1:00'));
  await vi.advanceTimersByTimeAsync(60_000);
  await vi.waitFor(() => expect(retry.disabled).toBe(false));
  expect(vi.getTimerCount()).toBe(0);
  retry.click();
  await vi.waitFor(() => chat.screen.getByRole('button', { name: /^Source 1/ }));
  expect(chat.events).toContainEqual(['rate-limit', { message: 'Take a break.', retry_after: 65 }]);
});

test('Stop sends a stop request and keeps the text so far', async () => {
  const open = openConnection();
  const stop = 'POST /session/s1/message/m1/stop';
  const text = 'You have ';
  chat = await mountAndOpen({
    'POST /ask': () => open.response,
    [stop]: () => {
      open.send(encodeEvents([{ event: 'done', data: messageRecord(question, text, {}, 'stopped') }]));
      open.end();
      return jsonResponse({ success: true });
    },
  });
  chat.ask(question);
  open.send(encodeEvents(answerEvents(answer).slice(0, 2).concat(deltas(text))));
  await waitFor(() => expect(textOf().trim()).toBe('You have'));
  chat.screen.getByRole('button', { name: 'Stop' }).click();
  await waitFor(() => expect(chat.screen.getAllByText('The answer was stopped.').length).toBeGreaterThan(0));
  expect(chat.screen.queryByRole('button', { name: 'Stop' })).toBeNull();
  expect(textOf()).toBe('You have');
});

test('an answer stopped before its uuid is known is stopped on the server once it is', async () => {
  const open = openConnection();
  chat = await mountAndOpen({
    'POST /ask': () => open.response,
    'POST /session/s1/message/m1/stop': () => jsonResponse({ success: true }),
  });
  chat.ask(question);
  (await waitFor(() => chat.screen.getByRole('button', { name: 'Stop' }))).click();
  await waitFor(() => expect(chat.screen.queryByRole('button', { name: 'Stop' })).toBeNull());
  open.send(encodeEvents(answerEvents(answer).slice(0, 2)));
  await waitFor(() => expect(chat.server.requests.at(-1)?.path).toBe('/session/s1/message/m1/stop'));
});

test('questions asked during an answer wait for its end', async () => {
  const lines: Connection[] = [];
  chat = await mountAndOpen({
    'POST /ask': () => {
      lines.push(openConnection());
      return lines.at(-1)!.response;
    },
  });
  chat.ask('one');
  chat.ask('two');
  await waitFor(() => expect(lines).toHaveLength(1));
  lines[0]!.send(encodeEvents(answerEvents(messageRecord('one', 'first'))));
  lines[0]!.end();
  await waitFor(() => expect(lines).toHaveLength(2));
  expect(chat.server.askRequests()[1]!.body).toMatchObject({ query: 'two', session: 's1' });
});

test('announces the start and the finished answer to screen readers, not each chunk', async () => {
  const open = openConnection();
  chat = await mountAndOpen({ 'POST /ask': () => open.response });
  chat.ask(question);
  const heard = new Set<string>();
  const status = chat.root.querySelector('[aria-live=polite]')!;
  const listen = (): void => void heard.add(status.textContent ?? '');
  const observer = new MutationObserver(listen);
  observer.observe(status, { childList: true, characterData: true, subtree: true });
  for (const event of answerEvents(answer)) {
    open.send(encodeEvents([event]));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  open.end();
  await waitFor(() => expect(status.textContent?.trim()).toBe('Answer: You have 45 days.See.'));
  observer.disconnect();
  expect([...heard].filter(Boolean)).toHaveLength(2);
  expect(chat.screen.getByRole('log').getAttribute('aria-live')).toBe('off');
});

test('announces a finished answer sentence by sentence', async () => {
  const long = messageRecord(question, 'It is 4.5 days [1]. Sale items too! Is that *all*? はい。Yes');
  chat = await mountAndOpen({ 'POST /ask': () => streamResponse(answerEvents(long)) });
  chat.ask(question);
  const status = chat.root.querySelector('[aria-live=polite]')!;
  await waitFor(() => expect(status.textContent).toMatch(/^Answer: /));
  // A status is told as a whole.
  expect(status.hasAttribute('role')).toBe(false);
  expect([...status.children].map((sentence) => sentence.textContent?.trim())).toEqual([
    'Answer: It is 4.5 days.',
    'Sale items too!',
    'Is that all?',
    'はい。',
    'Yes',
  ]);
});

test('announces an answer as it is drawn: no addresses, table rules, escapes or buttons, and no character lost', async () => {
  const written =
    '- See [Library cards](https://shop.test/cards).\n- `a > b` and <b>html</b>\n\n| Day | Opens |\n|:---:|------:|\n| Mon | 9 |\n\n```js\nx = 1;\n```\n\nHours\n=====\n\n- [ ] todo';
  chat = await mountAndOpen({ 'POST /ask': () => streamResponse(answerEvents(messageRecord(question, written))) });
  chat.ask(question);
  const status = chat.root.querySelector('[aria-live=polite]')!;
  await waitFor(() => expect(status.textContent).toMatch(/^Answer: /));
  expect([...status.children].map((sentence) => sentence.textContent)).toEqual([
    'Answer: See Library cards.',
    'a > b and <b>html</b>',
    'Day Opens',
    'Mon 9',
    'x = 1;',
    'Hours',
    'todo',
  ]);
});

test('an answer that ended before the panel was opened again is not announced once more', async () => {
  chat = await mountAndOpen(replies);
  chat.ask(question);
  const spoken = (): string | null =>
    chat!.root.querySelector('section:not([inert]) > [aria-live=polite]')!.textContent;
  await waitFor(() => expect(spoken()).toMatch(/^Answer: /));
  pressKey(chat.screen.getByRole('textbox'), 'Escape');
  await waitFor(() => expect(chat!.root.querySelector('section:not([inert])')).toBeNull());
  chat.handle.open();
  await waitFor(() => chat!.screen.getByRole('textbox'));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(spoken()).toBe('');
});

test('applies only the known properties of a theme', async () => {
  chat = await mountAndOpen(replies);
  await waitFor(() => expect(chat.host.style.getPropertyValue('--docent-color')).toBe('#123456'));
  expect(chat.host.style.getPropertyValue('--docent-evil')).toBe('');
});

test('an unreadable answer fails alone: it can be retried, and the next question is answered', async () => {
  const broken = 'event: delta\nid: 1\ndata: null\n\n';
  let asked = 0;
  const reply: Handler = () => {
    if (asked++) return streamResponse(answerEvents({ ...answer, uuid: `m${asked}` }));
    const open = openConnection();
    open.send(`event: session\ndata: {"uuid":"s1"}\n\n${broken}event: message\ndata: null\n\n`);
    open.end();
    return open.response;
  };
  chat = await mountAndOpen({ 'POST /ask': reply });
  chat.ask('first');
  chat.ask('second');
  await waitFor(() => chat.screen.getByRole('button', { name: 'Source 1: Returns' }));
  const fault = { code: 'bad_answer', status: 0, error: expect.stringContaining('TypeError') as string };
  expect(chat.events).toContainEqual(['error', fault]);
  // The first is the failed turn's; the other one has the answer made anew.
  chat.screen.getAllByRole('button', { name: 'Try again' })[0]!.click();
  await waitFor(() => expect(chat.screen.getAllByRole('button', { name: 'Source 1: Returns' })).toHaveLength(2));
});

test('a browser without URL.canParse shows sources and further answers', async () => {
  const { canParse } = URL;
  Object.assign(URL, { canParse: undefined });
  try {
    const file = citation({ file_name: 'https://', title: 'A file' });
    const both = messageRecord(question, 'You have 45 days [1], in [2]. ![x](https://shop.test/x.png)', {
      ...citations,
      2: file,
    });
    let asked = 0;
    const reply: Handler = () => streamResponse(answerEvents({ ...both, uuid: `m${asked++}` }));
    chat = await mountAndOpen({ 'POST /ask': reply }, { settings: { image_hosts: ['shop.test'] } });
    for (const count of [1, 2]) {
      chat.ask(question);
      await waitFor(() =>
        expect(chat.screen.getAllByRole('button', { name: 'Source 1: Returns' })).toHaveLength(count),
      );
      expect(chat.screen.getAllByRole('button', { name: 'Source 2: A file' })).toHaveLength(count);
      expect(chat.screen.getAllByRole('img', { name: 'x' })).toHaveLength(count);
    }
  } finally {
    Object.assign(URL, { canParse });
  }
});

test('a browser that reflects no ARIA properties has the launcher’s state as an attribute', async () => {
  chat = await mountAndOpen(replies);
  const launcher = chat.root.querySelector<HTMLElement>('.l')!;
  expect(launcher.getAttribute('aria-expanded')).toBe('true');
  launcher.click();
  await waitFor(() => expect(launcher.getAttribute('aria-expanded')).toBe('false'));
});

// @vitest-environment happy-dom
import { waitFor, within } from '@testing-library/preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { answered, citation, deltas, json, line, record, stream, wire, type Answer, type Line } from './fake-server.ts';
import { opened, press, type, type Opened } from './mounted.ts';

const question = 'How long do I have?';
const citations = { 1: citation() };
const answer = record(question, 'You have **45 days** [1]. See [2].', citations);
const replies: Record<string, Answer> = { 'POST /ask': () => stream(answered(answer)) };

let chat: Opened;

beforeEach(() => localStorage.clear());

afterEach(() => {
  chat.close();
  vi.useRealTimers();
});

const textOf = (): string => chat.root.querySelector('.text')?.textContent ?? '';

test('the launcher opens the chat with the focus in its field, and Escape closes it', async () => {
  chat = await opened(replies);
  const { see, root } = chat;
  const field = see.getByRole('textbox', { name: 'Your question' });
  await waitFor(() => expect(root.activeElement).toBe(field));
  await waitFor(() => see.getByText('Good day!'));
  see.getByRole('dialog', { name: 'Shop help' });
  press(field, 'Escape');
  await waitFor(() => expect(see.queryByRole('dialog')).toBeNull());
});

test('a question is sent by Enter, and its answer streams in with its sources', async () => {
  const open = line();
  chat = await opened({ 'POST /ask': () => open.response });
  chat.ask(question);
  await waitFor(() => chat.see.getByRole('group', { name: 'Your question' }));
  const events = answered(answer);
  open.say(wire(events.slice(0, 5)));
  await waitFor(() => expect(textOf()).toBe('You have 45 d'));
  expect(chat.see.queryByRole('button', { name: /^Source/ })).toBeNull();
  open.say(wire(events.slice(5)));
  open.end();
  await waitFor(() => chat.see.getByRole('button', { name: 'Source 1: Returns' }));
  expect(chat.root.querySelector('.text strong')?.textContent).toBe('45 days');
  expect(chat.door.asked()).toHaveLength(1);
  const { query, id } = chat.door.asked()[0]!.body;
  expect(query).toBe(question);
  expect(id).toMatch(/^[\w-]{20,64}$/);
  expect(chat.see.getByRole('link', { name: /Returns/ }).getAttribute('href')).toBe(
    'https://shop.test/returns#:~:text=You%20have%2045%20days.',
  );
});

test('a marker that cites nothing is no button', async () => {
  chat = await opened(replies);
  chat.ask(question);
  await waitFor(() => chat.see.getByRole('button', { name: /^Source 1/ }));
  expect(chat.see.queryByRole('button', { name: /^Source 2/ })).toBeNull();
});

test('a citation opens as a card with its quote and a link to it; Escape closes it and returns to the marker', async () => {
  chat = await opened(replies);
  const { see, root } = chat;
  chat.ask(question);
  const found = (): HTMLElement => see.getByRole('button', { name: 'Source 1: Returns' });
  (await waitFor(found)).click();
  const card = await waitFor(() => see.getByRole('dialog', { name: 'Source 1: Returns' }));
  const marker = found();
  expect(card.textContent).toContain('You have 45 days.');
  expect(marker.getAttribute('aria-expanded')).toBe('true');
  const link = within(card).getByRole('link', { name: 'Returns' });
  expect(card.textContent).toContain('shop.test');
  expect(link.getAttribute('target')).toBe('_blank');
  expect(link.getAttribute('rel')).toContain('noopener');
  expect(root.activeElement).toBe(card);
  press(card, 'Escape');
  await waitFor(() => expect(see.queryByRole('dialog', { name: 'Source 1: Returns' })).toBeNull());
  expect(root.activeElement).toBe(marker);
  see.getByRole('dialog', { name: 'Shop help' });
  expect(chat.told).toContainEqual(['citation', { marker: '1', citation: citation() }]);
});

test('a card opens at the marker that was clicked, and only one is open', async () => {
  chat = await opened({ 'POST /ask': () => stream(answered(record(question, 'One [1]. Again [1].', citations))) });
  chat.ask(question);
  const markers = (): HTMLElement[] => chat.see.queryAllByRole('button', { name: /^Source 1/ });
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

test('closed and opened again, the conversation and the draft are there', async () => {
  chat = await opened(replies);
  chat.ask(question);
  await waitFor(() => chat.see.getByRole('button', { name: /^Source 1/ }));
  type(chat.see.getByRole('textbox', { name: 'Your question' }), 'And what of');
  chat.handle.close();
  await waitFor(() => expect(chat.see.queryByRole('dialog')).toBeNull());
  chat.handle.open();
  await waitFor(() => expect(textOf()).toBe('You have 45 days 1. See 2.'));
  const field = chat.see.getByRole('textbox', { name: 'Your question' }) as HTMLTextAreaElement;
  expect(field.value).toBe('And what of');
  expect(chat.root.activeElement).toBe(field);
  expect(chat.door.asked()).toHaveLength(1);
});

test('Shift+Enter and the Enter that ends a composition send nothing', async () => {
  chat = await opened(replies);
  const field = chat.see.getByRole('textbox', { name: 'Your question' });
  type(field, 'かな');
  press(field, 'Enter', { shiftKey: true });
  press(field, 'Enter', { isComposing: true });
  press(field, 'Enter', { keyCode: 229 } as KeyboardEventInit);
  expect(chat.door.asked()).toEqual([]);
  press(field, 'Enter');
  await waitFor(() => expect(chat.door.asked()).toHaveLength(1));
});

test('a suggested question is asked by one click', async () => {
  chat = await opened(replies);
  (await waitFor(() => chat.see.getByRole('button', { name: 'Where is my order?' }))).click();
  await waitFor(() => expect(chat.door.asked()[0]?.body['query']).toBe('Where is my order?'));
});

test('a failed question keeps what was written; trying again is another message', async () => {
  const answers = [json({ error: 'the model failed', code: 'model_failed' }, 502), stream(answered(answer))];
  chat = await opened({ 'POST /ask': () => answers.shift()! });
  chat.ask(question);
  const retry = await waitFor(() => chat.see.getByRole('button', { name: 'Try again' }));
  expect(chat.see.getByRole('group', { name: 'Your question' }).textContent).toBe(question);
  retry.click();
  await waitFor(() => chat.see.getByRole('button', { name: /^Source 1/ }));
  const [first, second] = chat.door.asked();
  expect(second!.body['query']).toBe(question);
  expect(second!.body['id']).not.toBe(first!.body['id']);
  expect(chat.told.filter(([name]) => name === 'error')).toEqual([
    ['error', { code: 'model_failed', error: 'the model failed', status: 502 }],
  ]);
});

test('an answer that ends in an error keeps its text and offers to try again', async () => {
  const cut = answered(answer).slice(0, 3);
  chat = await opened({
    'POST /ask': () => stream([...cut, { event: 'error', data: { error: 'too slow', code: 'model_timeout' } }]),
  });
  chat.ask(question);
  await waitFor(() => chat.see.getByRole('button', { name: 'Try again' }));
  expect(textOf()).toBe('You h');
});

test('too many questions: the server’s words, the time to wait counted down, then another try', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const refused = json({ error: 'Take a break.', code: 'rate_limited', retry_after: 65 }, 429, { 'Retry-After': '65' });
  const answers = [refused, stream(answered(answer))];
  chat = await opened({ 'POST /ask': () => answers.shift()! });
  chat.ask(question);
  const after = (time: string): HTMLElement => chat.see.getByRole('button', { name: `Try again (${time})` });
  const retry = (await vi.waitFor(() => after('1:05'))) as HTMLButtonElement;
  expect(chat.see.getAllByText(/Take a break\./).length).toBeGreaterThan(0);
  expect(retry.disabled).toBe(true);
  await vi.advanceTimersByTimeAsync(5000);
  await vi.waitFor(() => after('1:00'));
  await vi.advanceTimersByTimeAsync(60_000);
  await vi.waitFor(() => expect(retry.disabled).toBe(false));
  expect(vi.getTimerCount()).toBe(0);
  retry.click();
  await vi.waitFor(() => chat.see.getByRole('button', { name: /^Source 1/ }));
  expect(chat.told).toContainEqual(['rate-limit', { message: 'Take a break.', retry_after: 65 }]);
});

test('Stop tells the server, and what was written stays', async () => {
  const open = line();
  const stop = 'POST /session/s1/message/m1/stop';
  const text = 'You have ';
  chat = await opened({
    'POST /ask': () => open.response,
    [stop]: () => {
      open.say(wire([{ event: 'done', data: record(question, text, {}, 'stopped') }]));
      open.end();
      return json({ success: true });
    },
  });
  chat.ask(question);
  open.say(wire(answered(answer).slice(0, 2).concat(deltas(text))));
  await waitFor(() => expect(textOf().trim()).toBe('You have'));
  chat.see.getByRole('button', { name: 'Stop' }).click();
  await waitFor(() => expect(chat.see.getAllByText('The answer was stopped.').length).toBeGreaterThan(0));
  expect(chat.see.queryByRole('button', { name: 'Stop' })).toBeNull();
  expect(textOf()).toBe('You have');
});

test('an answer stopped before the server named it is stopped there as soon as it has a name', async () => {
  const open = line();
  chat = await opened({
    'POST /ask': () => open.response,
    'POST /session/s1/message/m1/stop': () => json({ success: true }),
  });
  chat.ask(question);
  (await waitFor(() => chat.see.getByRole('button', { name: 'Stop' }))).click();
  await waitFor(() => expect(chat.see.queryByRole('button', { name: 'Stop' })).toBeNull());
  open.say(wire(answered(answer).slice(0, 2)));
  await waitFor(() => expect(chat.door.requests.at(-1)?.path).toBe('/session/s1/message/m1/stop'));
});

test('questions asked during an answer wait for its end', async () => {
  const lines: Line[] = [];
  chat = await opened({
    'POST /ask': () => {
      lines.push(line());
      return lines.at(-1)!.response;
    },
  });
  chat.ask('one');
  chat.ask('two');
  await waitFor(() => expect(lines).toHaveLength(1));
  lines[0]!.say(wire(answered(record('one', 'first'))));
  lines[0]!.end();
  await waitFor(() => expect(lines).toHaveLength(2));
  expect(chat.door.asked()[1]!.body).toMatchObject({ query: 'two', session: 's1' });
});

test('a screen reader is told the start and the finished answer, not each piece', async () => {
  const open = line();
  chat = await opened({ 'POST /ask': () => open.response });
  chat.ask(question);
  const heard = new Set<string>();
  const status = chat.root.querySelector('[aria-live=polite]')!;
  const listen = (): void => void heard.add(status.textContent ?? '');
  const observer = new MutationObserver(listen);
  observer.observe(status, { childList: true, characterData: true, subtree: true });
  for (const event of answered(answer)) {
    open.say(wire([event]));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  open.end();
  await waitFor(() => expect(status.textContent?.trim()).toBe('Answer: You have 45 days . See .'));
  observer.disconnect();
  expect([...heard].filter(Boolean)).toHaveLength(2);
  expect(chat.see.getByRole('log').getAttribute('aria-live')).toBe('off');
});

test('a finished answer is told sentence by sentence', async () => {
  const long = record(question, 'It is 4.5 days [1]. Sale items too! Is that *all*? はい。Yes');
  chat = await opened({ 'POST /ask': () => stream(answered(long)) });
  chat.ask(question);
  const status = chat.root.querySelector('[aria-live=polite]')!;
  await waitFor(() => expect(status.textContent).toMatch(/^Answer: /));
  // A status is told as a whole.
  expect(status.hasAttribute('role')).toBe(false);
  expect([...status.children].map((sentence) => sentence.textContent?.trim())).toEqual([
    'Answer: It is 4.5 days .',
    'Sale items too!',
    'Is that all?',
    'はい。',
    'Yes',
  ]);
});

test('a theme names colours, never something to fetch', async () => {
  chat = await opened(replies);
  await waitFor(() => expect(chat.host.style.getPropertyValue('--docent-color')).toBe('#123456'));
  expect(chat.host.style.getPropertyValue('--docent-evil')).toBe('');
});

test('an answer that cannot be read fails alone: it can be tried again, and the next question is answered', async () => {
  const broken = 'event: delta\nid: 1\ndata: null\n\n';
  let asked = 0;
  const reply: Answer = () => {
    if (asked++) return stream(answered({ ...answer, uuid: `m${asked}` }));
    const open = line();
    open.say(`event: session\ndata: {"uuid":"s1"}\n\n${broken}event: message\ndata: null\n\n`);
    open.end();
    return open.response;
  };
  chat = await opened({ 'POST /ask': reply });
  chat.ask('first');
  chat.ask('second');
  await waitFor(() => chat.see.getByRole('button', { name: 'Source 1: Returns' }));
  const fault = { code: 'bad_answer', status: 0, error: expect.stringContaining('TypeError') as string };
  expect(chat.told).toContainEqual(['error', fault]);
  // The first is the failed turn's; the other one has the answer made anew.
  chat.see.getAllByRole('button', { name: 'Try again' })[0]!.click();
  await waitFor(() => expect(chat.see.getAllByRole('button', { name: 'Source 1: Returns' })).toHaveLength(2));
});

test('a browser without URL.canParse shows sources and answers on', async () => {
  const { canParse } = URL;
  Object.assign(URL, { canParse: undefined });
  try {
    const file = citation({ file_name: 'https://', title: 'A file' });
    const both = record(question, 'You have 45 days [1], in [2]. ![x](https://shop.test/x.png)', {
      ...citations,
      2: file,
    });
    let asked = 0;
    const reply: Answer = () => stream(answered({ ...both, uuid: `m${asked++}` }));
    chat = await opened({ 'POST /ask': reply }, { settings: { image_hosts: ['shop.test'] } });
    for (const count of [1, 2]) {
      chat.ask(question);
      await waitFor(() => expect(chat.see.getAllByRole('button', { name: 'Source 1: Returns' })).toHaveLength(count));
      expect(chat.see.getAllByRole('button', { name: 'Source 2: A file' })).toHaveLength(count);
      expect(chat.see.getAllByRole('img', { name: 'x' })).toHaveLength(count);
    }
  } finally {
    Object.assign(URL, { canParse });
  }
});

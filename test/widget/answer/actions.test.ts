// @vitest-environment happy-dom
import { waitFor } from '@testing-library/preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { answerEvents, citation, jsonResponse, messageRecord, streamResponse, type Handler } from '../fake-server.ts';
import { mountAndOpen, pressKey, typeText, type MountedChat } from '../mounted.ts';

const question = 'How long do I have?';
const citations = { 1: citation(), 2: citation({ title: 'Handbook', file_name: 'handbook.pdf' }) };
const answer = messageRecord(question, 'You have **45 days** [1]. See [2].', citations);
const feedback = 'POST /session/s1/message/m1/feedback';

let chat: MountedChat;

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

afterEach(() => {
  chat.close();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const button = (name: string | RegExp): HTMLElement => chat.screen.getByRole('button', { name });

async function asked(answers: Record<string, Handler> = {}): Promise<void> {
  chat = await mountAndOpen({ 'POST /ask': () => streamResponse(answerEvents(answer)), ...answers });
  chat.ask(question);
  await waitFor(() => button('Helpful'));
}

const clipboard = (writeText: (text: string) => Promise<void>): void =>
  void Object.defineProperty(navigator, 'clipboard', { value: { writeText }, configurable: true });

test('Copy copies an answer with its sources', async () => {
  await asked();
  const written = vi.fn(async () => undefined);
  clipboard(written);
  button('Copy with sources').click();
  await waitFor(() => chat.screen.getByText('Copied'));
  expect(written).toHaveBeenCalledWith(
    'You have **45 days** [1]. See [2].\n\n' +
      '[1] Returns – https://shop.test/returns#:~:text=You%20have%2045%20days.\n[2] Handbook – handbook.pdf',
  );
});

test('copies the boxes of a list of tasks as characters, in rich text', async () => {
  const tasks = messageRecord(question, '- [x] Pack\n- [ ] Send');
  await asked({ 'POST /ask': () => streamResponse(answerEvents(tasks)) });
  clipboard(() => Promise.reject(new DOMException('denied', 'NotAllowedError')));
  const copied = new DataTransfer();
  Document.prototype.execCommand = () => {
    const event = new Event('copy', { bubbles: true, cancelable: true, composed: true });
    chat.root.activeElement!.dispatchEvent(Object.assign(event, { clipboardData: copied }));
    return event.defaultPrevented;
  };
  button('Copy with sources').click();
  await waitFor(() => chat.screen.getByText('Copied'));
  expect(copied.getData('text/plain')).toBe('- [x] Pack\n- [ ] Send');
  expect(copied.getData('text/html')).toMatch(/☑ Pack[^]*☐ Send/);
  expect(copied.getData('text/html')).not.toContain('<input');
});

test('copies by execCommand where the clipboard is refused, and says so where both are', async () => {
  await asked();
  clipboard(() => Promise.reject(new DOMException('denied', 'NotAllowedError')));
  const copied: string[] = [];
  Document.prototype.execCommand = vi.fn(() => {
    copied.push((chat.root.activeElement as HTMLTextAreaElement | null)?.value ?? '');
    return true;
  });
  button('Copy with sources').focus();
  button('Copy with sources').click();
  await waitFor(() => chat.screen.getByText('Copied'));
  expect(chat.root.activeElement).toBe(button('Copy with sources'));
  expect(chat.root.querySelectorAll('.top textarea')).toHaveLength(0);
  Document.prototype.execCommand = () => false;
  button('Copy with sources').click();
  await waitFor(() => chat.screen.getByText('Copying failed.'));
});

test('says that copying failed, and leaves no field behind, where execCommand throws', async () => {
  await asked();
  clipboard(() => Promise.reject(new DOMException('denied', 'NotAllowedError')));
  Document.prototype.execCommand = () => {
    throw new TypeError('document.execCommand is not a function');
  };
  button('Copy with sources').click();
  await waitFor(() => chat.screen.getByText('Copying failed.'));
  expect(chat.root.querySelectorAll('.top textarea')).toHaveLength(0);
});

test('copies rich text beside the Markdown where the browser can', async () => {
  await asked();
  const written: Record<string, string>[] = [];
  vi.stubGlobal(
    'ClipboardItem',
    class {
      readonly types: Record<string, string>;
      constructor(types: Record<string, string>) {
        this.types = types;
      }
    },
  );
  const write = async ([item]: { types: Record<string, string> }[]): Promise<void> => void written.push(item!.types);
  Object.defineProperty(navigator, 'clipboard', { value: { write }, configurable: true });
  button('Copy with sources').click();
  await waitFor(() => chat.screen.getByText('Copied'));
  vi.unstubAllGlobals();
  expect(written[0]!['text/plain']).toMatch(/^You have \*\*45 days\*\* \[1\]\. See \[2\]\.\n\n\[1\] Returns – https:/);
  const html = written[0]!['text/html']!;
  expect(html).toContain('You have <strong>45 days</strong>');
  expect(html).toMatch(/\[1\] <a href="https:\/\/shop\.test\/returns#:~:text=[^"]+">Returns<\/a>/);
  expect(html).toMatch(/\[2\] (?:<a>)?Handbook/);
  expect(html).not.toMatch(/class|style|button|aria/);
});

const field = (): HTMLTextAreaElement | null =>
  chat.screen.queryByRole('textbox', { name: /Tell us more/ }) as HTMLTextAreaElement | null;

test('a thumb down is sent at once and opens a field for a comment, which goes once it was sent', async () => {
  await asked({ [feedback]: () => jsonResponse({ success: true }) });
  expect(field()).toBeNull();
  button('Not helpful').click();
  await waitFor(() => expect(button('Not helpful').getAttribute('aria-pressed')).toBe('true'));
  expect(chat.server.requests.at(-1)).toMatchObject({ path: '/session/s1/message/m1/feedback', body: { rating: -1 } });
  await waitFor(() => typeText(field()!, 'Which days?'));
  field()!.closest('.comment')!.querySelector('button')!.click();
  await waitFor(() => chat.screen.getByText('Thank you.'));
  expect(chat.server.requests.at(-1)!.body).toEqual({ rating: -1, comment: 'Which days?' });
  expect(field()).toBeNull();
  expect(chat.root.activeElement).toBe(button('Not helpful'));
  button('Not helpful').click();
  expect(chat.server.requests.at(-1)!.body).toEqual({ rating: -1, comment: 'Which days?' });
});

test('a thumb down after the panel was closed and opened is no error', async () => {
  await asked({ [feedback]: () => jsonResponse({ success: true }) });
  chat.handle.close();
  await waitFor(() => expect(chat.root.querySelector('section')).toBeNull());
  chat.handle.open();
  (await waitFor(() => button('Not helpful'))).click();
  await waitFor(() => expect(field()).not.toBeNull());
  expect(chat.events.filter(([name]) => name === 'error')).toEqual([]);
});

test('a field for a comment can be closed without sending anything', async () => {
  await asked({ [feedback]: () => jsonResponse({ success: true }) });
  button('Not helpful').click();
  (await waitFor(() => button('Cancel'))).click();
  expect(field()).toBeNull();
  expect(chat.root.activeElement).toBe(button('Not helpful'));
  expect(chat.server.requests.at(-1)!.body).toEqual({ rating: -1 });
});

test('a thumb up opens no field, and closes that of a thumb down', async () => {
  await asked({ [feedback]: () => jsonResponse({ success: true }) });
  button('Not helpful').click();
  await waitFor(() => expect(field()).not.toBeNull());
  button('Helpful').click();
  await waitFor(() => expect(field()).toBeNull());
  expect(chat.server.requests.at(-1)!.body).toEqual({ rating: 1 });
});

test('a field that is sent empty goes too, until the thumb is pressed again', async () => {
  await asked({ [feedback]: () => jsonResponse({ success: true }) });
  button('Not helpful').click();
  await waitFor(() => expect(field()).not.toBeNull());
  field()!.closest('.comment')!.querySelector('button')!.click();
  await waitFor(() => expect(field()).toBeNull());
  chat.screen.getByText('Thank you.');
  button('Not helpful').click();
  await waitFor(() => expect(field()).not.toBeNull());
});

test('a comment that cannot be sent stays in its field', async () => {
  const replies = [jsonResponse({ success: true }), jsonResponse({ error: 'no', code: 'internal' }, 500)];
  await asked({ [feedback]: () => replies.shift()! });
  button('Not helpful').click();
  await waitFor(() => expect(field()).not.toBeNull());
  await waitFor(() => typeText(field()!, 'Which days?'));
  field()!.closest('.comment')!.querySelector('button')!.click();
  await waitFor(() => chat.screen.getByText('Sending failed.'));
  expect(field()!.value).toBe('Which days?');
});

test('takes back a rating that cannot be sent, and says so', async () => {
  await asked({ [feedback]: () => jsonResponse({ error: 'no', code: 'internal' }, 500) });
  button('Helpful').click();
  await waitFor(() => chat.screen.getByText('Sending failed.'));
  expect(button('Helpful').getAttribute('aria-pressed')).toBe('false');
  expect(chat.events.map(([name]) => name)).toContain('error');
});

test('shows a rating again after a reload', async () => {
  await asked();
  chat.close();
  const rated = { ...answer, feedback_json: '{"rating":1,"comment":"good"}' };
  chat = await mountAndOpen({ 'GET /session/s1/messages': () => jsonResponse([rated]) });
  await waitFor(() => expect(button('Helpful').getAttribute('aria-pressed')).toBe('true'));
  expect(field()).toBeNull();
});

test('a thumb down of an earlier visit opens no field until it is pressed again', async () => {
  await asked();
  chat.close();
  const rated = { ...answer, feedback_json: '{"rating":-1}' };
  chat = await mountAndOpen({
    'GET /session/s1/messages': () => jsonResponse([rated]),
    [feedback]: () => jsonResponse({}),
  });
  await waitFor(() => expect(button('Not helpful').getAttribute('aria-pressed')).toBe('true'));
  expect(field()).toBeNull();
  button('Not helpful').click();
  await waitFor(() => expect(field()).not.toBeNull());
});

test('an answer stays while the rate limit refuses another in its place', async () => {
  const limit = { error: 'Please take a break.', code: 'rate_limited', retry_after: 60 };
  const replies = [streamResponse(answerEvents(answer)), jsonResponse(limit, 429)];
  await asked({ 'POST /ask': () => replies.shift()! });
  button('Try again').click();
  await waitFor(() => expect(chat.root.querySelector('.warning')!.textContent).toContain('Please take a break.'));
  expect(chat.root.querySelector('.text strong')!.textContent).toBe('45 days');
  expect(chat.screen.getAllByText(question)).toHaveLength(1);
  expect(button('Source 1: Returns')).toBeTruthy();
});

test('regenerating an answer puts another in its place, and the question once', async () => {
  const again = { ...messageRecord(question, 'Another way to say it.'), uuid: 'm2' };
  const answers = [answer, again];
  await asked({ 'POST /ask': () => streamResponse(answerEvents(answers.shift()!)) });
  button('Try again').click();
  await waitFor(() => chat.screen.getByText('Another way to say it.'));
  expect(chat.screen.getAllByText(question)).toHaveLength(1);
  expect(chat.root.querySelector('.text strong')).toBeNull();
  const [first, second] = chat.server.askRequests().map(({ body }) => body);
  expect([first!['replaces'], second!['replaces']]).toEqual([undefined, 'm1']);
  expect(second!['id']).not.toBe(first!['id']);
});

test('a regenerated answer that fails is asked for again in the same place; after a conflict as a question of its own', async () => {
  const failure = (code: 'internal' | 'conflict'): Response => jsonResponse({ error: 'no', code }, 409);
  const replies = [streamResponse(answerEvents(answer)), failure('internal'), failure('conflict')];
  const last = streamResponse(answerEvents({ ...messageRecord(question, 'Another.'), uuid: 'm2' }));
  await asked({ 'POST /ask': () => replies.shift() ?? last });
  for (const count of [2, 3, 4]) {
    (await waitFor(() => button('Try again'))).click();
    await waitFor(() => expect(chat.server.askRequests()).toHaveLength(count));
  }
  await waitFor(() => chat.screen.getByText('Another.'));
  expect(chat.screen.getAllByText(question)).toHaveLength(1);
  expect(chat.server.askRequests().map(({ body }) => body['replaces'])).toEqual([undefined, 'm1', 'm1', undefined]);
});

const marker = (): HTMLElement => button('Source 1: Returns');
const card = (): HTMLElement | null => chat.screen.queryByRole('dialog', { name: 'Source 1: Returns' });
const pointer = (element: Element, type: string): boolean => element.dispatchEvent(new Event(type));

test('hovering over a marker opens its card, which stays while the pointer is on marker or card', async () => {
  await asked();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const place = marker().parentElement!;
  pointer(place, 'mouseenter');
  expect(card()).toBeNull();
  await vi.advanceTimersByTimeAsync(400);
  await vi.waitFor(() => expect(card()).not.toBeNull());
  expect(place.contains(card())).toBe(true);
  expect(chat.root.activeElement).not.toBe(card());
  pointer(place, 'mouseleave');
  await vi.advanceTimersByTimeAsync(100);
  pointer(place, 'mouseenter');
  await vi.advanceTimersByTimeAsync(1000);
  expect(card()).not.toBeNull();
  pointer(place, 'mouseleave');
  await vi.advanceTimersByTimeAsync(400);
  await vi.waitFor(() => expect(card()).toBeNull());
});

test('a pointer that only passes over a marker opens no card', async () => {
  await asked();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  pointer(marker().parentElement!, 'mouseenter');
  await vi.advanceTimersByTimeAsync(100);
  pointer(marker().parentElement!, 'mouseleave');
  await vi.advanceTimersByTimeAsync(1000);
  expect(card()).toBeNull();
  expect(chat.events.some(([name]) => name === 'citation')).toBe(false);
});

test('Escape closes a card opened by hover, wherever the focus is, and not the chat', async () => {
  await asked();
  pointer(marker().parentElement!, 'mouseenter');
  await waitFor(() => expect(card()).not.toBeNull());
  const field = chat.screen.getByRole('textbox', { name: 'Your question' });
  field.focus();
  pressKey(field, 'Escape');
  await waitFor(() => expect(card()).toBeNull());
  expect(chat.root.activeElement).toBe(field);
  chat.screen.getByRole('dialog', { name: 'Shop help' });
});

// @vitest-environment happy-dom
import { waitFor } from '@testing-library/preact';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { VisitorMessage } from '../../../server/types.ts';
import { answerEvents, citation, jsonResponse, messageRecord, streamResponse, type Handler } from '../fake-server.ts';
import { mountAndOpen, type MountedChat } from '../mounted.ts';

const question = 'How long do I have?';
const citations = { 1: citation() };
const good = messageRecord(question, 'You have **45 days** [1].', citations);
/** A text of which nothing can be made: JSON may hold it. */
const textless = { toString: 1, valueOf: 1 } as unknown as string;

let chat: MountedChat;
let sent: VisitorMessage[];
const replies: Record<string, Handler> = {
  'POST /ask': () => {
    const message = sent.shift()!;
    const streamed = answerEvents({ ...message, response: message.response ?? good.response }).slice(0, -1);
    return streamResponse([...streamed, { event: 'done', data: message }]);
  },
};

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

afterEach(() => chat.close());

const failedNote = (): string | undefined => chat.root.querySelector('.note.failed')?.textContent;

describe.each<[what: string, message: VisitorMessage, more: Record<string, Handler>]>([
  [
    'a source whose title is no text',
    { ...good, cite_data_json: JSON.stringify({ 1: citation({ title: textless }) }) },
    {},
  ],
  [
    'an image where the profile’s hosts are no list',
    messageRecord(question, 'See ![a picture](https://cdn.test/a.png) here.'),
    { 'GET ': () => jsonResponse({ name: 'Shop help', image_hosts: 'cdn.test' }) },
  ],
])('%s', (_, message, more) => {
  test('ends the turn as failed, with its text and a way on; the next one is answered', async () => {
    sent = [message, { ...good, uuid: 'm2' }];
    chat = await mountAndOpen({ ...replies, ...more });
    chat.ask(question);
    await waitFor(() => expect(failedNote()).toContain('Something went wrong.'));
    expect(chat.screen.getByRole('group', { name: 'Answer' }).textContent).toContain(message.response.slice(0, 8));
    expect(chat.events.filter(([name]) => name === 'error')).toEqual([
      ['error', { code: 'bad_answer', error: expect.stringContaining('TypeError') as string, status: 0 }],
    ]);
    chat.screen.getByRole('button', { name: 'Try again' }).click();
    await waitFor(() => chat.screen.getByRole('button', { name: 'Source 1: Returns' }));
    expect(failedNote()).toBeUndefined();
    expect(chat.screen.getAllByRole('group', { name: 'Answer' })).toHaveLength(1);
  });

  test('does not hold up the question that waits behind it', async () => {
    sent = [message, { ...good, uuid: 'm2' }];
    chat = await mountAndOpen({ ...replies, ...more });
    chat.ask(question);
    chat.ask('And then?');
    await waitFor(() => chat.screen.getByRole('button', { name: 'Source 1: Returns' }));
    expect(failedNote()).toContain('Something went wrong.');
  });
});

test.each<[what: string, message: Partial<Record<keyof VisitorMessage, unknown>>]>([
  ['a quote that ends within a character', { cite_data_json: JSON.stringify({ 1: citation({ text: 'x \ud83d' }) }) }],
  ['a record without a text', { response: null }],
  ['a rating that is not JSON', { feedback_json: 'oops' }],
  ['a rating of null', { feedback_json: 'null' }],
])('%s does not fail an answer that has arrived', async (_, message) => {
  sent = [{ ...good, ...message } as VisitorMessage];
  chat = await mountAndOpen(replies);
  chat.ask(question);
  await waitFor(() => chat.screen.getByRole('button', { name: 'Helpful' }));
  expect(chat.root.querySelector('.text strong')?.textContent).toBe('45 days');
  expect(chat.screen.getByRole('link', { name: /Returns/ }).getAttribute('href')).toMatch(/#:~:text=/);
  expect(chat.events.filter(([name]) => name === 'error')).toEqual([]);
});

test('a server’s sentence that is no text fails no panel', async () => {
  chat = await mountAndOpen({
    'POST /ask': () => jsonResponse({ code: 'rate_limited', error: { a: 1 }, retry_after: 60 }, 429),
  });
  chat.ask(question);
  await waitFor(() => chat.screen.getByRole('button', { name: /Try again/ }));
});

// @vitest-environment happy-dom
import { waitFor } from '@testing-library/preact';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Part } from '../../../server/types.ts';
import { answerEvents, citation, jsonResponse, messageRecord, streamResponse, type Handler } from '../fake-server.ts';
import { mountAndOpen, type MountedChat } from '../mounted.ts';

const PARTS: Part[] = [
  { type: 'quick_replies', replies: [{ label: 'Blue', query: 'The blue one' }, { label: 'Red' }] },
  {
    type: 'form',
    title: 'Who are you?',
    fields: [
      { name: 'name', label: 'Name', kind: 'text', required: true },
      { name: 'email', label: 'E-mail', kind: 'email' },
      { name: 'more', label: 'More', kind: 'long_text' },
    ],
    submit: 'Please call me',
  },
  { type: 'link_cards', cards: [{ title: 'Lamp', url: 'https://shop.test/lamp', text: '<b>€40</b>' }] },
];
const record = { ...messageRecord('Which?', 'One of these.'), parts: PARTS };
let chat: MountedChat;

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});
afterEach(() => chat.close());

const button = (name: string): HTMLElement => chat.screen.getByRole('button', { name });
const field = (name: string): HTMLInputElement => chat.screen.getByRole('textbox', { name }) as HTMLInputElement;

async function asked(parts: unknown = PARTS, answers: Record<string, Handler> = {}): Promise<void> {
  const first = streamResponse(answerEvents({ ...record, parts: parts as Part[] }));
  const replies = [first, streamResponse(answerEvents({ ...messageRecord('x', 'Thanks.'), uuid: 'm2' }))];
  chat = await mountAndOpen({ 'POST /ask': () => replies.shift()!, ...answers }, { context: { page: '/lamps' } });
  chat.ask('Which?');
  await waitFor(() => expect(chat.root.querySelector('.parts')).toBeTruthy());
}

const lastAsked = (): unknown => {
  const { query, session, variables } = chat.server.askRequests().at(-1)!.body as Record<string, unknown>;
  return { query, session, variables };
};

test('a button asks its query, and its label where it has none', async () => {
  await asked();
  (await waitFor(() => button('Blue'))).click();
  await waitFor(() => chat.screen.getByText('Thanks.'));
  expect(lastAsked()).toEqual({ query: 'The blue one', session: 's1', variables: { page: '/lamps' } });
});

test('what was filled in is stored with the question that waits to be sent', async () => {
  await asked();
  await waitFor(() => field('Name *'));
  field('Name *').value = 'Ann';
  button('Please call me').click();
  expect(localStorage.getItem('docent:https://docent.test/:c1')).toContain('"variables":{"name":"Ann"}');
});

test('a form sends what was filled in as variables of the question that it asks', async () => {
  await asked();
  await waitFor(() => field('Name *'));
  field('Name *').value = ' Ann ';
  field('More').value = 'two\nlines';
  expect([field('Name *').required, field('E-mail').type, field('E-mail').required]).toEqual([true, 'email', false]);
  button('Please call me').click();
  await waitFor(() => chat.screen.getByText('Thanks.'));
  expect(lastAsked()).toEqual({
    query: 'Please call me',
    session: 's1',
    variables: { name: 'Ann', more: 'two\nlines' },
  });
});

test('what was filled in is sent again with the question, where its answer failed and where it is regenerated', async () => {
  const thanks = (uuid: string): Response => streamResponse(answerEvents({ ...messageRecord('x', 'Thanks.'), uuid }));
  const replies = [
    streamResponse(answerEvents(record)),
    jsonResponse({ error: 'x', code: 'model_failed' }, 502),
    thanks('m2'),
    thanks('m3'),
  ];
  await asked(PARTS, { 'POST /ask': () => replies.shift()! });
  await waitFor(() => field('Name *'));
  field('Name *').value = 'Ann';
  button('Please call me').click();
  await waitFor(() => chat.root.querySelector<HTMLElement>('.warning button')!.click());
  await waitFor(() => chat.screen.getByText('Thanks.'));
  expect(lastAsked()).toMatchObject({ query: 'Please call me', variables: { name: 'Ann' } });
  await waitFor(() => chat.root.querySelector<HTMLElement>('.turn:last-child .again')!.click());
  await waitFor(() => expect(chat.server.askRequests()).toHaveLength(4));
  expect(lastAsked()).toMatchObject({ query: 'Please call me', variables: { name: 'Ann' } });
});

test('no buttons to copy and rate an answer are below a form to fill in', async () => {
  await asked();
  await waitFor(() => field('Name *'));
  expect(chat.screen.queryByRole('button', { name: 'Helpful' })).toBeNull();
});

test('links open in a tab of their own; no text becomes HTML', async () => {
  await asked();
  const link = (await waitFor(() => chat.screen.getByRole('link'))) as HTMLAnchorElement;
  expect([link.href, link.target, link.textContent]).toEqual(['https://shop.test/lamp', '_blank', 'Lamp<b>€40</b>']);
});

test('an unknown type and an address that runs a script are left out, the rest is there', async () => {
  await asked([
    { type: 'video', url: 'https://shop.test/v' },
    { type: 'link_cards', cards: [{ title: 'Bad', url: 'javascript:alert(1)' }] },
    PARTS[0],
  ]);
  await waitFor(() => button('Blue'));
  expect(chat.screen.queryByText('Bad')).toBeNull();
});

test('parts are the same after a reload', async () => {
  await asked();
  chat.close();
  chat = await mountAndOpen({ 'GET /session/s1/messages': () => jsonResponse([record]) });
  await waitFor(() => button('Blue'));
  expect(field('E-mail').type).toBe('email');
  chat.screen.getByRole('link');
});

test('questions to go on with are buttons below the last answer, which ask them', async () => {
  const told = {
    ...messageRecord('Which?', 'One of these [1].', { 1: citation() }),
    follow_ups: ['Gift vouchers', 'Do you repair?'],
  };
  const replies = [told, { ...messageRecord('x', 'Thanks.'), uuid: 'm2' }];
  chat = await mountAndOpen({ 'POST /ask': () => streamResponse(answerEvents(replies.shift()!)) });
  chat.ask('Which?');
  await waitFor(() => button('Do you repair?'));
  expect(button('Do you repair?').closest('.parts')!.querySelector('a')).toBeNull();
  // What is about the answer stands next to it.
  const following = button('Helpful').compareDocumentPosition(button('Do you repair?'));
  expect(following & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  button('Do you repair?').click();
  await waitFor(() => chat.screen.getByText('Thanks.'));
  expect(lastAsked()).toMatchObject({ query: 'Do you repair?' });
});

const failedWith = (parts?: Part[]): Response =>
  streamResponse([
    { event: 'message', data: { uuid: 'm2' } },
    { event: 'error', data: { error: 'It failed.', code: 'model_failed', ...(parts && { parts }) } },
  ]);
const links = (): (string | null)[] =>
  chat.screen.getAllByRole('link').map((link: HTMLElement) => link.getAttribute('href'));

test('an answer that failed ends with the pages that the server sends, until it is asked again', async () => {
  const page: Part = { type: 'link_cards', cards: [{ title: 'Lamps', url: 'https://shop.test/lamps' }] };
  const answers = [failedWith([page]), streamResponse(answerEvents(messageRecord('x', 'Thanks.')))];
  chat = await mountAndOpen({ 'POST /ask': () => answers.shift()! });
  chat.ask('Which?');
  expect((await waitFor(() => chat.screen.getByRole('link', { name: /Lamps/ }))).getAttribute('href')).toBe(
    'https://shop.test/lamps',
  );
  chat.screen.getByText('These pages may help');
  button('Try again').click();
  await waitFor(() => chat.screen.getByText('Thanks.'));
  expect(chat.screen.queryByRole('link', { name: /Lamps/ })).toBeNull();
});

test('without such pages it ends with those cited last, and so does a question over the limit', async () => {
  const pages = ['a', 'b#c', 'b', 'd', 'e'].map((name, at) => [
    String(at + 1),
    citation({ title: name, file_name: `https://shop.test/${name}` }),
  ]);
  const cited = messageRecord('x', 'So [1] and so.', Object.fromEntries(pages));
  const limit = { error: 'Take a break.', code: 'rate_limited', retry_after: 65 };
  const answers = [streamResponse(answerEvents(cited)), failedWith(), jsonResponse(limit, 429)];
  chat = await mountAndOpen({ 'POST /ask': () => answers.shift()! });
  chat.ask('First?');
  await waitFor(() => button('Helpful'));
  chat.ask('Second?');
  const expected = ['b', 'd', 'e'].map((name) => `https://shop.test/${name}`);
  await waitFor(() => expect(links().slice(-3)).toEqual(expected));
  const shown = links().length;
  chat.ask('Third?');
  await waitFor(() => expect(links()).toHaveLength(shown + 3));
  // The limit counts down meanwhile.
  await new Promise((done) => setTimeout(done, 1200));
  expect(links()).toHaveLength(shown + 3);
  expect(links().slice(-3)).toEqual(expected);
});

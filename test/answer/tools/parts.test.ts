import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Form, LinkCards, Part, QuickReplies } from '../../../server/types.ts';
import { parseEvents } from '../../proxy/fixture.ts';
import { askByKey, json, openShop, ORDER, type Shop } from './fixture.ts';

/** Typed parts of an answer: from tool functions and from agents, to visitors, and back as variables. */

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
  await shop.docent.api('POST', `/chatbot/${shop.chatbot}/widget`, { link_hosts: ['shop.example'] });
});
afterEach(() => shop.removeFunctions());
afterAll(() => shop.close());

const BUTTONS: QuickReplies = {
  type: 'quick_replies',
  replies: [{ label: 'Blue', query: 'The blue one' }, { label: 'Red' }],
};
const LINKS: LinkCards = {
  type: 'link_cards',
  cards: [{ title: 'Lamp', url: 'https://shop.example/lamp', text: '€40' }],
};
const FORM: Form = {
  type: 'form',
  title: 'Who are you?',
  fields: [
    { name: 'name', label: 'Name', kind: 'text', required: true },
    { name: 'email', label: 'E-mail', kind: 'email' },
  ],
  submit: 'Please call me back',
};

interface Body {
  uuid: string;
  meta: { parts?: Part[] };
  field?: string;
  error?: string;
}

interface Sent {
  event: string;
  data: { parts?: Part[]; uuid?: string };
}

async function ask(query: string, body: object = {}): Promise<Sent[]> {
  const reply = await fetch(`${shop.docent.base}/chat/${shop.chatbot}/ask`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, ...body }),
  });
  return parseEvents(await reply.text()) as never;
}

const partsOf = (events: Sent[]): unknown[] => events.filter(({ event }) => event === 'part').map(({ data }) => data);
const uuidOf = (events: Sent[], name: string): string => events.find(({ event }) => event === name)!.data.uuid!;

/** The answer to a question for which the model calls a function that replies so. */
async function replied(reply: unknown, meta: object = {}): Promise<Sent[]> {
  await shop.addFunction({ name: 'stock', method: 'GET', parameters: ORDER, meta });
  shop.tool.reply = json(reply);
  shop.model.next({ toolCalls: [{ name: 'stock', arguments: { order: 7 } }] });
  shop.model.next({ pieces: ['Which', ' one?'] });
  return ask('Which lamps are there?');
}

describe('the parts of a tool function’s reply', () => {
  it('are events before the end, of the message, and the same in its list and when it is resumed', async () => {
    const events = await replied({ lamps: 2, parts: [BUTTONS, FORM, LINKS] });
    const parts = [BUTTONS, FORM, LINKS];
    expect(partsOf(events)).toEqual(parts);
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { response: 'Which one?', parts } });
    const session = `${shop.docent.base}/chat/${shop.chatbot}/session/${uuidOf(events, 'session')}`;
    const [listed] = (await (await fetch(`${session}/messages`)).json()) as { parts: Part[]; meta_json?: string }[];
    expect([listed!.parts, listed!.meta_json]).toEqual([parts, undefined]);
    const resumed = await fetch(`${session}/message/${uuidOf(events, 'message')}/stream`, {
      headers: { 'Last-Event-ID': '10' },
    });
    expect((parseEvents(await resumed.text()) as never as Sent[]).map(({ event }) => event)).toEqual([
      'part',
      'part',
      'part',
      'done',
    ]);
    const { body } = await shop.docent.api('GET', `/message/${uuidOf(events, 'message')}`);
    expect(JSON.parse(body.meta_json).parts).toEqual(parts);
  });

  it.each<[string, unknown]>([
    ['no list', { parts: BUTTONS }],
    ['of an unknown type', { parts: [{ type: 'video', url: 'https://shop.example/v' }] }],
    ['of a prototype’s name', { parts: [{ type: 'constructor' }, { type: '__proto__' }] }],
    ['too many buttons', { parts: [{ ...BUTTONS, replies: Array.from({ length: 7 }, () => ({ label: 'x' })) }] }],
    ['a button that is too long', { parts: [{ ...BUTTONS, replies: [{ label: 'x'.repeat(81) }] }] }],
    ['a link that runs a script', { parts: [{ ...LINKS, cards: [{ title: 'x', url: 'javascript:alert(1)' }] }] }],
    ['a link to another host', { parts: [{ ...LINKS, cards: [{ title: 'x', url: 'https://evil.example/' }] }] }],
    ['a hidden host', { parts: [{ ...LINKS, cards: [{ title: 'x', url: 'https://shop.example@evil.example/' }] }] }],
    [
      'mail to another host',
      { parts: [{ ...LINKS, cards: [{ title: 'x', url: 'mailto:a@shop.example?bcc=b@evil.example' }] }] },
    ],
    ['a field of another kind', { parts: [{ ...FORM, fields: [{ name: 'p', label: 'P', kind: 'password' }] }] }],
  ])('are left out where they are %s', async (_, reply) => {
    const events = await replied(reply);
    expect(partsOf(events)).toEqual([]);
    expect(events.at(-1)!.data).not.toHaveProperty('parts');
  });

  it('are at most four, without fields that no part has', async () => {
    const events = await replied({ parts: Array.from({ length: 6 }, () => ({ ...BUTTONS, html: '<b>' })) });
    expect(partsOf(events)).toEqual([BUTTONS, BUTTONS, BUTTONS, BUTTONS]);
  });

  it('are none of a call that failed', async () => {
    await shop.addFunction({ name: 'stock', method: 'GET', parameters: ORDER });
    shop.tool.reply = json({ parts: [BUTTONS] }, 500);
    shop.model.next({ toolCalls: [{ name: 'stock', arguments: { order: 7 } }] });
    expect(partsOf(await ask('Which lamps are there?'))).toEqual([]);
  });

  it('are those of a call that was confirmed, too', async () => {
    const asked = await replied({ parts: [BUTTONS] }, { class: 'ask' });
    expect(partsOf(asked)).toEqual([]);
    const path = `session/${uuidOf(asked, 'session')}/message/${uuidOf(asked, 'message')}/confirm`;
    const reply = await fetch(`${shop.docent.base}/chat/${shop.chatbot}/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"accept":true}',
    });
    expect(partsOf(parseEvents(await reply.text()) as never)).toEqual([BUTTONS]);
  });
});

describe('the parts of an agent with a message of its own', () => {
  const canned = async (fields: object): Promise<{ uuid: string; status: number; body: Body }> => {
    const sent = { name: 'Call back', type: 'pre-canned', description: 'a wish to be called back', ...fields };
    const { status, body } = await shop.docent.api('POST', `/chatbot/${shop.chatbot}/agent/create`, sent);
    return { uuid: body.uuid, status, body };
  };

  it('stand below its message; an agent without them has no such key', async () => {
    const { uuid, body } = await canned({ default_message: 'Gladly.', meta: { parts: [FORM] } });
    expect(body.meta.parts).toEqual([FORM]);
    await shop.docent.api('POST', `/agent/${uuid}/routing`, { examples: ['Can you call me back?'] });
    await shop.docent.api('POST', `/agent/${uuid}/update`, { enabled: true });
    const events = await ask('Can you call me back?');
    expect(events.at(-1)).toMatchObject({ data: { response: 'Gladly.', parts: [FORM] } });
    expect((await askByKey(shop, 'Can you call me back?')).meta.parts).toEqual([FORM]);
    await shop.docent.api('DELETE', `/agent/${uuid}/delete`);
    const other = await canned({ default_message: 'Hello.' });
    expect(other.body.meta).not.toHaveProperty('parts');
    await shop.docent.api('DELETE', `/agent/${other.uuid}/delete`);
  });

  it.each<[string, unknown, string]>([
    ['no list', 'x', 'meta.parts must be a list of at most 4 parts'],
    ['an unknown type', [{ type: 'video' }], 'meta.parts[0].type must be one of "quick_replies", "form", "link_cards"'],
    ['a script', [{ ...LINKS, cards: [{ title: 'x', url: 'javascript:1' }] }], 'meta.parts[0].cards must be'],
    ['no whole address', [{ ...LINKS, cards: [{ title: 'x', url: 'http://[' }] }], 'meta.parts[0].cards must hold'],
  ])('are refused where one is %s', async (_, parts, error) => {
    const { status, body } = await canned({ meta: { parts } });
    expect([status, body.field]).toEqual([422, 'meta.parts']);
    expect(body.error).toContain(error);
  });
});

describe('the variables of a later message', () => {
  const values = async (session: string): Promise<unknown> =>
    (await shop.docent.api('GET', `/session/${session}`)).body.meta.variables;

  it('are kept where an enabled agent declares them and they are not static, of the right type', async () => {
    const declared = [
      { name: 'name' },
      { name: 'age', type: 'number' },
      { name: 'tier', default_value: { content: 'free', static: 1 } },
    ];
    await shop.docent.api('POST', `/agent/${shop.agent}/update`, { variables: declared });
    const events = await ask('How long may I return a lamp?', { variables: { name: 'Ann', page: '/lamps' } });
    const session = uuidOf(events, 'session');
    expect(await values(session)).toBeUndefined();
    const sent = { name: 'Bea', age: 'old', tier: 'gold', other: 'x' };
    await ask('Please call me back', { session, variables: sent });
    expect(await values(session)).toEqual({ name: 'Bea' });
    // What a client repeats of the session's beginning undoes nothing.
    await ask('And how long for a chair?', { session, variables: { name: 'Ann', age: '41' } });
    expect(await values(session)).toEqual({ name: 'Bea', age: 41 });
    await shop.docent.api('POST', `/agent/${shop.agent}/update`, { variables: [] });
  });

  it('count for the message that they come with', async () => {
    await shop.docent.api('POST', `/agent/${shop.agent}/update`, {
      variables: [{ name: 'name' }],
      prompt: 'Call them {{name}}.',
    });
    const session = uuidOf(await ask('Which colours do lamps have?'), 'session');
    await ask('And which sizes do they have?', { session, variables: { name: 'Bea' } });
    const prompts = shop.model.requests.map(({ body }) => body.messages[0]!.content);
    expect(prompts.some((prompt) => prompt.includes('Call them <visitor>Bea</visitor>.'))).toBe(true);
    await shop.docent.api('POST', `/agent/${shop.agent}/update`, { variables: [], prompt: '' });
  });
});

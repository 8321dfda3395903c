import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startFakeModel, type FakeModel, type Script } from '../../fakes/model.ts';
import { site, start, until, type Running } from '../../running.ts';

/** Searches that the model writes for a message that is no good search itself. */

const page = (title: string, ...texts: string[]): string =>
  `<title>${title}</title><main><h1>${title}</h1>${texts.map((text) => `<p>${text}</p>`).join('')}</main>`;
const pages = {
  '/tall': page(
    'The Tolvan floor lamp',
    'The Tolvan stands two metres tall and is made of ash.',
    'It costs 240 euros.',
  ),
  '/small': page('The Pim table lamp', 'The Pim is made of brass for small tables.', 'It costs 80 euros.'),
  '/delivery': page(
    'Delivery',
    'A parcel to Norway takes three days.',
    'Large parcels come by courier in the morning.',
  ),
  '/returns': page('Returns', 'You may return any lamp within 45 days of the purchase, in its own box.'),
  '/dimmer': page('Dimmers', 'A dimmer of the Tolvan is replaced by our workshop for free.'),
};
const ANSWER: Script = { pieces: ['Here you are.'], totalTokens: 100 };

let fake: FakeModel;
let lamps: Awaited<ReturnType<typeof site>>;
let running: Running;
let chatbot: string;
/** The reply to a request for searches. */
let written: Script;
const writes = (...queries: unknown[]): Script => ({ pieces: [JSON.stringify({ queries })], totalTokens: 30 });

beforeAll(async () => {
  fake = await startFakeModel({ script: ({ body }) => (body.response_format ? written : ANSWER) });
  lamps = await site(pages);
  await open();
});
afterAll(async () => {
  await running.stop();
  await Promise.all([fake.close(), lamps.close()]);
});
beforeEach(() => {
  fake.requests.length = 0;
  written = writes('How long may I return a lamp?');
});

async function open(env: NodeJS.ProcessEnv = {}): Promise<void> {
  const model = { LLM_BASE_URL: fake.baseUrl, LLM_MODEL: 'fake-1', MODEL_CREDITS: 'llm-4o-mini-4k=2' };
  running = await start({ ...model, FETCH_ALLOW: lamps.host, ...env });
  chatbot = (await running.api('POST', '/chatbot/create', { name: 'Lamps', show_citations: true })).body.uuid;
  for (const path of Object.keys(pages))
    await running.api('POST', `/chatbot/${chatbot}/data-source/url`, { url: lamps.base + path });
  const sources = () => running.api('GET', `/chatbot/${chatbot}/data-sources`).then(({ body }) => body);
  await until(sources, (all) => all.every(({ status }: { status: string }) => status === 'success'));
}

/** Asks these in one session; what the model was asked for the last of them, and its record. */
async function ask(...queries: string[]) {
  const session = (await running.api('POST', `/chatbot/${chatbot}/session/create`, {})).body.uuid;
  for (const query of queries) {
    fake.requests.length = 0;
    await running.api('POST', `/session/${session}/message/non-stream`, { query });
  }
  const message = (await running.api('GET', `/session/${session}/messages`)).body.at(-1);
  const [answer, ...others] = fake.requests.toReversed();
  const { messages } = answer!.body;
  return {
    session,
    calls: others.map(({ body }) => body),
    system: messages[0]!.content,
    last: messages.at(-1)!.content,
    meta: JSON.parse(message.meta_json),
  };
}

const FIRST = 'How tall is the Tolvan floor lamp?';

describe('a message is searched for as the model writes it', () => {
  it('where it goes on from the question before', async () => {
    written = writes('How is the dimmer of the Tolvan replaced?');
    const { calls, system, last, meta } = await ask(FIRST, 'And who fixes it?');
    expect(calls).toHaveLength(1);
    expect(JSON.parse(calls[0]!.messages[1]!.content)).toEqual({
      before: [{ visitor: FIRST, answer: 'Here you are.' }],
      message: 'And who fixes it?',
    });
    expect(calls[0]!.messages[0]!.content).toContain('in English, the language of the website');
    expect(system).toMatch(/^\[1\] .*\/dimmer/m);
    expect(last).toBe('And who fixes it?');
    expect(meta.search).toEqual({ why: 'follow_up', queries: ['How is the dimmer of the Tolvan replaced?'] });
    expect(meta.actual_token_distribution.total_tokens).toBe(130);
  });

  it('where it is in another language than the site', async () => {
    const { calls, system, last, meta } = await ask('Wie viele Tage habe ich, um eine Leuchte zurückzugeben?');
    expect(calls).toHaveLength(1);
    expect(system).toMatch(/^\[1\] .*\/returns/m);
    expect(last).toBe('Wie viele Tage habe ich, um eine Leuchte zurückzugeben?');
    expect(meta.search.why).toBe('language');
  });

  it('where it asks several things: the best passages of each come first', async () => {
    written = writes('How much is the Pim?', 'How long may I return a lamp?', 7, '');
    const { calls, system, meta } = await ask('What does the Pim cost? And until when may I return a lamp?');
    expect(calls).toHaveLength(1);
    expect(system).toMatch(/^\[1\] .*\/small/m);
    expect(system).toMatch(/^\[2\] .*\/returns/m);
    expect(meta.search).toEqual({ why: 'several', queries: ['How much is the Pim?', 'How long may I return a lamp?'] });
  });

  it.each([
    'What does the Pim cost and until when may I return a lamp?',
    'What is the Tolvan made of and how long may I return a lamp and who brings large parcels?',
    'hi, what does the pim cost, and can i return a lamp',
    '1. what does the pim cost\n2. until when may I return a lamp',
  ])('where one sentence or a list asks several things: %s', async (message) => {
    const { calls, meta } = await ask(message);
    expect(calls).toHaveLength(1);
    expect(meta.search.why).toBe('several');
  });
});

describe('the message itself is searched for', () => {
  it.each([
    [[FIRST]],
    [['tolvan price']],
    [[FIRST, 'How many days may a lamp be returned?']],
    [['Hello! I bought the Pim last week. How long may I return it? Thanks a lot!']],
    [['Do you repair bicycles?']],
    [['How are you today? How much is a parcel to Norway?']],
    [['ok so the tolvan: is it made of ash']],
    [['Do you know what a parcel costs and when it arrives?']],
    [['Is the Tolvan made of ash and brass or of steel?']],
    [['How much is a parcel to Norway? To Norway?']],
  ])('without another call where it is a search: %j', async (queries) => {
    const { calls, meta } = await ask(...queries);
    expect(calls).toEqual([]);
    expect(meta.search).toBeUndefined();
  });

  it.each<[string, Script]>([
    ['comes too late', { ...writes('dimmer'), delay: 30_000 }],
    ['holds no list', { pieces: ['{"queries": "dimmer"}'] }],
    ['holds no text', { pieces: ['{"queries": [{}, "  "]}'] }],
    ['is no JSON', { pieces: ['Sure!'] }],
    ['is an error', { status: 500, raw: ['oops'] }],
  ])('where the reply %s', async (_, reply) => {
    await running.stop();
    await open();
    written = reply;
    const { calls, system, meta } = await ask(FIRST, 'How much is it?');
    expect(calls).toHaveLength(1);
    expect(system).toMatch(/^\[1\] .*\/(?:tall|small)/m);
    expect([meta.outcome === undefined, meta.fallback]).toEqual([false, undefined]);
    expect(meta.search).toEqual({ why: 'follow_up', queries: [] });
  });

  it('without a call where the credits do not suffice for an answer', async () => {
    await running.stop();
    await open({ MONTHLY_CREDITS: '2' });
    const session = (await running.api('POST', `/chatbot/${chatbot}/session/create`, {})).body.uuid;
    for (const query of [FIRST, 'How much is it?'])
      await running.api('POST', `/session/${session}/message/non-stream`, { query });
    expect(fake.requests).toHaveLength(1);
    const messages = (await running.api('GET', `/session/${session}/messages`)).body;
    expect(messages.map(({ finish_reason }: { finish_reason: string }) => finish_reason)).toEqual(['stop', 'quota']);
    await running.stop();
    await open();
  });
});

it('an English question is in another language than a site in Greek', async () => {
  const own = (await running.api('POST', '/chatbot/create', { name: 'Λάμπες', show_citations: true })).body.uuid;
  const pair = { question: 'Πόσες ημέρες έχω για επιστροφή;', answer: 'Έχετε σαράντα πέντε ημέρες για την επιστροφή.' };
  await running.api('POST', `/chatbot/${own}/data-source/qa`, pair);
  const sources = () => running.api('GET', `/chatbot/${own}/data-sources`).then(({ body }) => body);
  await until(sources, ([source]) => source?.status === 'success');
  const before = chatbot;
  chatbot = own;
  written = writes('Πόσες ημέρες έχω για επιστροφή;');
  const { calls, system } = await ask('How many days do I have to return this?');
  chatbot = before;
  expect(calls).toHaveLength(1);
  expect(calls[0]!.messages[0]!.content).toContain('in Greek, the language');
  expect(system).toContain('σαράντα πέντε');
});

it('the trace tells what was searched for, and lists what the model got', async () => {
  written = writes('How is the dimmer of the Tolvan replaced?');
  const { session } = await ask(FIRST);
  const trace = (await running.api('POST', `/session/${session}/message/trace`, { query: 'And who fixes it?' })).body;
  expect(trace.search.rewritten).toEqual({ why: 'follow_up', queries: ['How is the dimmer of the Tolvan replaced?'] });
  const given = trace.search.candidates.filter((one: { given: boolean }) => one.given);
  expect(given.some(({ address }: { address: string }) => address.endsWith('/dimmer'))).toBe(true);
  expect(given).toHaveLength(trace.model.prompt.match(/^\[\d+\] /gm).length);
});

import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startFakeModel, type FakeModel, type Script, type SeenRequest } from '../../fakes/model.ts';
import { post, textOf, uuidOf, watch } from '../../proxy/fixture.ts';
import { API_KEY, start, until, type Running } from '../../running.ts';

import { createCheckedFilter } from '../../../server/answer/citations/checked-filter.ts';
import { createMarkerFilter } from '../../../server/answer/citations/stream-filter.ts';
import { Run } from '../../../server/answer/run.ts';
import type { StoredMessage } from '../../../server/store/store.ts';
import { foundPassage } from '../search.ts';

/** CHECK_CITATIONS=model over HTTP: the model checks the sentences of its answers against what they cite. */

const TEXT = `Our ferry leaves Galway at noon. The crossing to the island takes forty minutes. Dogs travel free of charge on the ferry.
Bicycles cost five euros on the ferry. Tickets for the ferry are sold at the harbour office.`;
/** All three have the words and numbers of the passage; the second is not what it says. */
const PIECES = [
  'The ferry leaves Galway at noon [1]. ',
  'The harbour office is free of charge',
  ' [1]. Bicycles cost five',
  ' euros [1].',
];
const WHOLE = PIECES.join('');
const BEGUN = PIECES.slice(0, 2).join('');
const WITHOUT_SECOND = WHOLE.replace('charge [1]', 'charge');
const isCheck = ({ body }: SeenRequest): boolean => body.response_format !== undefined;

let fake: FakeModel;
let running: Running;
let chatbot: string;
let pieces = PIECES;
let check: Script;
let answering: Partial<Script> = {};

beforeAll(async () => {
  fake = await startFakeModel({
    script: (request) => (isCheck(request) ? check : { pieces, totalTokens: 50, ...answering }),
  });
  running = await start({ LLM_BASE_URL: fake.baseUrl, LLM_MODEL: 'fake-1', CHECK_CITATIONS: 'model' });
  await fill();
});
afterAll(async () => {
  await running.stop();
  await fake.close();
});
/** A chatbot with one passage. */
async function fill(): Promise<void> {
  chatbot = (await running.api('POST', '/chatbot/create', { name: 'Ferry', show_citations: true })).body.uuid;
  const pair = { question: 'What should I know about the ferry?', answer: TEXT };
  await running.api('POST', `/chatbot/${chatbot}/data-source/qa`, pair);
  const sources = () => running.api('GET', `/chatbot/${chatbot}/data-sources`).then(({ body }) => body);
  await until(sources, (all) => all.length > 0 && all.every(({ status }: { status: string }) => status === 'success'));
}

beforeEach(() => {
  pieces = PIECES;
  answering = {};
  check = { pieces: ['{"1": "yes", "2": "yes", "3": "yes"}'], totalTokens: 30 };
  fake.requests.splice(0);
});

const newSession = async (): Promise<string> =>
  (await running.api('POST', `/chatbot/${chatbot}/session/create`, {})).body.uuid;

async function stored(session: string) {
  const [message] = (await running.api('GET', `/session/${session}/messages`)).body;
  const { actual_token_distribution, outcome, credits } = JSON.parse(message.meta_json);
  return {
    response: message.response as string,
    cited: Object.keys(JSON.parse(message.cite_data_json)),
    finish: message.finish_reason,
    tokens: actual_token_distribution.total_tokens,
    outcome,
    credits,
  };
}

async function ask(query = 'What should I know about the ferry and bicycles?') {
  const session = await newSession();
  await running.api('POST', `/session/${session}/message/non-stream`, { query });
  return stored(session);
}

describe('the check by the model', () => {
  it('takes out the markers that it says no to, in one call for all sentences', async () => {
    check = { pieces: ['{"1": "yes", ', '"2": "no", "3": "yes"}'], totalTokens: 30 };
    expect(await ask()).toMatchObject({ response: WITHOUT_SECOND, cited: ['1'], finish: 'stop', outcome: 'answered' });
    expect(fake.requests.map(isCheck)).toEqual([false, true]);
  });

  it('is told of by the trace: which markers it took out', async () => {
    check = { pieces: ['{"1": "yes", "2": "no", "3": "yes"}'], totalTokens: 30 };
    const query = 'What should I know about the ferry and bicycles?';
    const { body } = await running.api('POST', `/session/${await newSession()}/message/trace`, { query });
    expect(body.answer).toBe(WITHOUT_SECOND);
    expect(body.removed).toEqual([{ marker: '1', claim: 'The harbour office is free of charge', why: 'judge' }]);
    expect(body.model.total_tokens).toBe(80);
  });

  it('gets the sentences, and once each passage that they cite', async () => {
    await ask();
    const [system, user] = fake.requests.find(isCheck)!.body.messages;
    expect(system!.content).toContain('JSON');
    expect(system!.content).not.toContain('Galway');
    const { passages, sentences } = JSON.parse(user!.content);
    expect(passages).toEqual([
      { number: 1, title: expect.any(String), text: expect.stringContaining('Dogs travel free') },
    ]);
    expect(sentences).toEqual([
      { number: 1, cites: [1], text: 'The ferry leaves Galway at noon' },
      { number: 2, cites: [1], text: 'The harbour office is free of charge' },
      { number: 3, cites: [1], text: 'Bicycles cost five euros' },
    ]);
  });

  it('counts in the tokens of the message and of the usage, and costs no credits', async () => {
    const day = new Date().toISOString().slice(0, 10);
    const used = async () => (await running.api('GET', `/usage?from=${day}&to=${day}&by=chatbot`)).body;
    const before = JSON.stringify(await used());
    const { tokens, credits } = await ask();
    expect(tokens).toBe(80);
    expect(credits).toBe(1);
    const tokensIn = (text: string): number => Number(/"tokens":(\d+)/.exec(text)?.[1] ?? 0);
    expect(tokensIn(JSON.stringify(await used())) - tokensIn(before)).toBe(80);
  });

  it('leaves no citation where it says no to all, and the outcome is unknown if one was needed', async () => {
    check = { pieces: ['{"1": "no", "2": false, "3": "No."}'] };
    const without = { response: WHOLE.replaceAll(' [1]', ''), cited: [] };
    expect(await ask('Who founded the company, in which year and with how many ferry captains?')).toMatchObject({
      ...without,
      outcome: 'unknown',
    });
    expect(await ask()).toMatchObject({ ...without, outcome: 'answered' });
  });

  it.each([
    ['is no JSON', { pieces: ['I would rather not say no.'] }],
    ['has no verdicts', { pieces: ['{"unsupported": [2]}'] }],
    ['has numbers of no sentence', { pieces: ['{"0": "no", "7": "no", "300": "no"}'] }],
    ['is a list', { pieces: ['["no", "no", "no"'] }],
    ['is empty', { pieces: [''] }],
    ['is an error', { status: 500, raw: ['{"error": "broken"}'] }],
    ['is cut off', { pieces: ['{"2": "no"'], cutAfter: 1 }],
  ] satisfies [string, Script][])('leaves the markers as they are where its reply %s', async (_, reply) => {
    check = reply;
    expect(await ask()).toMatchObject({ response: WHOLE, cited: ['1'], finish: 'stop' });
    check = { pieces: ['{"2": "no"}'] };
    expect((await ask()).response).toBe(WITHOUT_SECOND);
  });

  it('reads a reply in a fence, or after reasoning', async () => {
    check = { pieces: ['<think>Is {"1": "no"} right?</think>```json\n{"2": "NO"}\n```'] };
    expect((await ask()).response).toBe(WITHOUT_SECOND);
  });

  it('is not made for an answer without markers that pass', async () => {
    pieces = ['The ferry leaves Dublin at noon [1]. Penguins eat 77 fish [1].'];
    expect((await ask()).response).toBe('The ferry leaves Dublin at noon. Penguins eat 77 fish.');
    expect(fake.requests.some(isCheck)).toBe(false);
  });

  it('leaves the markers as they are after its time limit', { timeout: 20_000 }, async () => {
    check = { hangAfter: 0 };
    expect(await ask()).toMatchObject({ response: WHOLE, cited: ['1'], finish: 'stop' });
    expect(fake.requests.find(isCheck)!.left).toBe(true);
  });

  it('is not made for a while after failures in a row', async () => {
    check = { status: 500, raw: ['{}'] };
    for (let at = 0; at < 3; at += 1) await ask();
    fake.requests.splice(0);
    expect((await ask()).response).toBe(WHOLE);
    expect(fake.requests.some(isCheck)).toBe(false);
  });
});

describe('an answer that waits for the check', () => {
  let other: Running;
  /** A server of its own, whose check no test before has put off. */
  beforeAll(async () => {
    other = running;
    running = await start({ LLM_BASE_URL: fake.baseUrl, LLM_MODEL: 'fake-1', CHECK_CITATIONS: 'model' });
    await fill();
  });
  afterAll(() => other.stop());

  async function openStream(session: string) {
    const reply = await fetch(`${running.base}/api/v1/session/${session}/message/stream`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: 'What should I know about the ferry and bicycles?' }),
    });
    const chunks = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
    return { next: async () => (await chunks.read()).value ?? '', chunks };
  }

  it('streams up to its first marker at once, and the rest with the markers that are left', async () => {
    let release!: () => void;
    check = { pieces: ['{"2": "no"}'], hold: new Promise((done) => (release = done)) };
    const session = await newSession();
    const { next, chunks } = await openStream(session);
    let text = '';
    while (text !== 'The ferry leaves Galway at noon') text += await next();
    await until(
      () => Promise.resolve(fake.requests),
      (all) => all.some(isCheck),
    );
    release();
    for (let chunk = await next(); chunk !== ''; chunk = await next()) text += chunk;
    expect(text).toBe(WITHOUT_SECOND);
    expect((await stored(session)).response).toBe(text);
    chunks.releaseLock();
  });

  it.each<[string, Partial<Script>, string]>([
    ['while it waits', {}, WHOLE],
    ['before it is whole', { pieces: [BEGUN], hangAfter: 2 }, BEGUN],
  ])('keeps what was written where a visitor stops it %s', async (_, more, written) => {
    check = { hangAfter: 0 };
    answering = more;
    await running.api('POST', `/chatbot/${chatbot}/update`, { visibility: 'public' });
    const chat = `${running.base}/chat/${chatbot}`;
    const headers = { 'Content-Type': 'application/json' };
    const query = 'What should I know about the ferry and bicycles?';
    const stream = await watch(`${chat}/ask`, { method: 'POST', headers, body: JSON.stringify({ query }) });
    await stream.until((events) => textOf(events) === 'The ferry leaves Galway at noon');
    if (written === WHOLE) await expect.poll(() => fake.requests.some(isCheck), { timeout: 20_000 }).toBe(true);
    const [session, message] = [uuidOf(stream.events(), 'session'), uuidOf(stream.events(), 'message')];
    await post(`${chat}/session/${session}/message/${message}/stop`);
    expect(textOf(await stream.done)).toBe(written);
    expect(await stored(session)).toMatchObject({ response: written, finish: 'stopped', cited: ['1'] });
  });

  it('streams all of an answer that cites nothing', async () => {
    pieces = ['We cannot say. ', 'Ask the crew.'];
    const { response } = await ask();
    expect(response).toBe('We cannot say. Ask the crew.');
    expect(fake.requests.some(isCheck)).toBe(false);
  });

  it('shows the markers of a long answer unchecked', async () => {
    pieces = ['The ferry leaves Galway at noon [1]. ', ...Array.from({ length: 30 }, () => 'word '.repeat(200))];
    expect((await ask()).response.startsWith('The ferry leaves Galway at noon [1]. word')).toBe(true);
    expect(fake.requests.some(isCheck)).toBe(false);
  });
});

describe('the filter of checked markers', () => {
  const given = [TEXT, 'Trains to Cork take three hours.'].map((text, at) =>
    foundPassage({ uuid: `${at}`, title: `Page ${at}`, file_name: 'https://ferry.test/', type: 'link' }, text),
  );
  const PARTS = [
    'Dogs travel free',
    'Trains to Cork take three hours',
    ' ',
    '\n',
    '. ',
    '- ',
    '`',
    '[1]',
    '[2]',
    '[1, 2]',
    '[7]',
  ].concat(['[0, 1]', '[', ']', '(', '/', 'www.', '😀', ' [1][2]. ']);

  async function shown(pieces: string[], unsupported: (groups: number) => number[]) {
    const run = new Run({ uuid: 'm', query: '' } as StoredMessage);
    const filter = createCheckedFilter(given, '', run, (groups) =>
      Promise.resolve({ unsupported: unsupported(groups.length), tokens: 0 }),
    );
    for (const piece of pieces) run.append(filter.pass(piece));
    const rest = (): void => run.append(filter.rest());
    await filter.check(rest);
    rest();
    return { text: run.read(0), citations: filter.citations() };
  }

  function streamed(text: string) {
    const run = new Run({ uuid: 'm', query: '' } as StoredMessage);
    const filter = createMarkerFilter(given, '', run);
    run.append(filter.pass(text));
    run.append(filter.rest());
    return { text: run.read(0), citations: filter.citations() };
  }

  it('gives the text of the unchecked one where all is supported, and no citation where nothing is, in any pieces', async () => {
    const parts = fc.array(fc.constantFrom(...PARTS), { maxLength: 14 });
    await fc.assert(
      fc.asyncProperty(parts, async (pieces) => {
        const text = pieces.join('');
        expect(await shown(pieces, () => [])).toEqual(streamed(text));
        const none = await shown([...text], (groups) => Array.from({ length: groups }, (_, at) => at));
        expect(none).toEqual(await shown([text], (groups) => Array.from({ length: groups }, (_, at) => at)));
        expect(none.citations).toEqual({});
      }),
      { numRuns: 200 },
    );
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { MessageTrace } from '../../../server/schema/trace.ts';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { site, start, until, type Running } from '../../running.ts';

/** POST /api/v1/session/{uuid}/message/trace: how an answer came about, and that asking it changes nothing. */

const pages = {
  '/returns': `<title>Returns</title><main><h1>Returns</h1>
    <p>You may return any lamp within 45 days of delivery. Wall lamps are returned in their own box.</p>
    <h2>Refunds</h2><p>We pay the money back within 5 working days.</p></main>`,
  '/delivery': `<title>Delivery</title><main><h1>Delivery</h1>
    <p>A parcel to Norway costs 12 euros and takes three days.</p><p>Large lamps come by courier.</p></main>`,
  '/about': '<title>About us</title><main><p>The workshop was founded in Bergen in 1964.</p></main>',
};

interface Shop {
  docent: Running;
  chatbot: string;
  session(): Promise<string>;
  trace(session: string, query: string): Promise<MessageTrace>;
  ask(session: string, query: string): Promise<string>;
  messages(session: string): Promise<{ uuid: string; response: string; meta_json: string; cite_data_json: string }[]>;
}

let shopSite: Awaited<ReturnType<typeof site>>;
let model: FakeModel;
/** Paths of functions that were called. */
const called: string[] = [];
beforeAll(async () => {
  const reply: Parameters<typeof site>[0][string] = ({ url = '' }, response) => {
    called.push(url);
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end('{"stock":7}');
  };
  shopSite = await site({ ...pages, '/shop/stock': reply, '/shop/order_lamp': reply });
  model = await startFakeModel();
});
afterAll(async () => {
  await shopSite.close();
  await model.close();
});

async function openShop(env: NodeJS.ProcessEnv = {}): Promise<Shop> {
  const docent = await start({ FETCH_ALLOW: shopSite.host, ...env });
  const { uuid: chatbot } = (await docent.api('POST', '/chatbot/create', { name: 'Lamps', show_citations: true })).body;
  for (const path of Object.keys(pages))
    await docent.api('POST', `/chatbot/${chatbot}/data-source/url`, { url: shopSite.base + path });
  const pair = { question: 'Who are you?', answer: 'We are two sisters who make lamps.' };
  await docent.api('POST', `/chatbot/${chatbot}/data-source/qa`, pair);
  const sources = () => docent.api('GET', `/chatbot/${chatbot}/data-sources`).then(({ body }) => body);
  await until(sources, (all) => all.every(({ status }: { status: string }) => status === 'success'));
  const post = async (session: string, verb: string, query: string) => {
    const { status, body } = await docent.api('POST', `/session/${session}/message/${verb}`, { query });
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body;
  };
  return {
    docent,
    chatbot,
    session: async () => (await docent.api('POST', `/chatbot/${chatbot}/session/create`, {})).body.uuid,
    trace: (session, query) => post(session, 'trace', query),
    ask: async (session, query) => (await post(session, 'non-stream', query)).response,
    messages: async (session) => (await docent.api('GET', `/session/${session}/messages`)).body,
  };
}

/** The citations of a message, as a trace should have them. */
const citedIn = ({ cite_data_json }: { cite_data_json: string }) =>
  Object.entries(JSON.parse(cite_data_json) as Record<string, Record<string, string>>).map(
    ([marker, { file_name, ...others }]) => expect.objectContaining({ ...others, marker, address: file_name }),
  );

const sumOf = (parts: Record<string, number>): number => Object.values(parts).reduce((sum, part) => sum + part, 0);

describe('without a model', () => {
  let shop: Shop;
  let session: string;
  beforeAll(async () => (shop = await openShop()));
  afterAll(() => shop.docent.stop());
  beforeEach(async () => (session = await shop.session()));

  it.each([
    'How long may I return a lamp?',
    'Hello! I bought a lamp last week. How long may I return it? Thanks a lot!',
    'lamp returns',
    'How much is a parcel to Norway?',
    'Who are you?',
    'Which planets did the workshop visit?',
    'Do you repair bicycles?',
    'Write me a text about the delivery of lamps',
    'hi',
    'xyzzy',
    '?',
  ])('tells the answer, outcome and sources that the question then gets: %s', async (query) => {
    const trace = await shop.trace(session, query);
    expect(await shop.messages(session)).toEqual([]);
    const answer = await shop.ask(session, query);
    const [message] = await shop.messages(session);
    const meta = JSON.parse(message!.meta_json);
    expect([trace.answer, trace.outcome, trace.agent.name]).toEqual([answer, meta.outcome, meta.active_agent.name]);
    expect(trace.routing).toEqual(meta.routing);
    expect(trace.citations).toEqual(citedIn(message!));
    expect([trace.parts, trace.follow_ups]).toEqual([meta.parts ?? [], meta.follow_ups ?? []]);
    expect(trace.removed).toEqual([]);
    expect(trace.citations.map(({ marker }) => marker)).toEqual(
      Array.from(new Set(Array.from(answer.matchAll(/\[(\d+)\]/g), ([, marker]) => marker))),
    );
  });

  it('has scores that are the sum of their parts, best first', async () => {
    for (const query of [
      'How long may I return a lamp?',
      'lamp',
      'Who are you?',
      'delivery of large lamps to Norway',
    ]) {
      const { candidates } = (await shop.trace(session, query)).search;
      expect(candidates.length).toBeGreaterThan(0);
      for (const { score, parts } of candidates) expect(sumOf(parts)).toBeCloseTo(score, 3);
      expect(candidates.map(({ score }) => score)).toEqual(
        candidates.map(({ score }) => score).toSorted((a, b) => b - a),
      );
      expect(candidates.map(({ rank }) => rank)).toEqual(candidates.map((_, at) => at + 1));
    }
  });

  it('shows the passage, its sentences, which of them was taken, and why', async () => {
    const trace = await shop.trace(session, 'How long may I return a lamp?');
    const [best] = trace.search.candidates;
    expect(best).toMatchObject({ title: 'Returns', address: `${shopSite.base}/returns`, found: true, given: false });
    expect(best!.headings).toContain('Returns');
    expect(best!.text).toContain('within 45 days');
    const taken = trace.sentences.filter((sentence) => sentence.taken);
    expect(taken[0]).toMatchObject({ text: 'You may return any lamp within 45 days of delivery.', candidate: 1 });
    for (const { text } of taken) expect(trace.answer).toContain(text);
    expect(trace.sentences.length).toBeGreaterThan(taken.length);
    const scores = trace.sentences.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((one, other) => other - one));
    const { certainty, confidence, min_confidence, held, min_held } = trace.decision!;
    expect(certainty).toBe('sure');
    expect(held).toBeGreaterThanOrEqual(min_held);
    expect(confidence).toBeGreaterThanOrEqual(min_confidence);
    expect(trace).toMatchObject({ by: 'quotes', search: { all_sources: true }, query: { language: 'en' } });
    expect(trace.search.passages).toBeGreaterThanOrEqual(4);
    expect(trace.model).toBeUndefined();
  });

  it('shows where the quoted words stand in their passage', async () => {
    const { citations, search, timings } = await shop.trace(session, 'How long may I return a lamp?');
    expect(citations.length).toBeGreaterThan(0);
    for (const { before, text, after, candidate } of citations) {
      expect(text).not.toBe('');
      expect(search.candidates[candidate - 1]!.text).toContain(before + text + after);
    }
    expect(Object.keys(timings)).toEqual(['agent', 'search', 'write', 'check']);
  });

  it('tells of words that no page has why nothing was found', async () => {
    const trace = await shop.trace(session, 'Do you repair bicycles?');
    expect(trace).toMatchObject({ outcome: 'unknown', decision: { certainty: 'none' } });
    expect(trace.decision!.held).toBeLessThan(trace.decision!.min_held);
    expect(trace.query.unknown_words).toContain('bicycles');
    expect(trace.sentences.every(({ taken }) => !taken)).toBe(true);
  });

  it('reads the asking part, corrections and synonyms', async () => {
    const { query } = await shop.trace(session, 'I love your work. Do you offer refnds on wall lamps?');
    expect(query.asks).toBe('Do you offer refnds on wall lamps?');
    const term = (word: string) => query.terms.find((one) => one.word === word);
    expect(term('refnds')).toMatchObject({
      known: false,
      matches: [{ kind: 'correction', words: expect.arrayContaining(['refunds']) }],
    });
    expect(term('lamps')).toMatchObject({
      from: 'question',
      known: true,
      matches: [{ kind: 'word', words: ['lamp', 'lamps'] }],
    });
    expect(term('work')).toMatchObject({ from: 'beside', worth: 0 });
    const price = await shop.trace(session, 'What is the price of a package to Norway?');
    expect(price.query.terms.find(({ word }) => word === 'package')!.matches).toEqual([
      { kind: 'synonym', words: ['parcel'] },
    ]);
  });

  it('follows the earlier messages of the session', async () => {
    expect((await shop.trace(session, 'And to Norway?')).query.earlier_questions).toEqual([]);
    await shop.ask(session, 'How much is a parcel?');
    const { query, answer } = await shop.trace(session, 'And to Norway?');
    expect(query.earlier_questions).toEqual(['How much is a parcel?']);
    expect(query.terms.filter(({ from }) => from === 'earlier').map(({ word }) => word)).toContain('parcel');
    expect(answer).toBe(await shop.ask(session, 'And to Norway?'));
    expect((await shop.messages(session)).length).toBe(2);
  });

  it('is that of an answer at its place, where what came after it does not count', async () => {
    for (const query of ['How much is a parcel?', 'And to Norway?', 'How long may I return a lamp?'])
      await shop.ask(session, query);
    const [first, second] = await shop.messages(session);
    const traceBefore = async (query: string, before: string) =>
      (await shop.docent.api('POST', `/session/${session}/message/trace`, { query, before })).body as MessageTrace;
    const { query, answer } = await traceBefore('And to Norway?', second!.uuid);
    expect(query.earlier_questions).toEqual(['How much is a parcel?']);
    expect(answer).toBe(second!.response);
    expect((await traceBefore('How much is a parcel?', first!.uuid)).query.earlier_questions).toEqual([]);
    expect((await shop.messages(session)).length).toBe(3);
  });

  it('is refused at the place of a message that is not of the session', async () => {
    const other = await shop.session();
    await shop.ask(other, 'How much is a parcel?');
    const [{ uuid } = { uuid: '' }] = await shop.messages(other);
    for (const before of [uuid, 'f'.repeat(32), '']) {
      const sent = { query: 'And to Norway?', before };
      const { status, body } = await shop.docent.api('POST', `/session/${session}/message/trace`, sent);
      expect([status, body.field]).toEqual([422, 'before']);
    }
  });

  it('changes nothing of the session, not even what it collects', async () => {
    const before = (await shop.docent.api('GET', `/session/${session}`)).body;
    const usage = (await shop.docent.api('GET', '/usage')).body;
    await shop.trace(session, 'My e-mail address is ann@example.com. How long may I return a lamp?');
    expect((await shop.docent.api('GET', `/session/${session}`)).body).toEqual(before);
    expect((await shop.docent.api('GET', '/usage')).body).toEqual(usage);
  });

  it('stays small, whatever is asked', async () => {
    const trace = await shop.trace(session, `lamp ${'How long may I return a lamp? '.repeat(300)}`.slice(0, 8000));
    expect(JSON.stringify(trace).length).toBeLessThan(150_000);
    expect(trace.query.text.length).toBe(4000);
  });
});

describe('with a model', () => {
  let shop: Shop;
  beforeAll(async () => (shop = await openShop({ LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake-1' })));
  afterAll(() => shop.docent.stop());
  beforeEach(() => {
    model.requests.length = 0;
    model.clear();
  });

  it('shows what the model got, what it answered, and what quotes would be', async () => {
    const session = await shop.session();
    model.next({ pieces: ['You have 45 days [1].'], totalTokens: 77 });
    const trace = await shop.trace(session, 'How long may I return a lamp?');
    expect(trace).toMatchObject({ by: 'model', answer: 'You have 45 days [1].', outcome: 'answered' });
    expect(trace.model).toMatchObject({ earlier_messages: 0, total_tokens: 77, credits: 1 });
    expect(trace.model!.prompt).toBe(model.requests[0]!.body.messages[0]!.content);
    expect(trace.search.candidates[0]).toMatchObject({ title: 'Returns', given: true });
    expect(trace.sentences.filter(({ taken }) => taken)).not.toEqual([]);
    expect(await shop.messages(session)).toEqual([]);
  });

  it.each([
    ['[7]', '7', 'unknown'],
    ['[2]', '2', 'unsupported'],
    ['.\n\n[1]: the end', '1', 'link'],
  ])('tells which markers were taken out, and why: %s', async (written, marker, why) => {
    const text = `The lamp is a yellow submarine ${written}.`;
    const reply = { pieces: [`You may return any lamp within 45 days of delivery [1]. ${text}`] };
    model.next(reply, reply);
    const session = await shop.session();
    const trace = await shop.trace(session, 'How long may I return a lamp?');
    expect(trace.removed).toEqual([{ marker, claim: expect.stringContaining('yellow submarine'), why }]);
    const answer = await shop.ask(session, 'How long may I return a lamp?');
    const [message] = await shop.messages(session);
    expect(trace.answer).toBe(answer);
    expect(trace.citations).toEqual(citedIn(message!));
    expect(trace.citations).toEqual([expect.objectContaining({ marker: '1', candidate: 1 })]);
  });

  it('tells of no marker of a text that was dropped', async () => {
    model.next({ pieces: ['A yellow submarine [7]. ', 'More'], pace: 1, cutAfter: 2 });
    const trace = await shop.trace(await shop.session(), 'How long may I return a lamp?');
    expect(trace).toMatchObject({ by: 'quotes', removed: [] });
  });

  it('tells why quotes stand in for a model that fails', async () => {
    model.next({ status: 400, raw: ['{}'] });
    const trace = await shop.trace(await shop.session(), 'How long may I return a lamp?');
    expect(trace).toMatchObject({ by: 'quotes', outcome: 'answered' });
    expect(trace.fallback).not.toBe('');
  });

  it('calls functions that read, and none that writes', async () => {
    const [agent] = (await shop.docent.api('GET', `/chatbot/${shop.chatbot}/agents`)).body;
    const added: string[] = [];
    for (const [name, method] of [
      ['order_lamp', 'POST'],
      ['stock', 'GET'],
    ]) {
      const one = { name, method, external_url: `${shopSite.base}/shop/${name}` };
      added.push((await shop.docent.api('POST', `/agent/${agent.uuid}/function/create`, one)).body.uuid);
    }
    called.length = 0;
    const calls = ['stock', 'order_lamp'].map((name) => ({ name, arguments: {} }));
    model.next({ toolCalls: calls }, { pieces: ['There are 7, and I cannot order one.'] });
    const trace = await shop.trace(await shop.session(), 'Order a lamp for me');
    expect(called).toEqual(['/shop/stock']);
    expect(trace.answer).toBe('There are 7, and I cannot order one.\n\nThis was not done: order\\_lamp');
    expect(trace.functions_called).toEqual([
      { name: 'stock', content: expect.stringContaining('"stock":7') },
      { name: 'order_lamp', content: '{"error":"not called: an explanation of the answer calls nothing that acts"}' },
    ]);
    for (const uuid of added) await shop.docent.api('POST', `/function/${uuid}/delete`);
  });
});

import { parse as parseCsv } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newChatbot, learned, newSession, QA, startApiFixture, type ApiFixture } from '../api-fixture.ts';
import { API_KEY } from '../../running.ts';

/** The list of conversations: newest first, with what an owner looks for, page by page. */

interface Page {
  conversations: { uuid: string; first_query: string; [name: string]: unknown }[];
  /** The address of the next page; '' behind the last. */
  next: string;
}

const STRANGE = 'Who won the football world cup in 1974?';

let w: ApiFixture;
let chatbot: string;
/** Of the conversations, oldest first: answered, not known, both and a second question. */
let sessions: string[];

const ask = async (session: string, query: string): Promise<string> =>
  (await w.call('POST', `/api/v1/session/${session}/message/non-stream`, { query })).body.uuid;

async function get(path: string): Promise<Page> {
  const { body, headers } = await w.call('GET', path);
  return { conversations: body, next: /^<([^>]*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? '' };
}

const list = (search = ''): Promise<Page> => get(`/api/v1/chatbot/${chatbot}/conversations${search}`);

const uuidsOf = async (search = ''): Promise<string[]> => (await list(search)).conversations.map(({ uuid }) => uuid);

beforeAll(async () => {
  w = await startApiFixture();
  chatbot = await newChatbot(w);
  const source = await w.call('POST', `/api/v1/chatbot/${chatbot}/data-source/qa`, QA);
  await learned(w, source.body.uuid);
  sessions = [];
  for (const queries of [[QA.question], [STRANGE], [QA.question, `${STRANGE} Tell me.`]]) {
    const session = await newSession(w, chatbot);
    for (const query of queries) await ask(session, query);
    sessions.push(session);
  }
  await newSession(w, chatbot);
  const dry = (await w.call('POST', `/api/v1/chatbot/${chatbot}/session/create`, { dry_run: true })).body.uuid;
  await ask(dry, QA.question);
});
afterAll(() => w.stop());

describe('the list of conversations', () => {
  it('is newest first, without dry runs and sessions in which nothing was asked', async () => {
    const { conversations, next } = await list();
    expect(conversations.map(({ uuid }) => uuid)).toEqual(sessions.toReversed());
    expect(next).toBe('');
    expect(conversations[0]).toMatchObject({
      first_query: QA.question,
      messages: 2,
      unknown: 1,
      unsure: 0,
      labels: [],
    });
    expect(conversations[2]).toMatchObject({ first_query: QA.question, messages: 1, unknown: 0, rated_down: 0 });
  });

  it('is narrowed by what is in it', async () => {
    expect(await uuidsOf('?has=unknown')).toEqual([sessions[2], sessions[1]]);
    expect(await uuidsOf('?search=FOOTBALL')).toEqual([sessions[2], sessions[1]]);
    expect(await uuidsOf(`?search=${encodeURIComponent(QA.question)}&has=unknown`)).toEqual([]);
    expect(await uuidsOf('?search=tell%20football&has=unknown')).toEqual([sessions[2]]);
    expect(await uuidsOf('?search=tell%20me')).toEqual([sessions[2]]);
    expect(await uuidsOf('?search=nobody%20said%20this')).toEqual([]);
    expect(await uuidsOf('?has=rated_down')).toEqual([]);
  });

  it('comes page by page', async () => {
    const read: string[] = [];
    let page = await list('?limit=1');
    for (;;) {
      expect(page.conversations.length).toBeLessThanOrEqual(1);
      read.push(...page.conversations.map(({ uuid }) => uuid));
      if (!page.next) break;
      page = await get(page.next);
    }
    expect(read).toEqual(sessions.toReversed());
  });

  it('says which message has what narrows it, and where in the answer', async () => {
    const { conversations } = await list('?search=FOOTB');
    expect(conversations.map(({ found }) => found)).toEqual([
      { uuid: expect.stringMatching(/^[0-9a-f]{32}$/), query: `${STRANGE} Tell me.`, text: expect.any(String) },
      { uuid: expect.stringMatching(/^[0-9a-f]{32}$/), query: STRANGE, text: expect.any(String) },
    ]);
    const [word = ''] = QA.answer.split(' ').slice(-1);
    const told = (await list(`?search=${encodeURIComponent(word)}`)).conversations.map(({ found }) => found);
    expect(told.at(-1)).toMatchObject({ query: QA.question, text: expect.stringContaining(word) });
  });

  it('is narrowed by agent, page and day, all of one message', async () => {
    const { body: agents } = await w.call('GET', `/api/v1/chatbot/${chatbot}/agents`);
    const [{ uuid: agent }] = agents;
    expect(await uuidsOf(`?agent=${agent}`)).toEqual(sessions.toReversed());
    expect(await uuidsOf(`?agent=${'f'.repeat(32)}`)).toEqual([]);
    const today = new Date().toISOString().slice(0, 10);
    expect(await uuidsOf('?to=2020-01-01')).toEqual([]);
    expect(await uuidsOf(`?from=2020-01-01&to=${today}&has=unknown`)).toEqual([sessions[2], sessions[1]]);
    const asked = await newChatbot(w, 'Asked');
    const session = (
      await w.call('POST', `/api/v1/chatbot/${asked}/session/create`, {
        initial_variables: { page: 'https://shop.example/Cart?from=mail' },
      })
    ).body.uuid;
    await ask(session, STRANGE);
    const found = async (page: string) =>
      (await get(`/api/v1/chatbot/${asked}/conversations?page=${encodeURIComponent(page)}`)).conversations.length;
    expect([await found('shop.example/cart'), await found('mail'), await found('/carts')]).toEqual([1, 0, 0]);
    const pasted = [
      'https://shop.example/cart',
      'HTTP://shop.example/Cart/?from=shop#top',
      'shop.example/cart?x=1',
      '/cart/',
    ];
    expect(await Promise.all(pasted.map(found))).toEqual([1, 1, 1, 1]);
    expect([
      await found('https://shop.example/'),
      await found('https://other.example/cart'),
      await found('?x'),
    ]).toEqual([1, 0, 0]);
  });

  it('is narrowed to those in which a person was asked for', async () => {
    const shop = await newChatbot(w, 'Persons');
    const kind = { name: 'Person', type: 'human-escalation', enabled: true, bias: -10 };
    const agent = (await w.call('POST', `/api/v1/chatbot/${shop}/agent/create`, kind)).body.uuid;
    await w.call('POST', `/api/v1/agent/${agent}/update`, kind);
    const waiting: string[] = [];
    for (const query of ['Please let me talk to a human.', STRANGE, 'Please let me talk to a human.']) {
      const session = await newSession(w, shop);
      await ask(session, query);
      if (query !== STRANGE) waiting.unshift(session);
    }
    const found = async (search: string) =>
      (await get(`/api/v1/chatbot/${shop}/conversations?${search}`)).conversations.map(({ uuid, state }) => [
        uuid,
        state,
      ]);
    expect(await found('state=requested')).toEqual(waiting.map((uuid) => [uuid, 'requested']));
    expect((await found('')).map(([, state]) => state)).toEqual(['requested', 'none', 'requested']);
    expect(await found('state=requested&search=football')).toEqual([]);
    const { body: lines } = await w.call(
      'GET',
      `/api/v1/chatbot/${shop}/conversations/export?state=requested&format=jsonl`,
    );
    expect(String(lines).trimEnd().split('\n')).toHaveLength(2);
    await w.call('POST', `/api/v1/session/${waiting[0]}/delete`);
    expect(await found('state=requested')).toEqual([[waiting[1], 'requested']]);
  });

  it('reads at most 500 sessions for a page, and says where to go on', async () => {
    const busy = await newChatbot(w, 'Busy');
    const first = await newSession(w, busy);
    await ask(first, STRANGE);
    for (let i = 0; i < 501; i += 1) await newSession(w, busy);
    const { conversations, next } = await get(`/api/v1/chatbot/${busy}/conversations`);
    expect(conversations).toEqual([]);
    const rest = await get(next);
    expect(rest.conversations.map(({ uuid }) => uuid)).toEqual([first]);
    expect(rest.next).toBe('');
    let pages = 0;
    let found = await get(`/api/v1/chatbot/${busy}/conversations?search=football`);
    for (; found.next !== '' && pages < 10; pages++) found = await get(found.next);
    expect([found.conversations.map(({ uuid }) => uuid), found.next]).toEqual([[first], '']);
  });
});

describe('the export of conversations', () => {
  const exported = async (search: string) => {
    const { body: text, headers } = await w.call('GET', `/api/v1/chatbot/${chatbot}/conversations/export${search}`);
    return { text: text as string, headers };
  };

  it('is CSV with a header, a message a line, whose cells no spreadsheet takes for formulas', async () => {
    const own = await newChatbot(w, 'Formulas');
    const queries = [
      '=1+1',
      '+1',
      '-1',
      '@SUM(A1)',
      '\ttab',
      '\r=1',
      '\n=1',
      '＝1',
      '＋1',
      '－1',
      '＠A',
      'says "hi", and\r\nleaves',
      'plain',
    ];
    const session = await newSession(w, own);
    for (const query of queries) await ask(session, query);
    const { body: text, headers } = await w.call('GET', `/api/v1/chatbot/${own}/conversations/export`);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="conversations-\d{4}-\d\d-\d\d\.csv"$/);
    const [header, ...rows] = parseCsv(text) as string[][];
    expect(header).toEqual(
      'conversation message asked_at question answer outcome rating comment agent page labels'.split(' '),
    );
    expect(rows.map((row) => row[3])).toEqual([
      "'=1+1",
      "'+1",
      "'-1",
      "'@SUM(A1)",
      "'\ttab",
      "'\r=1",
      "'\n=1",
      "'＝1",
      "'＋1",
      "'－1",
      "'＠A",
      'says "hi", and\r\nleaves',
      'plain',
    ]);
    expect(rows.map((row) => row[0])).toEqual(queries.map(() => session));
    expect(text.split('\r\n').at(-1)).toBe('');
  });

  it('is marked as UTF-8 where it is CSV, so that spreadsheets read accents and pounds', async () => {
    const begin = async (format: string): Promise<string> => {
      const url = `${w.docent.base}/api/v1/chatbot/${chatbot}/conversations/export?format=${format}`;
      const reply = await fetch(url, { headers: { Authorization: `Bearer ${API_KEY}` } });
      return Buffer.from(await reply.arrayBuffer())
        .subarray(0, 4)
        .toString('hex');
    };
    expect([await begin('csv'), await begin('jsonl')]).toEqual(['efbbbf63', Buffer.from('{"co').toString('hex')]);
  });

  it('is JSON Lines, of what the same parameters list', async () => {
    const { text, headers } = await exported('?format=jsonl&has=unknown');
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    const rows = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(rows.map(({ conversation, question }) => [conversation, question])).toEqual([
      [sessions[2], QA.question],
      [sessions[2], `${STRANGE} Tell me.`],
      [sessions[1], STRANGE],
    ]);
    expect(rows[1]).toMatchObject({ outcome: 'unknown', rating: 0, comment: '', labels: [] });
    expect((await exported('?has=rated_up&format=jsonl')).text).toBe('');
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newChatbot, learned, newSession, QA, startApiFixture, type ApiFixture } from '../api-fixture.ts';

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
    expect(await uuidsOf(`?search=${encodeURIComponent(QA.question)}&has=unknown`)).toEqual([sessions[2]]);
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

  it('reads at most 500 sessions for a page, and says where to go on', async () => {
    const busy = await newChatbot(w, 'Busy');
    const first = await newSession(w, busy);
    await ask(first, STRANGE);
    for (let i = 0; i < 501; i += 1) await newSession(w, busy);
    const { conversations, next } = await get(`/api/v1/chatbot/${busy}/conversations?search=football`);
    expect(conversations).toEqual([]);
    const rest = await get(next);
    expect(rest.conversations.map(({ uuid }) => uuid)).toEqual([first]);
    expect(rest.next).toBe('');
  });
});

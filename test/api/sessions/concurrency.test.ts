import { readdir } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queryRows } from '../../engine/engine.ts';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { API_KEY, site, until, type Reply } from '../../running.ts';
import {
  FUNCTION,
  newAgent,
  newChatbot,
  newFunction,
  newSession,
  newSource,
  newTag,
  startApiFixture,
  type ApiFixture,
} from '../api-fixture.ts';

/** Names of the rows of all records, on PostgreSQL. */
const RECORDS = Object.entries({
  uuid: ['chatbots', 'agents', 'tags', 'sites', 'sources', 'sessions', 'messages'],
  chatbot: ['passages'],
  source: ['source_names', 'agent_sources', 'tag_sources', 'files', 'documents', 'vectors'],
  message: ['answer_pieces'],
})
  .flatMap(([key, tables]) => tables.map((table) => `select '${table} ' || ${key} as name from ${table}`))
  .join(' union all ');

/** Many at once, and deletes in the middle of work. */

let w: ApiFixture;
beforeAll(async () => void (w = await startApiFixture()));
afterAll(() => w.stop());

const at200 = <T>(make: (i: number) => T): T[] => Array.from({ length: 200 }, (_, i) => make(i));

/** Sends 200 updates at once: all are done, one after another, and each `modified_at` is its own. */
async function updateAtOnce(path: string, fields: ((i: number) => object)[]): Promise<Record<string, unknown>> {
  const replies = await Promise.all(at200((i) => w.call('POST', path, fields[i % fields.length]?.(i))));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(replies.map(({ body }) => body.modified_at)).size).toBe(200);
  return replies.toSorted((a, b) => (a.body.modified_at < b.body.modified_at ? -1 : 1)).at(-1)?.body;
}

describe('200 updates at once', () => {
  it('of a chatbot lose no field', async () => {
    const uuid = await newChatbot(w);
    const last = await updateAtOnce(`/api/v1/chatbot/${uuid}/update`, [
      (i) => ({ name: `name ${i}` }),
      () => ({ visibility: 'hybrid' }),
      () => ({ show_citations: false }),
      (i) => ({ rate_limit: [7, 100 + i] }),
      (i) => ({ rate_limit_message: `message ${i}` }),
    ]);
    expect(last).toMatchObject({
      name: expect.stringMatching(/^name \d/),
      meta: {
        rate_limit: [7, expect.any(Number)],
        rate_limit_message: expect.stringMatching(/^message \d/),
        show_citations: false,
        visibility: 'hybrid',
      },
    });
    expect((await w.call('GET', `/api/v1/chatbot/${uuid}`)).body).toEqual(last);
  });

  it('of an agent lose no field', async () => {
    const chatbot = await newChatbot(w);
    const uuid = await newAgent(w, chatbot);
    const source = await newSource(w, chatbot);
    const last = await updateAtOnce(`/api/v1/agent/${uuid}/update`, [
      (i) => ({ name: `name ${i}` }),
      (i) => ({ prompt: `prompt ${i}` }),
      (i) => ({ description: `description ${i}` }),
      () => ({ enabled: true }),
      () => ({ model: 'llm-4o-8k' }),
      () => ({ meta: { temperature: 0.5 } }),
      () => ({ bias: -1, meta: { stickness: 0.25 } }),
      () => ({ use_all_sources: false }),
      () => ({ data_source_uuids: [source] }),
      () => ({ variables: [{ name: 'plan' }] }),
    ]);
    expect(last).toMatchObject({
      name: expect.stringMatching(/^name \d/),
      prompt: expect.stringMatching(/^prompt \d/),
      description: expect.stringMatching(/^description \d/),
      enabled: 1,
      meta: { model: 'llm-4o-8k', temperature: 0.5, bias: -1, stickness: 0.25, use_all_sources: false },
      data_source_uuids: [source],
      variables: [{ name: 'plan' }],
    });
    expect((await w.call('GET', `/api/v1/agent/${uuid}`)).body).toEqual(last);
  });

  it('of a tag lose no field', async () => {
    const chatbot = await newChatbot(w);
    const [uuid, source] = [await newTag(w, chatbot), await newSource(w, chatbot)];
    const last = await updateAtOnce(`/api/v1/source-tag/${uuid}/update`, [
      (i) => ({ name: `name ${i}` }),
      (i) => ({ color: `#000${i + 100}` }),
      () => ({ data_source_uuids: [source] }),
    ]);
    expect(last).toMatchObject({
      name: expect.stringMatching(/^name \d/),
      color: expect.stringMatching(/^#000\d{3}$/),
      data_source_uuids: [source],
    });
    expect((await w.call('GET', `/api/v1/chatbot/${chatbot}/source-tags`)).body).toEqual([last]);
  });

  it('of tool functions of one agent lose none of them', async () => {
    const agent = await newAgent(w, await newChatbot(w));
    const create = (i: number) =>
      w.call('POST', `/api/v1/agent/${agent}/function/create`, { ...FUNCTION, name: `f${i}` });
    const made = (await Promise.all(Array.from({ length: 50 }, (_, i) => create(i)))).map(({ body }) => body);
    await Promise.all(
      made.map(({ uuid }, i) =>
        i % 2 === 0
          ? w.call('POST', `/api/v1/function/${uuid}/update`, { enabled: false })
          : w.call('POST', `/api/v1/function/${uuid}/delete`),
      ),
    );
    const { body } = await w.call('GET', `/api/v1/agent/${agent}`);
    const left = body.tool_functions.map(({ name, enabled }: { name: string; enabled: number }) => [name, enabled]);
    expect(left.toSorted()).toEqual(Array.from({ length: 25 }, (_, i) => [`f${2 * i}`, 0]).toSorted());
  });
});

describe('what there may be one of', () => {
  const statuses = (replies: Reply[]): number[] => replies.map(({ status }) => status).toSorted();

  it.each(['human-escalation', 'spam-defense'])('is one, of twenty %s agents created at once', async (type) => {
    const chatbot = await newChatbot(w);
    const create = () => w.call('POST', `/api/v1/chatbot/${chatbot}/agent/create`, { name: 'One', type });
    expect(statuses(await Promise.all(Array.from({ length: 20 }, create)))).toEqual([200, ...Array(19).fill(422)]);
    const { body } = await w.call('GET', `/api/v1/chatbot/${chatbot}/agents`);
    expect(body.filter((agent: { type: string }) => agent.type === type)).toHaveLength(1);
  });

  it('is one source, of twenty of the same page', async () => {
    const chatbot = await newChatbot(w);
    const add = () => w.call('POST', `/api/v1/chatbot/${chatbot}/data-source/url`, { url: `${w.shop}/returns` });
    const replies = await Promise.all(Array.from({ length: 20 }, add));
    expect(statuses(replies)).toEqual([200, ...Array(19).fill(409)]);
    expect(new Set(replies.map(({ body }) => body.uuid)).size).toBe(1);
  });

  it.each(['agent', 'source-tag', 'chatbot'])('is one delete of a %s that finds it', async (what) => {
    const chatbot = await newChatbot(w);
    const uuid =
      what === 'agent' ? await newAgent(w, chatbot) : what === 'source-tag' ? await newTag(w, chatbot) : chatbot;
    const remove = () => w.call('DELETE', `/api/v1/${what}/${uuid}/delete`);
    const replies = await Promise.all(Array.from({ length: 10 }, remove));
    expect(statuses(replies)[0]).toBe(200);
    expect(replies.every(({ status }) => status === 200 || status === 404)).toBe(true);
    expect((await remove()).status).toBe(404);
  });
});

describe('a delete in the middle of work', () => {
  let busy: ApiFixture;
  let model: FakeModel;
  let slow: Awaited<ReturnType<typeof site>>;
  /** Pages that were asked for and have not been answered. */
  const waiting: ServerResponse[] = [];

  beforeAll(async () => {
    model = await startFakeModel({ script: { pieces: Array(40).fill('word '), pace: 15 } });
    slow = await site({ '/slow': (_request, response) => void waiting.push(response) });
    busy = await startApiFixture({ LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'small', FETCH_ALLOW: slow.host });
  });
  afterAll(async () => {
    for (const response of waiting) response.destroy();
    await busy.stop();
    await slow.close();
    await model.close();
  });

  /** Names of all that is stored but the audit log, which says what was deleted: files, or rows. */
  const files = async (): Promise<string[]> => {
    const rows = await queryRows(busy.docent.dataDir, RECORDS);
    if (rows) return rows.map(({ name }) => name as string).toSorted();
    const all = await readdir(busy.docent.dataDir, { recursive: true, withFileTypes: true });
    return all
      .filter((one) => one.isFile())
      .map((one) => `${one.parentPath}/${one.name}`)
      .filter((path) => !path.includes('/audit/'))
      .toSorted();
  };

  /** A question that is being answered; resolves when its first words are there. */
  async function asking(session: string): Promise<{ over: Promise<string> }> {
    const url = `${busy.docent.base}/api/v1/session/${session}/message/stream`;
    const headers = { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json' };
    const reply = await fetch(url, { method: 'POST', headers, body: '{"query":"How long may I return an item?"}' });
    return { over: reply.text().catch(() => '') };
  }

  const slowLink = async (chatbot: string): Promise<string> => {
    const before = waiting.length;
    const { body } = await busy.call('POST', `/api/v1/chatbot/${chatbot}/data-source/url`, {
      url: `${slow.base}/slow`,
    });
    await until(
      async () => waiting.length,
      (length) => length > before,
    );
    return body.uuid;
  };

  /** What was begun is let go on, and has had the time to do harm. */
  async function goOn(...work: Promise<unknown>[]): Promise<void> {
    for (const response of waiting.splice(0)) response.end('<title>Late</title><main><p>Late words.</p></main>');
    await Promise.all(work);
    await new Promise((done) => setTimeout(done, 300));
  }

  it('a chatbot that is deleted leaves nothing in the data folder but what it has cost', async () => {
    await newChatbot(busy, 'another, which stays');
    const before = await files();
    const chatbot = await newChatbot(busy);
    await newFunction(busy, chatbot);
    await newTag(busy, chatbot);
    await newSource(busy, chatbot);
    const parts = new FormData();
    parts.append('file', new Blob(['The workshop is open from nine to five on weekdays.']), 'hours.txt');
    await busy.call('POST', `/api/v1/chatbot/${chatbot}/data-source/upload`, parts);
    await slowLink(chatbot);
    const sessions = await Promise.all([1, 2, 3].map(() => newSession(busy, chatbot)));
    const answers = await Promise.all(sessions.map(asking));
    expect((await files()).length).toBeGreaterThan(before.length);

    expect((await busy.call('DELETE', `/api/v1/chatbot/${chatbot}/delete`)).body).toEqual({ success: true });
    await goOn(...answers.map(({ over }) => over));

    const isUsage = (file: string): boolean => /\/usage\/\d{4}-\d\d\.jsonl$/.test(file);
    expect((await files()).filter((file) => !isUsage(file))).toEqual(before.filter((file) => !isUsage(file)));
    for (const session of sessions) {
      expect((await busy.call('GET', `/api/v1/session/${session}`)).status).toBe(404);
    }
  });

  it('a session that is deleted while it is answered leaves nothing', async () => {
    const chatbot = await newChatbot(busy);
    const before = await files();
    const session = await newSession(busy, chatbot);
    const { over } = await asking(session);
    const [{ uuid }] = (await busy.call('GET', `/api/v1/session/${session}/messages`)).body;
    expect((await busy.call('POST', `/api/v1/session/${session}/delete`)).status).toBe(200);
    await goOn(over);
    expect(await files()).toEqual(before);
    expect((await busy.call('GET', `/api/v1/message/${uuid}`)).status).toBe(404);
  });

  it('a message that is deleted while it is made does not come back', async () => {
    const session = await newSession(busy, await newChatbot(busy));
    const { over } = await asking(session);
    const [{ uuid }] = (await busy.call('GET', `/api/v1/session/${session}/messages`)).body;
    expect((await busy.call('POST', `/api/v1/message/${uuid}/delete`)).status).toBe(200);
    await goOn(over);
    expect((await busy.call('GET', `/api/v1/session/${session}/messages`)).body).toEqual([]);
  });

  it('a source that is deleted while it is scraped leaves nothing, not even in its tags and agents', async () => {
    const chatbot = await newChatbot(busy);
    const [tag, agent] = [await newTag(busy, chatbot), await newAgent(busy, chatbot)];
    const before = await files();
    const source = await slowLink(chatbot);
    await busy.call('POST', `/api/v1/source-tag/${tag}/update`, { data_source_uuids: [source] });
    await busy.call('POST', `/api/v1/agent/${agent}/update`, { data_source_uuids: [source] });
    expect((await busy.call('POST', `/api/v1/data-source/${source}/delete`)).status).toBe(200);
    await goOn();
    expect(await files()).toEqual(before);
    expect((await busy.call('GET', `/api/v1/chatbot/${chatbot}/data-sources`)).body).toEqual([]);
    expect((await busy.call('GET', `/api/v1/chatbot/${chatbot}/source-tags`)).body[0].data_source_uuids).toEqual([]);
    expect((await busy.call('GET', `/api/v1/agent/${agent}`)).body.data_source_uuids).toEqual([]);
  });

  it('an agent that is deleted while it answers has its answer stored all the same', async () => {
    const chatbot = await newChatbot(busy);
    const [{ uuid }] = (await busy.call('GET', `/api/v1/chatbot/${chatbot}/agents`)).body;
    const session = await newSession(busy, chatbot);
    const { over } = await asking(session);
    expect((await busy.call('DELETE', `/api/v1/agent/${uuid}/delete`)).status).toBe(200);
    await goOn(over);
    const [message] = (await busy.call('GET', `/api/v1/session/${session}/messages`)).body;
    expect([message.finish_reason, message.response]).toEqual(['stop', await over]);
  });

  it('creates and deletes in one storm leave nothing but what was told', async () => {
    const before = await files();
    const chatbot = await newChatbot(busy);
    const page = `/api/v1/chatbot/${chatbot}`;
    const storm = Array.from({ length: 60 }, (_, i) => [
      busy.call('POST', `${page}/session/create`),
      busy.call('POST', `${page}/data-source/qa`, {
        question: `Question ${i}?`,
        answer: 'The answer is the same for all.',
      }),
      busy.call('POST', `${page}/source-tag/create`, { name: `tag ${i}`, color: '#000000' }),
      busy.call('POST', `${page}/agent/create`, { name: `agent ${i}`, type: 'background' }),
      ...(i === 30 ? [busy.call('DELETE', `${page}/delete`)] : []),
    ]).flat();
    const replies = await Promise.all(storm);
    expect(replies.every(({ status }) => status === 200 || status === 404)).toBe(true);
    await goOn();
    expect(await files()).toEqual(before);
    expect((await busy.call('GET', page)).status).toBe(404);
  });
});

import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../server/cli/run.ts';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { API_KEY, start, until, type Running } from '../../running.ts';
import { makeSchema, type Schema } from '../../store/postgres/fixture.ts';
import { startPostgres } from '../../store/postgres/server.ts';
import { tracesOf } from './traces.ts';

/** What one process deletes is not written again by another one that is answering there. */

const CANARY = 'KanarienvogelXylophon';
const database = await startPostgres();
afterAll(() => database?.stop());

describe.skipIf(!database)('while another process answers', () => {
  let schema: Schema;
  let model: FakeModel;
  let [here, there]: Running[] = [];
  let env: NodeJS.ProcessEnv;
  let chatbot: string;
  beforeEach(async () => {
    schema = await makeSchema(database!.url);
    model = await startFakeModel({ script: { pieces: Array<string>(60).fill(`${CANARY} `), pace: 50 } });
    env = { DATABASE_URL: schema.url, LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'small' };
    here = await start(env);
    there = await start(env);
    chatbot = (await here.api('POST', '/chatbot/create', { name: 'Ferries', visibility: 'public' })).body.uuid;
    const qa = { question: 'When does the last ferry leave?', answer: 'The last ferry leaves at ten to nine.' };
    await here.api('POST', `/chatbot/${chatbot}/data-source/qa`, qa);
    await until(
      async () => (await here!.api('GET', `/chatbot/${chatbot}/data-sources`)).body,
      ([source]) => source.status === 'success',
    );
  });
  afterEach(async () => {
    await here!.stop();
    await there!.stop();
    await model.close();
    await schema.drop();
  });

  const traces = async (): Promise<string[]> => [
    ...(await tracesOf(CANARY, here!.dataDir, schema.url)),
    ...(await tracesOf(CANARY, there!.dataDir)),
  ];

  /** A question that the other process is answering; some of the answer is stored. */
  async function asking(): Promise<{ session: string; message: string; over: Promise<unknown> }> {
    const create = { initial_variables: { name: CANARY } };
    const session = (await there!.api('POST', `/chatbot/${chatbot}/session/create`, create)).body.uuid;
    const reply = fetch(`${there!.base}/api/v1/session/${session}/message/stream`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${API_KEY}`,
        'content-type': 'application/json',
        'idempotency-key': `key-${session}`,
      },
      body: JSON.stringify({ query: `When does the last ferry leave, ${CANARY}?` }),
    });
    const over = reply.then((response) => response.text()).catch(() => {});
    await until(traces, (found) => found.includes('answer_pieces'));
    const [{ uuid: message }] = (await here!.api('GET', `/session/${session}/messages`)).body;
    return { session, message, over };
  }

  async function command(...words: string[]): Promise<void> {
    const write = (): void => {};
    await runCommand(words, { ...env, DATA_DIR: here!.dataDir }, { out: write, err: write });
  }

  it.each<[string, (of: { session: string; message: string }) => Promise<unknown>]>([
    ['a conversation', ({ session }) => here!.api('POST', `/session/${session}/delete`)],
    ['a conversation by its visitor', ({ session }) => post(`/session/${session}/delete`)],
    ['a conversation by docent forget', ({ session }) => command('forget', session)],
    ['a chatbot', () => here!.api('DELETE', `/chatbot/${chatbot}/delete`)],
  ])('deletes %s', async (_, remove) => {
    const { over, ...made } = await asking();
    await remove(made);
    expect(await traces()).toEqual([]);
    await over;
    expect(await traces()).toEqual([]);
    await there!.stop();
    expect(await tracesOf(CANARY, here!.dataDir, schema.url)).toEqual([]);
    there = await start(env);
  });

  it('deletes a message, and leaves the rest of its conversation', async () => {
    const { session, message, over } = await asking();
    await here!.api('POST', `/message/${message}/delete`);
    expect(await traces()).toEqual(['sessions']);
    await over;
    expect(await traces()).toEqual(['sessions']);
    expect((await here!.api('GET', `/session/${session}`)).body.initial_variables).toEqual({ name: CANARY });
  });

  const post = (path: string) => fetch(`${here!.base}/chat/${chatbot}${path}`, { method: 'POST' });
});

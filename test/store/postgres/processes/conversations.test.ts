import postgres from 'postgres';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PendingCall } from '../../../../server/answer/tools/pending.ts';
import { openPostgresStore } from '../../../../server/store/postgres/postgres.ts';
import {
  ask,
  answerWith,
  answerResult,
  manualAnswer,
  messagesOf,
  post,
  startChatServer,
  uuidOf,
  watch,
  type ChatServer,
} from '../../../proxy/fixture.ts';
import { until } from '../../../running.ts';
import { makeSchema, type Schema } from '../fixture.ts';
import { startPostgres } from '../server.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

describe.skipIf(!server)('a conversation on two servers', () => {
  let schema: Schema;
  let sql: postgres.Sql;
  let [a, b]: ChatServer[] = [];
  let chatbot: string;
  beforeEach(async () => {
    schema = await makeSchema(server!.url);
    const start = () =>
      startChatServer({ openStore: (options) => openPostgresStore({ url: schema.url, max: 4, ...options }) });
    [a, b] = [await start(), await start()];
    chatbot = (await a.chatbot()).uuid;
    sql = postgres(schema.url, { max: 1, onnotice: () => {} });
  });
  afterEach(async () => {
    await sql.end();
    await Promise.all([a!.stop(), b!.stop()]);
    await schema.drop();
  });

  /** An answer that ends with a call to be confirmed. */
  async function pendingAnswer(): Promise<{ session: string; path: string }> {
    const pending: PendingCall = {
      until: a!.clock.now + 60_000,
      agent: 'a',
      function: 'f',
      shown: { function: 'cancel', name: 'Cancel', arguments: {} },
      arguments: {},
      values: {},
      call: { id: 'call_1', name: 'cancel', arguments: '{}' },
      messages: [],
      rounds: 1,
      ifCutOff: '\n\nThat is not certain.',
    };
    const respond = answerWith('Please confirm.');
    a!.respond = async (question, run) => ({ ...(await respond(question, run)), ...answerResult({ pending }) });
    const events = await ask(a!, chatbot, { query: 'Cancel it' });
    const session = uuidOf(events, 'session');
    return { session, path: `/chat/${chatbot}/session/${session}/message/${uuidOf(events, 'message')}` };
  }

  const confirm = (path: string) =>
    watch(`${a!.base}${path}/confirm`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ accept: true }),
    });

  it('has an answer whose call is confirmed, which the other may stop at once', async () => {
    await sql`
      create function wait() returns trigger language plpgsql as
        'begin if new.writer is not null then perform pg_sleep(1); end if; return new; end'`;
    await sql`create trigger wait before update on messages for each row execute function wait()`;
    const { session, path } = await pendingAnswer();
    a!.respond = manualAnswer().respond;
    const stream = confirm(path);
    const reasons = async () => ((await messagesOf(b!, chatbot, session)) as { finish_reason: string }[])[0]!;
    const seen = await until(reasons, ({ finish_reason }) => finish_reason !== 'stop');
    expect(seen.finish_reason).toBe('');
    expect((await post(`${b!.base}${path}/stop`)).status).toBe(200);
    expect((await (await stream).done).at(-1)).toMatchObject({ event: 'done', data: { finish_reason: 'stopped' } });
  });

  it('says of a confirmed call that it is not certain where its process is gone', async () => {
    const { session, path } = await pendingAnswer();
    a!.respond = manualAnswer().respond;
    const stream = await confirm(path);
    await until(
      () => sql`select 1 from answer_pieces`,
      ({ length }) => length > 0,
    );
    await sql`delete from processes where uuid in (select writer from messages)`;
    const [message] = await messagesOf(b!, chatbot, session);
    expect(message).toMatchObject({
      response: 'Please confirm.\n\nThat is not certain.',
      finish_reason: 'interrupted',
    });
    await stream.done;
  });

  it('has an answer replaced once by requests that come to both at the same moment', async () => {
    for (let n = 1; n <= 5; n++) {
      const first = await ask(a!, chatbot, { query: 'How long?' });
      const body = { query: 'How long?', session: uuidOf(first, 'session'), replaces: uuidOf(first, 'message') };
      const replies = await Promise.all([a!, b!].map(({ base }) => post(`${base}/chat/${chatbot}/ask`, body)));
      await Promise.all(replies.map((reply) => reply.text()));
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      expect(await messagesOf(b!, chatbot, body.session)).toHaveLength(1);
    }
  });
});

import postgres from 'postgres';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BackgroundWork, type Finding } from '../../../../server/answer/background/work.ts';
import type { PendingCall } from '../../../../server/answer/tools/pending.ts';
import type { SnapshotStore } from '../../../../server/store/archive/snapshot.ts';
import { openPostgresStore } from '../../../../server/store/postgres/postgres.ts';
import {
  API_KEY,
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
import { archiveOf, linesOf } from '../../archive/content.ts';
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

  /** An answer of the first server with two background tasks, each of which ends by a call. */
  async function askedWithTasks() {
    const ends: ((found?: Partial<Finding>) => void)[] = [];
    const task = (agent: string) => ({
      agent,
      by: 'model' as const,
      reasonOf: () => 'internal',
      run: () =>
        new Promise<Pick<Finding, 'labels' | 'variables'>>((resolve) =>
          ends.push((found) => resolve({ labels: [], variables: {}, ...found })),
        ),
    });
    const respond = answerWith('You have 30 days.');
    a!.respond = (question, run) => {
      run.background = new BackgroundWork([task('tagger'), task('')], 60_000);
      return respond(question, run);
    };
    const events = await ask(a!, chatbot, { query: 'How long?' });
    const [session, uuid] = [uuidOf(events, 'session'), uuidOf(events, 'message')];
    const read = async (reader: ChatServer) => {
      const reply = await fetch(`${reader.base}/api/v1/message/${uuid}`, {
        headers: { Authorization: `Bearer ${API_KEY}` },
      });
      return (await reply.json()) as { background_pending_tasks: number; labels: { name: string }[] };
    };
    const pending = async () => (await read(b!)).background_pending_tasks;
    return { path: `/chat/${chatbot}/session/${session}/message/${uuid}`, session, ends, read, pending };
  }

  it('counts the background tasks that still run on the other', async () => {
    const { path, session, ends, read, pending } = await askedWithTasks();
    expect(await pending()).toBe(2);
    expect((await post(`${b!.base}${path}/feedback`, { rating: 1 })).status).toBe(200);
    expect(await pending()).toBe(2);
    const records = linesOf(await archiveOf(b!.store as SnapshotStore)).flatMap(
      (line) => /"background_pending_tasks":\d/.exec(line) ?? [],
    );
    expect(records).toEqual(['"background_pending_tasks":0']);
    ends[0]!({ labels: [{ name: 'Returns', color: '#336699' }] });
    const tagged = await until(
      () => read(b!),
      (message) => message.background_pending_tasks < 2,
    );
    expect(tagged).toMatchObject({ background_pending_tasks: 1, labels: [{ name: 'Returns' }] });
    ends[1]!({ variables: { order: 'A1' } });
    await until(pending, (count) => count === 0);
    expect((await b!.store.session(session))?.variables).toEqual({ order: 'A1' });
    expect((await read(a!)).background_pending_tasks).toBe(0);
  });

  it('counts no background tasks of a process that is gone, nor any for ever', async () => {
    const { pending } = await askedWithTasks();
    await sql`create function nothing() returns trigger language plpgsql as 'begin return null; end'`;
    await sql`create trigger nothing before insert on processes for each row execute function nothing()`;
    expect(await pending()).toBe(2);
    await sql`update messages set tasks_until = tasks_until - interval '90 s'`;
    expect(await pending()).toBe(0);
    await sql`update messages set tasks_until = now() + interval '90 s'`;
    expect(await pending()).toBe(2);
    await sql`delete from processes where uuid in (select tasks_of from messages)`;
    expect(await pending()).toBe(0);
  });
});

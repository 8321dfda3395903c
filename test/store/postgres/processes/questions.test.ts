import { setTimeout as wait } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRespond } from '../../../../server/answer/pipeline.ts';
import { openPostgresStore } from '../../../../server/store/postgres/postgres.ts';
import { startTcpProxy, type TcpProxy } from '../../../fakes/tcp-proxy.ts';
import {
  answerWith,
  manualAnswer,
  parseEvents,
  post,
  startChatServer,
  textOf,
  watchAsk,
  type ChatServer,
} from '../../../proxy/fixture.ts';
import { until } from '../../../running.ts';
import { makeSchema, type Schema } from '../fixture.ts';
import { startPostgres } from '../server.ts';

/** Questions whose beginning fails half-way. */

const server = await startPostgres();
afterAll(() => server?.stop());

describe.skipIf(!server)('a question', () => {
  let schema: Schema;
  let sql: postgres.Sql;
  let network: TcpProxy;
  let docent: ChatServer;
  let chatbot: string;
  beforeEach(async () => {
    schema = await makeSchema(server!.url);
    network = await startTcpProxy(Number(new URL(schema.url).port || 5432));
    const url = new URL(schema.url);
    [url.hostname, url.port] = ['127.0.0.1', String(network.port)];
    docent = await startChatServer({
      openStore: (options) => openPostgresStore({ url: url.href, max: 4, ...options }),
    });
    chatbot = (await docent.chatbot()).uuid;
    sql = postgres(schema.url, { max: 2, onnotice: () => {} });
  });
  afterEach(async () => {
    network.mend();
    await sql.end();
    await docent.stop();
    await network.close();
    await schema.drop();
  });
  const askPath = (): string => `${docent.base}/chat/${chatbot}/ask`;
  const writers = async (): Promise<unknown[]> =>
    (await sql<{ writer: unknown }[]>`select writer from messages`).map(({ writer }) => writer);

  /** Has the next statement that stores a message take so many seconds. */
  async function delay(seconds: number): Promise<void> {
    await sql.unsafe(
      `create function wait() returns trigger language plpgsql as 'begin perform pg_sleep(${seconds}); return new; end'`,
    );
    await sql`create trigger wait before insert on messages for each row execute function wait()`;
  }
  const sleeping = () => sql<{ pid: number }[]>`select pid from pg_stat_activity where wait_event = 'PgSleep'`;

  it('is given up where the record of its session cannot be read', async () => {
    const { uuid: session } = await (await post(`${docent.base}/chat/${chatbot}/session`)).json();
    await sql`update sessions set record = '{'`;
    expect((await post(askPath(), { query: 'How long?', session, id: 'one' })).status).toBe(500);
    expect(await until(writers, ([writer]) => writer === null)).toEqual([null]);
  });

  it('is answered where the database is lost while it stores it, and is back before it has', async () => {
    docent.respond = answerWith('Thirty days.');
    await delay(1);
    const reply = post(askPath(), { query: 'How long?', id: 'one' });
    await until(sleeping, ({ length }) => length === 1);
    network.cut();
    network.mend();
    const events = parseEvents(await (await reply).text());
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { response: 'Thirty days.', finish_reason: 'stop' } });
    expect(await writers()).toEqual([null]);
  });

  it('is 404 at another chatbot where the database is lost while it looks for what this one answers', async () => {
    const other = (await docent.chatbot()).uuid;
    const { uuid: session } = await (await post(`${docent.base}/chat/${chatbot}/session`)).json();
    const answer = manualAnswer();
    docent.respond = answer.respond;
    const question = { query: 'How long?', session, id: 'one' };
    const stream = await watchAsk(docent, chatbot, question);
    await answer.write('Thirty');
    await stream.until((seen) => textOf(seen) === 'Thirty');
    const waits = () =>
      sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%with known%'`;
    let there: Promise<Response> | undefined;
    await sql.begin(async (tx) => {
      await tx`lock table messages in access exclusive mode`;
      there = post(`${docent.base}/chat/${other}/ask`, question);
      await until(waits, ({ length }) => length > 0);
      network.cut();
      network.mend();
    });
    expect((await there!).status).toBe(404);
    await answer.end();
    expect((await stream.done).at(-1)).toMatchObject({ event: 'done', data: { response: 'Thirty' } });
  });

  it('is answered while its usage cannot be counted, which is once that can be', async () => {
    await sql`
      create function fail() returns trigger language plpgsql as
      'begin raise exception using errcode = ''57014''; end'`;
    await sql`create trigger fail before insert on usage for each row execute function fail()`;
    const events = parseEvents(await (await post(askPath(), { query: 'How long?' })).text());
    expect(events.at(-1)!.event).toBe('done');
    await docent.runs.settled();
    const counted = async (): Promise<number[]> =>
      (await sql<{ messages: number }[]>`select messages::integer as messages from usage`).map(
        ({ messages }) => messages,
      );
    expect(await counted()).toEqual([]);
    await sql`drop trigger fail on usage`;
    expect(await until(counted, ({ length }) => length > 0)).toEqual([1]);
  });

  it('ends as stopped where it is stopped while the database is away', async () => {
    const respond = createRespond({ store: docent.store } as Parameters<typeof createRespond>[0]);
    docent.respond = (question, run) => {
      network.cut();
      run.stop();
      return respond(question, run).finally(() => network.mend());
    };
    const events = parseEvents(await (await post(askPath(), { query: 'How long?' })).text());
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { response: '', finish_reason: 'stopped' } });
  });

  it('does not hold the end of its process while the database is away', async () => {
    const answer = manualAnswer();
    docent.respond = answer.respond;
    const stream = await watchAsk(docent, chatbot, { query: 'How long?' });
    await answer.write('Thirty');
    await stream.until((seen) => textOf(seen) === 'Thirty');
    network.cut();
    await answer.end();
    const interrupted = docent.runs.interrupt().then(() => 'ended');
    // Without an end of the process it would be tried for 15 s.
    expect(await Promise.race([interrupted, wait(8000, 'held')])).toBe('ended');
    expect((await stream.done).at(-1)).toMatchObject({ event: 'error', data: { code: 'unavailable' } });
  });

  it('is said to be stored perhaps where the database stays away, and can be asked again', async () => {
    await delay(30);
    const question = { query: 'How long?', id: 'one' };
    const reply = post(askPath(), question);
    const [row] = await until(sleeping, ({ length }) => length === 1);
    network.cut();
    await sql`select pg_terminate_backend(${row!.pid})`;
    const refused = await reply;
    const { error } = await refused.json();
    expect([refused.status, error]).toEqual([503, expect.stringContaining('may be stored')]);
    await sql`drop trigger wait on messages`;
    expect(await writers()).toEqual([]);
    network.mend();
    const answer = manualAnswer();
    docent.respond = answer.respond;
    const isBack = () =>
      docent.store.message('none').then(
        () => true,
        () => false,
      );
    await until(isBack, Boolean);
    const again = await watchAsk(docent, chatbot, question);
    await answer.write('Thirty');
    await again.until((seen) => textOf(seen) === 'Thirty');
    // Until after the next time at which this process gives up what it could not store.
    await wait(3000);
    await answer.write(' days.');
    await answer.end();
    expect((await again.done).at(-1)).toMatchObject({
      event: 'done',
      data: { response: 'Thirty days.', finish_reason: 'stop' },
    });
  });
});

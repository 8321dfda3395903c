import { setTimeout as sleep } from 'node:timers/promises';
import postgresClient from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { VisitorMessage } from '../../server/types.ts';
import type { Chat } from '../../widget/chat/types.ts';
import type { Turn } from '../../widget/chat/turn.ts';
import { startFakeModel, type FakeModel } from '../fakes/model.ts';
import { textOf, watch, type SeenEvent, type WatchedStream } from '../proxy/fixture.ts';
import { until } from '../running.ts';
import { startOwnPostgres } from '../store/postgres/server.ts';
import { API_KEY, makeChatbot, startCluster, type Cluster } from './cluster.ts';
import { askWidget, BROWSER_GLOBALS, openWidget } from './widget-visitor.ts';

// It is restarted: not one that others use.
const postgres = await startOwnPostgres();
afterAll(() => postgres?.stop());

const PIECES = ['The ferry ', 'leaves at ', 'noon, ', 'from the ', 'northern quay.'];
const WHOLE = PIECES.join('');
const query = 'How does one get to the island?';

describe.skipIf(!postgres)('an answer under way whose database goes away', { timeout: 120_000 }, () => {
  let cluster: Cluster;
  let model: FakeModel;
  let chatbot: string;
  let goOn: () => void;
  beforeAll(async () => {
    for (const [name, value] of Object.entries(BROWSER_GLOBALS)) vi.stubGlobal(name, value);
    model = await startFakeModel({ script: { pieces: PIECES }, searches: { pieces: ['none'] } });
    cluster = await startCluster(postgres!.url, 2, { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake' });
  });
  afterAll(async () => {
    await cluster?.stop();
    await model?.close();
    vi.unstubAllGlobals();
  });
  const untilReady = () =>
    until(
      () => Promise.all(cluster.servers.map(async ({ base }) => (await fetch(`${base}/readyz`)).status)),
      (statuses) => statuses.every((status) => status === 200),
    );
  beforeEach(async () => {
    chatbot = await until(() => makeChatbot(cluster).catch(() => ''), Boolean);
    await untilReady();
    const hold = new Promise<void>((resolve) => (goOn = resolve));
    model.requests.splice(0);
    // The rest of it comes once the test says so.
    model.next({ pieces: PIECES, beforeHold: 3, hold });
  });
  afterEach(() => cluster.network.mend());

  interface Asked {
    chat: Chat;
    turn: Turn;
    /** Once it has ended as the visitor sees it. */
    ended: Promise<Turn>;
    /** Read from the other server. */
    other: WatchedStream;
    path: string;
  }

  /** A widget asks one server, and another reader follows through the other. Resolves when both have the beginning. */
  async function askBoth(): Promise<Asked> {
    const [a, b] = cluster.servers;
    const chat = openWidget(a!.base, chatbot);
    const ended = askWidget(chat, query);
    const turn = chat.turns.peek()[0]!;
    const begins = (text: string): boolean => text !== '' && WHOLE.startsWith(text);
    await until(async () => turn.text.peek(), begins);
    const { session, message } = turn;
    const path = `/chat/${chatbot}/session/${session}`;
    const other = await watch(`${b!.base}${path}/message/${message}/stream`);
    await other.until((events) => begins(textOf(events)));
    return { chat, turn, ended, other, path };
  }

  const listed = async (path: string): Promise<VisitorMessage[]> =>
    (await (await fetch(`${cluster.servers[1]!.base}${path}/messages`)).json()) as VisitorMessage[];
  const lastOf = (events: SeenEvent[]): unknown => events.at(-1)!.data;

  async function expectWhole({ chat, ended, other, path }: Asked): Promise<void> {
    const { status, text } = await ended;
    expect([status.peek(), text.peek()]).toEqual([{ is: 'done' }, WHOLE]);
    const events = await other.done;
    expect(textOf(events)).toBe(WHOLE);
    const stored = await listed(path);
    expect(stored).toMatchObject([{ query, response: WHOLE, finish_reason: 'stop' }]);
    expect(lastOf(events)).toEqual(stored[0]);
    expect([chat.turns.peek().length, model.requests.length]).toEqual([1, 1]);
  }

  /** Before the database is back, the model has ended. */
  it.each([2000, 5000, 10_000])('comes whole, is stored, and ends as usual: cut for %i ms', async (away) => {
    const asked = await askBoth();
    cluster.network.cut();
    goOn();
    await sleep(away);
    cluster.network.mend();
    await expectWhole(asked);
  });

  it('comes whole where the database replies no more for 5 s', async () => {
    const asked = await askBoth();
    cluster.network.loseReplies();
    goOn();
    await sleep(5000);
    // Its connections are of no use any more.
    cluster.network.cut();
    cluster.network.mend();
    await expectWhole(asked);
  });

  it.each(['fast', 'immediate'] as const)('comes whole where it is restarted (%s)', async (how) => {
    const asked = await askBoth();
    goOn();
    await postgres!.restart(how);
    await expectWhole(asked);
  });

  it('comes whole through the API', async () => {
    const [a, b] = cluster.servers;
    const { uuid } = await cluster.api<{ uuid: string }>(a!, 'POST', `/chatbot/${chatbot}/session/create`, {});
    const reply = await fetch(`${a!.base}/api/v1/session/${uuid}/message/stream`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    let text = '';
    for await (const piece of reply.body!.pipeThrough(new TextDecoderStream())) {
      if (text === '') {
        cluster.network.cut();
        goOn();
        void sleep(5000).then(() => cluster.network.mend());
      }
      text += piece;
    }
    expect(text).toBe(WHOLE);
    await untilReady();
    expect(await cluster.api(b!, 'GET', `/session/${uuid}/messages`)).toMatchObject([
      { query, response: WHOLE, finish_reason: 'stop' },
    ]);
    expect(model.requests).toHaveLength(1);
  });

  it('comes whole where it goes on for longer than the database is away', async () => {
    const asked = await askBoth();
    cluster.network.cut();
    await sleep(20_000);
    cluster.network.mend();
    goOn();
    await expectWhole(asked);
  });

  it('ends with an error that can be retried where the database stays away for longer', async () => {
    const { chat, turn, ended, other, path } = await askBoth();
    cluster.network.cut();
    goOn();
    await ended;
    expect(turn.status.peek()).toEqual({ is: 'failed', reason: 'unavailable' });
    const seen = turn.text.peek();
    cluster.network.mend();
    const events = await other.done;
    const [stored] = await until(
      () => listed(path),
      ([one]) => one?.finish_reason === 'interrupted',
    );
    expect(lastOf(events)).toEqual(stored);
    expect(stored!.response.startsWith(seen)).toBe(true);
    expect(WHOLE.startsWith(stored!.response)).toBe(true);
    chat.retry(turn);
    const again = chat.turns.peek().at(-1)!;
    await until(
      async () => again.status.peek().is,
      (is) => is === 'done',
    );
    expect(chat.turns.peek().map(({ text }) => text.peek())).toEqual([WHOLE]);
    expect(await listed(path)).toMatchObject([{ query, response: WHOLE, finish_reason: 'stop' }]);
  });

  it('is made once where the database is lost while it stores the question', async () => {
    goOn();
    const sql = postgresClient(cluster.database, { max: 1, onnotice: () => {} });
    await sql`create function wait() returns trigger language plpgsql as 'begin perform pg_sleep(1); return new; end'`;
    await sql`create trigger wait before insert on messages for each row execute function wait()`;
    const chat = openWidget(cluster.servers[0]!.base, chatbot);
    const ended = askWidget(chat, query);
    const inserts = () => sql`select 1 from pg_stat_activity where wait_event = 'PgSleep'`;
    await until(inserts, ({ length }) => length > 0);
    // It is stored all the same; that is not told.
    cluster.network.cut();
    await until(
      () => sql`select 1 from messages where writer is not null`,
      ({ length }) => length > 0,
    );
    await sql`drop trigger wait on messages`;
    await sql.end();
    cluster.network.mend();
    const { status, text, session } = await ended;
    expect([status.peek(), text.peek()]).toEqual([{ is: 'done' }, WHOLE]);
    const path = `/chat/${chatbot}/session/${session}`;
    expect(await listed(path)).toMatchObject([{ query, response: WHOLE, finish_reason: 'stop' }]);
    expect(model.requests).toHaveLength(1);
  });

  it('comes whole where the database is lost while the question is looked up', async () => {
    goOn();
    const sql = postgresClient(cluster.database, { max: 2, onnotice: () => {} });
    const chat = openWidget(cluster.servers[0]!.base, chatbot);
    await until(chat.prepare, (isReady) => isReady === true);
    let ended: Promise<Turn> | undefined;
    await sql.begin(async (tx) => {
      await tx`lock table agents in access exclusive mode`;
      ended = askWidget(chat, query);
      const waits = () => sql`select 1 from pg_stat_activity where wait_event_type = 'Lock'`;
      await until(waits, ({ length }) => length > 0);
      cluster.network.cut();
    });
    await sleep(2000);
    cluster.network.mend();
    await sql.end();
    const { status, text, session } = await ended!;
    expect([status.peek(), text.peek()]).toEqual([{ is: 'done' }, WHOLE]);
    const path = `/chat/${chatbot}/session/${session}`;
    expect(await listed(path)).toMatchObject([{ query, response: WHOLE, finish_reason: 'stop' }]);
    expect(model.requests).toHaveLength(1);
  });
});

import postgres from 'postgres';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Suggestions } from '../../../server/answer/suggest/suggestions.ts';
import { Ingestion } from '../../../server/knowledge/ingest/ingest.ts';
import { openPostgresStore } from '../../../server/store/postgres/postgres.ts';
import type { SourceDocument, Store } from '../../../server/store/store.ts';
import fc from '../../random.ts';
import { until } from '../../running.ts';
import { aChatbot, aSource } from '../records.ts';
import { makeSchema, type Schema } from './fixture.ts';
import { startPostgres } from './server.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

const log = { info() {}, warn() {}, error() {} };

/** What a process has of a database: a store of its own, and indexes in memory over it. */
async function openProcess(url: string) {
  const store = await openPostgresStore({ url, clock: Date.now });
  let reads = 0;
  const counting: Store = { ...store, document: (source) => ((reads += 1), store.document(source)) };
  const ingestion = new Ingestion({ store: counting, web: {} as never, clock: Date.now, log });
  return {
    store,
    /** Documents read since the last call. */
    reads(): number {
      const count = reads;
      reads = 0;
      return count;
    },
    /** The texts that a question finds: it reads the chatbot first, as every question does. */
    async find(chatbot: string): Promise<string[]> {
      await counting.chatbot(chatbot);
      const { found } = await ingestion.search(chatbot, 'When does the ferry leave?', { limit: 50 });
      return found.map(({ text }) => text).sort();
    },
    async close(): Promise<void> {
      await ingestion.close();
      await store.close();
    },
  };
}

describe.skipIf(!server)('search by several processes', () => {
  let schema: Schema;
  let sql: postgres.Sql;
  let [a, b]: Awaited<ReturnType<typeof openProcess>>[] = [];
  let chatbot: string;
  beforeEach(async () => {
    schema = await makeSchema(server!.url);
    sql = postgres(schema.url, { max: 1, onnotice: () => {} });
    [a, b] = await Promise.all([openProcess(schema.url), openProcess(schema.url)]);
    const { store } = a!;
    const record = aChatbot(store.owner.user.uuid);
    await store.createChatbot(record, []);
    chatbot = record.uuid;
  });
  afterEach(async () => {
    await Promise.all([a!.close(), b!.close()]);
    await sql.end();
    await schema.drop();
  });

  const textOf = (n: number): string => `The ferry number ${n} leaves at noon.`;
  const documentOf = (text: string): SourceDocument => ({
    title: 'Ferries',
    text,
    passages: [{ headings: [], start: 0, end: text.length }],
  });
  async function add(store: Store, text: string): Promise<string> {
    const source = aSource(chatbot, { status: 'success', title: 'Ferries' });
    await store.createSource(source);
    await store.putDocument(source.uuid, documentOf(text));
    return source.uuid;
  }
  /** No process hears of anything any more. */
  const loseNotices = async (): Promise<void> => {
    await sql`create function lose() returns trigger language plpgsql as 'begin return null; end'`;
    await sql`create trigger lose before insert on notices for each row execute function lose()`;
  };

  const steps = fc.array(
    fc.record({ byB: fc.boolean(), act: fc.constantFrom('add', 'change', 'delete'), at: fc.nat() }),
    { minLength: 10, maxLength: 30 },
  );

  it('finds exactly what is stored, whichever process stored it, with notices lost', async () => {
    await loseNotices();
    const check = async (all: { byB: boolean; act: string; at: number }[]): Promise<void> => {
      const stored = new Map<string, string>();
      for (const [step, { byB, act, at }] of all.entries()) {
        const { store } = byB ? b! : a!;
        const uuid = [...stored.keys()].at(at % stored.size);
        const text = textOf(step);
        if (act === 'add' || uuid === undefined) stored.set(await add(store, text), text);
        else if (act === 'change') {
          await store.putDocument(uuid, documentOf(text));
          stored.set(uuid, text);
        } else {
          await store.deleteSource(uuid);
          stored.delete(uuid);
        }
        const expected = [...stored.values()].sort();
        expect(await Promise.all([a!.find(chatbot), b!.find(chatbot)])).toEqual([expected, expected]);
      }
      for (const uuid of stored.keys()) await a!.store.deleteSource(uuid);
    };
    await fc.assert(fc.asyncProperty(steps, check), { numRuns: 4 });
  });

  it('does not find what was deleted while an index was being built', async () => {
    await loseNotices();
    const sources = await Promise.all(Array.from({ length: 10 }, (_, n) => add(a!.store, textOf(n))));
    const building = b!.find(chatbot);
    for (const uuid of sources.slice(1)) await a!.store.deleteSource(uuid);
    await building;
    expect(await b!.find(chatbot)).toEqual([textOf(0)]);
  });

  it('shows the new title of a source that another process renamed', async () => {
    await loseNotices();
    const uuid = await add(a!.store, 'It leaves at noon.');
    expect(await b!.find(chatbot)).toHaveLength(1);
    expect(b!.reads()).toBe(1);
    await a!.store.updateSource(uuid, (source) => ({ ...source, title: 'Boats' }));
    await b!.find(chatbot);
    expect(b!.reads()).toBe(1);
  });

  it('reads only what has changed, and nothing where nothing has', async () => {
    await loseNotices();
    const [first, second] = await Promise.all(Array.from({ length: 10 }, (_, n) => add(a!.store, textOf(n))));
    await b!.find(chatbot);
    expect(b!.reads()).toBe(10);
    await b!.find(chatbot);
    await a!.store.updateSource(first!, (source) => ({ ...source, status: 'await' }));
    await a!.store.deleteSource(first!);
    await b!.find(chatbot);
    expect(b!.reads()).toBe(0);
    await a!.store.putDocument(second!, documentOf('Another ferry.'));
    expect(await b!.find(chatbot)).toHaveLength(9);
    expect(b!.reads()).toBe(1);
  });

  it('drops an index from memory whose chatbot another process has deleted', async () => {
    await add(a!.store, textOf(1));
    expect(await b!.find(chatbot)).toEqual([textOf(1)]);
    await a!.store.deleteChatbot(chatbot);
    await until(
      () => b!.find(chatbot),
      ({ length }) => length === 0,
    );
  });

  it('forgets which follow-up questions are answered once another process changes or deletes the chatbot', async () => {
    const suggestions = new Suggestions({
      store: b!.store,
      knowledge: {} as never,
      router: {} as never,
      isIngesting: () => false,
      hasModel: false,
      log,
    });
    const told: string[] = [];
    suggestions.followUps.forget = (uuid) => void told.push(`forget ${uuid}`);
    suggestions.followUps.drop = (uuid) => void told.push(`drop ${uuid}`);
    await add(a!.store, textOf(1));
    await until(
      async () => told,
      ({ length }) => length === 1,
    );
    await a!.store.deleteChatbot(chatbot);
    await until(
      async () => told,
      ({ length }) => length === 2,
    );
    expect(told).toEqual([`forget ${chatbot}`, `drop ${chatbot}`]);
    suggestions.close();
  });

  it('refreshes an index that is in memory before the next question', async () => {
    await add(a!.store, textOf(1));
    await b!.find(chatbot);
    b!.reads();
    await add(a!.store, textOf(2));
    await until(async () => b!.reads(), Boolean);
  });
});

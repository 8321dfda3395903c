import { createHash } from 'node:crypto';
import { cloneJson } from '../clone-json.ts';
import { isDocument, isSource } from '../record-checks.ts';
import { Superseded } from '../shared/learners.ts';
import { HeldByUnreadable } from '../shared/unreadable-source.ts';
import type { Change, SourceDocument, Store, StoredSource, StoredVectors } from '../store.ts';
import { inTransaction, unlessOrphaned, type Fragment, type Queries } from './connection.ts';
import { fromJson, type PostgresContext } from './context.ts';
import { readRecord, readRecords, type RecordRow } from './records/read.ts';
import { raiseVersions } from './shared/passages.ts';

type SourceVerbs =
  'createSource' | 'file' | 'source' | 'sources' | 'sourceCount' | 'updateSource' | 'claimIdentity' | 'deleteSource';
type DocumentVerbs = 'unfinishedSources' | 'unembeddedSources' | 'putDocument' | 'document' | 'putVectors' | 'vectors';

interface Row {
  record: string;
  learner: string | null;
}

interface ChangeOptions {
  raise: (uuid: string) => Promise<void>;
  /** Given to the source by the change; checked where it is given. */
  identity?: string;
}

/** As in `isPending`. */
export const PENDING = ['await', 'chunking', 'embedding'];

/** Another source of the chatbot goes by that identity. */
class Taken extends Error {
  readonly by: string;
  constructor(by: string) {
    super('the identity is taken');
    this.by = by;
  }
}

interface FenceOptions {
  /** Changes are refused of sources that this process does not learn. */
  isLearner?: boolean;
  /** All changes are refused unless this process crawls the site. */
  crawls?: string;
}

export function sourceVerbs(
  context: PostgresContext,
  { isLearner = false, crawls }: FenceOptions = {},
): Pick<Store, SourceVerbs | DocumentVerbs> {
  const { process, sql, mutex, run, nextOrder, bus } = context;

  async function checkCrawler(tx: Queries): Promise<void> {
    if (crawls === undefined) return;
    // Locks in the order in which a deletion of the chatbot does; until the change is stored, no other process takes the site.
    await tx`select 1 from chatbots where uuid = (select chatbot from sites where uuid = ${crawls}) for key share`;
    const [ours] = await tx`select 1 from sites where uuid = ${crawls} and crawler = ${process} for share`;
    if (!ours) throw new Superseded('another process crawls the site');
  }

  async function select(condition: Fragment): Promise<StoredSource[]> {
    const rows = await sql<RecordRow[]>`select uuid as key, record as json, chatbot from sources ${condition}`;
    return readRecords(context, 'sources', rows, isSource);
  }

  async function find(uuid: string): Promise<StoredSource | undefined> {
    const [source] = await select(sql`where uuid = ${uuid}`);
    return source;
  }

  /** Again where the other source is deleted before it is read; throws `HeldByUnreadable` where it is there. */
  async function unlessTaken<T>(act: () => Promise<T>): Promise<T | { existing: StoredSource }> {
    for (;;) {
      try {
        return await act();
      } catch (error) {
        if (!(error instanceof Taken)) throw error;
        const existing = await find(error.by);
        if (existing) return { existing };
        const [there] = await sql`select 1 from sources where uuid = ${error.by}`;
        if (there) throw new HeldByUnreadable(error.by);
      }
    }
  }

  const create = (record: string, n: string, file: Uint8Array | undefined) => {
    const source = fromJson<StoredSource>(record);
    const { uuid, chatbot, status, embedded_by = '' } = source;
    return unlessTaken(() =>
      unlessOrphaned(undefined, () =>
        inTransaction(sql, async (tx) => {
          await checkCrawler(tx);
          const { count } = await tx`
            insert into sources (uuid, n, chatbot, status, embedded_by, learner, record)
            select ${uuid}, ${n}::bigint, uuid, ${status}, ${embedded_by}, (select uuid from processes where uuid = ${process}),
              ${record}
            from chatbots
            where uuid = ${chatbot} and not is_deleted`;
          if (count === 0) return undefined;
          await claim(tx, source, source.identity);
          await nameIt(tx, source);
          if (file) await tx`insert into files (source, bytes) values (${uuid}, ${Buffer.from(file)})`;
          return { existing: undefined };
        }),
      ),
    );
  };

  /** A transaction; `raise` is to be called in it for a source of which something that is indexed has changed. */
  async function storing<T>(act: (tx: Queries, raise: (uuid: string) => Promise<void>) => Promise<T>): Promise<T> {
    const changed = new Set<string>();
    const result = await inTransaction(sql, (tx) =>
      act(tx, async (uuid) => {
        const rows = await raiseVersions(tx, sql`select chatbot, uuid as source from sources where uuid = ${uuid}`);
        for (const { chatbot } of rows) changed.add(chatbot);
      }),
    );
    for (const chatbot of changed) bus.publish('passages', chatbot);
    return result;
  }

  async function change(tx: Queries, uuid: string, by: Change<StoredSource>, { raise, identity }: ChangeOptions) {
    await checkCrawler(tx);
    const [row] = await tx<Row[]>`select record, learner from sources where uuid = ${uuid} for no key update`;
    if (!row) return undefined;
    if (isLearner && row.learner !== process) throw new Superseded('another process learns the source');
    const before = fromJson<StoredSource>(row.record);
    if (identity !== undefined) await claim(tx, before, identity);
    const after = cloneJson(by(fromJson<StoredSource>(row.record)));
    await tx`
      update sources set status = ${after.status}, embedded_by = ${after.embedded_by ?? ''},
        record = ${JSON.stringify(after)}
      where uuid = ${uuid}`;
    if (before.identity !== after.identity || before.alias !== after.alias) await nameIt(tx, after);
    if (after.title !== before.title || after.file_name !== before.file_name) await raise(uuid);
    return after;
  }

  const update = (uuid: string, by: Change<StoredSource>) =>
    mutex.run(uuid, () => storing((tx, raise) => change(tx, uuid, by, { raise })));

  /** Replaces what a source has beside its record; `by` gives its new `embedded_by`. */
  const put = (uuid: string, embedded_by: string, by: (tx: Queries) => Promise<unknown>): Promise<boolean> =>
    mutex.run(uuid, () =>
      storing(async (tx, raise) => {
        const embed = (one: StoredSource) => ((one.embedded_by ?? '') === embedded_by ? one : { ...one, embedded_by });
        const changed = await change(tx, uuid, embed, { raise });
        if (!changed) return false;
        await by(tx);
        await raise(uuid);
        return true;
      }),
    );

  return {
    createSource(source, file) {
      const [record, n, bytes] = [JSON.stringify(source), nextOrder(), file && Uint8Array.from(file)];
      return run(() => mutex.run(source.chatbot, () => create(record, n, bytes)));
    },
    file: (source) =>
      run(async () => {
        const [row] = await sql<{ bytes: Buffer }[]>`select bytes from files where source = ${source}`;
        return row?.bytes;
      }),
    source: (uuid) => run(() => find(uuid)),
    sources: (chatbot) => run(() => select(sql`where chatbot = ${chatbot} order by n`)),
    sourceCount: (chatbot) =>
      run(async () => {
        const [row] = await sql<{ count: number }[]>`
          select count(*)::integer as count from sources where chatbot = ${chatbot}`;
        return row!.count;
      }),
    updateSource: (uuid, by) => run(() => update(uuid, by)),
    claimIdentity: (uuid, identity, by) =>
      run(async () => {
        const chatbot = (await find(uuid))?.chatbot;
        if (chatbot === undefined) return undefined;
        // In turn with those that are made, in this process; in others the names are claimed by the table.
        return mutex.run(chatbot, () =>
          mutex.run(uuid, () =>
            unlessTaken(() =>
              storing(
                async (tx, raise) => (await change(tx, uuid, by, { raise, identity })) && { existing: undefined },
              ),
            ),
          ),
        );
      }),
    deleteSource: (uuid) =>
      run(async () => {
        const remove = async (queries: Queries) => {
          const deleted = sql`delete from sources where uuid = ${uuid} returning chatbot, uuid as source`;
          return raiseVersions(queries, deleted);
        };
        const [gone] = await (crawls === undefined
          ? remove(sql)
          : inTransaction(sql, async (tx) => {
              await checkCrawler(tx);
              return remove(tx);
            }));
        if (gone) bus.publish('passages', gone.chatbot);
        return gone !== undefined;
      }),
    unfinishedSources: () => run(() => select(sql`where status in ${sql(PENDING)} order by n`)),
    unembeddedSources: (model) =>
      run(() => select(sql`where status = 'success' and embedded_by <> ${model} order by n`)),

    putDocument(uuid, document) {
      const json = JSON.stringify(document);
      const store = async (tx: Queries) => {
        await tx`delete from vectors where source = ${uuid}`;
        await tx`
          insert into documents (source, document) values (${uuid}, ${json})
          on conflict (source) do update set document = excluded.document`;
      };
      return run(() => put(uuid, '', store));
    },
    document: (uuid) =>
      run(async () => {
        const [row] = await sql<RecordRow[]>`
          select d.source as key, d.document as json, s.chatbot
          from documents d join sources s on s.uuid = d.source where d.source = ${uuid}`;
        return row && readRecord<SourceDocument>(context, 'documents', row, isDocument);
      }),
    putVectors(uuid, { model, dimensions, rows }) {
      const bytes = Buffer.from(Int8Array.from(rows).buffer);
      const store = (tx: Queries) => tx`
        insert into vectors (source, model, dimensions, rows) values (${uuid}, ${model}, ${dimensions}, ${bytes})
        on conflict (source) do update set model = excluded.model, dimensions = excluded.dimensions, rows = excluded.rows`;
      return run(() => put(uuid, model, store));
    },
    vectors: (uuid) =>
      run(async () => {
        const [row] = await sql<(Omit<StoredVectors, 'rows'> & { rows: Buffer })[]>`
          select model, dimensions, rows from vectors where source = ${uuid}`;
        return row && { model: row.model, dimensions: row.dimensions, rows: new Int8Array(row.rows) };
      }),
  };
}

const digestOf = (name: string): Buffer => createHash('sha256').update(name).digest();

/** Throws `Taken` where another source of the chatbot goes by the name. */
async function claim(tx: Queries, { uuid, chatbot }: StoredSource, name: string): Promise<void> {
  await tx`
    insert into source_names (chatbot, digest, source) values (${chatbot}, ${digestOf(name)}, ${uuid})
    on conflict do nothing`;
  const [owner] = await tx<{ source: string }[]>`
    select source from source_names where chatbot = ${chatbot} and digest = ${digestOf(name)}`;
  if (owner && owner.source !== uuid) throw new Taken(owner.source);
}

/** Gives the source the names that it goes by, as far as no other has them, and no others. */
async function nameIt(tx: Queries, { uuid, chatbot, identity, alias }: StoredSource): Promise<void> {
  await tx`delete from source_names where source = ${uuid}`;
  for (const name of new Set([identity, alias ?? ''])) {
    if (name === '') continue;
    await tx`
      insert into source_names (chatbot, digest, source) values (${chatbot}, ${digestOf(name)}, ${uuid})
      on conflict do nothing`;
  }
}

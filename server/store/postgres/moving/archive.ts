import { KeyedMutex } from '../../../async/keyed-mutex.ts';
import { newUuid, type Clock } from '../../../schema/ids.ts';
import { targetNotEmpty, type ImportOptions } from '../../archive/import.ts';
import { LocalBus } from '../../bus.ts';
import type { Snapshot, SnapshotOptions, SnapshotReader } from '../../archive/snapshot.ts';
import type { OwnerAccount, StoredReply, Usage } from '../../store.ts';
import { jsonIn } from '../../../schema/json.ts';
import { isAuditEntry } from '../../shared/audit-checks.ts';
import { isOf } from '../shared/audit.ts';
import { connect, END_TIMEOUT, inTransaction, type ConnectionOptions, type Queries, type Sql } from '../connection.ts';
import { createContext, fromJson, isKept, type PostgresContext } from '../context.ts';
import { checkSchema, migrate } from '../migrations.ts';
import { findOwner } from '../owner.ts';
import { DatabaseWatch } from '../outage.ts';
import { explainStart } from '../start-faults.ts';
import { beginProcess } from '../shared/processes.ts';
import { CURSOR_ROWS, namingUnreadable } from './unreadable.ts';
import { verbsOf } from './verbs.ts';

/** What an archive has, in the order in which it is locked. */
const TABLES =
  'users, installation, keys, facts, chatbots, agents, tool_functions, tags, sites, sources, source_names, agent_sources, ' +
  'tag_sources, files, documents, vectors, sessions, messages, replies, usage, credits, figures, cited, audit';

/** What was stored at the moment of the call, read in one transaction. */
export function readSnapshot<T>(
  context: PostgresContext,
  clock: Clock,
  act: (all: Snapshot) => Promise<T>,
  options: SnapshotOptions = {},
): Promise<T> {
  const read = () =>
    context.sql.begin('isolation level repeatable read read only', async (tx) => {
      await waitForever(tx);
      const owner = await lockAndFindOwner(tx);
      const inside = { ...within(context, tx), ...options };
      return act({ ...verbsOf(inside, owner, clock), owner, ...listsOf(inside) });
    });
  return context.run(() =>
    read().catch(async (error: unknown) => {
      throw await namingUnreadable(context.sql, error);
    }),
  ) as Promise<T>;
}

/** Before the moment of the snapshot: an import empties tables for readers of an earlier moment too. Waits for its end. */
async function lockAndFindOwner(tx: Queries): Promise<OwnerAccount> {
  await tx`set local statement_timeout = 0`;
  await tx.unsafe(`lock table ${TABLES} in access share mode`);
  await tx`set local statement_timeout to default`;
  const owner = await findOwner(tx);
  if (!owner) throw new Error('the database holds no data of docent');
  return owner;
}

/** All verbs in one transaction, which ends with the first that fails. */
function within(context: PostgresContext, tx: Queries): PostgresContext {
  const begin = (act: (queries: Queries) => Promise<unknown>) => act(tx);
  const sql = Object.assign((...query: Parameters<Sql>) => tx(...query), tx, { begin }) as unknown as Sql;
  const own = { mutex: new KeyedMutex(), versions: new Map(), unreadable: undefined };
  return { ...context, ...own, sql, run: async (act) => act() };
}

/** Whoever reads or writes the archive may be slow. */
const waitForever = (tx: Queries) => tx`set local idle_in_transaction_session_timeout = 0`;

const listsOf = (
  context: PostgresContext,
  sql = context.sql,
): Pick<Snapshot, 'facts' | 'allChatbots' | 'allUsage' | 'replies' | 'wholeAudit'> => ({
  async facts() {
    const rows = await sql<{ name: string; value: string }[]>`select name, value from facts order by name`;
    return Object.fromEntries(rows.map(({ name, value }) => [fromJson<string>(name), fromJson<string>(value)]));
  },
  async allChatbots() {
    const rows = await sql<{ record: string }[]>`select record from chatbots where not is_deleted order by n`;
    return rows.filter(({ record }) => isKept(context, record)).map(({ record }) => fromJson(record));
  },
  async *allUsage() {
    const rows = sql<Usage[]>`
      select owner, chatbot, day, model, messages::float8 as messages, credits, tokens::float8 as tokens from usage
      order by day, n`;
    for await (const some of rows.cursor(CURSOR_ROWS)) for (const row of some) yield { ...row };
  },
  async *replies() {
    const rows = sql<{ record: string }[]>`select record from replies order by created_at, key`;
    for await (const some of rows.cursor(CURSOR_ROWS))
      for (const row of some) if (isKept(context, row.record)) yield fromJson<StoredReply>(row.record);
  },
  async *wholeAudit(scope) {
    const rows = sql<{ record: string }[]>`select record from audit where ${isOf(sql, scope)} order by n`;
    for await (const some of rows.cursor(CURSOR_ROWS))
      yield some.map(({ record }) => jsonIn(record)).filter(isAuditEntry);
  },
});

/** A database that others may have open, without changing anything. Throws where its tables are not of this version. */
export async function openPostgresReader({
  clock,
  ...connection
}: ConnectionOptions & { clock: Clock }): Promise<SnapshotReader> {
  const sql = connect({ ...connection, isReadOnly: true });
  const close = (): Promise<void> => sql.end({ timeout: END_TIMEOUT });
  try {
    await checkSchema(sql);
    await inTransaction(sql, lockAndFindOwner);
    const watch = new DatabaseWatch(undefined, undefined);
    const context = createContext({ sql, process: newUuid(), watch, bus: new LocalBus() });
    return { snapshot: (act, how) => readSnapshot(context, clock, act, how), close };
  } catch (error) {
    await close();
    throw explainStart(error);
  }
}

/** The owner's uuid; undefined where the database holds no data of docent. */
export async function findInstallation(connection: ConnectionOptions): Promise<string | undefined> {
  const sql = connect({ ...connection, max: 1, isReadOnly: true });
  try {
    const [there] = await sql<{ name: string | null }[]>`select to_regclass('installation')::text as name`;
    return there!.name === null ? undefined : (await findOwner(sql))?.user.uuid;
  } catch (error) {
    throw explainStart(error);
  } finally {
    await sql.end({ timeout: END_TIMEOUT });
  }
}

/** As `importToLowdb`, in one transaction. Throws where another process has the database open; one that starts meanwhile waits. */
export async function importToPostgres<T>({
  owner,
  clock,
  replaces,
  fill,
  ...connection
}: ImportOptions<T> & ConnectionOptions): Promise<T> {
  const sql = connect(connection);
  try {
    await migrate(sql);
    const [uuid, watch] = [newUuid(), new DatabaseWatch(undefined, undefined)];
    const own = await beginProcess({ sql, uuid, watch, isImporting: true });
    const importing = sql.begin(async (tx) => {
      await waitForever(tx);
      if (!replaces && !(await isEmpty(tx))) throw targetNotEmpty('the database');
      // However long the exports under way take.
      await tx`set local statement_timeout = 0`;
      await tx.unsafe(`truncate ${TABLES} cascade`);
      await tx`set local statement_timeout to default`;
      const { uuid: user, email, created_at } = owner.user;
      await tx`insert into users (uuid, email, created_at) values (${user}, ${email}, ${created_at})`;
      await tx`insert into installation (owner, secret) values (${user}, ${owner.secret})`;
      const bus = new LocalBus();
      const context = within(createContext({ sql, process: uuid, watch, bus }), tx);
      return fill({ ...verbsOf(context, owner, clock), owner, bus, close: () => Promise.resolve() });
    });
    return (await importing.finally(() => own.end())) as T;
  } catch (error) {
    throw explainStart(error);
  } finally {
    await sql.end({ timeout: END_TIMEOUT });
  }
}

/** Whether a start alone has made what is there. */
async function isEmpty(tx: Queries): Promise<boolean> {
  const [row] = await tx<{ holds: boolean }[]>`
    select exists (select from chatbots) or exists (select from keys) or (select count(*) > 1 from users) as holds`;
  return !row!.holds;
}

import { timestamp } from '../../schema/ids.ts';
import { objectIn } from '../../schema/json.ts';
import { isSession } from '../record-checks.ts';
import { withModifiedAt } from '../session-times.ts';
import type { Change, Store, StoredSession } from '../store.ts';
import { inTransaction, unlessOrphaned, type Fragment, type Queries } from './connection.ts';
import { fromJson, type PostgresContext } from './context.ts';
import { newSessionOf } from './message-rows.ts';
import { readRecord } from './records/read.ts';
import type { ListOrder } from '../shared/session-records.ts';

type SessionVerbs =
  | 'createSession'
  | 'session'
  | 'chatbotOf'
  | 'sessions'
  | 'sessionBatches'
  | 'sessionTimes'
  | 'updateSession'
  | 'deleteSession';

interface Row {
  uuid: string;
  n: string;
  chatbot: string;
  record: string;
  last_message_at: string;
}

/** Sessions of a list that are read at a time. */
const BATCH_SESSIONS = 64;
/** Of a bigint: behind every session. */
const MAX_PLACE = `${2n ** 63n - 1n}`;

export function sessionVerbs(context: PostgresContext): Pick<Store, SessionVerbs> {
  const { sql, mutex, run, nextOrder, deletions, unreadable } = context;
  const select = async (queries: Queries, condition: Fragment): Promise<Row[]> =>
    queries<Row[]>`select uuid, n::text, chatbot, record, last_message_at from sessions ${condition}`;

  function read({ uuid, chatbot, record, last_message_at }: Row): StoredSession | undefined {
    const row = { key: uuid, json: record, chatbot, session: uuid };
    const session = readRecord<StoredSession>(context, 'sessions', row, isSession);
    return session && withModifiedAt(session, last_message_at);
  }

  async function batches(
    chatbot: string,
    after?: string,
    order: ListOrder = 'oldest',
  ): Promise<AsyncGenerator<StoredSession[]> | undefined> {
    const from = after === undefined ? (order === 'newest' ? MAX_PLACE : '0') : await placeOf(after, chatbot);
    return from === undefined ? undefined : eachBatch(chatbot, from, order);
  }

  async function placeOf(session: string, chatbot: string): Promise<string | undefined> {
    const [row] = await run(() => select(sql, sql`where uuid = ${session} and chatbot = ${chatbot}`));
    return row?.n;
  }

  async function* eachRows(chatbot: string, from: string, order: ListOrder): AsyncGenerator<Row[]> {
    for (let last = from; ;) {
      const behind =
        order === 'newest'
          ? sql`where chatbot = ${chatbot} and n < ${last}::bigint order by n desc limit ${BATCH_SESSIONS}`
          : sql`where chatbot = ${chatbot} and n > ${last}::bigint order by n limit ${BATCH_SESSIONS}`;
      const rows = await run(() => select(sql, behind));
      if (rows.length === 0) return;
      yield rows;
      last = rows.at(-1)!.n;
    }
  }

  async function* eachBatch(chatbot: string, from: string, order: ListOrder): AsyncGenerator<StoredSession[]> {
    for await (const rows of eachRows(chatbot, from, order))
      yield rows.map(read).filter((session) => session !== undefined);
  }

  return {
    async createSession(session) {
      const { uuid, chatbot, record, n, isDry } = newSessionOf(session, nextOrder());
      return run(() =>
        unlessOrphaned(false, async () => {
          await Promise.all(deletions);
          // One that is there is left as it is.
          const { count } = await sql`
            insert into sessions (uuid, n, chatbot, record, is_dry)
            select ${uuid}, ${n}::bigint, uuid, ${record}, ${isDry} from chatbots where uuid = ${chatbot} and not is_deleted
            on conflict (uuid) do update set uuid = excluded.uuid`;
          return count > 0;
        }),
      );
    },
    session: (uuid) =>
      run(async () => {
        const [row] = await select(sql, sql`where uuid = ${uuid}`);
        return row && read(row);
      }),
    chatbotOf: (session) =>
      run(async () => {
        const [row] = await sql<{ chatbot: string }[]>`select chatbot from sessions where uuid = ${session}`;
        return row?.chatbot;
      }),
    async sessions(chatbot) {
      const all: StoredSession[] = [];
      for await (const some of (await batches(chatbot)) ?? []) all.push(...some);
      return all;
    },
    sessionBatches: batches,
    async *sessionTimes(chatbot) {
      for await (const rows of eachRows(chatbot, '0', 'oldest'))
        yield rows.map((row) => ({ uuid: row.uuid, modified_at: modifiedAt(row) }));
    },
    updateSession: (uuid, change) => run(() => update(uuid, change)),
    deleteSession(uuid, before) {
      const remove = async (queries: Queries) => {
        const { count } = await queries`delete from sessions where uuid = ${uuid}`;
        unreadable?.clearSession(uuid);
        return count > 0;
      };
      if (before === undefined) return run(() => remove(sql));
      return run(() =>
        inTransaction(sql, async (tx) => {
          const [row] = await select(tx, tx`where uuid = ${uuid} for update`);
          return row !== undefined && modifiedAt(row) < before && remove(tx);
        }),
      );
    },
  };

  function update(uuid: string, change: Change<StoredSession>): Promise<StoredSession | undefined> {
    return mutex.run(uuid, () =>
      inTransaction(sql, async (tx) => {
        const [row] = await select(tx, tx`where uuid = ${uuid} for no key update`);
        if (!row) return undefined;
        const record = JSON.stringify(change(fromJson<StoredSession>(row.record)));
        await tx`update sessions set record = ${record} where uuid = ${uuid}`;
        return sessionOf({ ...row, record });
      }),
    );
  }
}

/** Of one whose record cannot be read by its last message, or where it has none by its place in the order of creation. */
function modifiedAt({ n, record, last_message_at }: Row): string {
  const { modified_at } = objectIn(record);
  if (typeof modified_at === 'string') return modified_at > last_message_at ? modified_at : last_message_at;
  return last_message_at || timestamp(() => Number(BigInt(n) / 1000n));
}

export const sessionOf = ({ record, last_message_at }: Pick<Row, 'record' | 'last_message_at'>): StoredSession =>
  withModifiedAt(fromJson<StoredSession>(record), last_message_at);

import { outcomeIn } from '../outcomes.ts';
import type { Change, Store, StoredMessage, StoredSession } from '../store.ts';
import { inTransaction, unlessOrphaned, type Fragment, type Queries } from './connection.ts';
import { fromJson, type PostgresContext } from './context.ts';

type MessageVerbs =
  'saveMessage' | 'updateMessage' | 'message' | 'messages' | 'hasOutcome' | 'lastMessages' | 'deleteMessage';

interface Row {
  record: string;
  /** The process that makes the answer still runs. */
  is_written: boolean;
}

export function messageVerbs(context: PostgresContext): Pick<Store, MessageVerbs> {
  const { sql, mutex, run, nextOrder, deletions, process } = context;

  const select = (queries: Queries, condition: Fragment) =>
    queries<Row[]>`select record, writer is not null as is_written from messages where not is_deleted and ${condition}`;

  const list = async (condition: Fragment): Promise<StoredMessage[]> => (await select(sql, condition)).map(messageOf);

  /** The columns beside the record. */
  const columnsOf = ({ finish_reason, response, meta_json, modified_at }: StoredMessage) => ({
    writer: finish_reason === '' ? process : null,
    hasResponse: response !== '',
    outcome: outcomeIn(meta_json) ?? '',
    modified: modified_at,
  });

  /** One statement, which stores the session too where it is new. */
  async function save(record: string, n: string, session: { record: string; n: string } | undefined): Promise<boolean> {
    const message = fromJson<StoredMessage>(record);
    const { writer, hasResponse, outcome, modified } = columnsOf(message);
    const { uuid } = message;
    const head = session && fromJson<StoredSession>(session.record);
    // An update that changes nothing returns the row that another statement has just made, which a plain select does not see.
    const found = head
      ? sql`
          insert into sessions (uuid, n, chatbot, last_message_at, record)
          select ${head.uuid}, ${session.n}::bigint, uuid, ${modified}, ${session.record} from chatbots
          where uuid = ${head.chatbot} and not is_deleted
          on conflict (uuid) do update set last_message_at = greatest(sessions.last_message_at, excluded.last_message_at)
          returning uuid`
      : sql`
          update sessions s set last_message_at = greatest(s.last_message_at, ${modified}) from chatbots c
          where s.uuid = ${message.session} and c.uuid = s.chatbot and not c.is_deleted
          returning s.uuid`;
    const { count } = await sql`
      with found as (${found})
      insert into messages (uuid, n, session, writer, has_response, outcome, record)
      select ${uuid}, ${n}::bigint, found.uuid, ${writer}, ${hasResponse}, ${outcome}, ${record} from found
      on conflict (uuid) do update
        set writer = excluded.writer, has_response = excluded.has_response, outcome = excluded.outcome, record = excluded.record
        where not messages.is_deleted`;
    return count > 0;
  }

  const update = (uuid: string, change: Change<StoredMessage>): Promise<StoredMessage | undefined> =>
    mutex.run(uuid, () =>
      inTransaction(sql, async (tx) => {
        const [row] = await select(tx, tx`uuid = ${uuid} for no key update`);
        if (!row) return undefined;
        const record = JSON.stringify(change(messageOf(row)));
        const changed = fromJson<StoredMessage>(record);
        const { writer, hasResponse, outcome, modified } = columnsOf(changed);
        await tx`
          update messages set writer = ${writer}, has_response = ${hasResponse}, outcome = ${outcome}, record = ${record}
          where uuid = ${uuid}`;
        await tx`
          update sessions set last_message_at = greatest(last_message_at, ${modified}) where uuid = ${changed.session}`;
        return changed;
      }),
    );

  return {
    async saveMessage(message, session) {
      const [record, n] = [JSON.stringify(message), nextOrder()];
      const head = session && { record: JSON.stringify(session), n: nextOrder() };
      const { uuid } = message;
      return run(async () => {
        await Promise.all(deletions);
        return mutex.run(uuid, () => unlessOrphaned(false, () => save(record, n, head)));
      });
    },
    updateMessage: (uuid, change) => run(() => update(uuid, change)),
    message: (uuid) => run(async () => (await list(sql`uuid = ${uuid}`))[0]),
    messages: (session) => run(() => list(sql`session = ${session} order by n`)),
    hasOutcome: (session, outcome) =>
      run(async () => (await select(sql, sql`session = ${session} and outcome = ${outcome} limit 1`)).length > 0),
    lastMessages: (session, count) =>
      run(async () => {
        const last = await list(
          sql`session = ${session} and has_response and writer is null order by n desc limit ${count}`,
        );
        return last.reverse();
      }),
    deleteMessage: (uuid) =>
      run(() =>
        // The row stays, without its text: a later save of it finds that it was deleted.
        mutex.run(uuid, async () => {
          const { count } = await sql`
            update messages set is_deleted = true, writer = null, record = '' where uuid = ${uuid} and not is_deleted`;
          return count > 0;
        }),
      ),
  };
}

function messageOf({ record, is_written }: Row): StoredMessage {
  const message = fromJson<StoredMessage>(record);
  if (message.finish_reason === '' && !is_written) message.finish_reason = 'interrupted';
  return message;
}

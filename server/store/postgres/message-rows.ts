import { outcomeIn } from '../outcomes.ts';
import type { StoredMessage, StoredSession } from '../store.ts';
import { unlessOrphaned, type Queries } from './connection.ts';
import { fromJson, type PostgresContext } from './context.ts';

/** The columns of `messages` beside the record. `writer` counts while the answer is not finished. */
export const columnsOf = ({ finish_reason, response, meta_json, modified_at }: StoredMessage, process: string) => ({
  writer: finish_reason === '' ? process : null,
  hasResponse: response !== '',
  outcome: outcomeIn(meta_json) ?? '',
  modified: modified_at,
});

/** The record of a finished answer has its text. */
export const forgetPieces = (queries: Queries, message: string) =>
  queries`delete from answer_pieces where message = ${message}`;

/**
 * Stores a message, and its session where that is given and new, in one statement; `isNew`: unless one of its uuid is there;
 * `isEnd`: only where this process makes the answer. False where nothing is stored.
 */
export async function saveMessage(
  { sql, process, mutex, run, nextOrder, deletions }: PostgresContext,
  given: StoredMessage,
  session: StoredSession | undefined,
  { isNew = false, isEnd = false }: { isNew?: boolean; isEnd?: boolean } = {},
): Promise<boolean> {
  // Copies, because the caller may change its own while this waits.
  const [record, n] = [JSON.stringify(given), nextOrder()];
  const newSession = session && { record: JSON.stringify(session), n: nextOrder() };

  const save = async (): Promise<boolean> => {
    const message = fromJson<StoredMessage>(record);
    const { writer, hasResponse, outcome, modified } = columnsOf(message, process);
    const head = newSession && fromJson<StoredSession>(newSession.record);
    // An update that changes nothing returns the row that another statement has just made, which a plain select does not see.
    const found = head
      ? sql`
          insert into sessions (uuid, n, chatbot, last_message_at, record)
          select ${head.uuid}, ${newSession.n}::bigint, uuid, ${modified}, ${newSession.record} from chatbots
          where uuid = ${head.chatbot} and not is_deleted
          on conflict (uuid) do update set last_message_at = greatest(sessions.last_message_at, excluded.last_message_at)
          returning uuid`
      : sql`
          update sessions s set last_message_at = greatest(s.last_message_at, ${modified}) from chatbots c
          where s.uuid = ${message.session} and c.uuid = s.chatbot and not c.is_deleted
          returning s.uuid`;
    const onConflict = isNew
      ? sql`nothing`
      : sql`
          update set writer = excluded.writer, stop_requested = false, has_response = excluded.has_response, outcome = excluded.outcome,
            record = excluded.record
          where not messages.is_deleted and (not ${isEnd} or messages.writer = ${process})`;
    const forgotten =
      writer === null
        ? sql`, forgotten as (delete from answer_pieces where message in (select uuid from saved))`
        : sql``;
    const { count } = await sql`
      with found as (${found}),
      saved as (
        insert into messages (uuid, n, session, writer, has_response, outcome, record)
        select ${message.uuid}, ${n}::bigint, found.uuid, ${writer}, ${hasResponse}, ${outcome}, ${record} from found
        on conflict (uuid) do ${onConflict}
        returning uuid) ${forgotten}
      select uuid from saved`;
    return count > 0;
  };

  return run(async () => {
    await Promise.all(deletions);
    return mutex.run(given.uuid, () => unlessOrphaned(false, save));
  });
}

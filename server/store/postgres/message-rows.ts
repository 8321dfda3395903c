import { outcomeIn } from '../outcomes.ts';
import { entryOf, isFound } from '../shared/message-search.ts';
import type { StoredMessage, StoredSession } from '../store.ts';
import { unlessOrphaned, type Fragment, type Queries } from './connection.ts';
import { fromJson, type PostgresContext } from './context.ts';
import { enterMessages } from './found/entries.ts';

/** Seconds that background tasks count for after their count was stored: more than any runs, or a failed write would have it stay. */
const TASKS_COUNT_S = 90;

export interface MessageRow {
  record: string;
  /** The process that makes the answer still runs. */
  is_written: boolean;
  /** Background tasks that still run. */
  tasks: number;
  /** What was written of an answer that is not finished. */
  pieces: string | null;
}

/** Of a row of `messages`. */
export const messageColumns = (queries: Queries): Fragment => queries`
  record, writer is not null as is_written, ${tasksOf(queries)} as tasks, (
    select json_agg(text order by start)::text from answer_pieces where message = messages.uuid) as pieces`;

/** `read`: what its record says. */
export function messageOf(
  { record, is_written, pieces, tasks }: MessageRow,
  read = fromJson<StoredMessage>(record),
): StoredMessage {
  const message = { ...read, background_pending_tasks: tasks };
  if (message.finish_reason !== '') return message;
  if (!is_written) message.finish_reason = 'interrupted';
  const written = joinPieces(pieces);
  // The record of an answer that has gone on says how it ends where nothing more is written.
  if (!message.response.startsWith(written)) message.response = written;
  return message;
}

/** `pieces`: JSON of a list of JSON texts; null for none. */
export const joinPieces = (pieces: string | null): string =>
  pieces === null
    ? ''
    : fromJson<string[]>(pieces)
        .map((piece) => fromJson<string>(piece))
        .join('');

/** The columns of `messages` beside the record. `writer` counts while the answer is not finished. */
export const columnsOf = (
  { finish_reason, response, meta_json, modified_at, background_pending_tasks }: StoredMessage,
  process: string,
) => ({
  tasks: background_pending_tasks,
  writer: finish_reason === '' ? process : null,
  hasResponse: response !== '',
  outcome: outcomeIn(meta_json) ?? '',
  modified: modified_at,
});

/** The record has no count of tasks: it is read in exports, and by versions before, which do not know whether they run. */
export const recordOf = (message: StoredMessage): string =>
  JSON.stringify({ ...message, background_pending_tasks: 0 } satisfies StoredMessage);

/** The background tasks of a row of `messages` that still run. */
const tasksOf = (queries: Queries): Fragment => queries`
  case when tasks > 0 and tasks_until > now() and exists (select from processes p where p.uuid = tasks_of) then tasks else 0 end`;

/** Values of `tasks`, `tasks_of` and `tasks_until`. */
export const tasksIn = (queries: Queries, tasks: number, process: string): Fragment =>
  tasks === 0
    ? queries`0, null, null`
    : queries`${tasks}::integer, ${process}, now() + ${TASKS_COUNT_S}::float8 * interval '1 s'`;

/** The record of a finished answer has its text. */
export const forgetPieces = (queries: Queries, message: string) =>
  queries`delete from answer_pieces where message = ${message}`;

interface SessionOfMessage {
  session: string;
  /** When the message was last modified. */
  modified: string;
  /** Stored where there is none of its uuid. */
  head: NewSession | undefined;
  /** Nothing is done without it; none by default. */
  condition?: Fragment;
}

interface NewSession {
  uuid: string;
  chatbot: string;
  record: string;
  n: string;
  isDry: boolean;
}

export const newSessionOf = (session: StoredSession, n: string): NewSession => ({
  uuid: session.uuid,
  chatbot: session.chatbot,
  record: JSON.stringify(session),
  n,
  isDry: session.dry_run === true,
});

/** Of the session that a message is stored in, what `enterMessages` needs; nothing where it is not there. */
export const sessionOfMessage = (
  sql: Queries,
  { session, modified, head, condition = sql`true` }: SessionOfMessage,
): Fragment =>
  // An update that changes nothing returns the row that another statement has just made, which a plain select does not see.
  head
    ? sql`
        insert into sessions (uuid, n, chatbot, last_message_at, record, is_dry)
        select ${head.uuid}, ${head.n}::bigint, uuid, ${modified}, ${head.record}, ${head.isDry} from chatbots
        where uuid = ${head.chatbot} and not is_deleted and ${condition}
        on conflict (uuid) do update set last_message_at = greatest(sessions.last_message_at, excluded.last_message_at)
        returning uuid, n, chatbot, is_dry`
    : sql`
        update sessions s set last_message_at = greatest(s.last_message_at, ${modified}) from chatbots c
        where s.uuid = ${session} and c.uuid = s.chatbot and not c.is_deleted and ${condition}
        returning s.uuid, s.n, s.chatbot, s.is_dry`;

/**
 * Stores a message, and its session where that is given and new, in one statement; `isEnd`: only where this process makes the
 * answer. False where nothing is stored.
 */
export async function saveMessage(
  { sql, process, mutex, run, nextOrder, deletions }: PostgresContext,
  given: StoredMessage,
  session: StoredSession | undefined,
  { isEnd = false }: { isEnd?: boolean } = {},
): Promise<boolean> {
  // Copies, because the caller may change its own while this waits.
  const [record, tasks, n] = [recordOf(given), given.background_pending_tasks, nextOrder()];
  const head = session && newSessionOf(session, nextOrder());

  const save = async (): Promise<boolean> => {
    const message = fromJson<StoredMessage>(record);
    const { writer, hasResponse, outcome, modified } = columnsOf(message, process);
    const forgotten =
      writer === null
        ? sql`, forgotten as (delete from answer_pieces where message in (select uuid from saved))`
        : sql``;
    const entered = isFound(message)
      ? sql`, entered as (${enterMessages(
          sql,
          [entryOf(message)],
          sql`
          select saved.uuid as message, saved.n, found.n as session_n, chatbot, is_dry from saved, found`,
        )})`
      : sql``;
    const { count } = await sql`
      with found as (${sessionOfMessage(sql, { session: message.session, modified, head })}),
      saved as (
        insert into messages (uuid, n, session, writer, has_response, outcome, record, tasks, tasks_of, tasks_until)
        select ${message.uuid}, ${n}::bigint, found.uuid, ${writer}, ${hasResponse}, ${outcome}, ${record},
          ${tasksIn(sql, tasks, process)} from found
        on conflict (uuid) do update set writer = excluded.writer, stop_requested = false, has_response = excluded.has_response,
          outcome = excluded.outcome, tasks = excluded.tasks, tasks_of = excluded.tasks_of, tasks_until = excluded.tasks_until,
          record = excluded.record
          where not messages.is_deleted and (not ${isEnd} or messages.writer = ${process})
        returning uuid, n) ${forgotten} ${entered}
      select uuid from saved`;
    return count > 0;
  };

  return run(async () => {
    await Promise.all(deletions);
    return mutex.run(given.uuid, () => unlessOrphaned(false, save));
  });
}

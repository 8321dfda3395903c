import type { BegunQuestion, NewQuestion } from '../../shared/answers.ts';
import { unlessOrphaned } from '../connection.ts';
import type { PostgresContext } from '../context.ts';
import {
  columnsOf,
  messageColumns,
  messageOf,
  newSessionOf,
  recordOf,
  sessionOfMessage,
  type MessageRow,
} from '../message-rows.ts';
import { sessionOf } from '../session-verbs.ts';
import { countVisit, visitOf, withoutWaiting, type VisitRow } from './visits.ts';

interface Row extends Pick<MessageRow, 'is_written' | 'tasks' | 'pieces'>, VisitRow {
  session_record: string | null;
  last_message_at: string;
  record: string | null;
  is_counted: boolean | null;
  is_stored: boolean;
}

const GONE: BegunQuestion = { isStored: false };

/** One statement: the first byte of an answer waits for it. */
export async function beginQuestion(
  { sql, process, mutex, run, nextOrder, deletions }: PostgresContext,
  { chatbot, message, newSession, visit }: NewQuestion,
): Promise<BegunQuestion> {
  const { uuid, session } = message;
  const [record, n] = [recordOf(message), nextOrder()];
  const { hasResponse, outcome, modified } = columnsOf(message, process);
  const head = newSession && newSessionOf(newSession, nextOrder());

  const begin = async (): Promise<BegunQuestion> => {
    const isNew = sql`not exists (select from there) and (${head !== undefined} or exists (select from known))`;
    const counted = visit ? countVisit(sql, visit, isNew) : sql`select true as is_counted, null::float8[] as times`;
    const found = sessionOfMessage(sql, {
      session,
      modified,
      head,
      condition: sql`exists (select from counted where is_counted)`,
    });
    const [row] = await sql<Row[]>`
      with known as (select record, last_message_at from sessions where uuid = ${session} and chatbot = ${chatbot}),
      there as (
        select ${messageColumns(sql)} from messages
        where uuid = ${uuid} and not is_deleted and exists (select from known)),
      counted as (${counted}),
      found as (${found}),
      saved as (
        insert into messages (uuid, n, session, writer, has_response, outcome, record)
        select ${uuid}, ${n}::bigint, found.uuid, ${process}, ${hasResponse}, ${outcome}, ${record} from found
        on conflict (uuid) do nothing
        returning uuid)
      select known.record as session_record, known.last_message_at, there.*, counted.is_counted, to_json(counted.times) as times,
        extract(epoch from clock_timestamp())::float8 * 1000 as now, saved.uuid is not null as is_stored,
        case when saved.uuid is null then ${withoutWaiting(sql)} end
      from (select) as one
      left join known on true left join there on true left join counted on true left join saved on true`;
    const { session_record, last_message_at, is_counted, is_stored } = row!;
    return {
      isStored: is_stored,
      ...(session_record !== null && { session: sessionOf({ record: session_record, last_message_at }) }),
      ...(row!.record !== null && { message: messageOf({ ...row!, record: row!.record }) }),
      ...(visit && is_counted !== null && { visit: visitOf(row!) }),
    };
  };

  return run(async () => {
    await Promise.all(deletions);
    return mutex.run(uuid, () => unlessOrphaned(GONE, begin));
  });
}

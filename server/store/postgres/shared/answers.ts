import type { SharedAnswers } from '../../shared/answers.ts';
import { fromJson, type PostgresContext } from '../context.ts';
import { joinPieces, saveMessage } from '../message-rows.ts';
import { beginQuestion } from './questions.ts';

/** Milliseconds: an answer is followed that others had readers of within them. */
const FOLLOWED_MS = 3000;

interface StateRow {
  uuid: string;
  is_stored: boolean;
  is_ours: boolean;
  stop_requested: boolean;
  is_followed: boolean;
}

interface WrittenRow {
  uuid: string;
  is_written: boolean;
  pieces: string | null;
  step: string | null;
}

export function sharedAnswers(context: PostgresContext): SharedAnswers {
  const { sql, run, mutex, process } = context;

  return {
    begin: (question) => beginQuestion(context, question),
    write: (messages, pieces) =>
      run(async () => {
        const given = pieces.map(({ text, ...piece }) => ({ ...piece, text: JSON.stringify(text) }));
        // Skips rows that are being changed: two processes that wait for one another would be a deadlock.
        const rows = await sql<StateRow[]>`
          with named as (select json_array_elements_text(${JSON.stringify(messages)}::text::json) as uuid),
          ours as (
            select uuid from messages where uuid in (select uuid from named) and writer = ${process} and not is_deleted
            for key share skip locked),
          stored as (
            insert into answer_pieces (message, start, text, step)
            select message, start, text, step
            from json_to_recordset(${JSON.stringify(given)}::text::json)
              as one (message text, start integer, text text, step text)
            where message in (select uuid from ours)
            on conflict (message, start) do nothing)
          select uuid, stop_requested,
            coalesce(followed_at > now() - ${FOLLOWED_MS}::float8 * interval '1 ms', false) as is_followed, writer is not distinct from ${process} and not is_deleted as is_ours,
            uuid in (select uuid from ours) as is_stored
          from messages where uuid in (select uuid from named)`;
        return new Map(
          rows.map((row) => [
            row.uuid,
            {
              isStored: row.is_stored,
              isOurs: row.is_ours,
              isStopRequested: row.stop_requested,
              isFollowed: row.is_followed,
            },
          ]),
        );
      }),
    read: (offsets) =>
      run(async () => {
        const given = Array.from(offsets, ([message, start]) => ({ message, start }));
        const rows = await sql<WrittenRow[]>`
          select m.uuid, m.writer is not null as is_written, (
            select json_agg(p.text order by p.start)::text from answer_pieces p
            where p.message = m.uuid and p.start >= one.start) as pieces, (
            select json_build_object('start', p.start, 'step', p.step)::text from answer_pieces p
            where p.message = m.uuid and p.start < 0 order by p.start limit 1) as step
          from json_to_recordset(${JSON.stringify(given)}::text::json) as one (message text, start integer)
          join messages m on m.uuid = one.message and not m.is_deleted`;
        return new Map(
          rows.map(({ uuid, is_written, pieces, step }) => [
            uuid,
            { text: joinPieces(pieces), isWritten: is_written, ...(step !== null && { step: fromJson(step) }) },
          ]),
        );
      }),
    follow: (messages) =>
      run(async () => {
        // Skips rows that are being changed: two processes that wait for one another would be a deadlock.
        await sql`
          with open as (
            select uuid from messages
            where uuid in (select json_array_elements_text(${JSON.stringify(messages)}::text::json)) and writer is not null
            for no key update skip locked)
          update messages set followed_at = now() where uuid in (select uuid from open)`;
      }),
    stop: (message) =>
      run(async () => {
        await sql`update messages set stop_requested = true where uuid = ${message} and writer is not null`;
      }),
    end: (message) => saveMessage(context, message, undefined, { isEnd: true }),
    abandon: (message) =>
      run(() =>
        // In turn with `begin`: a question that begins after this call stays one of this process.
        mutex.run(message, async () => {
          await sql`update messages set writer = null where uuid = ${message} and writer = ${process}`;
        }),
      ),
  };
}

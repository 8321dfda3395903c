import type { MessageEntry } from '../../shared/message-search.ts';
import type { Fragment, Queries } from '../connection.ts';

/**
 * Stores what finished messages are found by, or their newer versions; nothing in a dry run. `rows` has those of the messages
 * that are there, as `storedMessages` does.
 */
export const enterMessages = (queries: Queries, entries: MessageEntry[], rows: Fragment): Fragment => queries`
  insert into message_entries (message, chatbot, session_n, n, day, outcome, rating, agent, page, labels, words)
  select message, chatbot, session_n, n, day, outcome, rating, agent, page,
    array(select json_array_elements_text(labels)), array_to_tsvector(string_to_array(words, ' '))
  from (${rows}) as stored join json_to_recordset(${JSON.stringify(entries.map(rowOf))}::text::json)
    as entry (uuid text, day text, outcome text, rating smallint, agent text, page text, labels json, words text) on uuid = message
  where is_dry is not true
  on conflict (message) do update set day = excluded.day, outcome = excluded.outcome, rating = excluded.rating,
    agent = excluded.agent, page = excluded.page, labels = excluded.labels, words = excluded.words`;

const rowOf = ({ uuid, created_at, outcome, rating, agent, page, labels, words }: MessageEntry) => ({
  uuid,
  day: created_at.slice(0, 10),
  outcome,
  rating,
  agent: agent.uuid,
  page: page.toLowerCase(),
  labels,
  words: words.trim(),
});

/** Of those that are there, with their sessions. */
export const storedMessages = (queries: Queries, uuids: string[]): Fragment => queries`
  select m.uuid as message, m.n, s.n as session_n, s.chatbot, s.is_dry
  from messages m join sessions s on s.uuid = m.session
  where m.uuid in (select json_array_elements_text(${JSON.stringify(uuids)}::text::json))`;

import type { MessageEntry } from '../../shared/message-search.ts';
import type { Fragment, Queries } from '../connection.ts';

/**
 * Stores what a finished message is found by, or its newer version; nothing in a dry run. `rows` has the message, as
 * `storedMessage` does, or nothing.
 */
export const enterMessage = (queries: Queries, entry: MessageEntry, rows: Fragment): Fragment => {
  const { created_at, outcome, rating, agent, page, labels, words } = entry;
  return queries`
    insert into message_entries (message, chatbot, session_n, n, day, outcome, rating, agent, page, labels, words)
    select message, chatbot, session_n, n, ${created_at.slice(0, 10)}, ${outcome}, ${rating}::smallint, ${agent.uuid}, ${page.toLowerCase()},
      ${textArray(queries, labels)}, array_to_tsvector(string_to_array(${words.trim()}, ' '))
    from (${rows}) as stored where is_dry is not true
    on conflict (message) do update set day = excluded.day, outcome = excluded.outcome, rating = excluded.rating,
      agent = excluded.agent, page = excluded.page, labels = excluded.labels, words = excluded.words`;
};

/** Of a message that is there, with its session. */
export const storedMessage = (queries: Queries, uuid: string): Fragment => queries`
  select m.uuid as message, m.n, s.n as session_n, s.chatbot, s.is_dry
  from messages m join sessions s on s.uuid = m.session where m.uuid = ${uuid}`;

const textArray = (queries: Queries, texts: string[]): Fragment =>
  queries`array(select json_array_elements_text(${JSON.stringify(texts)}::text::json))`;

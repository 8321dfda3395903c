import { jsonIn } from '../../../schema/json.ts';
import { isMessage } from '../../record-checks.ts';
import {
  foundOf,
  RATINGS,
  readCursor,
  readyFilter,
  type FoundMessages,
  type ReadyFilter,
} from '../../shared/message-search.ts';
import type { Store, StoredMessage } from '../../store.ts';
import type { Fragment, Queries } from '../connection.ts';
import type { PostgresContext } from '../context.ts';
import { entriesOf } from './catch-up.ts';

interface Row {
  session_n: string;
  n: string;
  record: string;
}

/** Of a bigint: behind every session. */
const MAX_PLACE = `${2n ** 63n - 1n}`;
const NONE: FoundMessages = { messages: [], next: '' };

export function findVerb(context: PostgresContext): Store['findMessages'] {
  const { sql, run } = context;
  const entries = entriesOf(context);

  async function placeOf(chatbot: string, after: string | undefined): Promise<[string, string] | undefined> {
    if (after === undefined) return [MAX_PLACE, '0'];
    const cursor = readCursor(after);
    if (cursor) return cursor;
    const [row] = await sql<{ n: string }[]>`
      select n::text from sessions where uuid = ${after} and chatbot = ${chatbot}`;
    return row && [row.n, '0'];
  }

  return (chatbot, filter, { after, limit, onePerSession = false }) =>
    run(async () => {
      const before = await placeOf(chatbot, after);
      if (!before) return undefined;
      const { isThere, from } = await entries.of(chatbot);
      if (!isThere) return NONE;
      const rows = await sql<Row[]>`
        with found as (
          select ${onePerSession ? sql`distinct on (session_n)` : sql``} session_n, n, message
          from ${filter.state ? entriesOfRequested(sql, chatbot) : sql`message_entries`}
          where chatbot = ${chatbot} and session_n >= ${from}::bigint
            and (session_n, n) < (${before[0]}::bigint, ${before[1]}::bigint) ${conditions(sql, readyFilter(filter))}
          order by session_n desc, n desc limit ${limit + 1})
        select f.session_n::text, f.n::text, m.record from found f join messages m on m.uuid = f.message
        order by f.session_n desc, f.n desc`;
      const messages = rows.slice(0, limit).flatMap(({ record }) => {
        const message = jsonIn(record);
        return isMessage(message) ? [foundOf(message as StoredMessage)] : [];
      });
      const last = rows[limit - 1];
      if (rows.length > limit) return { messages, next: `${last!.session_n}.${onePerSession ? 0 : last!.n}` };
      if (from === '0') return { messages, next: '' };
      return { messages, next: BigInt(from) < BigInt(before[0]) ? `${from}.0` : before.join('.') };
    });
}

/** Of the few sessions in which a person was asked for: looked up by these, whatever the planner takes their number for. */
const entriesOfRequested = (queries: Queries, chatbot: string): Fragment => queries`(
  select e.* from sessions s cross join lateral (
    select * from message_entries where chatbot = s.chatbot and session_n = s.n offset 0) e
  where s.chatbot = ${chatbot} and strpos(s.record, '"live":{"state":"requested"}') > 0) as entries`;

function conditions(queries: Queries, filter: ReadyFilter): Fragment {
  const { words, outcome, rated, label, agent, page, from, to } = filter;
  const all: Fragment[] = [];
  if (words) all.push(words.length === 0 ? queries`false` : queries`words @@ ${prefixes(words)}::tsquery`);
  if (outcome) all.push(queries`outcome = ${outcome}`);
  if (rated) all.push(queries`rating = ${RATINGS[rated]}::smallint`);
  if (label !== undefined) all.push(queries`${label} = any(labels)`);
  if (agent !== undefined) all.push(queries`agent = ${agent}`);
  if (page !== undefined) all.push(queries`strpos(page, ${page}) > 0`);
  if (from !== undefined) all.push(queries`day >= ${from}`);
  if (to !== undefined) all.push(queries`day <= ${to}`);
  return all.reduce((made, one) => queries`${made} and ${one}`, queries``);
}

/** Of a query of words that each begin one of the message's; they have letters and digits alone. */
const prefixes = (words: string[]): string => words.map((word) => `'${word}':*`).join(' & ');

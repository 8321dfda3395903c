import type { Queries } from '../connection.ts';
import { isJsonObject } from '../context.ts';
import { describeUnreadable, RECORDS, type RecordTable } from '../records/unreadable.ts';

/** Rows of a long list that are read at a time. */
export const CURSOR_ROWS = 256;

/** Rows stay of messages that are deleted, without a record. */
const WITH_DELETED = new Set(['chatbots', 'messages']);

export interface UnreadableRecord {
  table: RecordTable;
  /** Its uuid; of a source's text that of the source. */
  key: string;
  /** A sentence without a period. */
  what: string;
}

/** Records that are no JSON objects. */
export async function unreadableIn(sql: Queries): Promise<UnreadableRecord[]> {
  const found: UnreadableRecord[] = [];
  for (const table of Object.keys(RECORDS) as RecordTable[]) {
    const [, name, column] = RECORDS[table];
    const rows = sql<{ key: string; json: string; session: string | null }[]>`
      select ${sql(name)} as key, ${sql(column)} as json, ${table === 'messages' ? sql`session` : sql`null`} as session
      from ${sql(table)} ${WITH_DELETED.has(table) ? sql`where not is_deleted` : sql``} order by 1`;
    for await (const some of rows.cursor(CURSOR_ROWS))
      for (const { key, json, session } of some)
        if (!isJsonObject(json)) {
          const what = describeUnreadable(table, key, session ?? undefined);
          found.push({ table, key, what: `${what}: restore it from a backup, or delete the row` });
        }
  }
  return found;
}

/** For the operator: what cannot be read, where that is why reading all has failed; else the error. */
export async function namingUnreadable(sql: Queries, error: unknown): Promise<unknown> {
  if (!(error instanceof SyntaxError || error instanceof TypeError)) return error;
  const [first, ...others] = await unreadableIn(sql).catch(() => []);
  if (first === undefined) return error;
  const more = others.length > 0 ? `, and ${others.length} more` : '';
  return new Error(`${first.what}${more}; "docent doctor --dry-run" names all that cannot be read`, { cause: error });
}

import type { Queries } from '../connection.ts';

/** Rows of a long list that are read at a time. */
export const CURSOR_ROWS = 256;

/** Tables of records, and their columns of JSON. */
const RECORDS = {
  chatbots: ['chatbot', 'uuid', 'record'],
  agents: ['agent', 'uuid', 'record'],
  tags: ['tag', 'uuid', 'record'],
  sites: ['site', 'uuid', 'record'],
  sources: ['source', 'uuid', 'record'],
  documents: ['the text of source', 'source', 'document'],
  sessions: ['conversation', 'uuid', 'record'],
  messages: ['a message of conversation', 'session', 'record'],
  replies: ['the stored reply', 'key', 'record'],
} as const;
const SECRET_NAMES = new Set(['sessions', 'messages', 'replies']);

/** A sentence for each record that is no JSON object: nothing that reads it goes on behind it. */
export async function unreadableIn(sql: Queries): Promise<string[]> {
  const found: string[] = [];
  for (const [table, [kind, name, column]] of Object.entries(RECORDS)) {
    const rows = sql<{ name: string; json: string }[]>`
      select ${sql(name)} as name, ${sql(column)} as json from ${sql(table)} order by 1`;
    for await (const some of rows.cursor(CURSOR_ROWS))
      for (const row of some)
        if (!isJsonObject(row.json)) {
          const shown = SECRET_NAMES.has(table) ? `${row.name.slice(0, 8)}…` : row.name;
          found.push(
            `${kind} ${shown} cannot be read (${column} in table ${table}): restore it from a backup, or delete the row`,
          );
        }
  }
  return found;
}

function isJsonObject(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** For the operator: what cannot be read, where that is why reading all has failed; else the error. */
export async function namingUnreadable(sql: Queries, error: unknown): Promise<unknown> {
  if (!(error instanceof SyntaxError || error instanceof TypeError)) return error;
  const [first, ...others] = await unreadableIn(sql).catch(() => []);
  if (first === undefined) return error;
  const more = others.length > 0 ? `, and ${others.length} more` : '';
  return new Error(`${first}${more}; "docent doctor --dry-run" names all that cannot be read`, { cause: error });
}

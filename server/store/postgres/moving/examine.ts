import { newUuid } from '../../../schema/ids.ts';
import { connect, END_TIMEOUT, inTransaction, type ConnectionOptions, type Queries } from '../connection.ts';
import { checkSchema } from '../migrations.ts';
import { DatabaseWatch } from '../outage.ts';
import { explainStart } from '../start-faults.ts';
import { beginProcess } from '../shared/processes.ts';
import { fromJson, isJsonObject } from '../context.ts';
import { CURSOR_ROWS, unreadableIn, type UnreadableRecord } from './unreadable.ts';

interface Check {
  what: string;
  /** The rows that are wrong. */
  find(sql: Queries): Promise<readonly Row[]>;
  /** `found`: what `find` has given. */
  repair(sql: Queries, found: readonly Row[]): Promise<unknown>;
}

type Row = Record<string, string>;

/** Finds rows whose columns say something else than their records. What cannot be read says nothing. */
const columnCheck = (table: 'chatbots' | 'sources', columns: string[], what: string): Check => ({
  what,
  async find(sql) {
    const found: Row[] = [];
    const rows = sql<Row[]>`select uuid, record, ${sql(columns)} from ${sql(table)} order by n`;
    for await (const some of rows.cursor(CURSOR_ROWS))
      for (const row of some) {
        if (!isJsonObject(row['record']!)) continue;
        const record = fromJson<Record<string, unknown>>(row['record']!);
        const wrong = columns.filter((name) => isText(record[name] ?? '') && row[name] !== (record[name] ?? ''));
        if (wrong.length > 0)
          found.push({ uuid: row['uuid']!, ...Object.fromEntries(wrong.map((name) => [name, record[name] ?? ''])) });
      }
    return found;
  },
  async repair(sql, found) {
    for (const { uuid = '', ...right } of found) await sql`update ${sql(table)} set ${sql(right)} where uuid = ${uuid}`;
  },
});

const isText = (value: unknown): boolean => typeof value === 'string';

/** Of columns beside the records; what foreign keys keep cannot be wrong. */
const CHECKS: Check[] = [
  {
    what: 'chatbots without a version of their passages: it is set',
    find: (sql) => sql`select uuid from chatbots where uuid not in (select chatbot from passages)`,
    repair: (sql) => sql`insert into passages (chatbot) select uuid from chatbots on conflict do nothing`,
  },
  {
    what: 'chatbots whose deletion was broken off: it is ended',
    find: (sql) => sql`select uuid from chatbots where is_deleted`,
    repair: (sql) => sql`delete from chatbots where is_deleted`,
  },
  columnCheck('chatbots', ['owner'], 'chatbots listed for another owner than their record names: listed for that one'),
  columnCheck(
    'sources',
    ['status', 'embedded_by'],
    'sources listed by another status or model than their record has: listed by that one',
  ),
  {
    what: 'months whose credits are not the sum of their usage: they are counted again',
    find: (sql) => sql`select owner from credits c where abs(spent - ${usageOf(sql)}) > 1e-6`,
    repair: (sql) => sql`delete from credits c where abs(spent - ${usageOf(sql)}) > 1e-6`,
  },
];

const usageOf = (sql: Queries) => sql`(
  select coalesce(sum(u.credits), 0) from usage u where u.owner = c.owner and left(u.day, 7) = c.month)`;

interface ExamineOptions extends ConnectionOptions {
  isDry: boolean;
  /** Milliseconds that it waits for others to end; 20 s by default. */
  patience?: number;
}

interface ExaminedTables {
  /** A sentence for each kind of fault that there was; in a dry run of what would be repaired. */
  repaired: string[];
  unreadable: UnreadableRecord[];
}

/** Repairs what is wrong unless it is a dry run. Throws then where another process has the database open. */
export async function examineTables({ isDry, patience, ...options }: ExamineOptions): Promise<ExaminedTables> {
  const sql = connect({ ...options, isReadOnly: isDry });
  try {
    await checkSchema(sql);
    const watch = new DatabaseWatch(undefined, undefined);
    const own = isDry ? undefined : await beginProcess({ sql, uuid: newUuid(), watch, isImporting: true, patience });
    const examining = inTransaction(sql, async (tx) => {
      const unreadable = await unreadableIn(tx);
      const repaired: string[] = [];
      for (const { what, find, repair } of CHECKS) {
        const found = await find(tx);
        if (found.length === 0) continue;
        repaired.push(`${what} (${found.length})`);
        if (!isDry) await repair(tx, found);
      }
      return { repaired, unreadable };
    });
    return await examining.finally(() => own?.end());
  } catch (error) {
    throw explainStart(error);
  } finally {
    await sql.end({ timeout: END_TIMEOUT });
  }
}

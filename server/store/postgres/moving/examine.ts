import { newUuid } from '../../../schema/ids.ts';
import { connect, END_TIMEOUT, inTransaction, type ConnectionOptions, type Queries } from '../connection.ts';
import { checkSchema } from '../migrations.ts';
import { DatabaseWatch } from '../outage.ts';
import { explainStart } from '../start-faults.ts';
import { beginProcess } from '../shared/processes.ts';
import { unreadableIn } from './unreadable.ts';

interface Check {
  what: string;
  /** The rows that are wrong. */
  find(sql: Queries): Promise<readonly unknown[]>;
  repair(sql: Queries): Promise<unknown>;
}

const field = (sql: Queries, name: string) => sql`coalesce(record::json ->> ${name}, '')`;

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
  {
    what: 'chatbots listed for another owner than their record names: listed for that one',
    find: (sql) => sql`select uuid from chatbots where owner <> ${field(sql, 'owner')}`,
    repair: (sql) => sql`update chatbots set owner = ${field(sql, 'owner')} where owner <> ${field(sql, 'owner')}`,
  },
  {
    what: 'sources listed by another status or model than their record has: listed by that one',
    find: (sql) => sql`
      select uuid from sources where (status, embedded_by) <> (${field(sql, 'status')}, ${field(sql, 'embedded_by')})`,
    repair: (sql) => sql`
      update sources set status = ${field(sql, 'status')}, embedded_by = ${field(sql, 'embedded_by')}
      where (status, embedded_by) <> (${field(sql, 'status')}, ${field(sql, 'embedded_by')})`,
  },
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
  /** A sentence for each record that cannot be read. Where there is one, no other fault has been looked for. */
  unreadable: string[];
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
      for (const { what, find, repair } of unreadable.length > 0 ? [] : CHECKS) {
        const { length } = await find(tx);
        if (length === 0) continue;
        repaired.push(`${what} (${length})`);
        if (!isDry) await repair(tx);
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

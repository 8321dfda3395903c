import { jsonIn } from '../../../schema/json.ts';
import { isAuditEntry } from '../../shared/audit-checks.ts';
import type { AuditEntry, AuditScope, AuditVerbs } from '../../shared/audit.ts';
import { unlessOrphaned, type Fragment, type Sql } from '../connection.ts';
import type { PostgresContext } from '../context.ts';
import { arrayOf } from './team.ts';

/** Of one statement, which has at most 65,534 parameters. */
const MAX_ROWS = 1000;

/** Rows of the log. */
export const isOf = (sql: Sql, scope: AuditScope): Fragment =>
  'chatbot' in scope ? sql`chatbot = ${scope.chatbot}` : sql`account = ${scope.account}`;

export function auditVerbs({ sql, run, nextOrder }: PostgresContext): AuditVerbs {
  /** Those whose chatbot or user is there. */
  async function lasting(entries: readonly AuditEntry[]): Promise<AuditEntry[]> {
    const [chatbots, accounts] = [arrayOf(uuidsIn(entries, 'chatbot')), arrayOf(uuidsIn(entries, 'account'))];
    const rows = await sql<{ uuid: string }[]>`
      select uuid from chatbots where uuid = any(${chatbots}) and not is_deleted
      union all select uuid from users where uuid = any(${accounts})`;
    const there = new Set(rows.map(({ uuid }) => uuid));
    return entries.filter(({ chatbot, account }) => there.has(chatbot || account));
  }

  async function store(entries: readonly AuditEntry[]): Promise<true> {
    const rows = (await lasting(entries)).map((entry) => ({
      uuid: entry.uuid,
      n: nextOrder(),
      chatbot: entry.chatbot || null,
      account: entry.account || null,
      user_uuid: entry.user,
      at: entry.at,
      record: JSON.stringify(entry),
    }));
    for (let at = 0; at < rows.length; at += MAX_ROWS)
      await sql`insert into audit ${sql(rows.slice(at, at + MAX_ROWS))} on conflict do nothing`;
    return true;
  }

  return {
    async addAudit(entries) {
      if (entries.length === 0) return;
      const own = structuredClone(entries);
      // Once more where one of them was deleted in between.
      await run(async () => (await unlessOrphaned(undefined, () => store(own))) ?? store(own));
    },
    audit: (scope, { limit, after, filter = {} }) =>
      run(async () => {
        const [place] = await sql<{ n: string }[]>`
          select n from audit where uuid = ${after ?? ''} and ${isOf(sql, scope)}`;
        if (after !== undefined && !place) return undefined;
        const { user, from, to } = filter;
        const rows = await sql<{ uuid: string; record: string }[]>`
          select uuid, record from audit where ${isOf(sql, scope)}
            ${place ? sql`and n < ${place.n}` : sql``} ${user === undefined ? sql`` : sql`and user_uuid = ${user}`}
            ${from === undefined ? sql`` : sql`and at >= ${from}`} ${to === undefined ? sql`` : sql`and at < ${`${to}~`}`}
          order by n desc limit ${limit + 1}`;
        const page = rows.slice(0, limit);
        const entries = page.map(({ record }) => jsonIn(record)).filter(isAuditEntry);
        return { entries, next: rows.length > limit ? page.at(-1)!.uuid : '' };
      }),
    async removeOldAudit(day) {
      await run(() => sql`delete from audit where at < ${day}`);
    },
  };
}

const uuidsIn = (entries: readonly AuditEntry[], field: 'chatbot' | 'account'): string[] => [
  ...new Set(entries.map((entry) => entry[field]).filter(Boolean)),
];

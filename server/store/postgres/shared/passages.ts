import type { PassageVersions } from '../../passage-versions.ts';
import type { StoredSource } from '../../store.ts';
import type { Fragment, Queries, Sql } from '../connection.ts';
import { isSource } from '../../record-checks.ts';
import type { PostgresContext } from '../context.ts';
import { readRecord } from '../records/read.ts';

/**
 * Raises the versions of the passages of what `touched` returns, `(chatbot, source)`; resolves with it. To be called after the
 * source is locked, or it may wait for a transaction that waits for it.
 */
export const raiseVersions = (sql: Queries, touched: Fragment) => sql<{ chatbot: string }[]>`
  with touched as (${touched}),
  raised as (
    insert into passages as p (chatbot, version) select distinct chatbot, 1 from touched
    on conflict (chatbot) do update set version = p.version + 1
    returning chatbot, version),
  noted as (
    insert into passage_changes (chatbot, source, version)
    select chatbot, source, version from touched join raised using (chatbot)
    on conflict (chatbot, source) do update set version = excluded.version, at = now())
  select chatbot from touched`;

/** What is noted of sources that are gone is needed until no index has them. */
export const forgetChanges = (sql: Sql) => sql`
  delete from passage_changes c
  where at < now() - interval '7 days' and not exists (select 1 from sources where uuid = c.source)`;

interface ChangeRow {
  version: number;
  source: string | null;
  record: string | null;
}

/** `known`: by chatbot. */
export function passageVersions(context: PostgresContext): PassageVersions {
  const { sql, run, versions } = context;
  const read = (chatbot: string, key: string, json: string) =>
    readRecord<StoredSource>(context, 'sources', { key, json, chatbot }, isSource);
  return {
    known: (chatbot) => versions.get(chatbot) ?? 0,
    version: (chatbot) =>
      run(async () => {
        const [row] = await sql<{ version: number }[]>`
          select version::float8 as version from passages where chatbot = ${chatbot}`;
        return row?.version ?? 0;
      }),
    changedSince: (chatbot, version) =>
      run(async () => {
        // One statement: the version is that of the changes.
        const rows = await sql<ChangeRow[]>`
          select p.version::float8 as version, c.source, s.record from passages p
          left join passage_changes c on c.chatbot = p.chatbot and c.version > ${version}
          left join sources s on s.uuid = c.source
          where p.chatbot = ${chatbot} order by c.version`;
        if (rows.length === 0) return undefined;
        const sources = new Map<string, StoredSource | undefined>();
        for (const { source, record } of rows)
          if (source !== null) sources.set(source, record === null ? undefined : read(chatbot, source, record));
        return { version: rows[0]!.version, sources };
      }),
  };
}

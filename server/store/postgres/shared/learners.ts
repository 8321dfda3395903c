import type { Store, StoredSite } from '../../store.ts';
import type { CrawlProgressNote } from '../../shared/learners.ts';
import { isSource } from '../../record-checks.ts';
import { fromJson, type PostgresContext } from '../context.ts';
import { readRecords, type RecordRow } from '../records/read.ts';
import { PENDING, sourceVerbs } from '../source-verbs.ts';
import { SubRecords } from '../records/sub-records.ts';

export function learnersOf(context: PostgresContext): NonNullable<Store['learners']> {
  const { sql, run, process } = context;
  const { updateSource, claimIdentity, putDocument, putVectors } = sourceVerbs(context, { isLearner: true });
  const sites = new SubRecords<StoredSite>(context, { table: 'sites', isCrawler: true });
  /** None where others have taken this process for dead: what it takes stays free until its next sign of life. */
  const own = sql`(select uuid from processes where uuid = ${process})`;

  return {
    crawling: (site) => {
      const { createSource, updateSource, deleteSource } = sourceVerbs(context, { crawls: site });
      return {
        createSource,
        updateSource,
        deleteSource,
        updateSite: (uuid, change) => run(() => sites.update(uuid, change)),
      };
    },
    verbs: {
      updateSource,
      claimIdentity,
      putDocument,
      putVectors,
      updateSite: (uuid, change) => run(() => sites.update(uuid, change)),
    },
    take: (source) =>
      run(async () => {
        await sql`update sources set learner = ${own} where uuid = ${source} and learner is distinct from ${process}`;
      }),
    takeFree: (sources) =>
      run(async () => {
        const rows = await sql<{ uuid: string }[]>`
          with free as (
            select uuid from sources
            where uuid in (select json_array_elements_text(${JSON.stringify(sources)}::text::json))
              and (learner is null or learner = ${process})
            for no key update skip locked)
          update sources set learner = ${own} where uuid in (select uuid from free) returning uuid`;
        return new Set(rows.map(({ uuid }) => uuid));
      }),
    takeUnfinished: () =>
      run(async () => {
        const rows = await sql<RecordRow[]>`
          with free as (
            select uuid from sources where learner is null and status in ${sql(PENDING)} for no key update skip locked),
          taken as (
            update sources set learner = ${own} where uuid in (select uuid from free) returning n, uuid, record, chatbot)
          select uuid as key, record as json, chatbot from taken order by n`;
        return readRecords(context, 'sources', rows, isSource);
      }),
    takeSite: (site) =>
      run(async () => {
        await sql`update sites set crawler = ${own} where uuid = ${site} and status = 'running'`;
      }),
    takeUnfinishedSites: () =>
      run(async () => {
        const rows = await sql<{ uuid: string }[]>`
          with free as (
            select uuid from sites where crawler is null and status = 'running' for no key update skip locked)
          update sites set crawler = ${own} where uuid in (select uuid from free) returning uuid`;
        return rows.map(({ uuid }) => uuid);
      }),
    crawled: () =>
      run(async () => {
        const rows = await sql<{ uuid: string }[]>`select uuid from sites where crawler = ${process}`;
        return new Set(rows.map(({ uuid }) => uuid));
      }),
    noteProgress: (crawls) =>
      run(async () => {
        const given = Array.from(crawls, ([uuid, note]) => ({ uuid, progress: JSON.stringify(note) }));
        // Skips sites that are being changed, which are noted the next time.
        await sql`
          with noted as (
            select s.uuid, one.progress
            from json_to_recordset(${JSON.stringify(given)}::text::json) as one (uuid text, progress text)
            join sites s on s.uuid = one.uuid
            where s.crawler = ${process} and s.progress is distinct from one.progress
            for no key update of s skip locked)
          update sites s set progress = noted.progress from noted where s.uuid = noted.uuid`;
      }),
    progress: (site) =>
      run(async () => {
        const [row] = await sql<{ progress: string }[]>`
          select progress from sites where uuid = ${site} and status = 'running' and progress is not null`;
        return row && fromJson<CrawlProgressNote>(row.progress);
      }),
  };
}

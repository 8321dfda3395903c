import type { SiteVerbs, StoredSite } from '../../shared/sites.ts';
import { inTransaction, type Fragment } from '../connection.ts';
import type { PostgresContext } from '../context.ts';
import { SubRecords } from './sub-records.ts';
import { raiseVersions } from '../shared/passages.ts';

export function siteVerbs(context: PostgresContext): SiteVerbs {
  const { sql, run, bus } = context;
  const sites = new SubRecords<StoredSite>(context, { table: 'sites' });
  /** By the index `sources_of_site`. In JSON these quotes are in no text: they would stand behind backslashes. */
  const isOf = (site: Fragment | string) =>
    sql`(substr(record, strpos(record, '"site":"') + 8, 32) = ${site} and strpos(record, '"site":"') > 0)`;
  /** With this of a site, as in `isPageOf`. */
  const isFound = sql`strpos(record, '"own":1') = 0`;

  async function deleteSite(uuid: string): Promise<string[] | undefined> {
    const deleted = await inTransaction(sql, async (tx) => {
      // In the order in which crawls lock them: what one is storing is there once the site is locked, and afterwards it stores nothing.
      await tx`select 1 from chatbots where uuid = (select chatbot from sites where uuid = ${uuid}) for key share`;
      const [site] = await tx<{ chatbot: string }[]>`delete from sites where uuid = ${uuid} returning chatbot`;
      if (!site) return undefined;
      const { chatbot } = site;
      const pages = await tx<{ uuid: string }[]>`
        select uuid from sources where chatbot = ${chatbot} and ${isOf(uuid)} and ${isFound} order by uuid for update`;
      const uuids = pages.map((page) => page.uuid);
      // All sources before the versions of passages, as whoever stores a text does (see `raiseVersions`).
      await tx`
        update sources set record = replace(record, ${named(uuid)}, ${named('')})
        where chatbot = ${chatbot} and ${isOf(uuid)} and not ${isFound}`;
      await raiseVersions(
        tx,
        sql`delete from sources where uuid in (select json_array_elements_text(${JSON.stringify(uuids)}::text::json))
          returning chatbot, uuid as source`,
      );
      return { chatbot, uuids };
    });
    if (deleted) bus.publish('passages', deleted.chatbot);
    return deleted?.uuids;
  }

  return {
    createSite(site) {
      const own = structuredClone(site);
      return run(() => sites.create(own));
    },
    site: (uuid) => run(() => sites.find(uuid)),
    sites: (chatbot) => run(() => sites.list(chatbot)),
    updateSite: (uuid, change) => run(() => sites.update(uuid, change)),
    unfinishedSites: () => run(() => sites.where(sql`where p.status = 'running' order by p.n`)),
    pageCounts: (uuids) =>
      run(async () => {
        // A subquery each: grouped rows would be read from the table, and the site out of each again.
        const rows = await sql<{ uuid: string; count: number }[]>`
          select uuid, (
            select count(*)::integer from sources where chatbot = s.chatbot and ${isOf(sql`s.uuid`)} and ${isFound}) as count
          from sites s where uuid in (select json_array_elements_text(${JSON.stringify(uuids)}::text::json))`;
        return new Map(rows.map(({ uuid, count }) => [uuid, count]));
      }),
    deleteSite: (uuid) => run(() => deleteSite(uuid)),
  };
}

const named = (site: string): string => JSON.stringify({ site }).slice(1, -1);

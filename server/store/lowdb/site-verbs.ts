import { attemptEachConcurrent } from '../../async/for-each-concurrent.ts';
import { isPageOf, type SiteVerbs } from '../shared/sites.ts';
import { cloneJson } from '../clone-json.ts';
import type { StoreContext } from './context.ts';

export function siteVerbs(context: StoreContext): SiteVerbs {
  const { chatbots, sites, sources, indexes, run } = context;
  return {
    createSite(site) {
      const own = cloneJson(site);
      return run(() => sites.create(own));
    },
    site: (uuid) => run(() => sites.find(uuid)),
    sites: (chatbot) => run(() => sites.list(chatbot)),
    updateSite: (uuid, change) => run(() => sites.update(uuid, change)),
    unfinishedSites: () =>
      run(() => {
        const all = chatbots.files().flatMap((file) => sites.list(file.chatbot.uuid));
        return all.filter(({ status }) => status === 'running');
      }),
    pageCounts: (uuids) =>
      run(() => {
        const found = uuids.flatMap((uuid) => sites.find(uuid) ?? []);
        const counts = new Map(found.map(({ uuid }) => [uuid, 0]));
        for (const chatbot of new Set(found.map((site) => site.chatbot)))
          for (const source of sources.stored(chatbot)) {
            const { site = '' } = source;
            const count = counts.get(site);
            if (count !== undefined && isPageOf(source, site)) counts.set(site, count + 1);
          }
        return counts;
      }),
    deleteSite: (uuid) =>
      run(async () => {
        const chatbot = sites.find(uuid)?.chatbot;
        if (chatbot === undefined) return undefined;
        return indexes.changing(chatbot, async (forget) => {
          await forget();
          return (await chatbots.beginSiteDeletion(uuid)) ? removePages(context, chatbot, uuid) : undefined;
        });
      }),
  };
}

/** Removes the pages of a site after `beginSiteDeletion`; waits for a source that is being created. */
async function removePages(
  { chatbots, sources, indexes, mutex }: StoreContext,
  chatbot: string,
  site: string,
): Promise<string[]> {
  const pages = await mutex.run(chatbot, () =>
    indexes.changing(chatbot, async (forget) => {
      const others = [...sources.stored(chatbot)].filter((one) => one.site === site && !isPageOf(one, site));
      await attemptEachConcurrent(others, ({ uuid }) => sources.update(uuid, (one) => ({ ...one, site: '' })));
      return sources.removeAll(chatbot, forget, (one) => isPageOf(one, site));
    }),
  );
  await chatbots.finishSiteDeletion(chatbot, site);
  return pages;
}

/** Finishes deletions that a crash has interrupted. */
export async function finishSiteDeletions(context: StoreContext): Promise<void> {
  await attemptEachConcurrent(context.chatbots.files(), ({ chatbot, deleted_sites = [] }) =>
    attemptEachConcurrent(deleted_sites, (site) => removePages(context, chatbot.uuid, site)),
  );
}

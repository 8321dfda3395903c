import type { Store, StoredSite } from '../../store/store.ts';
import type { Web } from '../../web/web.ts';
import { readPage, userOf } from '../ingest/content.ts';
import { linksOf } from '../readers/links.ts';
import { READABLE_TYPES } from '../readers/readers.ts';
import type { PageLinks } from './frontier.ts';
import { SUCCESS } from './progress.ts';

/** Fetches the links of a first page that is no source, or was ingested before the crawl was interrupted. */
export async function readFirstPage(
  { store, web }: { store: Store; web: Web },
  { url, chatbot }: StoredSite,
  signal: AbortSignal,
): Promise<PageLinks> {
  const page = await web.get(url, { accept: READABLE_TYPES, signal });
  const { headLinks } = await readPage(page, signal, await userOf({ store }, chatbot));
  return { url: page.url, links: headLinks && !page.nofollow ? linksOf(headLinks, page.url) : [] };
}

/** The status of a site of whose first page nothing was learned but that its source ended like this. */
export function statusWithoutFirstPage(status: string): string {
  if (status === SUCCESS || status === 'gone') return 'stopped';
  return status.startsWith('error:') ? status : 'error:fail';
}

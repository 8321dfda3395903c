import { Refusal } from '../schema/errors.ts';
import type { Sites } from '../knowledge/crawl/sites.ts';
import type { DeadLink } from '../schema/sources/site.ts';
import type { Store, StoredSource } from '../store/store.ts';

/** How far the learning of a site or a page is. */
export interface IngestJob {
  /** Of the site, or of the page's source. */
  uuid: string;
  /** `running`, `done`, `stopped`, or `error:<reason>` where the first page could not be fetched. */
  status: string;
  /** Pages; `done` and `failed` are those of them that have ended. */
  found: number;
  done: number;
  failed: number;
  /** The address of a page that is being learned now; '' for none. */
  current: string;
  /** Whether the site has more pages than were allowed. */
  full: boolean;
  /** The failed ones that the site itself does not say are gone, closed or no text. */
  lost: number;
  /** Of the failed ones the first hundred. */
  failures: { url: string; reason: string }[];
  /** Links of the site that lead to no page, the first hundred; they are none of those found. */
  deadLinks: DeadLink[];
  deadLinksTotal: number;
}

interface JobDeps {
  store: Store;
  sites: Sites;
}

const MAX_FAILURES = 100;
/** How a page says for itself that there is nothing to be learned of it, or nothing more. */
const OWN_REASONS = /^(?:not found|robots|content type|no text|off site|same page)$/;

/** `uuid` is a site's, or that of a page's source. */
export async function ingestJob({ store, sites }: JobDeps, uuid: string): Promise<IngestJob> {
  const site = await store.site(uuid);
  if (site) {
    const { dead_links: deadLinks, dead_links_total: deadLinksTotal, ...progress } = await sites.progress(site);
    const { status, found, done, failed, current } = progress;
    const pages = (await store.sources(site.chatbot)).filter((source) => source.site === uuid);
    const full = progress.limit_reached === 1;
    const counts = { uuid, status, found, done, failed, current, full, deadLinks, deadLinksTotal };
    return { ...counts, ...failuresOf(pages) };
  }
  const page = await store.source(uuid);
  if (!page) throw new Refusal('not_found', 'it was deleted meanwhile');
  return jobOf(page);
}

/** Stops a site; what is learned of it stays. A page alone is learned to its end. */
export async function stopIngestJob(deps: JobDeps, uuid: string): Promise<IngestJob> {
  const site = await deps.store.site(uuid);
  if (site) await deps.sites.stop(site);
  return ingestJob(deps, uuid);
}

function jobOf(page: StoredSource): IngestJob {
  const { uuid, file_name } = page;
  const ended = reasonOf(page);
  const failures = failuresOf([page]);
  const counts = { uuid, found: 1, done: 0, failed: 0, current: '', full: false, deadLinks: [], deadLinksTotal: 0 };
  if (ended === undefined) return { ...counts, ...failures, status: 'running', current: file_name };
  if (ended === '') return { ...counts, ...failures, status: 'done', done: 1 };
  return { ...counts, ...failures, status: `error:${ended}`, failed: 1 };
}

/** Why learning failed; '' where it did not, undefined while it goes on. */
function reasonOf({ status }: StoredSource): string | undefined {
  if (status === 'success') return '';
  return status === 'fail' ? 'the log says why' : /^error:(.*)$/.exec(status)?.[1];
}

/** What more is known of why it failed, to stand behind the reason. */
function remedyOf({ meta_json }: StoredSource): string {
  const { reason } = JSON.parse(meta_json) as { reason?: string };
  return reason ? `: ${reason}` : '';
}

function failuresOf(pages: StoredSource[]): Pick<IngestJob, 'lost' | 'failures'> {
  const all = pages.map((page) => ({ page, url: page.file_name, reason: reasonOf(page) ?? '' }));
  const failed = all.filter(({ reason }) => reason !== '');
  const lost = failed.filter(({ reason }) => !OWN_REASONS.test(reason)).length;
  const failures = failed
    .slice(0, MAX_FAILURES)
    .map(({ page, url, reason }) => ({ url, reason: reason + remedyOf(page) }));
  return { lost, failures };
}

import { NewSite } from '../api/requests/bodies.ts';
import { siteRequest } from '../api/resources/sites.ts';
import { urlSource } from '../api/resources/sources.ts';
import { Refusal } from '../schema/errors.ts';
import { DEAD } from '../knowledge/crawl/progress.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { Sites } from '../knowledge/crawl/sites.ts';
import { namedChatbot } from './find-by-name.ts';
import { timestamp, type Clock } from '../schema/ids.ts';
import type { DeadLink } from '../schema/site.ts';
import type { Store, StoredSource } from '../store/store.ts';
import { checked } from '../schema/validate.ts';

/**
 * What an operator does by `docent learn`. As with `Users`, each verb takes and gives what JSON can carry; one that
 * cannot be done throws a `Refusal`.
 */
export interface IngestJobs {
  /**
   * Begins to learn the page at `url`, or with `crawl`, the JSON of a site's bounds, its whole site. Where it is known it is
   * learned again, and where that is under way already this tells of that. `chatbot` is a uuid, or a name where one
   * chatbot alone has it.
   */
  ingest(chatbot: string, url: string, crawl: string): Promise<IngestJob>;
  job(uuid: string): Promise<IngestJob>;
  /** Stops a site; what is learned of it stays. A page alone is learned to its end. */
  endJob(uuid: string): Promise<IngestJob>;
}

/** How far it is with a site or a page. */
export interface IngestJob {
  /** Of the site, or of the page's source. */
  uuid: string;
  /** `running`, `done`, `stopped`, or `error:<reason>` where the first page could not be had. */
  status: string;
  /** Pages; `done` and `failed` are those of them that have ended. */
  found: number;
  done: number;
  failed: number;
  /** The address of a page that is being learned now; '' for none. */
  current: string;
  /** Whether there are as many pages, those that are gone aside, as were allowed: the site may have more. */
  full: boolean;
  /** The failed ones that the site itself does not say are gone, closed or no text. */
  lost: number;
  /** Of the failed ones the first hundred. */
  failures: { url: string; reason: string }[];
  /** Links of the site that lead to no page, the first hundred; they are none of those found. */
  deadLinks: DeadLink[];
  deadLinksTotal: number;
}

interface Rooms {
  store: Store;
  knowledge: Knowledge;
  sites: Sites;
  clock: Clock;
}

const TOLD = 100;
const LEARNING = new Set(['await', 'chunking', 'embedding']);
/** How a page says for itself that there is nothing to be learned of it, or nothing more. */
const OWN_REASONS = /^(?:not found|robots|content type|no text|off site|same page)$/;

const gone = (): Refusal => new Refusal('not_found', 'it was deleted meanwhile');

export function createIngestJobs({ store, knowledge, sites, clock }: Rooms): IngestJobs {
  async function job(uuid: string): Promise<IngestJob> {
    const site = await store.site(uuid);
    if (site) {
      const { dead_links: deadLinks, dead_links_total: deadLinksTotal, ...progress } = sites.progress(site);
      const { status, found, done, failed, current, max_pages } = progress;
      const pages = (await store.sources(site.chatbot)).filter((source) => source.site === uuid);
      const dead = pages.filter((page) => page.status === DEAD).length;
      const full = found - Math.min(dead, max_pages) >= max_pages;
      const told = { uuid, status, found, done, failed, current, full, deadLinks, deadLinksTotal };
      return { ...told, ...failuresOf(pages) };
    }
    const page = await store.source(uuid);
    if (!page) throw gone();
    return jobOf(page);
  }

  async function crawled(chatbot: string, url: string, crawl: string): Promise<string> {
    const asked = checked(NewSite, { ...(JSON.parse(crawl) as object), url });
    const started = await sites.start(chatbot, siteRequest(asked));
    if (!started) throw gone();
    return started.site.uuid;
  }

  async function learned(chatbot: string, url: string): Promise<string> {
    const source = urlSource(chatbot, url, undefined, timestamp(clock));
    const stored = await store.createSource(source);
    if (!stored) throw gone();
    const { uuid } = stored.existing ?? source;
    if (!stored.existing) await knowledge.learn(source);
    else if (!LEARNING.has(stored.existing.status)) await knowledge.relearn(uuid);
    return uuid;
  }

  return {
    async ingest(named, url, crawl) {
      const chatbot = await namedChatbot(store, named);
      return job(await (crawl ? crawled(chatbot.uuid, url, crawl) : learned(chatbot.uuid, url)));
    },
    job,
    async endJob(uuid) {
      const site = await store.site(uuid);
      if (site) await sites.stop(site);
      return job(uuid);
    },
  };
}

function jobOf(page: StoredSource): IngestJob {
  const { uuid, file_name } = page;
  const ended = reasonOf(page);
  const failures = failuresOf([page]);
  const told = { uuid, found: 1, done: 0, failed: 0, current: '', full: false, deadLinks: [], deadLinksTotal: 0 };
  if (ended === undefined) return { ...told, ...failures, status: 'running', current: file_name };
  if (ended === '') return { ...told, ...failures, status: 'done', done: 1 };
  return { ...told, ...failures, status: `error:${ended}`, failed: 1 };
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
  const failures = failed.slice(0, TOLD).map(({ page, url, reason }) => ({ url, reason: reason + remedyOf(page) }));
  return { lost, failures };
}

import { createKnowledge } from '../../../../server/knowledge/crawl/knowledge.ts';
import { RunningCrawls } from '../../../../server/knowledge/crawl/running-crawls.ts';
import { createSites } from '../../../../server/knowledge/crawl/sites.ts';
import { startTakeOver } from '../../../../server/knowledge/crawl/take-over.ts';
import { Ingestion } from '../../../../server/knowledge/ingest/ingest.ts';
import { openPostgresStore } from '../../../../server/store/postgres/postgres.ts';
import { createWeb } from '../../../../server/web/web.ts';

/** What a process has of a database: a store of its own, and what learns and crawls over it. */
export async function openProcess(url: string, allow: string) {
  const store = await openPostgresStore({ url, clock: Date.now, max: 4 });
  const outcomes: unknown[] = [];
  const log = { info: ({ status }: { status?: unknown }) => void outcomes.push(status), error() {} };
  const web = createWeb({ allow: [allow], deadline: 30_000, clock: Date.now });
  const deps = { store, web, clock: Date.now, log };
  const ingestion = new Ingestion(deps);
  const crawls = new RunningCrawls();
  const sites = createSites({ ...deps, ingestion, crawls });
  const knowledge = createKnowledge(ingestion, crawls);
  const takeOver = await startTakeOver({ store, resume: () => sites.resume(), knowledge, log });
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await takeOver.close();
    await sites.close();
    await knowledge.close();
    await store.close();
  };
  return { store, sites, knowledge, outcomes, close: () => (closing ??= close()) };
}

import type { Clock } from '../../schema/ids.ts';
import type { Store } from '../../store/store.ts';
import type { Web } from '../../web/web.ts';
import type { Ingestion, Log } from '../ingest/ingest.ts';

/** What a crawl works with. */
export interface CrawlDeps {
  store: Store;
  ingestion: Ingestion;
  web: Web;
  clock: Clock;
  log: Log;
}

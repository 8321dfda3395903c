import type { Ingestion } from '../ingest/ingest.ts';
import type { Knowledge } from '../knowledge.ts';
import type { RunningCrawls } from './running-crawls.ts';

/**
 * Ingestion and crawls as one: a source that is a page of a running crawl is ingested as such, so that its links are
 * followed and the crawl counts it; any other by itself.
 */
export function createKnowledge(ingestion: Ingestion, crawls: RunningCrawls): Knowledge {
  const knowledge: Knowledge = {
    learn: (source) => (crawls.crawlOf(source) ?? ingestion).learn(source),
    async relearn(uuid) {
      const source = await ingestion.reset(uuid);
      if (source) await knowledge.learn(source);
      return source !== undefined;
    },
    rename: (source) => ingestion.rename(source),
    forget(chatbot, source) {
      ingestion.forget(chatbot, source);
      crawls.forget(source);
    },
    drop(chatbot) {
      crawls.drop(chatbot);
      ingestion.drop(chatbot);
    },
    embedMissing: () => ingestion.embedMissing(),
    search: (chatbot, query, options) => ingestion.search(chatbot, query, options),
    close: () => ingestion.close(),
  };
  return knowledge;
}

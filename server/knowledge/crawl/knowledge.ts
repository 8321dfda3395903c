import type { Change, StoredSource } from '../../store/store.ts';
import type { Ingestion } from '../ingest/ingest.ts';
import type { Knowledge } from '../knowledge.ts';
import type { RunningCrawls } from './running-crawls.ts';

/**
 * Ingestion and crawls as one: a source that is a page of a running crawl is ingested as such, so that its links are
 * followed and the crawl counts it; any other by itself.
 */
export function createKnowledge(ingestion: Ingestion, crawls: RunningCrawls): Knowledge {
  async function again(uuid: string, change?: Change<StoredSource>): Promise<StoredSource | undefined> {
    const source = await ingestion.reset(uuid, change);
    if (source) await knowledge.ingest(source);
    return source;
  }
  const knowledge: Knowledge = {
    ingest: (source) => (crawls.crawlOf(source) ?? ingestion).ingest(source),
    reingest: async (uuid) => (await again(uuid)) !== undefined,
    rewrite: again,
    rename: (source) => ingestion.rename(source),
    removeSource(chatbot, source) {
      ingestion.removeSource(chatbot, source);
      crawls.forget(source);
    },
    removeChatbot(chatbot) {
      crawls.drop(chatbot);
      ingestion.removeChatbot(chatbot);
    },
    embedMissing: () => ingestion.embedMissing(),
    search: (chatbot, query, options) => ingestion.search(chatbot, query, options),
    headingsNear: (chatbot, source, text, limit) => ingestion.headingsNear(chatbot, source, text, limit),
    rarity: (chatbot) => ingestion.rarity(chatbot),
    warm: () => ingestion.warm(),
    close: () => ingestion.close(),
  };
  return knowledge;
}

import type { RequestListener } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKnowledge } from '../../server/knowledge/crawl/knowledge.ts';
import { RunningCrawls } from '../../server/knowledge/crawl/running-crawls.ts';
import { createSites } from '../../server/knowledge/crawl/sites.ts';
import { Ingestion } from '../../server/knowledge/ingest/ingest.ts';
import type { Found, SearchOptions } from '../../server/knowledge/search/found.ts';
import type { Clock } from '../../server/schema/ids.ts';
import { isPending } from '../../server/schema/records.ts';
import { openLowdbStore } from '../../server/store/lowdb/lowdb.ts';
import type { StoredSource } from '../../server/store/store.ts';
import { createWeb } from '../../server/web/web.ts';
import { aChatbot, aSource, anAgent } from '../store/records.ts';
import { listen } from '../web/listener.ts';

const log = { info() {}, warn() {}, error() {} };

/** A website with that handler, which is asked for robots.txt only with `robots`; a store, and what ingests the site. */
export async function openKnowledge(
  handler: RequestListener,
  clock: Clock = Date.now,
  robots = false,
  onChange = (): void => {},
) {
  const dir = await mkdtemp(join(tmpdir(), 'docent-knowledge-'));
  const site = await listen(handler, '127.0.0.1', robots);
  const store = await openLowdbStore({ dir, clock, log: log as never });
  const web = createWeb({ allow: [`127.0.0.1:${site.port}`], deadline: 5000, clock });
  const ingestion = new Ingestion({ store, web, clock, log, idle: 60_000, onChange });
  const crawls = new RunningCrawls();
  const sites = createSites({ store, ingestion, crawls, web, clock, log });
  const knowledge = createKnowledge(ingestion, crawls);
  const chatbot = aChatbot(store.owner.user.uuid);
  await store.createChatbot(chatbot, [anAgent(chatbot.uuid)]);

  /** Waits until the ingestion of a source has ended. */
  const ended = async (uuid: string): Promise<StoredSource> => {
    for (;;) {
      const source = await store.source(uuid);
      if (!source) throw new Error('the source is gone');
      if (!isPending(source.status)) return source;
      await new Promise((wait) => setTimeout(wait, 5));
    }
  };
  return {
    site,
    store,
    sites,
    knowledge,
    chatbot: chatbot.uuid,
    ended,
    /** Stores a source without ingesting it. */
    async add(path: string, more: Partial<StoredSource> = {}): Promise<StoredSource> {
      const address = URL.canParse(path) ? path : site.origin + path;
      const source = aSource(chatbot.uuid, { title: '', file_name: address, identity: address, ...more });
      await store.createSource(source);
      return source;
    },
    /** Stores a source, and waits until its ingestion has ended. */
    async ingest(path: string): Promise<StoredSource> {
      const source = await this.add(path);
      await knowledge.ingest(source);
      return ended(source.uuid);
    },
    /** The passages that a question finds. */
    async search(question: string, options?: SearchOptions): Promise<Found[]> {
      return (await knowledge.search(chatbot.uuid, question, options)).found;
    },
    async close() {
      await sites.close();
      await knowledge.close();
      await Promise.all([web.close(), site.close(), store.close()]);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** A handler for pages of HTML by path; any other path is a 404. */
export const pages =
  (bodies: Record<string, string>): RequestListener =>
  ({ url = '' }, response) => {
    const body = bodies[url];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' }).end(body);
  };

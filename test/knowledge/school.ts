import type { RequestListener } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKnowledge } from '../../server/knowledge/ingest/ingest.ts';
import type { Clock } from '../../server/schema/ids.ts';
import { openLowdbStore } from '../../server/store/lowdb/lowdb.ts';
import type { StoredSource } from '../../server/store/store.ts';
import { createWeb } from '../../server/web/web.ts';
import { aChatbot, aSource, anAgent } from '../store/records.ts';
import { listen } from '../web/listener.ts';

const quiet = { info() {}, warn() {}, error() {} };

/** A site with that handler, which gets robots.txt too if it wants, and a real store, web and knowledge that learn from it. */
export async function openSchool(handler: RequestListener, clock: Clock = Date.now, robots = false) {
  const dir = await mkdtemp(join(tmpdir(), 'docent-knowledge-'));
  const site = await listen(handler, '127.0.0.1', robots);
  const store = await openLowdbStore({ dir, clock, log: quiet as never });
  const web = createWeb({ allow: [`127.0.0.1:${site.port}`], deadline: 5000, clock });
  const knowledge = createKnowledge({ store, web, clock, log: quiet, idle: 60_000 });
  const chatbot = aChatbot(store.home.user.uuid);
  await store.createChatbot(chatbot, [anAgent(chatbot.uuid)]);

  const ended = async (uuid: string): Promise<StoredSource> => {
    for (;;) {
      const source = await store.source(uuid);
      if (!source) throw new Error('the source is gone');
      if (!['await', 'chunking', 'embedding'].includes(source.status)) return source;
      await new Promise((wait) => setTimeout(wait, 5));
    }
  };
  return {
    site,
    store,
    knowledge,
    chatbot: chatbot.uuid,
    ended,
    async add(path: string, more: Partial<StoredSource> = {}): Promise<StoredSource> {
      const address = URL.canParse(path) ? path : site.origin + path;
      const source = aSource(chatbot.uuid, { title: '', file_name: address, identity: address, ...more });
      await store.createSource(source);
      return source;
    },
    /** As `add`, and waits until learning has ended. */
    async teach(path: string): Promise<StoredSource> {
      const source = await this.add(path);
      await knowledge.learn(source);
      return ended(source.uuid);
    },
    async close() {
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

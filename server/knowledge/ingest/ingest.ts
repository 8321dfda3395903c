import type { Embedder } from '../../model/model.ts';
import type { Clock } from '../../schema/ids.ts';
import type { Store, StoredSource } from '../../store/store.ts';
import type { Web } from '../../web/web.ts';
import type { Followers } from '../crawl-port.ts';
import { createEmbedding } from './embed.ts';
import { IndexCache } from '../search/index-cache.ts';
import type { Knowledge } from '../knowledge.ts';
import type { Found } from '../search/found.ts';
import { ingestSource, mark } from './job.ts';
import type { Hit } from '../search/types.ts';
import { userOf } from './content.ts';
import type { PassageIndex } from '../search/index.ts';
import type { Query } from '../search/query.ts';
import { FairQueue } from '../../async/fair-queue.ts';

export interface KnowledgeOptions {
  store: Store;
  web: Web;
  clock: Clock;
  log: Log;
  /** Milliseconds after the last question at which a chatbot's index leaves memory; 15 minutes by default. */
  idle?: number;
  /** Tells how near a question is to passages in meaning; without one words alone do. */
  embedder?: Embedder | undefined;
}

/** As much of pino as is needed here. */
export interface Log {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const FETCHES = 6;
const FETCHES_PER_HOST = 2;
const PASSAGES = 8;
/** The queue's line for sources that are learned and lack vectors; no host is called so. */
const EMBEDDINGS = 'embeddings ';

export function createKnowledge({ store, web, clock, log, idle = 15 * 60_000, embedder }: KnowledgeOptions): Knowledge {
  const indexes = new IndexCache({ store, clock, idle, model: embedder?.model });
  const queue = new FairQueue({
    concurrency: FETCHES,
    perHost: FETCHES_PER_HOST,
    onError: (error) => log.error({ err: error }, 'learning failed'),
  });
  const learning = { store, web, clock, indexes };
  const embedding =
    embedder && createEmbedding({ store, indexes, embedder, clock, log, back: () => void embedMissing() });
  let followers: Followers | undefined;

  async function run(source: StoredSource, signal: AbortSignal): Promise<void> {
    const told = { source: source.uuid, chatbot: source.chatbot };
    try {
      const { status, reason, taken } = await ingestSource(learning, source, followers?.of(source), signal);
      log.info({ ...told, status, reason }, 'source learned');
      followers?.ended(source, status, taken);
      await embed(source.uuid, signal);
    } catch (error) {
      log.error({ ...told, err: error }, 'source not learned');
      followers?.ended(source, 'fail', false);
    }
  }

  async function learn(source: StoredSource): Promise<void> {
    const { uuid, chatbot, type, file_name } = source;
    const owner = await userOf({ store }, chatbot);
    // Files of one chatbot do not wait for those of another.
    const host = type === 'link' ? hostOf(file_name) : `file ${chatbot}`;
    queue.add({ name: uuid, owner, host, group: chatbot, run: (signal) => run(source, signal) });
  }

  async function embed(uuid: string, signal: AbortSignal): Promise<void> {
    await embedding?.source(uuid, signal).catch((error: unknown) => {
      log.error({ source: uuid, err: error }, 'source not embedded');
    });
  }

  async function embedMissing(): Promise<void> {
    if (!embedding) return;
    for (const { uuid, chatbot } of await store.unembeddedSources(embedding.model)) {
      const owner = await userOf({ store }, chatbot);
      // One that is being learned gets its vectors then.
      if (queue.has(uuid)) continue;
      queue.add({ name: uuid, owner, host: EMBEDDINGS, group: chatbot, run: (signal) => embed(uuid, signal) });
    }
  }

  return {
    learn,
    embedMissing,
    attend(all) {
      followers = all;
    },
    async relearn(uuid) {
      // What runs is called off first: it must not say `success` after this has said `await`.
      queue.cancel(uuid);
      const source = await mark(learning, uuid, { status: 'await' });
      if (source) await learn(source);
      return source !== undefined;
    },
    rename: (source) => indexes.rename(source),
    forget(chatbot, source) {
      queue.cancel(source);
      indexes.remove(chatbot, source);
      followers?.left(chatbot, source);
    },
    drop(chatbot) {
      followers?.dropped(chatbot);
      queue.cancelGroup(chatbot);
      indexes.drop(chatbot);
    },
    async search(chatbot, query, { earlier = [], limit = PASSAGES, sources } = {}) {
      if (sources?.size === 0) return [];
      const index = await indexes.get(chatbot);
      const question = index.question(query, earlier);
      const meaning = index.dimensions > 0 ? await embedding?.question(question.said) : undefined;
      return index.search(question, limit, { sources, meaning }).map((hit) => foundOf(index, hit, question));
    },
    async close() {
      await queue.close();
      indexes.close();
    },
  };
}

function foundOf(index: PassageIndex<StoredSource>, hit: Hit<StoredSource>, question: Query): Found {
  const { uuid, title, file_name, type } = hit.entry.source;
  const { headings, text } = hit.entry;
  const match = index.match(hit, question);
  return { source: { uuid, title, file_name, type }, headings, text, score: hit.score, match, entry: hit.entry };
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : '';
}

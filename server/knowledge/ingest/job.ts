import { later, type Clock } from '../../schema/ids.ts';
import type { Change, Document, Store, StoredSource } from '../../store/store.ts';
import { WebFailure } from '../../web/errors.ts';
import type { Web } from '../../web/web.ts';
import { CalledOff, type Follower } from '../crawl-port.ts';
import type { IndexCache } from '../search/index-cache.ts';
import { contentOfSource } from './content.ts';
import { claimAddress } from './dedupe.ts';
import { Unreadable } from '../readers/errors.ts';

/** One source's way from where it is kept into the index. Ends early, and quietly, when it is called off. */
export interface Learning {
  store: Store;
  web: Web;
  clock: Clock;
  indexes: IndexCache;
}

/** How it ended, and whether the source was taken away, since it was no page of its own. */
export interface Ending {
  status: string;
  /** Of a failure, or of what was left out, in words for the owner; absent where the status says all. */
  reason?: string | undefined;
  taken: boolean;
}

export async function ingestSource(
  learning: Learning,
  source: StoredSource,
  follower: Follower | undefined,
  signal: AbortSignal,
): Promise<Ending> {
  try {
    return { ...(await learn(learning, source, follower, signal)), taken: false };
  } catch (error) {
    const reason = error instanceof WebFailure || error instanceof Unreadable ? error.reason : undefined;
    // A page that is gone, or has nothing to read, says nothing any more; one that cannot be reached may be back.
    const forgotten = reason !== undefined && !(error instanceof WebFailure && error.passing);
    if (signal.aborted || error instanceof CalledOff) return { status: 'called off', taken: false };
    const status = reason ? `error:${reason}` : 'fail';
    if (follower && forgotten && (await isNoPage(learning, source, reason, follower))) {
      await takeAway(learning, source);
      return { status, taken: true };
    }
    if (forgotten) await forgetText(learning, source);
    const round = follower && { round: follower.round };
    const remedy = remedyOf(error);
    const change = { status, ...round, ...(forgotten ? { fetched_json: '' } : {}) };
    await mark(learning, source.uuid, (record) => explained({ ...record, ...change }, remedy));
    if (!reason) throw error;
    return { status, reason: remedy, taken: false };
  }
}

async function learn(
  learning: Learning,
  source: StoredSource,
  follower: Follower | undefined,
  signal: AbortSignal,
): Promise<Pick<Ending, 'status' | 'reason'>> {
  const { store, indexes } = learning;
  const { uuid } = source;
  const proceed = async (change: Change<StoredSource> | Partial<StoredSource>) => {
    signal.throwIfAborted();
    const record = await mark(learning, uuid, change);
    if (!record) throw new Gone();
    signal.throwIfAborted();
    return record;
  };
  try {
    if (!(await store.source(uuid))) throw new Gone();
    if (source.status !== 'await') await proceed({ status: 'await' });
    const material = await contentOfSource(learning, source, follower, signal);
    if (!material.unchanged) await proceed({ status: 'chunking', file_size: material.size });
    const { page, document: written } = await material.read();
    // What it leads to is stored before it is itself: a crawl that is cut here finds all of it again.
    if (page?.found) await follower?.follow(page.found);
    signal.throwIfAborted();
    if (page && follower?.isCopy(source, page.digest)) throw new Unreadable('same page');
    if (page && !(await claimAddress(store, uuid, page, follower))) throw new Gone();
    const round = follower && { round: follower.round };
    const learned = { status: 'success', fetched_json: page?.fetched ?? '', ...round };
    if (material.unchanged) {
      const now = await proceed(learned);
      if (now.file_name !== source.file_name) await indexes.rename(now);
      return { status: learned.status };
    }
    const { document, cut } = await written();
    const before = await store.document(uuid);
    const titled = await proceed((record) => explained(embedding(record, document, before), cut));
    if (!(await store.putDocument(uuid, document))) throw new Gone();
    signal.throwIfAborted();
    await indexes.put(titled, document);
    const now = await proceed(learned);
    if (now.title !== titled.title) await indexes.put(now, document);
    return { status: learned.status, reason: cut };
  } catch (error) {
    // Deleted, or called off, while it was put in: nothing of it may stay.
    if (error instanceof Gone || (signal.aborted && !(await store.source(uuid)))) {
      indexes.remove(source.chatbot, uuid);
      return { status: 'gone' };
    }
    throw error;
  }
}

/** What the owner can do about it, or what is wrong with the file: never an address. */
function remedyOf(error: unknown): string | undefined {
  if (error instanceof WebFailure) return error.remedy || undefined;
  return error instanceof Unreadable && error.message !== error.reason ? error.message : undefined;
}

/** With the reason in its `meta_json`, and none of an earlier time. */
function explained(record: StoredSource, reason: string | undefined): StoredSource {
  const { reason: _, ...meta } = JSON.parse(record.meta_json) as Record<string, unknown>;
  return { ...record, meta_json: JSON.stringify({ ...meta, reason }) };
}

/** What is no fault of a site when a crawl runs into it. */
const NO_PAGE = new Set(['content type', 'robots', 'off site']);

/** One that was learned before stays, and says why it is not any more; unless it is another by now. */
async function isNoPage({ store }: Learning, { uuid }: StoredSource, reason: string, follower: Follower) {
  const source = await store.source(uuid);
  if (!source || source.own === 1) return false;
  if (reason === 'same page') return true;
  if (source.tokens > 0) return false;
  return reason === 'not found' ? follower.reportDead(source) : NO_PAGE.has(reason);
}

async function takeAway({ store, indexes }: Learning, { uuid, chatbot }: StoredSource): Promise<void> {
  await store.deleteSource(uuid);
  indexes.remove(chatbot, uuid);
}

/** The source was deleted meanwhile. */
class Gone extends Error {}

/** The record as it is then; undefined where it is gone. */
export function mark(
  { store, clock }: Pick<Learning, 'store' | 'clock'>,
  uuid: string,
  change: Change<StoredSource> | Partial<StoredSource>,
): Promise<StoredSource | undefined> {
  return store.updateSource(uuid, (record) => ({
    ...(typeof change === 'function' ? change(record) : { ...record, ...change }),
    modified_at: later(record.modified_at, clock),
  }));
}

/** A source is called as its page is, until its owner calls it something else. */
function embedding(record: StoredSource, document: Document, before: Document | undefined): StoredSource {
  const own = record.type === 'qa' || !['', record.file_name, before?.title].includes(record.title);
  const title = own ? record.title : document.title;
  // Until all of it is in, it is the state of no page.
  return { ...record, title, status: 'embedding', tokens: tokensOf(document), fetched_json: '' };
}

/** About what a model would count: four characters of English a token. */
const tokensOf = ({ text }: Document): number => Math.ceil(text.length / 4);

async function forgetText({ store, indexes }: Learning, { uuid, chatbot, title }: StoredSource): Promise<void> {
  if (await store.document(uuid)) await store.putDocument(uuid, { title, text: '', passages: [] });
  indexes.remove(chatbot, uuid);
}

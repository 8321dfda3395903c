import { later, type Clock } from '../records.ts';
import type { Change, Document, Store, StoredSource } from '../store/store.ts';
import { WebFailure } from '../web/failure.ts';
import type { Web } from '../web/web.ts';
import type { Indexes } from './indexes.ts';
import { materialOf } from './material.ts';
import { Unreadable } from './unreadable.ts';

/** One source's way from where it is kept into the index. Ends early, and quietly, when it is called off. */
export interface Learning {
  store: Store;
  web: Web;
  clock: Clock;
  indexes: Indexes;
}

export async function learnSource(learning: Learning, source: StoredSource, signal: AbortSignal): Promise<string> {
  try {
    return await learn(learning, source, signal);
  } catch (error) {
    const reason = error instanceof WebFailure || error instanceof Unreadable ? error.reason : undefined;
    // A page that is gone, or has nothing to read, says nothing any more; one that cannot be reached may be back.
    const forgotten = reason !== undefined && !(error instanceof WebFailure && error.passing);
    if (forgotten && !signal.aborted) await forgetText(learning, source);
    if (signal.aborted) return 'called off';
    const status = reason ? `error:${reason}` : 'fail';
    await mark(learning, source.uuid, forgotten ? { status, fetched_json: '' } : { status });
    if (!reason) throw error;
    return status;
  }
}

async function learn(learning: Learning, source: StoredSource, signal: AbortSignal): Promise<string> {
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
    const material = await materialOf(learning, source, signal);
    const learned = { status: 'success', fetched_json: material.fetched ?? '' };
    if (material.unchanged) {
      await proceed(learned);
      return learned.status;
    }
    await proceed({ status: 'chunking', file_size: material.size });
    const document = await material.read();
    const before = await store.document(uuid);
    const titled = await proceed((record) => embedding(record, document, before));
    if (!(await store.putDocument(uuid, document))) throw new Gone();
    signal.throwIfAborted();
    await indexes.put(titled, document);
    const now = await proceed(learned);
    if (now.title !== titled.title) await indexes.put(now, document);
    return learned.status;
  } catch (error) {
    // Deleted, or called off, while it was put in: nothing of it may stay.
    if (error instanceof Gone || (signal.aborted && !(await store.source(uuid)))) {
      indexes.remove(source.chatbot, uuid);
      return 'gone';
    }
    throw error;
  }
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

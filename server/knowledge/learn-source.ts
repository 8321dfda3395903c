import { later, type Clock } from '../records.ts';
import type { Document, Store, StoredSource } from '../store/store.ts';
import type { Page, Web } from '../web/web.ts';
import { WebFailure } from '../web/failure.ts';
import type { Readable } from './blocks.ts';
import { decode } from './charset.ts';
import { readHtml } from './html.ts';
import type { Indexes } from './indexes.ts';
import { documentOf } from './passages.ts';
import { readPlain } from './plain.ts';

/** The media types that can be read, and how. */
const READERS: Record<string, (text: string) => Readable | Promise<Readable>> = {
  'text/html': readHtml,
  'application/xhtml+xml': readHtml,
  'text/plain': readPlain,
};

/** One source's way from its address into the index. Ends early, and quietly, when it is called off. */
export interface Learning {
  store: Store;
  web: Web;
  clock: Clock;
  indexes: Indexes;
}

class NoText extends Error {
  readonly reason = 'no text';
}

export async function learnSource(learning: Learning, source: StoredSource, signal: AbortSignal): Promise<string> {
  try {
    return await learnPage(learning, source, signal);
  } catch (error) {
    if (signal.aborted) return 'called off';
    const reason = error instanceof WebFailure || error instanceof NoText ? error.reason : undefined;
    // A page that is gone, or has nothing to read, says nothing any more; one that cannot be reached may be back.
    if (reason && !['download', 'blocked address'].includes(reason)) await forgetText(learning, source);
    const status = reason ? `error:${reason}` : 'fail';
    await mark(learning, source, { status });
    if (!reason) throw error;
    return status;
  }
}

async function learnPage(learning: Learning, source: StoredSource, signal: AbortSignal): Promise<string> {
  const { store, web, indexes } = learning;
  const proceed = async (change: Partial<StoredSource>) => {
    signal.throwIfAborted();
    if (!(await mark(learning, source, change))) throw new Gone();
    signal.throwIfAborted();
  };
  try {
    if (source.status !== 'await') await proceed({ status: 'await' });
    const page = await web.get(source.file_name, { accept: Object.keys(READERS), signal });
    await proceed({ status: 'chunking', file_size: page.body.length });
    const document = await read(page);
    await proceed({ status: 'embedding', tokens: tokensOf(document), ...(await retitled(store, source, document)) });
    if (!(await store.putDocument(source.uuid, document))) throw new Gone();
    signal.throwIfAborted();
    await indexes.put((await store.source(source.uuid)) ?? source, document);
    await proceed({ status: 'success' });
    return 'success';
  } catch (error) {
    // Deleted, or called off, while it was put in: nothing of it may stay.
    if (error instanceof Gone || (signal.aborted && !(await store.source(source.uuid)))) {
      indexes.remove(source.chatbot, source.uuid);
      return 'gone';
    }
    throw error;
  }
}

/** The source was deleted meanwhile. */
class Gone extends Error {}

const mark = ({ store, clock }: Learning, { uuid }: StoredSource, change: Partial<StoredSource>) =>
  store.updateSource(uuid, (record) => ({ ...record, ...change, modified_at: later(record.modified_at, clock) }));

async function read(page: Page): Promise<Document> {
  const readable = await READERS[page.mediaType]!(decode(page.body, page.charset));
  const document = documentOf(readable);
  if (document.passages.length === 0) throw new NoText(page.url);
  return document.title ? document : { ...document, title: page.url };
}

/** About what a model would count: four characters of English a token. */
const tokensOf = ({ text }: Document): number => Math.ceil(text.length / 4);

/** A source is called as its page is, until its owner calls it something else. */
async function retitled(store: Store, source: StoredSource, { title }: Document): Promise<{ title?: string }> {
  const before = await store.document(source.uuid);
  return ['', source.file_name, before?.title].includes(source.title) ? { title: title.slice(0, 300) } : {};
}

async function forgetText({ store, indexes }: Learning, { uuid, chatbot, title }: StoredSource): Promise<void> {
  if (await store.document(uuid)) await store.putDocument(uuid, { title, text: '', passages: [] });
  indexes.remove(chatbot, uuid);
}

import { nextModifiedAt, timestamp, type Clock } from '../../schema/ids.ts';
import { Superseded } from '../../store/shared/learners.ts';
import type { Change, SourceDocument, Store, StoredSource } from '../../store/store.ts';
import { WebFailure } from '../../web/errors.ts';
import type { Web } from '../../web/web.ts';
import type { IndexCache } from '../search/cache/index-cache.ts';
import { contentOfSource, type ParsedContent } from './content.ts';
import { claimAddress, type MayMove } from './dedupe.ts';
import type { FetchOptions } from './fetch.ts';
import { changeOfText } from './text-change.ts';
import { Unreadable } from '../readers/errors.ts';

export interface IngestDeps {
  store: Store;
  web: Web;
  clock: Clock;
  indexes: IndexCache;
}

/** How an ingestion ended. */
export interface Outcome {
  /**
   * The stored status of the source; `gone` where it was deleted meanwhile, or another process has taken it; `called off`
   * where its signal fell.
   */
  status: string;
  /** Says to the owner why it failed, or what was left out; absent where the status says all. */
  reason?: string | undefined;
}

export interface SourceContent extends ParsedContent {
  /** True where nothing has changed since it was ingested last: the stored passages stay. */
  unchanged: boolean;
}

/** What a crawl wants of the storing of its page. */
export interface CommitOptions {
  /** Number of the crawl: a restart that finds it at a source leaves that source alone. */
  round?: number | undefined;
  /** Whether the source may take this address of its page as its own; never by default. */
  mayMove?: MayMove | undefined;
}

/**
 * Fetches and parses a source, whose status tells each step. Rejects where that fails, where the source is gone, and
 * where `signal` falls; `failSource` stores what it rejects with.
 */
export async function readSource(
  deps: IngestDeps,
  source: StoredSource,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<SourceContent> {
  const now = await deps.store.source(source.uuid);
  if (!now) throw new Gone();
  if (source.status !== 'await') await proceed(deps, source, { status: 'await' }, signal);
  const { size, unchanged, parse } = await contentOfSource(deps, now, options, signal);
  if (!unchanged) await proceed(deps, source, { status: 'chunking', file_size: size }, signal);
  return { ...(await parse()), unchanged };
}

/** Chunks, stores and indexes what was read of a source. Rejects as `readSource` does. */
export async function commitSource(
  deps: IngestDeps,
  source: StoredSource,
  { page, unchanged, document: chunk }: SourceContent,
  { round, mayMove }: CommitOptions,
  signal: AbortSignal,
): Promise<Outcome> {
  const { store, indexes } = deps;
  const { uuid } = source;
  signal.throwIfAborted();
  if (page && !(await claimAddress(store, uuid, page, mayMove))) throw new Gone();
  const fetched_json = page ? JSON.stringify(page.state) : '';
  const success = { status: 'success', fetched_json, ...(round === undefined ? {} : { round }) };
  if (unchanged) {
    const now = await proceed(deps, source, success, signal);
    if (now.file_name !== source.file_name) await indexes.rename(now);
    return { status: success.status };
  }
  const { document, cut } = await chunk();
  const before = await store.document(uuid);
  const at = timestamp(deps.clock);
  const change = changeOfText(before, document, at);
  const changed = before?.text ? change && { change_json: JSON.stringify(change) } : { first_text_at: at };
  const titled = await proceed(
    deps,
    source,
    (one) => ({
      ...withMeta(embedding(one, document, before), { reason: cut, passages: document.passages.length }),
      ...changed,
    }),
    signal,
  );
  if (!(await store.putDocument(uuid, document))) throw new Gone();
  signal.throwIfAborted();
  await indexes.put(titled, document);
  const now = await proceed(deps, source, success, signal);
  if (now.title !== titled.title) await indexes.put(now, document);
  return { status: success.status, reason: cut };
}

/**
 * Stores why a source could not be read or committed. Rejects with `error` where that is no fault of the source, such
 * as a full disk; its status is `fail` then.
 */
export async function failSource(
  deps: IngestDeps,
  source: StoredSource,
  error: unknown,
  { round }: CommitOptions,
  signal: AbortSignal,
): Promise<Outcome> {
  const { store, indexes } = deps;
  if (error instanceof Gone || (signal.aborted && !(await store.source(source.uuid)))) {
    // Passages may have been put in after the deletion took them out.
    indexes.remove(source.chatbot, source.uuid);
    return { status: 'gone' };
  }
  if (signal.aborted) return { status: 'called off' };
  if (error instanceof Superseded) return { status: 'gone' };
  const reason = reasonOf(error);
  const lasting = lastingReason(error) !== undefined;
  if (lasting) await clearText(deps, source);
  const status = reason ? `error:${reason}` : 'fail';
  const remedy = remedyOf(error);
  const change = {
    status,
    ...(round === undefined ? {} : { round }),
    ...(lasting ? { fetched_json: '', suggestion: '' } : {}),
  };
  await mark(deps, source.uuid, (record) =>
    withMeta({ ...record, ...change }, { reason: remedy, ...(lasting && { passages: undefined }) }),
  );
  if (!reason) throw error;
  return { status, reason: remedy };
}

/** The word of a status `error:…`; undefined where the source is not at fault. */
const reasonOf = (error: unknown): string | undefined =>
  error instanceof WebFailure || error instanceof Unreadable ? error.reason : undefined;

/**
 * As `reasonOf`, where what was ingested before is to be cleared: a page that is gone or has no text says nothing any
 * more. Undefined for one that cannot be reached, since it may be back.
 */
export const lastingReason = (error: unknown): string | undefined =>
  error instanceof WebFailure && error.passing ? undefined : reasonOf(error);

/** What the owner can do about it, or what is wrong with the file: never an address. */
function remedyOf(error: unknown): string | undefined {
  if (error instanceof WebFailure) return error.remedy || undefined;
  return error instanceof Unreadable && error.message !== error.reason ? error.message : undefined;
}

/** Puts these into `meta_json`, in place of earlier ones; what is undefined goes. */
function withMeta(
  record: StoredSource,
  more: { reason: string | undefined; passages?: number | undefined },
): StoredSource {
  const meta = JSON.parse(record.meta_json) as Record<string, unknown>;
  return { ...record, meta_json: JSON.stringify({ ...meta, ...more }) };
}

/** Deletes a source with its passages. */
export async function deleteSource(
  { store, indexes }: IngestDeps,
  { uuid, chatbot }: Pick<StoredSource, 'uuid' | 'chatbot'>,
): Promise<void> {
  await store.deleteSource(uuid);
  indexes.remove(chatbot, uuid);
}

/** The source was deleted meanwhile. */
class Gone extends Error {}

/** Stores a change of a source; rejects where it is gone, or `signal` has fallen before or after. */
async function proceed(
  deps: IngestDeps,
  { uuid }: StoredSource,
  change: Change<StoredSource> | Partial<StoredSource>,
  signal: AbortSignal,
): Promise<StoredSource> {
  signal.throwIfAborted();
  const record = await mark(deps, uuid, change);
  if (!record) throw new Gone();
  signal.throwIfAborted();
  return record;
}

/** Stores a change of a source and returns the record; undefined where it is gone. */
export function mark(
  { store, clock }: Pick<IngestDeps, 'store' | 'clock'>,
  uuid: string,
  change: Change<StoredSource> | Partial<StoredSource>,
): Promise<StoredSource | undefined> {
  return store.updateSource(uuid, (record) => ({
    ...(typeof change === 'function' ? change(record) : { ...record, ...change }),
    modified_at: nextModifiedAt(record.modified_at, clock),
  }));
}

/** Takes the document's title, unless the owner gave another. */
function embedding(record: StoredSource, document: SourceDocument, before: SourceDocument | undefined): StoredSource {
  const isOwners = record.type === 'qa' || !['', record.file_name, before?.title].includes(record.title);
  const title = isOwners ? record.title : document.title;
  // A restart in between must not take the page for unchanged.
  return { ...record, title, status: 'embedding', tokens: tokensOf(document), fetched_json: '', suggestion: '' };
}

/** Estimates what a model would count: four characters of English a token. */
const tokensOf = ({ text }: SourceDocument): number => Math.ceil(text.length / 4);

async function clearText({ store, indexes }: IngestDeps, { uuid, chatbot, title }: StoredSource): Promise<void> {
  if (await store.document(uuid)) await store.putDocument(uuid, { title, text: '', passages: [] });
  indexes.remove(chatbot, uuid);
}

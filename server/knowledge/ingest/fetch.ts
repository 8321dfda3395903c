import { createHash } from 'node:crypto';
import type { SourceDocument, Store, StoredSource } from '../../store/store.ts';
import type { Page } from '../../web/page.ts';
import type { GetOptions, Known, Web } from '../../web/web.ts';
import { READABLE_TYPES } from '../readers/readers.ts';

/** To be raised when a reader makes other text or passages of the same bytes: every page is then read again. */
const READER_VERSION = 7;

/** State of a page when it was ingested last; stored as JSON in the source's `fetched_json`. */
export interface PageState extends Known {
  /** SHA-256 of the bytes and their type. */
  digest: string;
  /** `READER_VERSION` at that time. */
  reading: number;
  /** Address that the page declares as its own; absent where it declares none. */
  canonical?: string | undefined;
  /** The crawl that followed its links last; absent for none. */
  followed?: string | undefined;
}

/** How a crawl wants its page fetched. */
export interface FetchOptions extends Pick<GetOptions, 'within' | 'patience'> {
  /** Whether the page is fetched even where it is unchanged, since its links are wanted; never by default. */
  needsLinks?: ((last: PageState) => boolean) | undefined;
}

export interface FetchResult {
  state: PageState;
  /** Absent where it need not be read: it is unchanged, and its links are not wanted. */
  page?: Page;
  /** The stored document, where the page is unchanged. */
  known?: SourceDocument;
}

export interface FetchDeps {
  store: Store;
  web: Web;
}

/** Fetches a source's page and compares it with what was ingested last. Rejects with a `WebFailure`. */
export async function fetchChanged(
  { store, web }: FetchDeps,
  source: StoredSource,
  { needsLinks, ...limits }: FetchOptions,
  signal: AbortSignal,
): Promise<FetchResult> {
  const options = { accept: READABLE_TYPES, ...limits, signal };
  const last = await lastIngested(store, source.uuid);
  const readsLinks = last !== undefined && needsLinks?.(last.state) === true;
  const page =
    !last || readsLinks
      ? await web.get(source.file_name, options)
      : await web.getChanged(source.file_name, last.state, options);
  if (!page) return { state: last!.state, known: last!.document };
  const { url, etag, lastModified } = page;
  const state: PageState = { url, etag, lastModified, digest: digestOf(page), reading: READER_VERSION };
  if (last?.state.digest !== state.digest) return { state, page };
  const { canonical, followed } = last.state;
  return { state: { ...state, canonical, followed }, known: last.document, ...(readsLinks ? { page } : {}) };
}

/** Undefined where no passages are stored, or today's readers might make others of the same bytes. */
async function lastIngested(store: Store, uuid: string) {
  const fetched = (await store.source(uuid))?.fetched_json;
  const state = fetched ? (JSON.parse(fetched) as PageState) : undefined;
  if (state?.reading !== READER_VERSION) return undefined;
  const document = await store.document(uuid);
  return document && document.passages.length > 0 ? { state, document } : undefined;
}

/** Covers everything that the page's text depends on. */
const digestOf = ({ body, mediaType, charset = '' }: Page): string =>
  createHash('sha256').update(`${mediaType}\n${charset}\n`).update(body).digest('base64url');

import { createHash } from 'node:crypto';
import type { Document, Store, StoredSource } from '../../store/store.ts';
import type { Page } from '../../web/page.ts';
import type { Known, Web } from '../../web/web.ts';
import type { Follower } from '../crawl-port.ts';
import { READABLE_TYPES } from '../readers/readers.ts';

/** To be raised when other text, or other passages, come of the same bytes: until then a page is not read twice. */
const READING = 6;

/** Milliseconds. A site that asks a crawl to slow down would otherwise be a site of failures. */
const PATIENCE = 2 * 60_000;

/** What is kept of a page with its source. */
export interface Fetched extends Known {
  /** Of its bytes and type. */
  digest: string;
  reading: number;
  /** The address by which the page wants to be known; absent where it names none. */
  canonical?: string | undefined;
  /** The crawl by which its links were followed last; absent for none. */
  followed?: string | undefined;
}

export interface Visit {
  /** To be kept with the source once it is learned. */
  fetched: Fetched;
  /** Absent where the page need not be read, since nothing of it is new. */
  page?: Page;
  /** What was learned of the page, which is as it was then. */
  known?: Document;
}

export interface Ways {
  store: Store;
  web: Web;
}

/** A source's page as it is now, held against what was learned of it. Rejects with a `WebFailure`. */
export async function fetchChanged(
  { store, web }: Ways,
  source: StoredSource,
  follower: Follower | undefined,
  signal: AbortSignal,
): Promise<Visit> {
  const asked = { accept: READABLE_TYPES, within: follower?.within, patience: follower && PATIENCE, signal };
  const last = await lastOf(store, source.uuid);
  // Whoever wants a page's links must have the page.
  const links = follower && last?.state.followed !== follower.followed(last?.state.url ?? '');
  const page =
    !last || links ? await web.get(source.file_name, asked) : await web.getChanged(source.file_name, last.state, asked);
  if (!page) return { fetched: last!.state, known: last!.document };
  const { url, etag, lastModified } = page;
  const fetched: Fetched = { url, etag, lastModified, digest: digestOf(page), reading: READING };
  if (last?.state.digest !== fetched.digest) return { fetched, page };
  const { canonical, followed } = last.state;
  return { fetched: { ...fetched, canonical, followed }, known: last.document, ...(links ? { page } : {}) };
}

/** What was fetched counts for nothing where there are no passages of it, or others would be made of it now. */
async function lastOf(store: Store, uuid: string) {
  const fetched = (await store.source(uuid))?.fetched_json;
  const state = fetched ? (JSON.parse(fetched) as Fetched) : undefined;
  if (state?.reading !== READING) return undefined;
  const document = await store.document(uuid);
  return document && document.passages.length > 0 ? { state, document } : undefined;
}

/** Of all that the page's text depends on. */
const digestOf = ({ body, mediaType, charset = '' }: Page): string =>
  createHash('sha256').update(`${mediaType}\n${charset}\n`).update(body).digest('base64url');

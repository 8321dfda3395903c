import { createHash } from 'node:crypto';
import type { Document, Store, StoredSource } from '../store/store.ts';
import { WebFailure } from '../web/failure.ts';
import type { Page } from '../web/page.ts';
import { ROBOT } from '../web/robots.ts';
import type { Known, Web } from '../web/web.ts';
import { decode } from './charset.ts';
import { forbidsIndex } from './html-head.ts';
import { READABLE_TYPES } from './readers.ts';

/** To be raised when other text, or other passages, come of the same bytes: until then a page is not read twice. */
const READING = 2;

/** What is kept of a page with its source. */
interface Fetched extends Known {
  /** Of its bytes and type. */
  digest: string;
  reading: number;
}

/** `fetched` is to be kept with the source once it is learned. */
type Visit =
  | { page: Page; fetched: string; known?: undefined }
  /** The page is as it was when `known` was made of it. */
  | { page: undefined; fetched: string; known: Document };

/** A source's page as it is now, held against what was learned of it. Rejects with a `WebFailure`. */
export async function visit({ store, web }: Ways, source: StoredSource, signal: AbortSignal): Promise<Visit> {
  const asked = { accept: READABLE_TYPES, signal };
  const last = await lastOf(store, source.uuid);
  if (!last) return learnable(await web.get(source.file_name, asked));
  const page = await web.getChanged(source.file_name, last.state, asked);
  if (!page) return { page, fetched: last.fetched, known: last.document };
  const now = learnable(page);
  return digestOf(page) === last.state.digest ? { page: undefined, fetched: now.fetched, known: last.document } : now;
}

function learnable(page: Page): Visit {
  const { url, etag, lastModified } = page;
  const state: Fetched = { url, etag, lastModified, digest: digestOf(page), reading: READING };
  return { page, fetched: JSON.stringify(state) };
}

interface Ways {
  store: Store;
  web: Web;
}

/** What was fetched counts for nothing where there are no passages of it, or others would be made of it now. */
async function lastOf(store: Store, uuid: string) {
  const fetched = (await store.source(uuid))?.fetched_json;
  const state = fetched ? (JSON.parse(fetched) as Fetched) : undefined;
  if (!fetched || state?.reading !== READING) return undefined;
  const document = await store.document(uuid);
  return document && document.passages.length > 0 ? { fetched, state, document } : undefined;
}

/** Of all that the page's text depends on. */
const digestOf = ({ body, mediaType, charset = '' }: Page): string =>
  createHash('sha256').update(`${mediaType}\n${charset}\n`).update(body).digest('base64url');

/** The page's text; a `robots` failure where it asks not to be indexed. */
export async function textOfPage({ body, charset, mediaType }: Page): Promise<string> {
  const text = (await decode(body, charset)).replaceAll('\0', ' ');
  if (mediaType.includes('html') && forbidsIndex(text, ROBOT)) throw new WebFailure('robots', 'noindex');
  return text;
}

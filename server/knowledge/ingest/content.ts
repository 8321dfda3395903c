import type { Document, StoredSource } from '../../store/store.ts';
import { WebFailure } from '../../web/errors.ts';
import type { Page } from '../../web/page.ts';
import type { Readable } from '../readers/blocks.ts';
import { decode } from '../readers/charset.ts';
import type { Follower, Found } from '../crawl-port.ts';
import { canonicalOf, linksOf } from '../readers/links.ts';
import { chunked } from './chunk.ts';
import { readerOfFile, readerOfType } from '../readers/readers.ts';
import { Unreadable } from '../readers/errors.ts';
import { fetchChanged, type Fetched, type Visit, type Ways } from './fetch.ts';

/** What a source is made of. */
export interface Material {
  /** Bytes. */
  size: number;
  /** It is as it was when it was last learned. */
  unchanged?: boolean;
  read(): Promise<Reading>;
}

export interface Reading {
  /** Of a link alone. */
  page?: ReadPage;
  /** Rejects where the page wants not to be indexed, or has no text. */
  document(): Promise<Written>;
}

export interface Written {
  document: Document;
  /** What was left out, where it is more than is kept. */
  cut?: string | undefined;
}

export interface ReadPage {
  /** Where it was in the end. */
  url: string;
  /** By which it wants to be known, where it says so and can be believed. */
  canonical: string | undefined;
  /** What it leads to, for a crawl that is to hear of it. */
  found: Found | undefined;
  /** Of its bytes. */
  digest: string;
  /** Is kept with the source once it is learned. */
  fetched: string;
}

/** The page, the file or the words of a source. Rejects with a `WebFailure` where a page cannot be had. */
export async function contentOfSource(
  ways: Ways,
  source: StoredSource,
  follower: Follower | undefined,
  signal: AbortSignal,
): Promise<Material> {
  if (source.type === 'qa') return answerOf(source);
  if (source.type === 'upload') {
    const bytes = (await ways.store.file(source.uuid)) ?? new Uint8Array();
    return fileOf(source.file_name, bytes, signal, await userOf(ways, source.chatbot));
  }
  const seen = await fetchChanged(ways, source, follower, signal);
  const size = seen.page?.body.length ?? source.file_size;
  const user = await userOf(ways, source.chatbot);
  return { size, unchanged: seen.known !== undefined, read: () => readVisit(seen, follower, signal, user) };
}

/** Whose chatbot it is. */
export const userOf = async ({ store }: Pick<Ways, 'store'>, chatbot: string): Promise<string> =>
  (await store.chatbot(chatbot))?.owner ?? '';

async function readVisit(
  { page, fetched, known }: Visit,
  follower: Follower | undefined,
  signal: AbortSignal,
  user: string,
) {
  const { url, canonical, digest } = fetched;
  const document = async () => ({ document: known! });
  if (!page) return { page: { url, canonical, digest, found: undefined, fetched: JSON.stringify(fetched) }, document };
  const readable = await readPage(page, signal, user);
  const told = pageOf(page, readable, fetched, follower);
  return { page: told, document: known ? document : () => indexable(readable, url) };
}

export function readPage(page: Page, signal: AbortSignal, user: string): Promise<Readable> {
  const text = async () => (await decode(page.body, page.charset)).replaceAll('\0', ' ');
  return readerOfType(page.mediaType)({ bytes: page.body, text, signal, user });
}

function pageOf({ url, nofollow }: Page, { leads }: Readable, fetched: Fetched, follower: Follower | undefined) {
  const canonical = leads && canonicalOf(leads, url);
  const links = leads && !nofollow ? linksOf(leads, url) : [];
  const state: Fetched = { ...fetched, canonical, followed: follower?.followed(url) };
  return { url, canonical, digest: fetched.digest, found: { url, links }, fetched: JSON.stringify(state) };
}

async function indexable(readable: Readable, url: string): Promise<Written> {
  if (readable.leads?.noindex) throw new WebFailure('robots', 'noindex');
  return documentFrom(readable, url);
}

const fileOf = (name: string, bytes: Uint8Array, signal: AbortSignal, user: string): Material => ({
  size: bytes.length,
  read: async () => ({
    async document() {
      const content = { bytes, text: () => textOf(bytes), signal, user };
      return documentFrom(await readerOfFile(name, bytes)(content), name);
    },
  }),
});

async function textOf(bytes: Uint8Array): Promise<string> {
  const text = await decode(bytes, undefined);
  // No text has this character: it is a file of another kind under a text's name.
  if (text.includes('\0')) throw new Unreadable('content type');
  return text;
}

/** UTF-16 units. It is read again with each passage. */
const LONGEST_TITLE = 300;

async function documentFrom(readable: Readable, otherwise: string): Promise<Written> {
  const document = await chunked(readable);
  if (document.passages.length === 0) throw new Unreadable('no text');
  const title = (document.title || otherwise).slice(0, LONGEST_TITLE).toWellFormed();
  return { document: { ...document, title }, cut: readable.cut };
}

export interface QuestionAndAnswer {
  question: string;
  answer: string;
}

/** One passage, whole: its heading is the question, which is searched with a heading's weight. */
function answerOf({ meta_json }: StoredSource): Material {
  const { question, answer } = JSON.parse(meta_json) as QuestionAndAnswer;
  const start = question.length + 2;
  return {
    size: 0,
    read: async () => ({
      async document() {
        if (!/[\p{L}\p{N}]/u.test(answer)) throw new Unreadable('no text');
        const passages = [{ headings: [question], start, end: start + answer.length }];
        return { document: { title: question, text: `${question}\n\n${answer}`, passages } };
      },
    }),
  };
}

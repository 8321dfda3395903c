import type { SourceDocument, StoredSource } from '../../store/store.ts';
import { WebFailure } from '../../web/errors.ts';
import type { Page } from '../../web/page.ts';
import type { Readable } from '../readers/blocks.ts';
import { decode } from '../readers/charset.ts';
import { canonicalOf, linksOf } from '../readers/links.ts';
import { chunked } from './chunk.ts';
import { readerOfFile, readerOfType } from '../readers/readers.ts';
import { Unreadable } from '../readers/errors.ts';
import { fetchChanged, type FetchDeps, type FetchOptions, type FetchResult, type PageState } from './fetch.ts';

/** A source's bytes, not parsed yet. */
interface RawContent {
  /** Bytes. */
  size: number;
  /** True where nothing has changed since it was ingested last. */
  unchanged: boolean;
  parse(): Promise<ParsedContent>;
}

export interface ParsedContent {
  /** Of a link alone. */
  page?: PageFacts;
  /** Chunks the text. Rejects where the page declares `noindex`, or has no text. */
  document(): Promise<ChunkedDocument>;
}

interface ChunkedDocument {
  document: SourceDocument;
  /** Says what was left out, where the source is longer than what is stored of one. */
  cut?: string | undefined;
}

export interface PageFacts {
  /** After redirects. */
  url: string;
  /** The address that the page declares as its own, where it may. */
  canonical: string | undefined;
  /** Absolute addresses, generated one by one since a page may have thousands; undefined where it was not read. */
  links: Iterable<string> | undefined;
  /** Stored with the source once it is ingested. */
  state: PageState;
}

/** The page, the file or the answer of a source. Rejects with a `WebFailure` where a page cannot be fetched. */
export async function contentOfSource(
  deps: FetchDeps,
  source: StoredSource,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<RawContent> {
  if (source.type === 'qa') return answerOf(source);
  if (source.type === 'upload') {
    const bytes = (await deps.store.file(source.uuid)) ?? new Uint8Array();
    return fileOf(source.file_name, bytes, signal, await userOf(deps, source.chatbot));
  }
  const fetched = await fetchChanged(deps, source, options, signal);
  const size = fetched.page?.body.length ?? source.file_size;
  const user = await userOf(deps, source.chatbot);
  return { size, unchanged: fetched.known !== undefined, parse: () => parsePage(fetched, signal, user) };
}

/** The owner of a chatbot; '' where it is gone. */
export const userOf = async ({ store }: Pick<FetchDeps, 'store'>, chatbot: string): Promise<string> =>
  (await store.chatbot(chatbot))?.owner ?? '';

async function parsePage({ page, state, known }: FetchResult, signal: AbortSignal, user: string) {
  const { url, canonical } = state;
  const document = async () => ({ document: known! });
  if (!page) return { page: { url, canonical, links: undefined, state }, document };
  const readable = await readPage(page, signal, user);
  const facts = pageFacts(page, readable, state);
  return { page: facts, document: known ? document : () => indexable(readable, url) };
}

export function readPage(page: Page, signal: AbortSignal, user: string): Promise<Readable> {
  const text = async () => (await decode(page.body, page.charset)).replaceAll('\0', ' ');
  return readerOfType(page.mediaType)({ bytes: page.body, text, signal, user });
}

function pageFacts({ url, nofollow }: Page, { headLinks }: Readable, state: PageState): PageFacts {
  const canonical = headLinks && canonicalOf(headLinks, url);
  const links = headLinks && !nofollow ? linksOf(headLinks, url) : [];
  return { url, canonical, links, state: { ...state, canonical } };
}

async function indexable(readable: Readable, url: string): Promise<ChunkedDocument> {
  if (readable.headLinks?.noindex) throw new WebFailure('robots', 'noindex');
  return documentFrom(readable, url);
}

const fileOf = (name: string, bytes: Uint8Array, signal: AbortSignal, user: string): RawContent => ({
  size: bytes.length,
  unchanged: false,
  parse: async () => ({
    async document() {
      const content = { bytes, text: () => textOf(bytes), signal, user };
      return documentFrom(await readerOfFile(name, bytes)(content), name);
    },
  }),
});

async function textOf(bytes: Uint8Array): Promise<string> {
  const text = await decode(bytes, undefined);
  // A NUL character never stands in text: the file is of another kind than its name says.
  if (text.includes('\0')) throw new Unreadable('content type');
  return text;
}

/** UTF-16 units. The title is indexed with each passage. */
const MAX_TITLE_LENGTH = 300;

async function documentFrom(readable: Readable, fallbackTitle: string): Promise<ChunkedDocument> {
  const document = await chunked(readable);
  if (document.passages.length === 0) throw new Unreadable('no text');
  const title = (document.title || fallbackTitle).slice(0, MAX_TITLE_LENGTH).toWellFormed();
  return { document: { ...document, title }, cut: readable.cut };
}

interface QuestionAndAnswer {
  question: string;
  answer: string;
}

/** One passage, whole: its heading is the question, which is searched with a heading's weight. */
function answerOf({ meta_json }: StoredSource): RawContent {
  const { question, answer } = JSON.parse(meta_json) as QuestionAndAnswer;
  const start = question.length + 2;
  return {
    size: 0,
    unchanged: false,
    parse: async () => ({
      async document() {
        if (!/[\p{L}\p{N}]/u.test(answer)) throw new Unreadable('no text');
        const passages = [{ headings: [question], start, end: start + answer.length }];
        return { document: { title: question, text: `${question}\n\n${answer}`, passages } };
      },
    }),
  };
}

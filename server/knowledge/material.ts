import type { Document, Store, StoredSource } from '../store/store.ts';
import type { Web } from '../web/web.ts';
import type { Readable } from './blocks.ts';
import { decode } from './charset.ts';
import { documentOf } from './passages.ts';
import { readerOfFile, readerOfType } from './readers.ts';
import { Unreadable } from './unreadable.ts';
import { textOfPage, visit } from './visit.ts';

/** What a source is made of: read once it is there. */
export interface Material {
  /** Bytes. */
  size: number;
  /** Of a page: what is kept with the source once it is learned. */
  fetched?: string;
  /** It is as it was when it was last learned. */
  unchanged?: boolean;
  read(): Promise<Document>;
}

interface Ways {
  store: Store;
  web: Web;
}

/** The page, the file or the words of a source. Rejects with a `WebFailure` where a page cannot be had. */
export async function materialOf({ store, web }: Ways, source: StoredSource, signal: AbortSignal): Promise<Material> {
  if (source.type === 'qa') return answerOf(source);
  if (source.type === 'upload') {
    const bytes = (await store.file(source.uuid)) ?? new Uint8Array();
    return fileOf(source.file_name, bytes, signal);
  }
  const { page, fetched, known } = await visit({ store, web }, source, signal);
  if (!page) return { size: source.file_size, fetched, unchanged: true, read: async () => known };
  return {
    size: page.body.length,
    fetched,
    async read() {
      const text = () => textOfPage(page);
      return documentFrom(await readerOfType(page.mediaType)({ bytes: page.body, text, signal }), page.url);
    },
  };
}

const fileOf = (name: string, bytes: Uint8Array, signal: AbortSignal): Material => ({
  size: bytes.length,
  async read() {
    const content = { bytes, text: () => textOf(bytes), signal };
    return documentFrom(await readerOfFile(name, bytes)(content), name);
  },
});

async function textOf(bytes: Uint8Array): Promise<string> {
  const text = await decode(bytes, undefined);
  // No text has this character: it is a file of another kind under a text's name.
  if (text.includes('\0')) throw new Unreadable('content type');
  return text;
}

/** UTF-16 units. It is read again with each passage. */
const LONGEST_TITLE = 300;

async function documentFrom(readable: Readable, otherwise: string): Promise<Document> {
  const document = await documentOf(readable);
  if (document.passages.length === 0) throw new Unreadable('no text');
  return { ...document, title: (document.title || otherwise).slice(0, LONGEST_TITLE).toWellFormed() };
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
    async read() {
      if (!/[\p{L}\p{N}]/u.test(answer)) throw new Unreadable('no text');
      const passages = [{ headings: [question], start, end: start + answer.length }];
      return { title: question, text: `${question}\n\n${answer}`, passages };
    },
  };
}

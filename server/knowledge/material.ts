import type { Document, Store, StoredSource } from '../store/store.ts';
import type { Web } from '../web/web.ts';
import type { Readable } from './blocks.ts';
import { decode } from './charset.ts';
import { documentOf } from './passages.ts';
import { readerOfFile, readerOfType, READABLE_TYPES } from './readers.ts';

/** What a source is made of: read once it is there. */
export interface Material {
  /** Bytes. */
  size: number;
  read(): Promise<Document>;
}

/** Why nothing can be learned from what is there, in the words that follow `error:` in a source's status. */
export class Unreadable extends Error {
  readonly reason: 'no text' | 'content type';

  constructor(reason: 'no text' | 'content type') {
    super(reason);
    this.reason = reason;
  }
}

interface Ways {
  store: Store;
  web: Web;
}

/** The page, the file or the words of a source. Rejects with a `WebFailure` where a page cannot be had. */
export async function materialOf({ store, web }: Ways, source: StoredSource, signal: AbortSignal): Promise<Material> {
  if (source.type === 'qa') return answerOf(source);
  if (source.type === 'upload') return fileOf(source.file_name, (await store.file(source.uuid)) ?? new Uint8Array());
  const page = await web.get(source.file_name, { accept: READABLE_TYPES, signal });
  return {
    size: page.body.length,
    async read() {
      const text = (await decode(page.body, page.charset)).replaceAll('\0', ' ');
      return documentFrom(await readerOfType(page.mediaType)(text), page.url);
    },
  };
}

const fileOf = (name: string, bytes: Uint8Array): Material => ({
  size: bytes.length,
  async read() {
    const text = await decode(bytes, undefined);
    // No text has this character: it is a file of another kind under a text's name.
    if (text.includes('\0')) throw new Unreadable('content type');
    return documentFrom(await readerOfFile(name, text)(text), name);
  },
});

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

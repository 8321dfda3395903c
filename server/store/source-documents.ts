import type { Disk } from './disk.ts';
import { DocumentFile } from './document.ts';
import type { Document } from './store.ts';

export const documentFile = (disk: Disk, path: string): DocumentFile<Document> =>
  new DocumentFile(disk, path, piecesOf);

/** Undefined for what is no JSON. */
export function ifDamaged(error: unknown): undefined {
  if (!(error instanceof SyntaxError)) throw error;
}

/** A text of 10 MB takes 60 ms by way of JSON, and nobody can change it. */
export const copyOfDocument = ({ title, text, passages }: Document): Document => ({
  title,
  text,
  passages: passages.map(({ headings, start, end }) => ({ headings: [...headings], start, end })),
});

/** Characters of a text written at once. */
const PIECE = 512 * 1024;

/** Half a surrogate pair at the end of a piece is written as its escape, which the other half's completes. */
function* piecesOf({ text, ...rest }: Document): Generator<Uint8Array> {
  yield Buffer.from(`${JSON.stringify(rest).slice(0, -1)},"text":"`);
  for (let at = 0; at < text.length; at += PIECE) {
    yield Buffer.from(JSON.stringify(text.slice(at, at + PIECE)).slice(1, -1));
  }
  yield Buffer.from('"}');
}

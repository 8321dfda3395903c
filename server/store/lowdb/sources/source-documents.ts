import { hasCode, type Disk } from '../files/disk.ts';
import { JsonFile } from '../files/json-file.ts';
import type { Adapter } from '../files/lowdb-file.ts';
import type { SourceDocument, StoredSource, StoredVectors } from '../../store.ts';

export const documentFile = (disk: Disk, path: string): JsonFile<SourceDocument> =>
  new JsonFile(disk, path, documentPieces);

/** What the file holds if it `is` whole: undefined where it is damaged, null without one. */
export async function readIntact<T>(file: Adapter<T>, is: (value: T) => boolean): Promise<T | null | undefined> {
  const value = await file.read().catch(undefinedIfDamaged);
  return value === null || (value !== undefined && is(value)) ? value : undefined;
}

/** Undefined for a file that is not JSON, or is a folder. */
function undefinedIfDamaged(error: unknown): undefined {
  if (!(error instanceof SyntaxError) && !hasCode(error, 'EISDIR')) throw error;
}

export type SourceFileKind = 'document.json' | 'vectors.json';

/** Whether the record says that the file is there. */
export const isExpected = (source: StoredSource | undefined, kind: SourceFileKind): boolean =>
  kind === 'vectors.json' ? Boolean(source?.embedded_by) : source?.status === 'success' && source.tokens > 0;

export const isVectors = ({ dimensions, rows }: StoredVectors): boolean =>
  dimensions > 0 && rows.length % dimensions === 0;

/** Shares the string: by way of JSON a text of 10 MB takes 60 ms. */
export const cloneDocument = ({ title, text, passages }: SourceDocument): SourceDocument => ({
  title,
  text,
  passages: passages.map((passage) => ({ ...passage, headings: [...passage.headings] })),
});

/** Characters of a text per write. */
const PIECE_CHARACTERS = 512 * 1024;

/** Half a surrogate pair at the end of a piece is written as its escape, which the other half's completes. */
function* documentPieces({ text, ...rest }: SourceDocument): Generator<Uint8Array> {
  yield Buffer.from(`${JSON.stringify(rest).slice(0, -1)},"text":"`);
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
    yield Buffer.from(JSON.stringify(text.slice(at, at + PIECE_CHARACTERS)).slice(1, -1));
  }
  yield Buffer.from('"}');
}

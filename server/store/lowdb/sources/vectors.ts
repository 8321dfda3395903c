import type { Disk } from '../files/disk.ts';
import { DocumentFile } from '../files/document.ts';
import { number, record, text } from '../record-checks.ts';
import type { Adapter } from '../files/lowdb-file.ts';
import type { StoredVectors } from '../../store.ts';

/** As JSON, the rows in base64. */
interface Written {
  model: string;
  dimensions: number;
  rows: string;
}

const isWritten = record<Written>({ model: text, dimensions: number, rows: text });

/** A lowdb adapter for the vectors of one source. Its read throws a SyntaxError where the file holds none. */
export function vectorsFile(disk: Disk, path: string): Adapter<StoredVectors> {
  const reader = new DocumentFile<Written>(disk, path);
  const writer = new DocumentFile<StoredVectors>(disk, path, piecesOf);
  return {
    async read() {
      const written = await reader.read();
      if (written === null) return null;
      if (!isWritten(written)) throw new SyntaxError('no vectors');
      const bytes = Buffer.from(written.rows, 'base64');
      return { ...written, rows: new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length) };
    },
    write: (vectors) => writer.write(vectors),
  };
}

/** Bytes written at once; three of them are four characters. */
const PIECE = 3 * 128 * 1024;

function* piecesOf({ model, dimensions, rows }: StoredVectors): Generator<Uint8Array> {
  const bytes = Buffer.from(rows.buffer, rows.byteOffset, rows.length);
  yield Buffer.from(`${JSON.stringify({ model, dimensions }).slice(0, -1)},"rows":"`);
  for (let at = 0; at < bytes.length; at += PIECE) yield Buffer.from(bytes.toString('base64', at, at + PIECE));
  yield Buffer.from('"}');
}

import type { Disk } from '../files/disk.ts';
import { JsonFile } from '../files/json-file.ts';
import { number, record, text } from '../../record-checks.ts';
import type { Adapter } from '../files/lowdb-file.ts';
import type { StoredVectors } from '../../store.ts';

/** As JSON, the rows in base64. */
interface VectorsJson {
  model: string;
  dimensions: number;
  rows: string;
}

const isVectorsJson = record<VectorsJson>({ model: text, dimensions: number, rows: text });

/** A lowdb adapter for the vectors of one source. Its read throws a SyntaxError where the file holds none. */
export function vectorsFile(disk: Disk, path: string): Adapter<StoredVectors> {
  const reader = new JsonFile<VectorsJson>(disk, path);
  const writer = new JsonFile<StoredVectors>(disk, path, vectorPieces);
  return {
    async read() {
      const json = await reader.read();
      if (json === null) return null;
      if (!isVectorsJson(json)) throw new SyntaxError('no vectors');
      const bytes = Buffer.from(json.rows, 'base64');
      return { ...json, rows: new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length) };
    },
    write: (vectors) => writer.write(vectors),
  };
}

/** Bytes written at once; three of them are four characters. */
const VECTOR_PIECE_BYTES = 3 * 128 * 1024;

function* vectorPieces({ model, dimensions, rows }: StoredVectors): Generator<Uint8Array> {
  const bytes = Buffer.from(rows.buffer, rows.byteOffset, rows.length);
  yield Buffer.from(`${JSON.stringify({ model, dimensions }).slice(0, -1)},"rows":"`);
  for (let at = 0; at < bytes.length; at += VECTOR_PIECE_BYTES)
    yield Buffer.from(bytes.toString('base64', at, at + VECTOR_PIECE_BYTES));
  yield Buffer.from('"}');
}

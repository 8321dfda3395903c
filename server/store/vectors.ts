import type { Disk } from './disk.ts';
import { DocumentFile } from './document.ts';
import type { Adapter } from './lowdb-file.ts';
import type { StoredVectors } from './store.ts';

/** As JSON, the rows in base64. */
interface Written {
  model: string;
  dimensions: number;
  rows: string;
}

/** A lowdb adapter for the vectors of one source. */
export function vectorsFile(disk: Disk, path: string): Adapter<StoredVectors> {
  const file = new DocumentFile<Written>(disk, path);
  return {
    async read() {
      const written = await file.read();
      if (!written) return null;
      const bytes = Buffer.from(written.rows, 'base64');
      return { ...written, rows: new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length) };
    },
    write: ({ model, dimensions, rows }) => {
      const bytes = Buffer.from(rows.buffer, rows.byteOffset, rows.length);
      return file.write({ model, dimensions, rows: bytes.toString('base64') });
    },
  };
}

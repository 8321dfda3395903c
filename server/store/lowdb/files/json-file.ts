import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hasCode, replaceFile, type Disk } from './disk.ts';
import type { Adapter } from './lowdb-file.ts';

/** A lowdb adapter: one JSON value a file, replaced whole and durably. Its writes must not overlap (see BatchWriter). */
export class JsonFile<T> implements Adapter<T> {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #bytes: (data: T) => Iterable<Uint8Array>;

  /** `bytes`: the JSON of a large value in pieces, between which others have their turn. */
  constructor(disk: Disk, path: string, bytes: (data: T) => Iterable<Uint8Array> = jsonBytes) {
    this.#disk = disk;
    this.#path = path;
    this.#bytes = bytes;
  }

  /** Throws a SyntaxError where the file holds no JSON text. */
  async read(): Promise<T | null> {
    const bytes = await readBytes(this.#path);
    if (bytes && !isUtf8(bytes)) throw new SyntaxError('no UTF-8');
    if (!bytes) return null;
    const value = JSON.parse(bytes.toString()) as T | null;
    if (value === null) throw new SyntaxError('no value');
    return value;
  }

  write(data: T): Promise<void> {
    return replaceFile(this.#disk, this.#path, this.#bytes(data));
  }
}

const jsonBytes = (data: unknown): Uint8Array[] => [Buffer.from(JSON.stringify(data))];

/** Undefined where there is no such file. */
export const readBytes = (path: string): Promise<Buffer | undefined> =>
  readFile(path).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });

/** Synchronous: for the start. Undefined where the file is a folder, or not JSON that `is` accepts. */
export function readJsonFile<T>(path: string, is: (value: unknown) => value is T): T | undefined {
  const value = readValue(path);
  return is(value) ? value : undefined;
}

function readValue(path: string): unknown {
  try {
    const bytes = readFileSync(path);
    return isUtf8(bytes) ? JSON.parse(bytes.toString()) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || hasCode(error, 'EISDIR')) return undefined;
    throw error;
  }
}

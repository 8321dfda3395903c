import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hasCode, replaceFile, type Disk } from './disk.ts';
import type { Adapter } from './lowdb-file.ts';

/** A lowdb adapter: one JSON value a file, replaced whole and durably. Its writes must not overlap (see Batch). */
export class DocumentFile<T> implements Adapter<T> {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #bytes: (data: T) => Iterable<Uint8Array>;

  /** `bytes`: the JSON of a large value in pieces, between which others have their turn. */
  constructor(disk: Disk, path: string, bytes: (data: T) => Iterable<Uint8Array> = whole) {
    this.#disk = disk;
    this.#path = path;
    this.#bytes = bytes;
  }

  async read(): Promise<T | null> {
    const bytes = await readBytes(this.#path);
    return bytes ? (JSON.parse(bytes.toString()) as T) : null;
  }

  write(data: T): Promise<void> {
    return replaceFile(this.#disk, this.#path, this.#bytes(data));
  }
}

const whole = (data: unknown): Uint8Array[] => [Buffer.from(JSON.stringify(data))];

/** Undefined where there is no such file. */
export const readBytes = (path: string): Promise<Buffer | undefined> =>
  readFile(path).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });

/** For the start, when nobody waits for anything else. Undefined where there is no such file; names the file where it holds no JSON. */
export function readDocument<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw new Error(`cannot read ${path}: ${(error as Error).message}`, { cause: error });
  }
}

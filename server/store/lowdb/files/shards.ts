import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasCode, ignore, syncFolder, type Disk } from './disk.ts';

/** A folder of many files, spread over 256 by the first two digits of their identifiers. */
export class Shards {
  readonly #disk: Disk;
  readonly #root: string;
  readonly #made = new Map<string, Promise<void>>();
  /** Folders from before the start, whose names may not be synced. */
  readonly #found = new Set<string>();

  constructor(disk: Disk, root: string) {
    this.#disk = disk;
    this.#root = root;
    if (!existsSync(root)) return;
    for (const name of readdirSync(root)) if (/^[0-9a-f]{2}$/.test(name)) this.#found.add(name);
  }

  folder(uuid: string): string {
    return join(this.#root, uuid.slice(0, 2));
  }

  path(uuid: string, name: string): string {
    return join(this.folder(uuid), name);
  }

  /** Makes the folder that files of this identifier belong to, where it is missing; durable in any case. */
  ensure(uuid: string): Promise<void> {
    const digits = uuid.slice(0, 2);
    let made = this.#made.get(digits);
    if (!made) {
      made = this.#make(digits);
      this.#made.set(digits, made);
      made.catch(() => this.#made.delete(digits));
    }
    return made;
  }

  /** Two digits each. */
  existing(): string[] {
    return [...new Set([...this.#found, ...this.#made.keys()])].sort();
  }

  /** All names with the folder each is in. Temporary files are what a crash has left of a write: they go. */
  *files(): Generator<{ name: string; path: string }> {
    for (const digits of this.existing()) {
      const folder = this.folder(digits);
      for (const name of readdirSync(folder)) {
        const path = join(folder, name);
        if (name.endsWith('.tmp')) this.#disk.unlink(path).catch(ignore);
        else yield { name, path };
      }
    }
  }

  async #make(digits: string): Promise<void> {
    await makeFolder(this.#disk, this.#root);
    await makeFolder(this.#disk, this.folder(digits));
  }
}

/** Durable when it resolves; a folder that is there already is left as it is. */
export async function makeFolder(disk: Disk, path: string): Promise<void> {
  try {
    await disk.mkdir(path);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) {
      disk.onWriteEnd?.(error);
      throw error;
    }
  }
  await syncFolder(disk, dirname(path));
}

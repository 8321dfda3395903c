import { dirname } from 'node:path';
import { KeyedMutex } from '../../async/keyed-mutex.ts';
import type { IndexFiles } from '../index-files.ts';
import { hasCode, ignore, removeFile, replaceFile, syncFolder, type Disk } from './files/disk.ts';
import { readBytes } from './files/json-file.ts';
import { Shards } from './files/shards.ts';

const INDEX_FILE_NAME = /^([0-9a-f]{32})\.index$/;

interface IndexFolderOptions {
  disk: Disk;
  root: string;
  chatbotExists(chatbot: string): boolean;
  /** As in `IndexFiles`. */
  version(source: string): string;
}

/** Resolves when the index file of the chatbot is gone, durably. */
export type Forget = () => Promise<void>;

/** Changes of a chatbot's texts. */
interface Changes {
  ended: number;
  underWay: number;
}

/** See `IndexFiles`: `….index`, in a folder that may be deleted at any time. */
export class IndexFolder implements IndexFiles {
  readonly version: (source: string) => string;
  readonly #disk: Disk;
  readonly #shards: Shards;
  readonly #chatbotExists: (chatbot: string) => boolean;
  /** Chatbots that may have a file. */
  readonly #present = new Set<string>();
  readonly #changes = new Map<string, Changes>();
  /** By chatbot: its file is written or removed. */
  readonly #mutex = new KeyedMutex();

  constructor({ disk, root, chatbotExists, version }: IndexFolderOptions) {
    this.version = version;
    // A cache that has no room is no reason to report that nothing can be stored.
    const { onWriteEnd: _, ...quiet } = disk;
    this.#disk = quiet;
    this.#shards = new Shards(quiet, root);
    this.#chatbotExists = chatbotExists;
    for (const { name, path } of this.#shards.files()) {
      const [, uuid] = INDEX_FILE_NAME.exec(name) ?? [];
      if (uuid && chatbotExists(uuid)) this.#present.add(uuid);
      else if (uuid) disk.unlink(path).catch(ignore);
    }
  }

  async read(chatbot: string): Promise<Uint8Array | undefined> {
    return this.#present.has(chatbot) ? readBytes(this.#path(chatbot)).catch(() => undefined) : undefined;
  }

  writer(chatbot: string): (pieces: Iterable<Uint8Array>, isCurrent: () => boolean) => Promise<void> {
    const { ended } = this.#changesOf(chatbot);
    const areTexts = (): boolean => {
      const changes = this.#changesOf(chatbot);
      return changes.ended === ended && changes.underWay === 0 && this.#chatbotExists(chatbot);
    };
    return (pieces, isCurrent) =>
      this.#mutex.run(chatbot, () => this.#write(chatbot, pieces, () => areTexts() && isCurrent()));
  }

  /** For an `act` that changes or deletes a text, after it has called `forget`, which removes the file; meanwhile none is written. */
  async changing<T>(chatbot: string | undefined, act: (forget: Forget) => Promise<T>): Promise<T> {
    if (chatbot === undefined) return act(() => Promise.resolve());
    const changes = this.#changesOf(chatbot);
    changes.underWay++;
    try {
      return await act(() => this.#mutex.run(chatbot, () => this.#remove(chatbot)));
    } finally {
      changes.underWay--;
      changes.ended++;
    }
  }

  async #write(chatbot: string, pieces: Iterable<Uint8Array>, isCurrent: () => boolean): Promise<void> {
    if (!isCurrent()) return;
    await this.#shards.ensure(chatbot);
    this.#present.add(chatbot);
    await replaceFile(this.#disk, this.#path(chatbot), whileCurrent(pieces, isCurrent)).catch((error: unknown) => {
      if (!(error instanceof Outdated)) throw error;
    });
  }

  async #remove(chatbot: string): Promise<void> {
    if (!this.#present.has(chatbot)) return;
    const path = this.#path(chatbot);
    await removeFile(this.#disk, path).catch((error: unknown) => {
      // A folder in its place is not ours to remove.
      if (!hasCode(error, 'EISDIR')) throw error;
    });
    await syncFolder(this.#disk, dirname(path));
    this.#present.delete(chatbot);
  }

  #changesOf(chatbot: string): Changes {
    const known = this.#changes.get(chatbot);
    if (known) return known;
    const changes = { ended: 0, underWay: 0 };
    this.#changes.set(chatbot, changes);
    return changes;
  }

  #path(chatbot: string): string {
    return this.#shards.path(chatbot, `${chatbot}.index`);
  }
}

/** Ends a write. */
class Outdated extends Error {}

function* whileCurrent(pieces: Iterable<Uint8Array>, isCurrent: () => boolean): Generator<Uint8Array> {
  for (const piece of pieces) {
    if (!isCurrent()) throw new Outdated();
    yield piece;
  }
  if (!isCurrent()) throw new Outdated();
}

import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode, removeFile, replaceFile, syncFolder, type Disk } from '../files/disk.ts';
import { Shards } from '../files/shards.ts';

export interface IndexFilesOptions {
  disk: Disk;
  root: string;
  chatbotExists(chatbot: string): boolean;
}

/** The files of the index: where they are, how they are written and removed. */
export class IndexFiles {
  readonly #options: IndexFilesOptions;
  readonly #disk: Disk;
  readonly #shards: Shards;

  constructor(options: IndexFilesOptions) {
    this.#options = options;
    // What is derived, and has no room, is no reason to report that nothing can be stored.
    const { onWriteEnd: _, ...quiet } = options.disk;
    this.#disk = quiet;
    this.#shards = new Shards(quiet, options.root);
  }

  segment(chatbot: string, segment: number): string {
    return this.#shards.path(chatbot, `${chatbot}.${segment.toString(36)}.jsonl`);
  }

  chapter(chatbot: string, chapter: number): string {
    return this.#shards.path(chatbot, `${chatbot}.${chapter.toString(36)}.terms`);
  }

  /** False where there is no room for it. */
  async write(path: string, chatbot: string, pieces: Buffer[]): Promise<boolean> {
    if (!this.#options.chatbotExists(chatbot)) return false;
    try {
      await this.#shards.ensure(chatbot);
      await replaceFile(this.#disk, path, pieces);
      return true;
    } catch {
      return false;
    }
  }

  /** With what a crash has left of its writing. */
  async remove(path: string): Promise<void> {
    const removed = await Promise.all([path, `${path}.tmp`].map((one) => this.#unlink(one)));
    if (removed.includes(true)) await syncFolder(this.#disk, dirname(path));
  }

  async removeAll(chatbot: string): Promise<void> {
    const folder = this.#shards.folder(chatbot);
    const names = await readdir(folder).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    });
    const own = names.filter((name) => name.startsWith(`${chatbot}.`));
    for (const name of own) await removeFile(this.#disk, join(folder, name));
    if (own.length > 0) await syncFolder(this.#disk, folder);
  }

  #unlink(path: string): Promise<boolean> {
    return this.#disk.unlink(path).then(
      () => true,
      (error: unknown) => {
        if (hasCode(error, 'ENOENT', 'EISDIR')) return false;
        throw error;
      },
    );
  }
}

import { createHash } from 'node:crypto';
import { forEachSliced } from '../../../async/time-slice.ts';
import type { Store, StoredSource } from '../../../store/store.ts';
import { stemsFor } from '../../text/stems.ts';
import { PassageIndex } from '../index.ts';
import { codeVersion } from './code-version.ts';
import { piecesOf, readInSteps } from './index-file.ts';

type IndexFiles = NonNullable<Store['indexFiles']>;

/** The index of a chatbot as it was saved, and is to be. To be made before the sources are read from the store. */
export class SavedIndex {
  readonly #files: IndexFiles;
  readonly #chatbot: string;
  readonly #write: ReturnType<IndexFiles['writer']>;
  #name = '';

  constructor(files: IndexFiles, chatbot: string) {
    this.#files = files;
    this.#chatbot = chatbot;
    this.#write = files.writer(chatbot);
  }

  /** Undefined where no index of these sources, as they are, was saved. `pause` is called between steps of a few milliseconds. */
  async read(sources: StoredSource[], pause: () => Promise<void>): Promise<PassageIndex<StoredSource> | undefined> {
    this.#name = await nameOf(sources, this.#files);
    const bytes = await this.#files.read(this.#chatbot);
    if (!bytes) return undefined;
    const index = new PassageIndex<StoredSource>();
    const known = new Map(sources.map((source) => [source.uuid, { source, address: source.file_name }]));
    const steps = readInSteps(index, bytes, this.#name, (uuid) => known.get(uuid));
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done && !step.value) return undefined;
      if (step.done) break;
      await pause();
    }
    await stemsFor(index.words.letters, index.words.languages);
    return index;
  }

  /** After `read`: saves the index of these sources, unless one of them has changed; see `IndexFiles`. */
  write(index: PassageIndex<StoredSource>, isCurrent: () => boolean): Promise<void> {
    return this.#write(piecesOf(index, this.#name), isCurrent);
  }
}

/** A digest of what is indexed, and by which code. */
async function nameOf(sources: StoredSource[], files: IndexFiles): Promise<string> {
  const hash = createHash('sha256').update(codeVersion());
  await forEachSliced(sources, ({ uuid, title, file_name, type }) => {
    hash.update(JSON.stringify([uuid, title, file_name, type, files.version(uuid)]));
  });
  return hash.digest('hex');
}

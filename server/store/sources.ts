import { abreast, Turns } from './batch.ts';
import { ignore, removeFile, replaceFile, syncFolder, type Disk } from './disk.ts';
import { DocumentFile, readBytes, readDocument } from './document.ts';
import { lowdbFile } from './lowdb-file.ts';
import { copy, StoredRecord } from './record.ts';
import { Shards } from './shards.ts';
import type { Change, Document, StoredSource, StoredVectors } from './store.ts';
import { vectorsFile } from './vectors.ts';

interface SourceFile {
  order: number;
  source: StoredSource;
}

const FORM = /^([0-9a-f]{32})\.(source\.json|document\.json|vectors\.json|file)$/;
const LEARNING = ['await', 'chunking', 'embedding'];

/**
 * Sources: records in memory, `….source.json` on disk; on disk alone, beside it, their texts in `….document.json`,
 * the vectors of those in `….vectors.json`, and the bytes of an upload in `….file`.
 */
export class Sources {
  readonly #disk: Disk;
  readonly #shards: Shards;
  readonly #records = new Map<string, StoredRecord<SourceFile>>();
  /** What is written to one source's document, one after another. */
  readonly #turns = new Turns();

  readonly #alive: (chatbot: string) => boolean;

  /** `alive`: whether a chatbot is there; its sources are as little there as it is. */
  constructor(disk: Disk, root: string, alive: (chatbot: string) => boolean) {
    this.#disk = disk;
    this.#alive = alive;
    this.#shards = new Shards(disk, root);
    const others: [uuid: string, path: string][] = [];
    for (const { name, path } of this.#shards.names()) {
      const [, uuid, kind] = FORM.exec(name) ?? [];
      if (uuid && kind !== 'source.json') others.push([uuid, path]);
      else if (uuid) this.#records.set(uuid, new StoredRecord(disk, path, readDocument<SourceFile>(path)!));
    }
    // The record is made last and deleted first: a text or upload without one is what a crash left.
    for (const [uuid, path] of others) if (!this.#records.has(uuid)) disk.unlink(path).catch(ignore);
  }

  async create(order: number, source: StoredSource, file?: Uint8Array): Promise<void> {
    const { uuid } = source;
    await this.#shards.ensure(uuid);
    if (file) await replaceFile(this.#disk, this.#path(uuid, 'file'), [file]);
    try {
      const record = await StoredRecord.create(this.#disk, this.#path(uuid, 'source.json'), { order, source });
      this.#records.set(uuid, record);
    } catch (error) {
      if (file) await this.#disk.unlink(this.#path(uuid, 'file')).catch(ignore);
      throw error;
    }
  }

  has(uuid: string, chatbot: string): boolean {
    return this.#record(uuid)?.stored.source.chatbot === chatbot;
  }

  source(uuid: string): StoredSource | undefined {
    const record = this.#record(uuid);
    return record && flatCopy(record.stored.source);
  }

  async file(uuid: string): Promise<Uint8Array | undefined> {
    return this.#record(uuid) && (await readBytes(this.#path(uuid, 'file')));
  }

  list(chatbot: string): StoredSource[] {
    return this.#where((source) => source.chatbot === chatbot);
  }

  withIdentity(chatbot: string, identity: string): StoredSource | undefined {
    return this.#where((one) => one.chatbot === chatbot && (one.identity === identity || one.alias === identity))[0];
  }

  unfinished(): StoredSource[] {
    return this.#where((source) => LEARNING.includes(source.status));
  }

  unembedded(model: string): StoredSource[] {
    return this.#where(({ status, embedded_by }) => status === 'success' && embedded_by !== model);
  }

  async update(uuid: string, change: Change<StoredSource>): Promise<StoredSource | undefined> {
    const record = this.#record(uuid);
    const file = await record?.update((before) => ({ ...before, source: copy(change(copy(before.source))) }));
    return file && copy(file.source);
  }

  /** From the call on the source is not there. */
  async remove(uuid: string): Promise<boolean> {
    const record = this.#record(uuid);
    return record ? this.#remove(uuid, record) : false;
  }

  /** Of a chatbot that is not there any more: nobody sees them, so that their order does not matter. */
  async removeAll(chatbot: string): Promise<void> {
    const folders = new Set<string>();
    const own = [...this.#records].filter(([, { stored }]) => stored.source.chatbot === chatbot);
    await abreast(own, async ([uuid, record]) => {
      await this.#remove(uuid, record, () => Promise.resolve());
      folders.add(this.#shards.folder(uuid));
    });
    await abreast(folders, (folder) => syncFolder(this.#disk, folder));
  }

  /** `sync` makes it durable that the record is gone, before the rest goes. */
  async #remove(
    uuid: string,
    record: StoredRecord<SourceFile>,
    sync = () => syncFolder(this.#disk, this.#shards.folder(uuid)),
  ): Promise<boolean> {
    this.#records.delete(uuid);
    try {
      await this.#turns.take(uuid, () => this.#erase(uuid, record, sync));
    } catch (error) {
      this.#records.set(uuid, record);
      throw error;
    }
    return true;
  }

  putDocument(uuid: string, document: Document): Promise<boolean> {
    const low = lowdbFile(this.#documentFile(uuid), copyOfDocument(document));
    return this.#turns.take(uuid, async () => {
      const record = this.#record(uuid);
      if (!record) return false;
      // First the word that they are there, so that no crash leaves it without them.
      if (record.stored.source.embedded_by) {
        await this.update(uuid, (source) => ({ ...source, embedded_by: '' }));
        await removeFile(this.#disk, this.#path(uuid, 'vectors.json'));
      }
      await low.write();
      return this.#record(uuid) !== undefined;
    });
  }

  putVectors(uuid: string, vectors: StoredVectors): Promise<boolean> {
    const low = lowdbFile(vectorsFile(this.#disk, this.#path(uuid, 'vectors.json')), vectors);
    return this.#turns.take(uuid, async () => {
      if (!this.#record(uuid)) return false;
      await low.write();
      return (await this.update(uuid, (source) => ({ ...source, embedded_by: vectors.model }))) !== undefined;
    });
  }

  /** Nothing is read where there are none. */
  async vectors(uuid: string): Promise<StoredVectors | undefined> {
    if (!this.#record(uuid)?.stored.source.embedded_by) return undefined;
    return (await vectorsFile(this.#disk, this.#path(uuid, 'vectors.json')).read()) ?? undefined;
  }

  async document(uuid: string): Promise<Document | undefined> {
    return this.#record(uuid) ? ((await this.#documentFile(uuid).read()) ?? undefined) : undefined;
  }

  async #erase(uuid: string, record: StoredRecord<SourceFile>, sync: () => Promise<void>): Promise<void> {
    await record.remove(async () => {
      await removeFile(this.#disk, this.#path(uuid, 'source.json'));
      await sync();
    });
    // Where a power cut brings one of these back, the next start removes it.
    for (const kind of ['document.json', 'vectors.json', 'file'] as const) {
      await removeFile(this.#disk, this.#path(uuid, kind));
    }
  }

  #record(uuid: string): StoredRecord<SourceFile> | undefined {
    const record = this.#records.get(uuid);
    return record && this.#alive(record.stored.source.chatbot) ? record : undefined;
  }

  #documentFile(uuid: string): DocumentFile<Document> {
    return new DocumentFile(this.#disk, this.#path(uuid, 'document.json'), piecesOf);
  }

  #where(wanted: (source: StoredSource) => boolean): StoredSource[] {
    const found: SourceFile[] = [];
    for (const { stored } of this.#records.values()) {
      if (wanted(stored.source) && this.#alive(stored.source.chatbot)) found.push(stored);
    }
    return found.sort((a, b) => a.order - b.order).map(({ source }) => flatCopy(source));
  }

  #path(uuid: string, kind: 'source.json' | 'document.json' | 'vectors.json' | 'file'): string {
    return this.#shards.path(uuid, `${uuid}.${kind}`);
  }
}

/** A list of ten thousand takes 2 ms this way, and 40 by way of JSON. */
const flatCopy = <T extends { [K in keyof T]: string | number }>(record: T): T => ({ ...record });

/** A text of 10 MB takes 60 ms by way of JSON, and nobody can change it. */
const copyOfDocument = ({ title, text, passages }: Document): Document => ({
  title,
  text,
  passages: passages.map(({ headings, start, end }) => ({ headings: [...headings], start, end })),
});

/** Characters of a text written at once. */
const PIECE = 512 * 1024;

/** Half a surrogate pair at the end of a piece is written as its escape, which the other half's completes. */
function* piecesOf({ text, ...rest }: Document): Generator<Uint8Array> {
  yield Buffer.from(`${JSON.stringify(rest).slice(0, -1)},"text":"`);
  for (let at = 0; at < text.length; at += PIECE) {
    yield Buffer.from(JSON.stringify(text.slice(at, at + PIECE)).slice(1, -1));
  }
  yield Buffer.from('"}');
}

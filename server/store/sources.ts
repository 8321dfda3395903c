import { Turns } from './batch.ts';
import { ignore, type Disk } from './disk.ts';
import { DocumentFile, readDocument } from './document.ts';
import { lowdbFile } from './lowdb-file.ts';
import { copy, StoredRecord } from './record.ts';
import { Shards } from './shards.ts';
import type { Change, Document, StoredSource } from './store.ts';

interface SourceFile {
  order: number;
  source: StoredSource;
}

const FORM = /^([0-9a-f]{32})\.(source|document)\.json$/;
const LEARNING = ['await', 'chunking', 'embedding'];

/** Sources: records in memory, `….source.json` on disk; their texts on disk alone, in `….document.json` beside. */
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
    const documents: [uuid: string, path: string][] = [];
    for (const { name, path } of this.#shards.names()) {
      const [, uuid, kind] = FORM.exec(name) ?? [];
      if (uuid && kind === 'document') documents.push([uuid, path]);
      else if (uuid) this.#records.set(uuid, new StoredRecord(disk, path, readDocument<SourceFile>(path)!));
    }
    // A deletion takes the record first: a text without one is what a crash left of it.
    for (const [uuid, path] of documents) if (!this.#records.has(uuid)) disk.unlink(path).catch(ignore);
  }

  async create(order: number, source: StoredSource): Promise<void> {
    const { uuid } = source;
    await this.#shards.ensure(uuid);
    this.#records.set(uuid, await StoredRecord.create(this.#disk, this.#path(uuid, 'source'), { order, source }));
  }

  source(uuid: string): StoredSource | undefined {
    const record = this.#record(uuid);
    return record && copy(record.stored.source);
  }

  list(chatbot: string): StoredSource[] {
    return this.#where((source) => source.chatbot === chatbot);
  }

  withIdentity(chatbot: string, identity: string): StoredSource | undefined {
    return this.#where((source) => source.chatbot === chatbot && source.identity === identity)[0];
  }

  unfinished(): StoredSource[] {
    return this.#where((source) => LEARNING.includes(source.status));
  }

  async update(uuid: string, change: Change<StoredSource>): Promise<StoredSource | undefined> {
    const record = this.#record(uuid);
    const file = await record?.update((before) => ({ ...before, source: change(before.source) }));
    return file?.source;
  }

  /** From the call on the source is not there. */
  async remove(uuid: string): Promise<boolean> {
    const record = this.#record(uuid);
    return record ? this.#remove(uuid, record) : false;
  }

  /** Of a chatbot that is not there any more. */
  async removeAll(chatbot: string): Promise<void> {
    for (const [uuid, record] of this.#records) {
      if (record.stored.source.chatbot === chatbot) await this.#remove(uuid, record);
    }
  }

  async #remove(uuid: string, record: StoredRecord<SourceFile>): Promise<boolean> {
    this.#records.delete(uuid);
    try {
      await this.#turns.take(uuid, () => this.#erase(uuid, record));
    } catch (error) {
      this.#records.set(uuid, record);
      throw error;
    }
    return true;
  }

  putDocument(uuid: string, document: Document): Promise<boolean> {
    const low = lowdbFile(this.#documentFile(uuid), copy(document));
    return this.#turns.take(uuid, async () => {
      if (!this.#record(uuid)) return false;
      await low.write();
      return this.#record(uuid) !== undefined;
    });
  }

  async document(uuid: string): Promise<Document | undefined> {
    return this.#record(uuid) ? ((await this.#documentFile(uuid).read()) ?? undefined) : undefined;
  }

  async #erase(uuid: string, record: StoredRecord<SourceFile>): Promise<void> {
    await record.remove();
    await this.#documentFile(uuid).remove();
  }

  #record(uuid: string): StoredRecord<SourceFile> | undefined {
    const record = this.#records.get(uuid);
    return record && this.#alive(record.stored.source.chatbot) ? record : undefined;
  }

  #documentFile(uuid: string): DocumentFile<Document> {
    return new DocumentFile(this.#disk, this.#path(uuid, 'document'));
  }

  #where(wanted: (source: StoredSource) => boolean): StoredSource[] {
    const files = [...this.#records.values()].map((record) => record.stored);
    const found = files.filter(({ source }) => wanted(source) && this.#alive(source.chatbot));
    return found.sort((a, b) => a.order - b.order).map(({ source }) => copy(source));
  }

  #path(uuid: string, kind: 'source' | 'document'): string {
    return this.#shards.path(uuid, `${uuid}.${kind}.json`);
  }
}

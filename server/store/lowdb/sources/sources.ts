import { statSync } from 'node:fs';
import { attemptEachConcurrent, forEachConcurrent } from '../../../async/for-each-concurrent.ts';
import { KeyedMutex } from '../../../async/keyed-mutex.ts';
import { nextModifiedAt, type Clock } from '../../../schema/ids.ts';
import { isPending } from '../../../schema/records.ts';
import type { Forget } from '../index-files.ts';
import { isSetAside, type Damage } from '../files/damage.ts';
import { hasCode, ignore, removeFile, replaceFile, syncFolder, type Disk } from '../files/disk.ts';
import { readBytes, readJsonFile } from '../files/json-file.ts';
import { isDocument } from '../../record-checks.ts';
import { lowdbFile } from '../files/lowdb-file.ts';
import { cloneJson } from '../../clone-json.ts';
import { cloneFlat, StoredRecord } from '../files/record.ts';
import { Shards } from '../files/shards.ts';
import {
  cloneDocument,
  documentFile,
  isVectors,
  isExpected,
  readIntact,
  type SourceFileKind,
} from './source-documents.ts';
import { isSourceFile, SourceIndex, type SourceRecord } from './source-index.ts';
import type { Change, SourceDocument, StoredSource, StoredVectors } from '../../store.ts';
import { vectorsFile } from './vectors.ts';

const SOURCE_FILE_NAME = /^([0-9a-f]{32})\.(source\.json|document\.json|vectors\.json|file)$/;

type SourceCheck = (source: StoredSource) => boolean;
interface SourcesOptions {
  disk: Disk;
  damage: Damage;
  clock: Clock;
  root: string;
  /** Whether what the source belongs to is there; without it it is not found. */
  exists: SourceCheck;
}

/**
 * Sources: records in memory, `….source.json` on disk; on disk alone, beside it, their texts in `….document.json`,
 * the vectors of those in `….vectors.json`, and the bytes of an upload in `….file`.
 */
export class Sources {
  /** Whose record cannot be read; a backup may restore it. */
  readonly damaged = new Set<string>();
  readonly #disk: Disk;
  readonly #damage: Damage;
  readonly #clock: Clock;
  readonly #shards: Shards;
  readonly #records = new Map<string, SourceRecord>();
  readonly #index = new SourceIndex();
  /** By source: its document, vectors and upload are written one at a time. */
  readonly #mutex = new KeyedMutex();
  readonly #exists: SourceCheck;

  constructor({ disk, damage, clock, root, exists }: SourcesOptions) {
    this.#disk = disk;
    this.#damage = damage;
    this.#clock = clock;
    this.#exists = exists;
    this.#shards = new Shards(disk, root);
    const others: [uuid: string, path: string][] = [];
    for (const { name, path } of this.#shards.files()) {
      const [, uuid, kind] = SOURCE_FILE_NAME.exec(name) ?? [];
      if (isSetAside(name)) {
        damage.reportExisting(path);
        if (name.includes('.source.json.')) this.damaged.add(name.slice(0, 32));
      } else if (uuid && kind !== 'source.json') others.push([uuid, path]);
      else if (uuid && !this.#load(uuid, path)) this.damaged.add(uuid);
    }
    // The record is made last and deleted first: a text or upload without one is what a crash left.
    for (const [uuid, path] of others)
      if (!this.#records.has(uuid) && !this.damaged.has(uuid)) disk.unlink(path).catch(ignore);
  }

  /** False where the file is damaged. */
  #load(uuid: string, path: string): boolean {
    const file = readJsonFile(path, isSourceFile);
    if (file?.source.uuid === uuid) this.#add(new StoredRecord(this.#disk, path, file));
    else void this.#damage.setAside(path, 'holds a source that cannot be read; the others are served');
    return file?.source.uuid === uuid;
  }

  async create(order: number, source: StoredSource, file?: Uint8Array): Promise<void> {
    const { uuid } = source;
    await this.#shards.ensure(uuid);
    if (file) await replaceFile(this.#disk, this.#path(uuid, 'file'), [file]);
    try {
      this.#add(await StoredRecord.create(this.#disk, this.#path(uuid, 'source.json'), { order, source }));
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
    return record && cloneFlat(record.stored.source);
  }

  async file(uuid: string): Promise<Uint8Array | undefined> {
    const path = this.#path(uuid, 'file');
    if (!this.#record(uuid)) return undefined;
    return readBytes(path).catch(async (error: unknown) => {
      if (!hasCode(error, 'EISDIR')) throw error;
      await this.#damage.setAside(path, 'cannot be read');
      return undefined;
    });
  }

  list(chatbot: string): StoredSource[] {
    return this.#copies(this.#index.ofChatbot(chatbot));
  }

  count(chatbot: string): number {
    return this.#index.count(chatbot, this.#exists);
  }

  /** No copies, with those that `list` leaves out. */
  *stored(chatbot: string): Generator<Readonly<StoredSource>> {
    for (const { stored } of this.#index.ofChatbot(chatbot)) yield stored.source;
  }

  withIdentity(chatbot: string, identity: string): StoredSource | undefined {
    return this.#copies(this.#index.withIdentity(chatbot, identity))[0];
  }

  unfinished(): StoredSource[] {
    return this.#where((source) => isPending(source.status));
  }

  unembedded(model: string): StoredSource[] {
    return this.#where(({ status, embedded_by }) => status === 'success' && embedded_by !== model);
  }

  async update(uuid: string, change: Change<StoredSource>): Promise<StoredSource | undefined> {
    const record = this.#record(uuid);
    if (!record) return undefined;
    const before = record.stored.source;
    const file = await record.update((one) => ({ ...one, source: cloneJson(change(cloneJson(one.source))) }));
    this.#index.remove(record, before);
    if (this.#records.get(uuid) === record) this.#index.add(record);
    return file && cloneJson(file.source);
  }

  /** From the call on the source is not there. */
  async remove(uuid: string, forget: Forget): Promise<boolean> {
    const record = this.#record(uuid);
    return record ? this.#remove(uuid, record, forget) : false;
  }

  /** For a deleted chatbot or site. No reader sees these sources, so the folders are synced once, at the end. */
  async removeAll(chatbot: string, forget: Forget, which: SourceCheck = () => true): Promise<string[]> {
    await forget();
    const records = [...this.#index.ofChatbot(chatbot)].filter(({ stored }) => which(stored.source));
    const uuids = records.map(({ stored }) => stored.source.uuid);
    const sync = () => Promise.resolve();
    await attemptEachConcurrent(records.entries(), ([at, record]) => this.#remove(uuids[at]!, record, forget, sync));
    const folders = new Set(uuids.map((uuid) => this.#shards.folder(uuid)));
    await forEachConcurrent(folders, (folder) => syncFolder(this.#disk, folder));
    return uuids;
  }

  /** `sync` makes it durable that the record is gone, before the rest goes. */
  async #remove(uuid: string, record: SourceRecord, forget: Forget, sync = this.#syncing(uuid)): Promise<boolean> {
    this.#records.delete(uuid);
    this.#index.remove(record);
    try {
      await this.#mutex.run(uuid, async () => {
        await forget();
        await this.#erase(uuid, record, sync);
      });
    } catch (error) {
      this.#add(record);
      throw error;
    }
    await this.#damage.remove((file) => file.startsWith(`${uuid}.`));
    this.damaged.delete(uuid);
    return true;
  }

  putDocument(uuid: string, document: SourceDocument, forget: Forget): Promise<boolean> {
    const low = lowdbFile(documentFile(this.#disk, this.#path(uuid, 'document.json')), cloneDocument(document));
    return this.#mutex.run(uuid, async () => {
      const record = this.#record(uuid);
      if (!record) return false;
      await forget();
      // Clears `embedded_by` first, so that no crash leaves it set without vectors.
      if (record.stored.source.embedded_by) {
        await this.update(uuid, (source) => ({ ...source, embedded_by: '' }));
        await removeFile(this.#disk, this.#path(uuid, 'vectors.json'));
      }
      await low.write();
      this.#damage.clearMissing(this.#path(uuid, 'document.json'));
      return this.#record(uuid) !== undefined;
    });
  }

  putVectors(uuid: string, vectors: StoredVectors): Promise<boolean> {
    const low = lowdbFile(vectorsFile(this.#disk, this.#path(uuid, 'vectors.json')), vectors);
    return this.#mutex.run(uuid, async () => {
      if (!this.#record(uuid)) return false;
      await low.write();
      this.#damage.clearMissing(this.#path(uuid, 'vectors.json'));
      return (await this.update(uuid, (source) => ({ ...source, embedded_by: vectors.model }))) !== undefined;
    });
  }

  /** Nothing is read where there are none. Damaged ones are set aside: `unembedded` has the source from then on. */
  async vectors(uuid: string): Promise<StoredVectors | undefined> {
    if (!this.#record(uuid)?.stored.source.embedded_by) return undefined;
    const read = () => readIntact(vectorsFile(this.#disk, this.#path(uuid, 'vectors.json')), isVectors);
    return this.#readOrReport(uuid, 'vectors.json', read, (source) => ({ ...source, embedded_by: '' }));
  }

  /** See `IndexFiles`. */
  version(uuid: string): string {
    const file = statSync(this.#path(uuid, 'document.json'), { bigint: true, throwIfNoEntry: false });
    return file ? `${file.size} ${file.mtimeNs}` : '';
  }

  /** Where it is damaged, and set aside, or missing the source fails, so that its owner can have it learned anew. */
  async document(uuid: string): Promise<SourceDocument | undefined> {
    if (!this.#record(uuid)) return undefined;
    const read = () => readIntact(documentFile(this.#disk, this.#path(uuid, 'document.json')), isDocument);
    return this.#readOrReport(uuid, 'document.json', read, (source) => ({
      ...source,
      status: 'error:damaged',
      modified_at: nextModifiedAt(source.modified_at, this.#clock),
    }));
  }

  /** Reads the file, see `readIntact`. Where it is damaged or missing, reports that and changes the source. */
  async #readOrReport<T>(
    uuid: string,
    kind: SourceFileKind,
    read: () => Promise<T | null | undefined>,
    change: Change<StoredSource>,
  ): Promise<T | undefined> {
    const path = this.#path(uuid, kind);
    const isFine = (value: T | null | undefined) => value || (value === null && !isExpected(this.source(uuid), kind));
    const value = await read();
    if (isFine(value)) return value ?? undefined;
    // In turn with what is written: by now the file may be another one.
    return this.#mutex.run(uuid, async () => {
      const again = await read();
      if (isFine(again)) return again ?? undefined;
      if (again === null) this.#damage.reportMissing(path);
      else await this.#damage.setAside(path, 'cannot be read; the rest of the source is served');
      await this.update(uuid, change).catch(ignore);
      return undefined;
    });
  }

  async #erase(uuid: string, record: SourceRecord, sync: () => Promise<void>): Promise<void> {
    await record.remove(async () => {
      await removeFile(this.#disk, this.#path(uuid, 'source.json'));
      await sync();
    });
    // Where a power cut brings one of these back, the next start removes it.
    for (const kind of ['document.json', 'vectors.json', 'file'] as const) {
      await removeFile(this.#disk, this.#path(uuid, kind)).catch((error: unknown) => {
        // A folder in its place is not ours to remove.
        if (!hasCode(error, 'EISDIR')) throw error;
      });
    }
  }

  #syncing(uuid: string): () => Promise<void> {
    return () => syncFolder(this.#disk, this.#shards.folder(uuid));
  }

  #record(uuid: string): SourceRecord | undefined {
    const record = this.#records.get(uuid);
    return record && this.#exists(record.stored.source) ? record : undefined;
  }

  #add(record: SourceRecord): void {
    this.#records.set(record.stored.source.uuid, record);
    this.#index.add(record);
  }

  #where(wanted: (source: StoredSource) => boolean): StoredSource[] {
    return this.#copies([...this.#records.values()].filter(({ stored }) => wanted(stored.source)));
  }

  /** Copies in order of creation. */
  #copies(records: Iterable<SourceRecord>): StoredSource[] {
    const found = Array.from(records, ({ stored }) => stored).filter(({ source }) => this.#exists(source));
    return found.sort((a, b) => a.order - b.order).map(({ source }) => cloneFlat(source));
  }

  #path(uuid: string, kind: 'source.json' | 'document.json' | 'vectors.json' | 'file'): string {
    return this.#shards.path(uuid, `${uuid}.${kind}`);
  }
}

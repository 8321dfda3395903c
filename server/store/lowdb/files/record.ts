import { BatchWriter } from '../../../async/batch-writer.ts';
import type { Disk } from './disk.ts';
import { JsonFile } from './json-file.ts';
import { lowdbFile, type Low } from './lowdb-file.ts';
import type { Change } from '../../store.ts';

interface PendingChange<T> {
  change: Change<T>;
  result?: T;
  error?: unknown;
}

interface RecordWriter<T> {
  low: Low<T>;
  changes: BatchWriter<PendingChange<T>>;
}

/** A small record in a file of its own, kept in memory. */
export class StoredRecord<T> {
  readonly #disk: Disk;
  readonly #path: string;
  /** Created by the first write: most records are never written between two restarts. */
  #made: RecordWriter<T> | undefined;
  /** What is on disk. `Low.data` is ahead of it during a write, and is not to be read before that ends. */
  #stored: T;
  #gone = false;

  /** `stored` is what the file holds. */
  constructor(disk: Disk, path: string, stored: T) {
    this.#disk = disk;
    this.#path = path;
    this.#stored = stored;
  }

  /** `value` is the record's own from now on. */
  static async create<T>(disk: Disk, path: string, value: T): Promise<StoredRecord<T>> {
    const record = new StoredRecord(disk, path, value);
    await record.#writing.low.write();
    return record;
  }

  /** Not to be changed, and not to be handed out without a copy. */
  get stored(): T {
    return this.#stored;
  }

  /**
   * `change` leaves its argument as it is and returns the next value, which may share parts with it and is not to be
   * handed out without a copy either: a change costs what it changes, not the whole record. Returning the argument
   * writes nothing. Undefined where the record is removed meanwhile.
   */
  async update(change: Change<T>): Promise<T | undefined> {
    const pending: PendingChange<T> = { change };
    await this.#writing.changes.add(pending);
    if (pending.error !== undefined) throw pending.error;
    return pending.result;
  }

  /** Ends all changes, those waiting too; `erase` takes the file away. Where it fails, the record stays. */
  async remove(erase: () => Promise<void>): Promise<void> {
    this.#gone = true;
    await this.#made?.changes.settled();
    try {
      await erase();
    } catch (error) {
      this.#gone = false;
      throw error;
    }
  }

  async #store(pending: PendingChange<T>[]): Promise<void> {
    if (this.#gone) return;
    const next = applyChanges(this.#stored, pending);
    if (next === this.#stored) return;
    const { low } = this.#writing;
    low.data = next;
    await low.write();
    this.#stored = next;
  }

  get #writing(): RecordWriter<T> {
    if (!this.#made) {
      const low = lowdbFile(new JsonFile<T>(this.#disk, this.#path), this.#stored);
      const changes = new BatchWriter<PendingChange<T>>((pending) => this.#store(pending));
      this.#made = { low, changes };
    }
    return this.#made;
  }
}

/** A change that throws fails alone; the others are applied as if it had not been there. */
function applyChanges<T>(before: T, pending: PendingChange<T>[]): T {
  let newest = before;
  for (const one of pending) {
    try {
      newest = one.result = one.change(newest);
    } catch (error) {
      one.error = error ?? new Error('a change threw nothing');
    }
  }
  return newest;
}

/** For records without lists, of which there may be ten thousands. */
export const cloneFlat = <T extends { [K in keyof T]: string | number }>(record: T): T => ({ ...record });

import { readdir } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { BatchWriter } from '../../async/batch-writer.ts';
import { KeyedMutex } from '../../async/keyed-mutex.ts';
import { jsonIn } from '../../schema/json.ts';
import { isAuditEntry } from '../shared/audit-checks.ts';
import {
  monthOfAudit,
  passesFilter,
  scopeOf,
  type AuditEntry,
  type AuditFilter,
  type AuditPage,
  type AuditScope,
  type AuditVerbs,
} from '../shared/audit.ts';
import { groupBy } from '../shared/figures.ts';
import type { Damage } from './files/damage.ts';
import { hasCode, removeFile, replaceFile, syncFolder, type Disk } from './files/disk.ts';
import { readEnds } from './files/file-ends.ts';
import { appendLines, linesFromEnd } from './files/line-log.ts';
import { Shards } from './files/shards.ts';

interface AuditFilesOptions {
  disk: Disk;
  damage: Damage;
  root: string;
  chatbotExists(chatbot: string): boolean;
  userExists(user: string): boolean;
  /** See `MAX_READ`. */
  maxRead?: number;
}

const FILE_NAME = /^([0-9a-f]{32})\.(\d{4}-\d\d)\.jsonl$/;
/** Entries that are read for one page, where a filter leaves most of them out. */
const MAX_READ = 20_000;
const DAMAGED = 'has lines that cannot be read: what they said of who did what is missing from the audit log';

/** The audit log: a file of lines for each chatbot, or user, and month. They are appended to, and read from their ends; none is kept in memory. */
export class AuditFiles implements AuditVerbs {
  readonly #options: AuditFilesOptions;
  readonly #shards: Shards;
  /** Entries of one log that come during a write are written together. */
  readonly #writers = new Map<string, BatchWriter<AuditEntry>>();
  /** By whose log it is: appending, and removing files. */
  readonly #mutex = new KeyedMutex();

  constructor(options: AuditFilesOptions) {
    this.#options = options;
    this.#shards = new Shards(options.disk, options.root);
  }

  async addAudit(entries: readonly AuditEntry[]): Promise<void> {
    await Promise.all(entries.map((entry) => this.#writerOf(scopeOf(entry)).add({ ...entry })));
  }

  async audit(
    scope: AuditScope,
    { limit, after, filter = {} }: { limit: number; after?: string | undefined; filter?: AuditFilter },
  ): Promise<AuditPage | undefined> {
    const own = uuidOf(scope);
    const [first, last] = [filter.from?.slice(0, 7), filter.to?.slice(0, 7)];
    const start = after === undefined ? undefined : monthOfAudit(after);
    const entries: AuditEntry[] = [];
    let isBehind = after === undefined;
    let [read, next] = [0, after ?? ''];
    for (const month of (await this.#months(own)).toReversed()) {
      const isLeftOut = (first !== undefined && month < first) || (last !== undefined && month > last);
      if (month !== start && (isLeftOut || (start !== undefined && month > start))) continue;
      // It would stand in a newer file.
      if (!isBehind && month !== start) return undefined;
      for await (const line of this.#linesFromEnd(own, month)) {
        if (!isBehind) {
          isBehind = line.includes(after!) && this.#read(own, month, line)?.uuid === after;
          continue;
        }
        const entry = this.#read(own, month, line);
        if (!entry) continue;
        if (entries.length === limit || read === (this.#options.maxRead ?? MAX_READ)) return { entries, next };
        read++;
        next = entry.uuid;
        if (passesFilter(entry, filter)) entries.push(entry);
      }
    }
    return isBehind ? { entries, next: '' } : undefined;
  }

  /** Oldest first. */
  async *all(scope: AuditScope): AsyncGenerator<AuditEntry[]> {
    const own = uuidOf(scope);
    for (const month of await this.#months(own)) {
      const entries: AuditEntry[] = [];
      for await (const line of this.#linesFromEnd(own, month)) {
        const entry = this.#read(own, month, line);
        if (entry) entries.push(entry);
      }
      yield entries.reverse();
    }
  }

  /** A file is replaced for its first month alone, once a day. */
  async removeOldAudit(day: string): Promise<void> {
    for (const { name } of this.#shards.files()) {
      const [, own, month] = FILE_NAME.exec(name) ?? [];
      if (own === undefined || month! > day.slice(0, 7)) continue;
      await this.#mutex.run(own, () =>
        month! < day.slice(0, 7) ? this.#remove(own, [name]) : this.#shorten(own, month!, day),
      );
    }
  }

  /** Once the chatbot or the user is not found any more. */
  removeAll(own: string): Promise<void> {
    this.#writers.delete(own);
    return this.#mutex.run(own, async () => this.#remove(own, await this.#names(own)));
  }

  #writerOf(own: string): BatchWriter<AuditEntry> {
    let writer = this.#writers.get(own);
    if (!writer) {
      writer = new BatchWriter((entries) => this.#mutex.run(own, () => this.#append(own, entries)));
      this.#writers.set(own, writer);
    }
    return writer;
  }

  async #append(own: string, entries: AuditEntry[]): Promise<void> {
    const { disk, chatbotExists, userExists } = this.#options;
    const { chatbot, account } = entries[0]!;
    if (chatbot === '' ? !userExists(account) : !chatbotExists(chatbot)) return void this.#writers.delete(own);
    await this.#shards.ensure(own);
    for (const [month, some] of groupBy(entries, ({ at }) => at.slice(0, 7)))
      await appendLines(disk, this.#path(own, month), some.map(lineOf));
  }

  async #shorten(own: string, month: string, day: string): Promise<void> {
    const path = this.#path(own, month);
    const first = jsonIn((await readEnds(path))?.first ?? '');
    if (!isAuditEntry(first) || first.at >= day) return;
    const kept: string[] = [];
    for await (const line of this.#linesFromEnd(own, month)) {
      const entry = this.#read(own, month, line);
      if (!entry || entry.at >= day) kept.push(line);
    }
    if (kept.length === 0) return this.#remove(own, [`${own}.${month}.jsonl`]);
    await replaceFile(
      this.#options.disk,
      path,
      kept.reverse().map((line) => Buffer.from(`${line}\n`)),
    );
  }

  async #remove(own: string, names: string[]): Promise<void> {
    const { disk, damage } = this.#options;
    for (const name of names) {
      await removeFile(disk, this.#shards.path(own, name));
      damage.clear(this.#shards.path(own, name));
    }
    if (names.length > 0) await syncFolder(disk, this.#shards.folder(own));
  }

  async *#linesFromEnd(own: string, month: string): AsyncGenerator<string> {
    try {
      yield* linesFromEnd(this.#path(own, month));
    } catch (error) {
      if (hasCode(error, 'EISDIR')) await this.#options.damage.setAside(this.#path(own, month), DAMAGED);
      // Removed meanwhile.
      else if (!hasCode(error, 'ENOENT')) throw error;
    }
  }

  /** Undefined where the line is damaged. */
  #read(own: string, month: string, line: string): AuditEntry | undefined {
    const value = jsonIn(line) as (AuditEntry & { sum?: number }) | undefined;
    if (isAuditEntry(value)) {
      const { sum, ...entry } = value as AuditEntry & { sum?: number };
      if (sum === checksum(entry) && scopeOf(entry) === own) return entry;
    }
    this.#options.damage.report(this.#path(own, month), DAMAGED);
    return undefined;
  }

  async #months(own: string): Promise<string[]> {
    const months = (await this.#names(own)).map((name) => FILE_NAME.exec(name)?.[2] ?? '');
    return months.filter(Boolean).toSorted();
  }

  /** All of this log, an unfinished one too. */
  async #names(own: string): Promise<string[]> {
    const names = await readdir(this.#shards.folder(own)).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    });
    return names.filter((name) => name.startsWith(`${own}.`));
  }

  #path(own: string, month: string): string {
    return this.#shards.path(own, `${own}.${month}.jsonl`);
  }
}

const uuidOf = (scope: AuditScope): string => ('chatbot' in scope ? scope.chatbot : scope.account);

const lineOf = (entry: AuditEntry): string => JSON.stringify({ ...entry, sum: checksum(entry) });

/** Detects a flipped bit, which JSON and the checks of fields would accept. */
const checksum = (entry: AuditEntry): number => crc32(JSON.stringify(entry));

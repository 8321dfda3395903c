import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Clock } from '../../schema/ids.ts';
import { BatchWriter } from '../../async/batch-writer.ts';
import { isSetAside, type Damage } from './files/damage.ts';
import { hasCode, ignore, removeFile, type Disk } from './files/disk.ts';
import { isReply } from '../record-checks.ts';
import { AppendFile, OpenFiles } from './files/append-file.ts';
import { lowdbFile, type Low } from './files/lowdb-file.ts';
import { makeFolder } from './files/shards.ts';
import { forEachSliced } from '../../async/time-slice.ts';
import type { StoredReply } from '../store.ts';

/** Milliseconds that a reply is kept. */
const RETENTION_MS = 86_400_000;
/** Limits for one day: above either, the older half is removed early. */
const [MAX_DAY_REPLIES, MAX_DAY_CHARACTERS] = [20_000, 16 * 1024 * 1024];

const REPLIES_FILE_NAME = /^(\d{4}-\d\d-\d\d)\.jsonl$/;
/** A damaged file that was set aside. */
const SET_ASIDE_DAY = /^(\d{4}-\d\d-\d\d)\.jsonl\./;
const REPLY_LINE_START = '{"key":"';

interface DayFile {
  file: AppendFile;
  low: Low<string[]>;
  /** Of all its lines. */
  characters: number;
}

interface RepliesOptions {
  disk: Disk;
  damage: Damage;
  clock: Clock;
  root: string;
  /** Replies of one day; see `MAX_DAY_REPLIES`. */
  maxPerDay?: number;
}

/** Replies to requests with an Idempotency-Key: a file of lines for each day, in memory while they count. */
export class Replies {
  readonly #options: RepliesOptions;
  readonly #open = new OpenFiles(2);
  readonly #batch = new BatchWriter<StoredReply>((replies) => this.#store(replies));
  #days = new Map<string, DayFile>();
  /** The line of each key. */
  #lines = new Map<string, string>();
  #loading: Promise<void> | undefined;

  constructor(options: RepliesOptions) {
    this.#options = options;
  }

  async find(key: string): Promise<StoredReply | undefined> {
    await this.#load();
    const line = this.#lines.get(key);
    const reply = line === undefined ? undefined : readLine(line);
    return reply && Date.parse(reply.created_at) > this.#options.clock() - RETENTION_MS ? reply : undefined;
  }

  async save(reply: StoredReply): Promise<void> {
    await this.#load();
    await this.#batch.add(reply);
  }

  async *all(): AsyncGenerator<StoredReply> {
    await this.#load();
    for (const line of this.#lines.values()) yield readLine(line)!;
  }

  async close(): Promise<void> {
    await this.#batch.settled();
    await this.#open.closeAll();
  }

  async #store(replies: StoredReply[]): Promise<void> {
    try {
      for (const reply of replies) await this.#write(reply.created_at.slice(0, 10), lineOf(reply));
    } catch (error) {
      await this.#forget();
      throw error;
    }
    if (this.#days.size > 2) await this.#dropOld();
  }

  async #write(name: string, line: string): Promise<void> {
    const day = this.#days.get(name) ?? (await this.#begin(name));
    const { data: lines } = day.low;
    const half =
      lines.length >= (this.#options.maxPerDay ?? MAX_DAY_REPLIES) || day.characters >= MAX_DAY_CHARACTERS
        ? Math.ceil(lines.length / 2)
        : 0;
    for (const old of lines.slice(0, half)) this.#lines.delete(keyIn(old));
    if (half > 0) day.low.data = [...lines.slice(half), line];
    else lines.push(line);
    await day.low.write();
    day.characters = half > 0 ? charactersIn(day.low.data) : day.characters + line.length;
    this.#lines.set(keyIn(line), line);
  }

  async #begin(name: string): Promise<DayFile> {
    const { disk, root } = this.#options;
    await makeFolder(disk, root);
    const file = new AppendFile(disk, join(root, `${name}.jsonl`), this.#open);
    const day = { file, low: lowdbFile<string[]>(file, []), characters: 0 };
    this.#days.set(name, day);
    return day;
  }

  /** After a failed write: what is on disk is read again when it is next asked for. */
  async #forget(): Promise<void> {
    for (const { file } of this.#days.values()) await file.close().catch(ignore);
    this.#days = new Map();
    this.#lines = new Map();
    this.#loading = undefined;
  }

  #load(): Promise<void> {
    this.#loading ??= this.#read().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #read(): Promise<void> {
    const names = await readdir(this.#options.root).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    });
    for (const name of names.sort()) {
      const [, date] = REPLIES_FILE_NAME.exec(name) ?? [];
      if (date !== undefined) await this.#readDay(date);
      else if (isSetAside(name)) this.#options.damage.reportExisting(join(this.#options.root, name));
    }
    await this.#dropOld();
  }

  async #readDay(date: string): Promise<void> {
    const day = await this.#begin(date);
    try {
      await day.low.read();
    } catch (error) {
      if (!hasCode(error, 'EISDIR')) throw error;
      this.#days.delete(date);
      return this.#options.damage.setAside(join(this.#options.root, `${date}.jsonl`), CONSEQUENCE);
    }
    const readable: string[] = [];
    await forEachSliced(day.low.data, (line) => void (readLine(line) && readable.push(line)));
    const damaged = day.low.data.length - readable.length;
    if (damaged > 0 || day.file.damaged) await this.#mend(date, day, readable, Math.max(damaged, 1));
    // A crash may have left the file without a whole line: the first write creates it.
    else if (readable.length === 0)
      await removeFile(this.#options.disk, join(this.#options.root, `${date}.jsonl`)).catch(ignore);
    day.characters = charactersIn(day.low.data);
    for (const line of day.low.data) this.#lines.set(keyIn(line), line);
  }

  /** Copies the damaged file aside and rewrites it with the lines that can be read. */
  async #mend(date: string, { low }: DayFile, whole: string[], damaged: number): Promise<void> {
    const { disk, damage, root } = this.#options;
    const path = join(root, `${date}.jsonl`);
    await damage.copyAside(path);
    low.data = whole;
    if (whole.length > 0) await low.write();
    else {
      await removeFile(disk, path);
      await this.#begin(date);
    }
    const lines = damaged === 1 ? 'a line' : `${damaged} lines`;
    damage.report(path, `has ${lines} that cannot be read: ${CONSEQUENCE}`);
  }

  /** The files of days before yesterday. */
  async #dropOld(): Promise<void> {
    const { disk, damage, clock, root } = this.#options;
    const yesterday = new Date(clock() - RETENTION_MS).toISOString().slice(0, 10);
    await damage.remove((name) => (SET_ASIDE_DAY.exec(name)?.[1] ?? yesterday) < yesterday).catch(ignore);
    for (const [date, { file, low }] of this.#days) {
      if (date >= yesterday) continue;
      this.#days.delete(date);
      for (const line of low.data) this.#lines.delete(keyIn(line));
      await file.close().catch(ignore);
      await removeFile(disk, join(root, `${date}.jsonl`)).catch(ignore);
    }
  }
}

const keyIn = (line: string): string => line.slice(REPLY_LINE_START.length, line.indexOf('"', REPLY_LINE_START.length));

/** With the key first, so that it is found without parsing the line. */
function lineOf({ key, ...rest }: StoredReply): string {
  const reply = { key, ...rest };
  return JSON.stringify({ ...reply, sum: checksum(reply) });
}

/** Undefined where the line is damaged. Lines of earlier versions have no sum. */
function readLine(line: string): StoredReply | undefined {
  if (!line.startsWith(REPLY_LINE_START)) return undefined;
  try {
    const { sum, ...reply } = JSON.parse(line) as StoredReply & { sum?: number };
    return isReply(reply) && (sum === undefined || sum === checksum(reply)) ? reply : undefined;
  } catch {
    return undefined;
  }
}

/** Detects a flipped bit in a key or request, which JSON and the field checks would accept. */
const checksum = (reply: StoredReply): number => crc32(JSON.stringify(reply));

const CONSEQUENCE =
  'the requests they answered count as new where they are repeated with their Idempotency-Key; the file as it was is kept as ….damaged';

const charactersIn = (lines: string[]): number => lines.reduce((sum, { length }) => sum + length, 0);

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { BatchWriter } from '../../async/batch-writer.ts';
import { forEachSliced } from '../../async/time-slice.ts';
import type { Usage } from '../store.ts';
import { AppendFile, OpenFiles } from './files/append-file.ts';
import { isSetAside, type Damage } from './files/damage.ts';
import { hasCode, ignore, removeFile, type Disk } from './files/disk.ts';
import { lowdbFile, type Low } from './files/lowdb-file.ts';
import { makeFolder } from './files/shards.ts';
import { isUsage } from '../record-checks.ts';

const FILE_NAME = /^(\d{4}-\d\d)\.jsonl$/;
const CONSEQUENCE = 'what they counted is missing from the usage; the file as it was is kept as ….damaged';
/** Months kept in memory: an answer may begin in one and end in the next. */
const MAX_MONTHS = 2;
/** Lines of a file, beside two for each sum, above which it is rewritten with one line a sum. */
const MAX_SPARE_LINES = 4096;

/** Sums by owner, chatbot, day and model. */
type Sums = Map<string, Usage>;

interface MonthFile {
  low: Low<string[]>;
  sums: Sums;
}

interface UsageFilesOptions {
  disk: Disk;
  damage: Damage;
  root: string;
  /** See `MAX_SPARE_LINES`. */
  maxSpareLines?: number;
}

/** What answers have cost: a file a month, whose lines are summed. Rewriting a file replaces it whole, so that no line counts twice. */
export class UsageFiles {
  readonly #options: UsageFilesOptions;
  readonly #open = new OpenFiles(MAX_MONTHS);
  readonly #batch = new BatchWriter<Usage>((added) => this.#store(added));
  readonly #months = new Map<string, MonthFile>();
  /** Added, but not on disk yet. */
  readonly #pending: Sums = new Map();

  constructor(options: UsageFilesOptions) {
    this.#options = options;
  }

  /** Resolves once it is durable. Where the disk refuses, it rejects, and the next write contains it. */
  add(usage: Usage): Promise<void> {
    return this.#batch.add(usage);
  }

  /** The sums of an owner from day `from` to day `to`, inclusive, in order of days. */
  async between(owner: string, from: string, to: string): Promise<Usage[]> {
    const found: Usage[] = [];
    for (const month of await this.#monthsOnDisk(from.slice(0, 7), to.slice(0, 7))) {
      const { sums } = this.#months.get(month) ?? (await this.#read(month)).month;
      await forEachSliced([...sums.values()], (sum) => {
        if (sum.owner === owner && sum.day >= from && sum.day <= to) found.push({ ...sum });
      });
    }
    return found.sort((a, b) => (a.day < b.day ? -1 : Number(a.day > b.day)));
  }

  /** The sums of all owners. */
  async *all(): AsyncGenerator<Usage> {
    for (const month of await this.#monthsOnDisk('', '9999-99')) {
      const { sums } = this.#months.get(month) ?? (await this.#read(month)).month;
      for (const sum of sums.values()) yield { ...sum };
    }
  }

  async close(): Promise<void> {
    await this.#batch.settled();
    if (this.#pending.size > 0) await this.#store([]).catch(ignore);
    await this.#open.closeAll();
  }

  async #store(added: Usage[]): Promise<void> {
    for (const usage of added) addTo(this.#pending, usage);
    const months = new Set(Array.from(this.#pending.values(), ({ day }) => day.slice(0, 7)));
    const failures: unknown[] = [];
    for (const month of months) await this.#write(month).catch((error: unknown) => failures.push(error));
    for (const month of [...this.#months.keys()].toSorted().slice(0, -MAX_MONTHS)) this.#months.delete(month);
    if (failures.length > 0) throw failures[0];
  }

  async #write(name: string): Promise<void> {
    const month = this.#months.get(name) ?? (await this.#begin(name));
    const { low, sums } = month;
    const added = [...this.#pending].filter(([, { day }]) => day.startsWith(name));
    const { data: lines } = low;
    const known = lines.length;
    if (known > 2 * sums.size + (this.#options.maxSpareLines ?? MAX_SPARE_LINES)) {
      const all: Sums = new Map(Array.from(sums, ([key, sum]) => [key, { ...sum }]));
      for (const [, usage] of added) addTo(all, usage);
      low.data = Array.from(all.values(), lineOf);
    } else lines.push(...added.map(([, usage]) => lineOf(usage)));
    try {
      await low.write();
    } catch (error) {
      low.data = lines;
      lines.length = known;
      throw error;
    }
    for (const [key, usage] of added) {
      addTo(sums, usage);
      this.#pending.delete(key);
    }
  }

  async #begin(name: string): Promise<MonthFile> {
    const { disk, damage, root } = this.#options;
    await makeFolder(disk, root);
    const { month, isDamaged } = await this.#read(name);
    if (isDamaged) await damage.copyAside(this.#path(name));
    // Without a whole line it is what a crash has left of the first write.
    if (month.low.data.length === 0) await removeFile(disk, this.#path(name));
    // Another list than the file's: the next write replaces it.
    else if (isDamaged) month.low.data = Array.from(month.sums.values(), lineOf);
    this.#months.set(name, month);
    return month;
  }

  async #read(name: string): Promise<{ month: MonthFile; isDamaged: boolean }> {
    const { disk, damage } = this.#options;
    const path = this.#path(name);
    const file = new AppendFile(disk, path, this.#open);
    const low = lowdbFile<string[]>(file, []);
    await low.read().catch((error: unknown) => {
      // Reported, and left where it is: the month cannot be written.
      if (hasCode(error, 'EISDIR')) return damage.setAside(path, CONSEQUENCE);
      throw error;
    });
    const sums: Sums = new Map();
    let unreadable = 0;
    await forEachSliced(low.data, (line) => {
      const usage = readLine(line);
      if (usage) addTo(sums, usage);
      else unreadable += 1;
    });
    const isDamaged = file.damaged || unreadable > 0;
    if (isDamaged) damage.report(path, `has lines that cannot be read: ${CONSEQUENCE}`);
    return { month: { low, sums }, isDamaged };
  }

  async #monthsOnDisk(from: string, to: string): Promise<string[]> {
    const { root, damage } = this.#options;
    const names = await readdir(root).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    });
    for (const name of names) if (isSetAside(name)) damage.reportExisting(join(root, name));
    const months = names.map((name) => FILE_NAME.exec(name)?.[1] ?? '');
    return months.filter((month) => month !== '' && month >= from && month <= to).toSorted();
  }

  #path(month: string): string {
    return join(this.#options.root, `${month}.jsonl`);
  }
}

const keyOf = ({ owner, chatbot, day, model }: Usage): string => `${day} ${owner} ${chatbot} ${model}`;

function addTo(sums: Sums, usage: Usage): void {
  const key = keyOf(usage);
  const sum = sums.get(key);
  if (!sum) sums.set(key, { ...usage });
  else {
    sum.messages += usage.messages;
    sum.credits += usage.credits;
    sum.tokens += usage.tokens;
  }
}

const lineOf = (usage: Usage): string => JSON.stringify({ ...usage, sum: checksum(usage) });

/** Undefined where the line is damaged. */
function readLine(line: string): Usage | undefined {
  try {
    const { sum, ...usage } = JSON.parse(line) as Usage & { sum?: number };
    return isUsage(usage) && sum === checksum(usage) ? usage : undefined;
  } catch {
    return undefined;
  }
}

/** Detects a flipped bit in a number, which JSON and the field checks would accept. */
const checksum = (usage: Usage): number => crc32(JSON.stringify(usage));

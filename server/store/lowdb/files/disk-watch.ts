import { join } from 'node:path';
import { asRefusal } from '../../../schema/errors.ts';
import type { Health } from '../../../health/health.ts';
import type { StoreLog } from '../../log.ts';
import { ignore, removeFile, replaceFile, type Disk } from './disk.ts';

interface DiskWatchOptions {
  disk: Disk;
  /** The data folder. */
  dir: string;
  health?: Pick<Health, 'report' | 'clear'> | undefined;
  log?: StoreLog | undefined;
  /** Milliseconds between two attempts to store something while nothing can be stored; 5,000 by default. */
  probeInterval?: number | undefined;
}

const HEALTH_KEY = 'disk';
const PROBE_INTERVAL_MS = 5000;
/** A block: a disk that has room for a name alone is full. */
const PROBE_BYTES = Buffer.alloc(4096);

/**
 * Reports `failing` from the first write that the disk refuses until one succeeds. Meanwhile a small file is written
 * now and then, since callers who are refused may not try again.
 */
export class DiskWatch {
  /** The disk to write with. */
  readonly disk: Disk;
  /** What has to be stored before anything else counts; undefined once it is. */
  unstored: (() => Promise<void>) | undefined;
  readonly #options: DiskWatchOptions;
  #timer: NodeJS.Timeout | undefined;
  #probing: Promise<void> = Promise.resolve();

  constructor(options: DiskWatchOptions) {
    this.#options = options;
    this.disk = { ...options.disk, onWriteEnd: (error) => this.#ended(error) };
  }

  /** Resolves when nothing is being written for this any more. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#probing;
  }

  #ended(error?: unknown): void {
    if (error === undefined) {
      if (!this.#timer) return;
      if (this.unstored) void this.probe();
      else this.#recover();
      return;
    }
    const refusal = asRefusal(error);
    if (!refusal) return;
    const { code } = error as NodeJS.ErrnoException;
    const reason = `nothing can be stored: ${refusal.message.split(';')[0]} (${code})`;
    this.#options.health?.report(HEALTH_KEY, { status: 'failing', reason });
    if (this.#timer) return;
    this.#options.log?.warn({ err: error }, reason);
    this.#timer = setInterval(() => void this.probe(), this.#options.probeInterval ?? PROBE_INTERVAL_MS).unref();
  }

  #recover(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#options.health?.clear(HEALTH_KEY);
    this.#options.log?.warn({}, 'the disk stores again');
  }

  /** Tries to store something; how that ends is reported. One at a time. */
  probe(): Promise<void> {
    this.#probing = this.#probing.then(() => this.#attempt()).catch(ignore);
    return this.#probing;
  }

  async #attempt(): Promise<void> {
    if (!this.#timer) return;
    if (this.unstored) {
      await this.unstored();
      this.unstored = undefined;
      if (this.#timer) this.#recover();
      return;
    }
    const path = join(this.#options.dir, 'probe');
    await replaceFile(this.disk, path, [PROBE_BYTES]);
    await removeFile(this.disk, path);
  }
}

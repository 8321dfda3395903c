import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, relative } from 'node:path';
import type { Health } from '../../../health/health.ts';
import { ignore, isFolder, removeFile, replaceFile, syncFolder, type Disk } from './disk.ts';
import type { StoreLog } from '../../log.ts';

interface DamageOptions {
  disk: Disk;
  /** The data folder: files are named relative to it. */
  dir: string;
  log?: StoreLog | undefined;
  health?: Pick<Health, 'report' | 'clear'> | undefined;
}

const SET_ASIDE_NAME = /\.damaged(?:\.\d+)?$/;
const FOLDER_REASON =
  'is a folder where a file should be; the rest is served: move it out of the data folder, then restart';
const DAMAGE_REMEDY = 'restore it from a backup or move it out of the data folder, then restart';

/** Whether the file was set aside: nothing but `Damage` touches it. */
export const isSetAside = (name: string): boolean => SET_ASIDE_NAME.test(name);

/**
 * Files whose content cannot be read. They are renamed to `….damaged`, or copied there where part of them is of use,
 * and named in the log and in `/readyz` until they are moved away. They are removed only with the record they belong to.
 */
export class Damage {
  readonly #options: DamageOptions;
  readonly #files = new Set<string>();
  readonly #reported = new Set<string>();
  readonly #pending = new Set<Promise<void>>();

  constructor(options: DamageOptions) {
    this.#options = options;
  }

  /**
   * Renames the file. A folder that stands in its place is not ours: it stays where it is. Never rejects: where the disk
   * refuses, the file stays where it is, too, and that is reported.
   */
  async setAside(path: string, why: string): Promise<void> {
    if (isFolder(path)) return this.report(path, FOLDER_REASON);
    const aside = unusedName(path);
    this.#files.add(aside);
    const renamed = this.#rename(path, aside).then(
      () =>
        this.#warn(
          path,
          `${this.#displayPath(path)} ${why}; it is kept as ${basename(this.#displayPath(aside))}: ${DAMAGE_REMEDY}`,
        ),
      (error: unknown) => {
        this.#files.delete(aside);
        this.#warn(path, `${this.#displayPath(path)} ${why}, and could not be set aside: ${DAMAGE_REMEDY}`, error);
      },
    );
    this.#pending.add(renamed);
    await renamed;
    this.#pending.delete(renamed);
  }

  /** Of a file that stays in use: the report alone. */
  report(path: string, why: string): void {
    this.#warn(path, `${this.#displayPath(path)} ${why}`);
  }

  /** A file that was reported has been removed. */
  clear(path: string): void {
    this.#clear(path);
  }

  /** Of a file that a record says is there: until it is written again, or removed with its record. */
  reportMissing(path: string): void {
    this.#files.add(path);
    this.#warn(
      path,
      `${this.#displayPath(path)} is missing; the rest is served: restore it from a backup, then restart`,
    );
  }

  /** A file that was missing has been written. */
  clearMissing(path: string): void {
    if (this.#files.delete(path)) this.#clear(path);
  }

  /** Keeps the file as it is beside itself, before what can be read of it replaces it. */
  async copyAside(path: string): Promise<void> {
    const aside = unusedName(path);
    await replaceFile(this.#options.disk, aside, [await readFile(path)]);
    this.#files.add(aside);
  }

  /** A file that was set aside earlier, by this process or another. */
  reportExisting(path: string): void {
    if (this.#files.has(path)) return;
    this.#files.add(path);
    const original = path.replace(SET_ASIDE_NAME, '');
    this.#warn(original, `${this.#displayPath(path)} was set aside because it cannot be read: ${DAMAGE_REMEDY}`);
  }

  /** The name that a file had before it was set aside, of the first that `owns` accepts. */
  originalName(owns: (name: string) => boolean): string | undefined {
    for (const path of this.#files) if (owns(basename(path))) return basename(path).replace(SET_ASIDE_NAME, '');
    return undefined;
  }

  /** Removes files whose name `owns` accepts, with the record they belong to. Whether there were any. */
  async remove(owns: (name: string) => boolean): Promise<boolean> {
    let isRemoved = false;
    for (const path of this.#files) {
      if (!owns(basename(path))) continue;
      await removeFile(this.#options.disk, path);
      await syncFolder(this.#options.disk, dirname(path));
      this.#files.delete(path);
      this.#clear(path.replace(SET_ASIDE_NAME, ''));
      isRemoved = true;
    }
    return isRemoved;
  }

  /** Resolves when every `setAside` has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }

  async #rename(path: string, aside: string): Promise<void> {
    await this.#options.disk.rename(path, aside);
    await syncFolder(this.#options.disk, dirname(path)).catch(ignore);
  }

  #warn(path: string, reason: string, error?: unknown): void {
    const key = `damaged:${this.#displayPath(path)}`;
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.#options.health?.report(key, { status: 'degraded', reason });
    this.#options.log?.warn({ file: this.#displayPath(path), ...(error === undefined ? {} : { err: error }) }, reason);
  }

  #clear(path: string): void {
    const key = `damaged:${this.#displayPath(path)}`;
    this.#reported.delete(key);
    this.#options.health?.clear(key);
  }

  /** Relative, and as a pattern for the shell where the whole name would tell a session's identifier, which is a secret. */
  #displayPath(path: string): string {
    return relative(this.#options.dir, path).replace(/([0-9a-f]{8})[0-9a-f]{24}\.[0-9a-f]{32}\./, '$1*.');
  }
}

function unusedName(path: string): string {
  let name = `${path}.damaged`;
  for (let n = 2; existsSync(name); n++) name = `${path}.damaged.${n}`;
  return name;
}

import { realDisk, type Disk } from '../../server/store/lowdb/files/disk.ts';

type Verb = keyof Disk;

/** The real disk, which counts its calls and fails on command. */
export interface FaultyDisk extends Disk {
  /** From now on, or after that many calls more, `verb` fails, that many times. A failing write has written half. */
  failing(verb: Verb, code: string, times?: number, after?: number): void;
  heal(): void;
  count(verb: Verb): number;
  total(): number;
  /** Resolves when the verb is next called. */
  next(verb: Verb): Promise<void>;
}

const fault = (code: string): Error => Object.assign(new Error(`${code}: a fault of the tests`), { code });

export function faultyDisk(): FaultyDisk {
  const counts = new Map<Verb, number>();
  const faults = new Map<Verb, { code: string; left: number; after: number }>();
  const waiting = new Map<Verb, () => void>();
  /** Throws where the verb is to fail. Folders and files that are only read do not run out of space. */
  const pass = (verb: Verb, exempt = false): void => {
    counts.set(verb, (counts.get(verb) ?? 0) + 1);
    waiting.get(verb)?.();
    waiting.delete(verb);
    const found = faults.get(verb);
    if (!found || exempt || found.after-- > 0 || found.left === 0) return;
    found.left--;
    throw fault(found.code);
  };
  return {
    async open(path, flags, mode) {
      pass('open', flags === 'r' || flags === 'r+');
      return realDisk.open(path, flags, mode);
    },
    async write(file, bytes, position) {
      try {
        pass('write');
      } catch (error) {
        await realDisk.write(file, bytes.subarray(0, bytes.length >> 1), position);
        throw error;
      }
      return realDisk.write(file, bytes, position);
    },
    async truncate(file, length) {
      pass('truncate');
      return realDisk.truncate(file, length);
    },
    async datasync(file) {
      pass('datasync');
      return realDisk.datasync(file);
    },
    async sync(file) {
      pass('sync');
      return realDisk.sync(file);
    },
    async close(file) {
      pass('close');
      return realDisk.close(file);
    },
    async rename(from, to) {
      pass('rename');
      return realDisk.rename(from, to);
    },
    async unlink(path) {
      pass('unlink');
      return realDisk.unlink(path);
    },
    async mkdir(path) {
      pass('mkdir');
      return realDisk.mkdir(path);
    },
    failing: (verb, code, left = Infinity, after = 0) => void faults.set(verb, { code, left, after }),
    heal: () => faults.clear(),
    count: (verb) => counts.get(verb) ?? 0,
    total: () => [...counts.values()].reduce((sum, count) => sum + count, 0),
    next: (verb) => new Promise((called) => waiting.set(verb, called)),
  };
}

import { chmodSync, mkdirSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type Claim,
  isAnswered,
  isOfThisMachine,
  lastBeat,
  nearby,
  newClaim,
  otherClaims,
  removeClaim,
  takeAway,
} from './claims.ts';
import type { StoreLog } from './damage.ts';
import { hasCode, type Disk } from './disk.ts';
import { hostName } from './host.ts';

/**
 * One process a data folder. Each one that wants the folder puts a claim into `lock/<host>/`: a socket that it listens on.
 * The kernel ends the listening with the process, however that ends, and answers for processes of other containers,
 * too; a number in a file would do neither, since numbers are given out again.
 *
 * It does not answer for another machine that has the folder mounted. So every holder renews its claim's modification
 * time, and a claim of another machine is taken away once it was not renewed while we watched it: two clocks are never
 * compared. A container that was made anew after a reboot, under another host name, so starts by itself. A holder that
 * could not renew its claim in time makes sure that it still has it before it writes.
 *
 * Who has put its claim there and then sees no other living claim has the folder. Claims have names that no other
 * process ever uses, so that removing a dead one can never hit a living one.
 */

/** Of two that start at the same moment the one that came first waits this long for the other to give way. */
const PATIENCE_MS = 400;
/** A claim is renewed this often, and is dead after so long without it. */
const BEAT_MS = 5000;
const DEAD_MS = 20_000;
const LOOK_MS = 1000;
/** After so long without a beat a holder asks before it writes: it may have been suspended. */
const SURE_MS = DEAD_MS / 2;

export interface Lock {
  /** The disk, for the holder alone: it refuses to write once another process has taken the folder. */
  guard(disk: Disk): Disk;
  release(): Promise<void>;
}

export interface LockOptions {
  log?: StoreLog | undefined;
  /** Called once when another process has taken the folder. By default that is an uncaught exception, which ends a server. */
  lost?: ((error: FolderLost) => void) | undefined;
  /** For tests of time. */
  sleep?: ((ms: number) => Promise<unknown>) | undefined;
  now?: (() => number) | undefined;
}

/** Says which folder and which process. */
export class FolderInUse extends Error {}

/** Another process has taken the folder, or its lock was removed. */
export class FolderLost extends Error {}

/** Throws `FolderInUse` where another process has the folder. Takes 20 s over a dead claim of another machine. */
export async function lockFolder(dir: string, options: LockOptions = {}): Promise<Lock> {
  const locks = join(resolve(dir), 'lock');
  const claim = newClaim(locks);
  mkdirSync(claim.folder, { recursive: true, mode: 0o700 });
  const near = nearby(claim.folder);
  try {
    const server = await listen(join(near.path, claim.name), dir);
    chmodSync(join(claim.folder, claim.name), 0o600);
    const lock = new HeldLock(dir, claim, server, options);
    try {
      await refuseRivals(dir, locks, claim);
      await outlast(dir, locks, claim, options);
      await lock.renew();
      return lock;
    } catch (error) {
      await lock.release();
      throw error;
    }
  } finally {
    near.leave();
  }
}

class HeldLock implements Lock {
  readonly #dir: string;
  readonly #claim: Claim;
  readonly #server: Server;
  readonly #now: () => number;
  readonly #options: LockOptions;
  readonly #timer: NodeJS.Timeout;
  #beat: number;
  #lost: FolderLost | undefined;
  #released = false;

  constructor(dir: string, claim: Claim, server: Server, options: LockOptions) {
    this.#dir = dir;
    this.#claim = claim;
    this.#server = server;
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#beat = this.#now();
    // Faults of the disk show at the next write.
    this.#timer = setInterval(() => void this.renew().catch(() => {}), BEAT_MS).unref();
  }

  /** Throws where the claim is gone, and where the disk refuses. */
  async renew(): Promise<void> {
    if (this.#lost) throw this.#lost;
    const now = this.#now();
    try {
      await utimes(join(this.#claim.folder, this.#claim.name), now / 1000, now / 1000);
    } catch (error) {
      if (this.#released) return;
      throw hasCode(error, 'ENOENT') ? this.#lose() : error;
    }
    this.#beat = now;
  }

  guard(disk: Disk): Disk {
    return {
      ...disk,
      write: (file, bytes, position) =>
        this.#isSure ? disk.write(file, bytes, position) : this.renew().then(() => disk.write(file, bytes, position)),
      truncate: (file, length) =>
        this.#isSure ? disk.truncate(file, length) : this.renew().then(() => disk.truncate(file, length)),
      rename: (from, to) => (this.#isSure ? disk.rename(from, to) : this.renew().then(() => disk.rename(from, to))),
      unlink: (path) => (this.#isSure ? disk.unlink(path) : this.renew().then(() => disk.unlink(path))),
    };
  }

  async release(): Promise<void> {
    this.#released = true;
    clearInterval(this.#timer);
    await new Promise((closed) => this.#server.close(closed));
    removeClaim(this.#claim);
  }

  /** A clock that was set back is no proof either. */
  get #isSure(): boolean {
    return !this.#lost && Math.abs(this.#now() - this.#beat) < SURE_MS;
  }

  #lose(): FolderLost {
    if (this.#lost) return this.#lost;
    clearInterval(this.#timer);
    const error = new FolderLost(
      `the claim of this process on the data folder ${this.#dir} is gone: another process took it, or it was removed`,
    );
    this.#lost = error;
    const { lost = throwLater } = this.#options;
    lost(error);
    return error;
  }
}

const throwLater = (error: Error): void =>
  void setImmediate(() => {
    throw error;
  });

/** Throws where a process of this machine has the folder. Claims of dead ones are removed. */
async function refuseRivals(dir: string, locks: string, own: Claim): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const others = await livingRivals(locks, own);
    const first = others.find(({ name }) => name < own.name) ?? (Date.now() > end ? others[0] : undefined);
    if (first) throw inUse(dir, first, 'stop that one or use another folder');
    if (others.length === 0) return;
    await wait(20);
  }
}

async function livingRivals(locks: string, own: Claim): Promise<Claim[]> {
  const living: Claim[] = [];
  for (const claim of otherClaims(locks, own).filter(isOfThisMachine)) {
    if (await isAnswered(claim)) living.push(claim);
    else removeClaim(claim);
  }
  return living;
}

/** Throws where a process of another machine has the folder. Resolves when their claims are gone, or proved dead and removed. */
async function outlast(dir: string, locks: string, own: Claim, { log, sleep = wait }: LockOptions): Promise<void> {
  for (;;) {
    const others = otherClaims(locks, own).filter((claim) => !isOfThisMachine(claim));
    const [other] = others;
    if (!other) return;
    const old = others.find(({ beats }) => !beats);
    if (old) throw inUse(dir, old, `stop it there; if it does not run any more, remove ${old.folder}`);
    const seconds = DEAD_MS / 1000;
    log?.warn({}, `${named(other)} claims the data folder ${dir}: waiting ${seconds} s to see whether it still runs`);
    await watch(dir, others, sleep);
  }
}

async function watch(dir: string, others: Claim[], sleep: (ms: number) => Promise<unknown>): Promise<void> {
  const beats = others.map(lastBeat);
  const isRenewed = (claim: Claim, at: number): boolean => ![beats[at], undefined].includes(lastBeat(claim));
  const refuse = (claim: Claim): never => {
    throw inUse(dir, claim, 'stop it there or use another folder');
  };
  for (let waited = 0; waited < DEAD_MS && others.some((claim) => lastBeat(claim)); waited += LOOK_MS) {
    await sleep(LOOK_MS);
    const renewed = others.find(isRenewed);
    if (renewed) refuse(renewed);
  }
  for (const [at, claim] of others.entries()) {
    const beat = beats[at];
    if (beat !== undefined && !takeAway(claim, beat)) refuse(claim);
  }
}

function named(claim: Claim): string {
  const { pid, host } = claim;
  const isHere = host === '' || (host === hostName() && isOfThisMachine(claim));
  return isHere ? `process ${pid}` : `process ${pid} of the host ${host}`;
}

const inUse = (dir: string, claim: Claim, remedy: string): FolderInUse =>
  new FolderInUse(`the data folder ${dir} is in use by ${named(claim)}: ${remedy}`);

function listen(address: string, dir: string): Promise<Server> {
  return new Promise((done, fail) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error) =>
      fail(new Error(`cannot lock the data folder ${dir}: ${error.message}`, { cause: error })),
    );
    server.listen(address, () => done(server.unref()));
  });
}

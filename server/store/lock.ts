import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, mkdirSync, readdirSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { hasCode } from './disk.ts';

/**
 * One process a data folder. Each one that wants the folder puts a claim into `lock/`: a socket that it listens on.
 * The kernel ends the listening with the process, however that ends, and answers for processes of other containers
 * too; a number in a file would do neither, since numbers are given out again.
 *
 * Who has put its claim there and then sees no other living claim has the folder. Claims have names that no other
 * process ever uses, so that removing a dead one can never hit a living one.
 */

/** Of two that start at the same moment the one that came first waits this long for the other to give way. */
const PATIENCE_MS = 400;
/** A Unix socket's address holds 104 bytes on macOS, 108 on Linux. */
const LONGEST_ADDRESS = 100;

export interface Lock {
  release(): Promise<void>;
}

/** Says which folder and which process. */
export class FolderInUse extends Error {}

/** Throws `FolderInUse` where another process has the folder. */
export async function lockFolder(dir: string): Promise<Lock> {
  const folder = join(resolve(dir), 'lock');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const claim = `${Date.now().toString(36)}-${process.pid}-${randomBytes(4).toString('hex')}`;
  const near = nearby(folder);
  try {
    const server = await listen(join(near.path, claim), dir);
    const lock = { release: () => release(server, join(folder, claim)) };
    chmodSync(join(folder, claim), 0o600);
    const other = await rival(folder, near.path, claim);
    if (other === undefined) return lock;
    await lock.release();
    throw new FolderInUse(
      `the data folder ${dir} is in use by process ${pidOf(other)}: stop that one or use another folder`,
    );
  } finally {
    near.leave();
  }
}

/** A living claim that keeps us out. */
async function rival(folder: string, near: string, claim: string): Promise<string | undefined> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const others = await livingClaims(folder, near, claim);
    const first = others.find((other) => other < claim) ?? (Date.now() > end ? others[0] : undefined);
    if (first !== undefined || others.length === 0) return first;
    await wait(20);
  }
}

async function livingClaims(folder: string, near: string, claim: string): Promise<string[]> {
  const others = readdirSync(folder).filter((name) => name !== claim && pidOf(name) !== undefined);
  const living: string[] = [];
  for (const name of others.sort()) {
    if (await isAnswered(join(near, name))) living.push(name);
    else rmSync(join(folder, name), { force: true });
  }
  return living;
}

const pidOf = (claim: string): string | undefined => /^[0-9a-z]+-(\d+)-[0-9a-f]{8}$/.exec(claim)?.[1];

/** In doubt yes: to refuse a start is better than to let two in. */
function isAnswered(address: string): Promise<boolean> {
  return new Promise((answer) => {
    const socket = connect(address);
    socket.once('connect', () => {
      socket.destroy();
      answer(true);
    });
    socket.once('error', (error) => answer(!hasCode(error, 'ECONNREFUSED', 'ENOENT')));
  });
}

function listen(address: string, dir: string): Promise<Server> {
  return new Promise((done, fail) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error) =>
      fail(new Error(`cannot lock the data folder ${dir}: ${error.message}`, { cause: error })),
    );
    server.listen(address, () => done(server.unref()));
  });
}

async function release(server: Server, path: string): Promise<void> {
  await new Promise((closed) => server.close(closed));
  try {
    unlinkSync(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

/** The folder under a name that is short enough for a socket's address, with up to 40 bytes to come. */
export function nearby(folder: string): { path: string; leave(): void } {
  if (Buffer.byteLength(folder) + 40 <= LONGEST_ADDRESS) return { path: folder, leave: () => {} };
  const aside = mkdtempSync(join(tmpdir(), 'docent-'));
  symlinkSync(folder, join(aside, 'l'));
  return { path: join(aside, 'l'), leave: () => rmSync(aside, { recursive: true, force: true }) };
}

import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createFolder, hasCode } from './disk.ts';
import { bootId, hostName } from './host.ts';

/**
 * One process a data folder. Each one that wants the folder puts a claim into `lock/<host>/`: a socket that it listens on.
 * The kernel ends the listening with the process, however that ends, and answers for processes of other containers
 * too; a number in a file would do neither, since numbers are given out again. It does not answer for another machine
 * that has the folder mounted: a claim of another host is never removed, unless it names this machine's boot (a container
 * that had another name). After a reboot the claims of this host are dead.
 *
 * Who has put its claim there and then sees no other living claim has the folder. Claims have names that no other
 * process ever uses, so that removing a dead one can never hit a living one.
 */

/** Of two that start at the same moment the one that came first waits this long for the other to give way. */
const RIVAL_TIMEOUT_MS = 400;
/** A Unix socket's address holds 104 bytes on macOS, 108 on Linux. */
const MAX_ADDRESS_BYTES = 100;
/** The other process is a server, or a command without one. */
const LOCK_REMEDY = 'stop that one (a command ends by itself) or use another folder';

export interface Lock {
  release(): Promise<void>;
}

/** Says which folder and which process. */
export class FolderInUse extends Error {}

/** Throws `FolderInUse` where another process has the folder. */
export async function lockFolder(dir: string): Promise<Lock> {
  const locks = join(resolve(dir), 'lock');
  const folder = join(locks, hostName());
  createFolder(folder, `cannot lock the data folder ${dir}`);
  const claim = `${Date.now().toString(36)}-${process.pid}-${randomBytes(4).toString('hex')}${bootId() && `-${bootId()}`}`;
  const near = shortAlias(folder);
  try {
    const server = await listen(join(near.path, claim), dir);
    const lock = { release: () => release(server, join(folder, claim)) };
    chmodSync(join(folder, claim), 0o600);
    // A claim of the first version stands in `lock/` itself.
    const elsewhere = await claimElsewhere(locks, dir);
    const other = elsewhere ? undefined : await rival(folder, near.path, claim);
    if (other === undefined && !elsewhere) return lock;
    await lock.release();
    if (elsewhere) throw elsewhere;
    throw new FolderInUse(`the data folder ${dir} is in use by process ${pidOf(other!)}: ${LOCK_REMEDY}`);
  } finally {
    near.remove();
  }
}

/** Why a claim that is not in this host's own folder keeps us out. Dead ones that this machine answers for are removed. */
async function claimElsewhere(locks: string, dir: string): Promise<FolderInUse | undefined> {
  const legacy = await liveClaimsNear(locks, '');
  if (legacy[0])
    return new FolderInUse(`the data folder ${dir} is in use by process ${pidOf(legacy[0])}: ${LOCK_REMEDY}`);
  for (const { name } of readdirSync(locks, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    if (name === hostName()) continue;
    const claims = readdirSync(join(locks, name)).filter((claim) => pidOf(claim) !== undefined);
    const [foreign] = claims.filter((claim) => !isOurBoot(claim));
    if (foreign !== undefined) {
      const process = `process ${pidOf(foreign)} of the host ${name}`;
      const remedy = `stop it there; if it does not run any more, remove ${join(locks, name)}`;
      return new FolderInUse(`the data folder ${dir} is in use by ${process}: ${remedy}`);
    }
    const [own] = await liveClaimsNear(join(locks, name), '');
    if (own !== undefined)
      return new FolderInUse(`the data folder ${dir} is in use by process ${pidOf(own)} of ${name}: ${LOCK_REMEDY}`);
  }
  return undefined;
}

const isOurBoot = (claim: string): boolean => bootId() !== '' && claim.endsWith(`-${bootId()}`);

async function liveClaimsNear(folder: string, claim: string): Promise<string[]> {
  const near = shortAlias(folder);
  try {
    return await livingClaims(folder, near.path, claim);
  } finally {
    near.remove();
  }
}

/** A living claim that keeps us out. */
async function rival(folder: string, near: string, claim: string): Promise<string | undefined> {
  const end = Date.now() + RIVAL_TIMEOUT_MS;
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

const pidOf = (claim: string): string | undefined => /^[0-9a-z]+-(\d+)-[0-9a-f]{8}(?:-[0-9a-f]{8})?$/.exec(claim)?.[1];

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
export function shortAlias(folder: string): { path: string; remove(): void } {
  if (Buffer.byteLength(folder) + 40 <= MAX_ADDRESS_BYTES) return { path: folder, remove: () => {} };
  const aside = mkdtempSync(join(tmpdir(), 'docent-'));
  symlinkSync(folder, join(aside, 'l'));
  return { path: join(aside, 'l'), remove: () => rmSync(aside, { recursive: true, force: true }) };
}

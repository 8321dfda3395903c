import { mkdtempSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasCode } from './disk.ts';
import { bootId, hostName } from './host.ts';

/** A process that holds a data folder, or asks for it: a Unix socket at `lock/<host>/<name>` that it listens on. */
export interface Claim {
  /** `<time>-<pid>-<random>[-<boot>][-beat]`; in order of time. */
  name: string;
  folder: string;
  /** '' in the first version, whose claims stood in `lock/` itself. */
  host: string;
  pid: string;
  /** '' where the system has none. */
  boot: string;
  /** Its holder renews its modification time. */
  beats: boolean;
}

const NAME = /^[0-9a-z]+-(\d+)-[0-9a-f]{8}(?:-([0-9a-f]{8}))?(-beat)?$/;

export function newClaim(locks: string): Claim {
  const host = hostName();
  const boot = bootId();
  const unique = `${Date.now().toString(36)}-${process.pid}-${randomBytes(4).toString('hex')}`;
  const name = `${unique}${boot && `-${boot}`}-beat`;
  return { name, folder: join(locks, host), host, pid: String(process.pid), boot, beats: true };
}

/** Those of others, the oldest first. */
export function otherClaims(locks: string, own: Claim): Claim[] {
  const found: Claim[] = [];
  const look = (folder: string, host: string, names: string[]): void => {
    for (const name of names) {
      const [match, pid = '', boot = '', beat] = NAME.exec(name) ?? [];
      if (match && name !== own.name) found.push({ name, folder, host, pid, boot, beats: beat !== undefined });
    }
  };
  for (const entry of readdirSync(locks, { withFileTypes: true })) {
    if (!entry.isDirectory()) look(locks, '', [entry.name]);
    else look(join(locks, entry.name), entry.name, readdirSync(join(locks, entry.name)));
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Whether this machine's kernel knows if the process runs: containers share a boot, whatever their host names. Two
 * machines may have the same host name, so a name counts only where there is no boot, and for versions that
 * did not renew their claims.
 */
export function isOfThisMachine({ host, boot, beats }: Claim): boolean {
  const ours = bootId();
  if (host === '') return true;
  if (boot !== '' && boot === ours) return true;
  return host === hostName() && (!beats || (boot === '' && ours === ''));
}

/** In doubt yes: to refuse a start is better than to let two in. */
export function isAnswered({ folder, name }: Claim): Promise<boolean> {
  const near = nearby(folder);
  return new Promise<boolean>((answer) => {
    const socket = connect(join(near.path, name));
    socket.once('connect', () => {
      socket.destroy();
      answer(true);
    });
    socket.once('error', (error) => answer(!hasCode(error, 'ECONNREFUSED', 'ENOENT')));
  }).finally(near.leave);
}

/** When the claim was last renewed, by the clock of who renewed it: to be compared with itself alone. Undefined where it is gone. */
export const lastBeat = ({ folder, name }: Claim): bigint | undefined => modifiedAt(join(folder, name));

function modifiedAt(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.mtimeNs;
}

export const removeClaim = ({ folder, name }: Claim): void => rmSync(join(folder, name), { force: true });

/**
 * Removes the claim of a process that is taken for dead. False where it was renewed after `beat`: it is put back then. A
 * holder that renews it after the renaming finds that it has lost the folder.
 */
export function takeAway({ folder, name }: Claim, beat: bigint): boolean {
  const path = join(folder, name);
  const aside = `${path}.taken`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return true;
    throw error;
  }
  const isSilent = modifiedAt(aside) === beat;
  if (isSilent) rmSync(aside, { force: true });
  else renameSync(aside, path);
  return isSilent;
}

/** A Unix socket's address holds 104 bytes on macOS, 108 on Linux. */
const LONGEST_ADDRESS = 100;

/** The folder under a name that is short enough for a socket's address, with up to 40 bytes to come. */
export function nearby(folder: string): { path: string; leave(): void } {
  if (Buffer.byteLength(folder) + 40 <= LONGEST_ADDRESS) return { path: folder, leave: () => {} };
  const aside = mkdtempSync(join(tmpdir(), 'docent-'));
  symlinkSync(folder, join(aside, 'l'));
  return { path: join(aside, 'l'), leave: () => rmSync(aside, { recursive: true, force: true }) };
}

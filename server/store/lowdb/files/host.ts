import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** This host's name, as the name of a folder. */
export const hostName = (): string =>
  hostname()
    .replace(/[^A-Za-z0-9._-]/g, '_')
    .replace(/^\.*$/, 'unnamed');

/** Eight digits that every container of this machine shares until it is started again; '' where the system has none. */
export function bootId(): string {
  try {
    const id = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
    return createHash('sha256').update(id).digest('hex').slice(0, 8);
  } catch {
    return '';
  }
}

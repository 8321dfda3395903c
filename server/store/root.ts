import { randomBytes, timingSafeEqual } from 'node:crypto';
import { newUuid, timestamp, type Clock } from '../records.ts';
import type { Disk } from './disk.ts';
import { readDocument } from './document.ts';
import { StoredRecord } from './record.ts';
import type { Home, StoredKey, User } from './store.ts';

/** `store.json`: what there is once in a data folder. */
export interface Root {
  format: 1;
  /** How often the folder has been opened. */
  life: number;
  home: { user: string; secret: string };
  users: User[];
  keys: StoredKey[];
  facts: Record<string, string>;
}

/** Opens another life of the data folder, or the first. */
export async function openRoot(disk: Disk, path: string, clock: Clock): Promise<StoredRecord<Root>> {
  const stored = readDocument<Root>(path);
  if (!stored) return StoredRecord.create(disk, path, firstRoot(clock));
  if (stored.format !== 1)
    throw new Error(`${path} was written by a newer version of docent (format ${stored.format})`);
  const record = new StoredRecord(disk, path, stored);
  await record.update((root) => ({ ...root, life: root.life + 1, keys: root.keys.map(wholeKey) }));
  return record;
}

/** Keys of older files have no hint and no date of use. */
const wholeKey = (key: StoredKey): StoredKey => ({
  ...key,
  hint: key.hint ?? '',
  last_used_at: key.last_used_at ?? '',
});

function firstRoot(clock: Clock): Root {
  const user = { uuid: newUuid(), email: 'owner@localhost', created_at: timestamp(clock) };
  const secret = randomBytes(32).toString('hex');
  return { format: 1, life: 1, home: { user: user.uuid, secret }, users: [user], keys: [], facts: {} };
}

export function homeOf({ home, users }: Root): Home {
  const user = users.find(({ uuid }) => uuid === home.user);
  if (!user) throw new Error('store.json does not hold the user that it names as its owner');
  return { user: { ...user }, secret: home.secret };
}

/** Found by the beginning of its hash and then compared in constant time: the time taken tells nothing of a key. */
export function keyOf({ keys }: Root, hash: string): StoredKey | undefined {
  const start = hash.slice(0, 8);
  const isSame = (other: string): boolean =>
    other.length === hash.length && timingSafeEqual(Buffer.from(other), Buffer.from(hash));
  return keys.find((key) => key.hash.startsWith(start) && isSame(key.hash));
}

/** Numbers in order of creation, through all lives: 2^32 for each of 2^21 lives fit a double. */
export function orderFrom(life: number): () => number {
  let count = 0;
  return () => life * 2 ** 32 + count++;
}

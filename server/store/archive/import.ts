import { randomBytes } from 'node:crypto';
import type { Clock } from '../../schema/ids.ts';
import type { OwnerAccount, Store } from '../store.ts';
import { fillStore } from './fill.ts';
import type { Counts } from './format.ts';
import { readArchive } from './read.ts';

export interface ImportOptions<T> {
  owner: OwnerAccount;
  clock: Clock;
  /** Whether what the target holds is replaced. */
  replaces: boolean;
  /** Stores all, in an empty store of that owner. */
  fill(store: Store): Promise<T>;
}

/** Of an engine: puts what `fill` stores in place of what there is, whole or not at all. */
export type ImportTarget = <T>(options: ImportOptions<T>) => Promise<T>;

/** Stores an archive whole, or where it throws, nothing of it. Resolves with how many records of each kind there were. */
export async function importArchive(
  chunks: AsyncIterable<Uint8Array>,
  into: ImportTarget,
  options: Pick<ImportOptions<Counts>, 'clock' | 'replaces'>,
): Promise<Counts> {
  const { head, entries } = await readArchive(chunks);
  const owner = { user: head.owner, secret: head.secret || randomBytes(32).toString('hex') };
  return into({ ...options, owner, fill: (store) => fillStore(store, entries) });
}

/** `target` names it, as in a sentence. */
export const targetNotEmpty = (target: string): Error =>
  new Error(`${target} is not empty; --replace deletes what it holds and puts the archive in its place`);

import { endOf } from '../console/sign-ins.ts';
import { timestamp } from '../schema/ids.ts';
import { faultsIn, type Fault, type Unreadable } from '../store/archive/faults.ts';
import type { Counts } from '../store/archive/format.ts';
import type { Snapshot, SnapshotReader, SnapshotStore } from '../store/archive/snapshot.ts';
import { refuseMarkedFolder } from './folder-mark.ts';
import { openReader, openStore, type StoreLocation } from './open-store.ts';

export interface Examination {
  /** Of the records that were read. */
  counts: Counts;
  /** A sentence each; in a dry run of what would be repaired. */
  repaired: string[];
  left: string[];
  signIns: SignInCount;
}

/** Of browsers that are signed in to the console now. */
export interface SignInCount {
  /** By the addresses of their users. */
  users: Record<string, number>;
  /** When the oldest was made; '' for none. */
  oldest: string;
}

/**
 * Checks every record, and what it refers to, and repairs what is safe. In a dry run nothing is changed. Throws where another
 * process has the data folder, or, unless it is a dry run, the database.
 */
export async function examine(location: StoreLocation, isDry: boolean): Promise<Examination> {
  return location.databaseUrl === undefined ? examineFiles(location, isDry) : examineDatabase(location, isDry);
}

async function examineFiles({ dataDir }: StoreLocation, isDry: boolean): Promise<Examination> {
  refuseMarkedFolder(dataDir);
  const { examineFolder } = await import('../store/lowdb/examine.ts');
  const { store, faults } = await examineFolder({ dir: dataDir, clock: Date.now, isDry });
  const examining = readAll(store).then(async (all) => {
    const { repaired, others } = faults();
    const done = await repairAll([...others, ...all.faults], isDry, store as SnapshotStore);
    return { counts: all.counts, signIns: all.signIns, found: repaired, ...done };
  });
  const { found, ...done } = await examining.finally(() => store.close());
  // Closing ends deletions.
  const removed = new Set([...found, ...faults().repaired]);
  return { ...done, repaired: [...removed, ...done.repaired] };
}

async function examineDatabase(location: StoreLocation, isDry: boolean): Promise<Examination> {
  const { examineTables } = await import('../store/postgres/moving/examine.ts');
  const url = location.databaseUrl!;
  // Before a start repairs by itself what is to be told of.
  const { repaired, unreadable } = await examineTables({ url, isDry });
  const keysOf = (name: string) => unreadable.filter(({ table }) => table === name).map(({ key }) => key);
  const told: Unreadable = {
    chatbots: keysOf('chatbots'),
    sites: keysOf('sites'),
    texts: keysOf('documents'),
    sessions: keysOf('sessions'),
  };
  const store = isDry ? await openReader(location, Date.now) : await openStore(location, { clock: Date.now });
  try {
    const { counts, faults, signIns } = await readAll(store, told);
    const done = await repairAll(faults, isDry, store as SnapshotStore);
    const left = [...unreadable.map(({ what }) => what), ...done.left];
    return { counts, signIns, repaired: [...repaired, ...done.repaired], left };
  } finally {
    await store.close();
  }
}

interface Read {
  counts: Counts;
  faults: Fault[];
  signIns: SignInCount;
}

const readAll = (store: SnapshotReader, told?: Unreadable): Promise<Read> =>
  store.snapshot(
    async (all) => {
      const [counts, faults]: [Counts, Fault[]] = [{}, []];
      for await (const fault of faultsIn(all, counts, told)) faults.push(fault);
      return { counts, faults, signIns: await countSignIns(all) };
    },
    { skipsUnreadable: true },
  );

async function countSignIns(all: Snapshot): Promise<SignInCount> {
  const now = timestamp(Date.now);
  const count: SignInCount = { users: {}, oldest: '' };
  for (const { uuid, email } of await all.users()) {
    const valid = (await all.signIns(uuid)).filter((one) => endOf(one) > now).map(({ created_at }) => created_at);
    if (valid.length > 0) count.users[email] = valid.length;
    count.oldest = [count.oldest, ...valid].filter(Boolean).toSorted()[0] ?? '';
  }
  return count;
}

async function repairAll(
  faults: Fault[],
  isDry: boolean,
  store?: SnapshotStore,
): Promise<Pick<Examination, 'repaired' | 'left'>> {
  const [repaired, left]: [string[], string[]] = [[], []];
  for (const { what, repair } of faults) {
    if (!repair) left.push(what);
    else {
      if (!isDry) await repair(store!);
      repaired.push(what);
    }
  }
  return { repaired, left };
}

import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Health } from '../health.ts';
import type { Clock } from '../records.ts';
import { Turns } from './batch.ts';
import { chatbotVerbs, clearAway } from './chatbot-verbs.ts';
import { Chatbots } from './chatbots.ts';
import { Damage, type StoreLog } from './damage.ts';
import { realDisk, syncFolder, type Disk } from './disk.ts';
import type { Kept } from './kept.ts';
import { lockFolder, type Lock } from './lock.ts';
import { AGENTS, Parts, SITES, TAGS } from './parts.ts';
import type { StoredRecord } from './record.ts';
import { rootVerbs } from './root-verbs.ts';
import { homeOf, openRoot, orderFrom, type Root } from './root.ts';
import { sessionVerbs } from './session-verbs.ts';
import { Sessions } from './sessions.ts';
import { sourceVerbs } from './source-verbs.ts';
import { Sources } from './sources.ts';
import type { Store } from './store.ts';
import { UnderWay } from './under-way.ts';

export interface LowdbOptions {
  /** The data folder; made where it is missing. */
  dir: string;
  clock: Clock;
  /** Told of damaged files and of what could not be tidied up after a crash; such as pino's. Silent by default. */
  log?: StoreLog;
  /** Told of damaged files. */
  health?: Pick<Health, 'report' | 'clear'>;
  /** For tests of its faults. */
  disk?: Disk;
  /** Characters of idle sessions kept in memory; 16 Mi by default. */
  kept?: number;
}

/** The default store: small files in one folder. Throws where another process has the folder. */
export async function openLowdbStore(options: LowdbOptions): Promise<Store> {
  const dir = resolve(options.dir);
  const disk = options.disk ?? realDisk;
  const made = mkdirSync(dir, { recursive: true, mode: 0o700 });
  const lock = await lockFolder(dir);
  try {
    if (made !== undefined) await syncFolder(disk, dirname(made));
    const root = await openRoot(disk, join(dir, 'store.json'), options.clock, () => holdsRecords(dir));
    const damage = new Damage({ disk, dir, log: options.log, health: options.health });
    const kept = keptIn({ ...options, dir, disk }, root, damage);
    await damage.settled();
    return storeOf(options, lock, root, kept);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

const RECORDS = ['chatbots', 'sources', 'sessions'];

const holdsRecords = (dir: string): boolean => RECORDS.some((name) => holdsFile(join(dir, name)));

const holdsFile = (path: string): boolean =>
  existsSync(path) && readdirSync(path, { recursive: true, withFileTypes: true }).some((entry) => entry.isFile());

function storeOf(options: LowdbOptions, lock: Lock, root: StoredRecord<Root>, kept: Kept): Store {
  finishDeletions(kept, options);
  let closing: Promise<void> | undefined;
  const close = async () => {
    await kept.underWay.end();
    await kept.sessions.close();
    await lock.release();
  };
  return {
    home: homeOf(root.stored),
    ...rootVerbs(root, kept.run),
    ...chatbotVerbs(kept),
    ...sourceVerbs(kept),
    ...sessionVerbs(kept),
    close: () => (closing ??= close()),
  };
}

interface Opened extends LowdbOptions {
  disk: Disk;
}

function keptIn({ dir, disk, clock, kept }: Opened, root: StoredRecord<Root>, damage: Damage): Kept {
  const underWay = new UnderWay();
  const chatbots = new Chatbots(disk, damage, join(dir, 'chatbots'));
  const alive = (chatbot: string) => chatbots.has(chatbot);
  const sources = new Sources({ disk, damage, clock, root: join(dir, 'sources'), alive });
  const isSource = (uuid: string, chatbot: string) => sources.has(uuid, chatbot);
  return {
    chatbots,
    agents: new Parts(chatbots, AGENTS, isSource),
    tags: new Parts(chatbots, TAGS, isSource),
    sites: new Parts(chatbots, SITES, isSource),
    sources,
    sessions: new Sessions({ disk, damage, root: join(dir, 'sessions'), alive, kept }),
    order: orderFrom(root.stored.life),
    turns: new Turns(),
    underWay,
    run: underWay.run,
  };
}

/** Of chatbots, what an earlier life of the process began. */
function finishDeletions(kept: Kept, { log }: LowdbOptions): void {
  for (const chatbot of kept.chatbots.halfDeleted()) {
    kept
      .run(() => clearAway(kept, chatbot))
      .catch((error: unknown) => log?.warn({ err: error, chatbot }, 'a deleted chatbot could not be cleared away'));
  }
}

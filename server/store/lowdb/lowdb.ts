import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Health } from '../../health/health.ts';
import type { Clock } from '../../schema/ids.ts';
import { KeyedMutex } from '../../async/keyed-mutex.ts';
import { chatbotVerbs, clearAway } from './chatbot-verbs.ts';
import { Chatbots } from './chatbots.ts';
import { Damage, type StoreLog } from './files/damage.ts';
import { realDisk, syncFolder, type Disk } from './files/disk.ts';
import { DiskWatch } from './files/disk-watch.ts';
import type { StoreContext } from './context.ts';
import { lockFolder } from './files/lock.ts';
import { AGENTS, Parts, SITES, TAGS } from './chatbot-parts.ts';
import { Replies } from './replies.ts';
import { rootVerbs } from './account-verbs.ts';
import { homeOf, openAccounts, type OpenAccounts } from './account-file.ts';
import { sessionVerbs } from './sessions/session-verbs.ts';
import { Sessions } from './sessions/sessions.ts';
import { sourceVerbs } from './sources/source-verbs.ts';
import { Sources } from './sources/sources.ts';
import type { Store } from '../store.ts';
import { InFlight } from './in-flight.ts';

export interface LowdbOptions {
  /** The data folder; made where it is missing. */
  dir: string;
  clock: Clock;
  /** Told of damaged files and of what could not be tidied up after a crash; such as pino's. Silent by default. */
  log?: StoreLog;
  /** Told of damaged files, and of a disk that stores nothing. */
  health?: Pick<Health, 'report' | 'clear'>;
  /** For tests of its faults. */
  disk?: Disk | undefined;
  /** Milliseconds between two attempts to store something while nothing can be stored; 5,000 by default. */
  probeEvery?: number | undefined;
  /** Characters of idle sessions kept in memory; 16 Mi by default. */
  kept?: number;
}

/** The default store: small files in one folder. Throws where another process has the folder. */
export async function openLowdbStore(options: LowdbOptions): Promise<Store> {
  const dir = resolve(options.dir);
  const made = mkdirSync(dir, { recursive: true, mode: 0o700 });
  const lock = await lockFolder(dir);
  const { disk: bare = realDisk, health, log, probeEvery: every } = options;
  const watch = new DiskWatch({ disk: bare, dir, health, log, every });
  const { disk } = watch;
  try {
    if (made !== undefined) await syncFolder(disk, dirname(made));
    const root = await openAccounts(disk, join(dir, 'store.json'), options.clock, () => holdsRecords(dir));
    watch.first = root.begin;
    const damage = new Damage({ disk, dir, log, health });
    const order = () => {
      // Whoever is refused now need not be refused once more after the disk has room again.
      if (watch.first) void watch.probe();
      return root.order();
    };
    const kept = keptIn({ ...options, dir, disk }, order, damage);
    await damage.settled();
    return storeOf(options, kept, root, async () => {
      await watch.close();
      await lock.release();
    });
  } catch (error) {
    await watch.close();
    await lock.release();
    throw error;
  }
}

const RECORDS = ['chatbots', 'sources', 'sessions'];

const holdsRecords = (dir: string): boolean => RECORDS.some((name) => holdsFile(join(dir, name)));

const holdsFile = (path: string): boolean =>
  existsSync(path) && readdirSync(path, { recursive: true, withFileTypes: true }).some((entry) => entry.isFile());

function storeOf(options: LowdbOptions, kept: StoreContext, { record }: OpenAccounts, end: () => Promise<void>): Store {
  finishDeletions(kept, options);
  let closing: Promise<void> | undefined;
  const close = async () => {
    await kept.underWay.end();
    await kept.sessions.close();
    await kept.replies.close();
    await end();
  };
  return {
    home: homeOf(record.stored),
    ...rootVerbs(record, kept.run),
    ...chatbotVerbs(kept),
    ...sourceVerbs(kept),
    ...sessionVerbs(kept),
    reply: (key) => kept.run(() => kept.replies.find(key)),
    keepReply: (reply) => kept.run(() => kept.replies.keep(reply)),
    close: () => (closing ??= close()),
  };
}

interface Opened extends LowdbOptions {
  disk: Disk;
}

function keptIn({ dir, disk, clock, kept }: Opened, order: () => number, damage: Damage): StoreContext {
  const underWay = new InFlight();
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
    replies: new Replies({ disk, damage, clock, root: join(dir, 'replies') }),
    order,
    mutex: new KeyedMutex(),
    underWay,
    run: underWay.run,
  };
}

/** Of chatbots, what an earlier life of the process began. */
function finishDeletions(kept: StoreContext, { log }: LowdbOptions): void {
  for (const chatbot of kept.chatbots.halfDeleted()) {
    kept
      .run(() => clearAway(kept, chatbot))
      .catch((error: unknown) => log?.warn({ err: error, chatbot }, 'a deleted chatbot could not be cleared away'));
  }
}

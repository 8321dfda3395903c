import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Health } from '../../health/health.ts';
import type { Clock } from '../../schema/ids.ts';
import { KeyedMutex } from '../../async/keyed-mutex.ts';
import { AuditFiles } from './audit.ts';
import { chatbotVerbs, removeChatbotData } from './chatbot-verbs.ts';
import { Chatbots } from './chatbots.ts';
import { Damage } from './files/damage.ts';
import type { StoreLog } from '../log.ts';
import { createFolder, realDisk, syncFolder, type Disk } from './files/disk.ts';
import { DiskWatch } from './files/disk-watch.ts';
import type { StoreContext } from './context.ts';
import { lockFolder, type Lock } from './files/lock.ts';
import { AGENTS_FIELD, SubRecords, SITES_FIELD, TAGS_FIELD } from './sub-records.ts';
import { FigureFiles } from './figures.ts';
import { finishImport } from './staging.ts';
import { MessageIndex } from './found/message-index.ts';
import { IndexFolder } from './index-files.ts';
import { Replies } from './replies.ts';
import { accountVerbs } from './accounts/account-verbs.ts';
import { ownerAccountOf, openAccounts, type OpenAccounts } from './accounts/account-file.ts';
import { memberVerbs } from './member-verbs.ts';
import { passkeyVerbs } from './accounts/passkey-verbs.ts';
import { signInVerbs } from './accounts/sign-in-verbs.ts';
import { sessionVerbs } from './sessions/session-verbs.ts';
import { Sessions } from './sessions/sessions.ts';
import { finishSiteDeletions, siteVerbs } from './site-verbs.ts';
import { sourceVerbs } from './sources/source-verbs.ts';
import { Sources } from './sources/sources.ts';
import { LocalBus } from '../bus.ts';
import type { Snapshot, SnapshotStore } from '../archive/snapshot.ts';
import type { Store } from '../store.ts';
import { cloneJson } from '../clone-json.ts';
import { InFlight } from '../in-flight.ts';
import { UsageFiles } from './usage.ts';

export interface LowdbOptions {
  /** The data folder; made where it is missing. */
  dir: string;
  clock: Clock;
  /** Logs damaged files and clean-up that failed after a crash; such as pino's. Silent by default. */
  log?: StoreLog;
  /** Receives damaged files, and a disk that stores nothing, as faults. */
  health?: Pick<Health, 'report' | 'clear'>;
  /** Replaced in tests that inject faults. */
  disk?: Disk | undefined;
  /** Milliseconds between two attempts to store something while nothing can be stored; 5,000 by default. */
  probeInterval?: number | undefined;
  /** Of the folder, where the caller has it; it is released with the store, or where that cannot be opened. */
  lock?: Lock;
  /** Characters of idle sessions kept in memory; 16 Mi by default. */
  maxIdleCharacters?: number;
}

/** The default store: small files in one folder. Throws where another process has the folder. */
export async function openLowdbStore(options: LowdbOptions): Promise<SnapshotStore> {
  const dir = resolve(options.dir);
  const created = createFolder(dir, `cannot create the data folder ${dir}`);
  const lock = options.lock ?? (await lockFolder(dir));
  const { disk: rawDisk = realDisk, health, log, probeInterval } = options;
  const watch = new DiskWatch({ disk: rawDisk, dir, health, log, probeInterval });
  const { disk } = watch;
  try {
    await finishImport(dir);
    if (created !== undefined) await syncFolder(disk, dirname(created));
    const accounts = await openAccounts(disk, join(dir, 'store.json'), options.clock, () => holdsRecords(dir));
    watch.unstored = accounts.storeGeneration;
    const damage = new Damage({ disk, dir, log, health });
    const nextOrder = () => {
      // Probes at once, so that the next call succeeds if the disk has room again.
      if (watch.unstored) void watch.probe();
      return accounts.nextOrder();
    };
    const userExists = (uuid: string) => accounts.record.stored.users.some((user) => user.uuid === uuid);
    const context = createContext({ ...options, dir, disk, userExists }, nextOrder, damage);
    await damage.settled();
    return createStore(options, context, accounts, async () => {
      await watch.close();
      await lock.release();
    });
  } catch (error) {
    await watch.close();
    await lock.release();
    throw error;
  }
}

const RECORD_FOLDERS = ['chatbots', 'sources', 'sessions'];

/** Whether the folder has a chatbot, a source or a conversation. */
export const holdsRecords = (dir: string): boolean => RECORD_FOLDERS.some((name) => holdsFile(join(dir, name)));

const holdsFile = (path: string): boolean =>
  existsSync(path) && readdirSync(path, { recursive: true, withFileTypes: true }).some((entry) => entry.isFile());

function createStore(
  options: LowdbOptions,
  context: StoreContext,
  { record }: OpenAccounts,
  end: () => Promise<void>,
): SnapshotStore {
  finishDeletions(context, options);
  let closing: Promise<void> | undefined;
  const close = async () => {
    await context.inFlight.close();
    await context.found.close();
    await context.sessions.close();
    await context.replies.close();
    await context.usage.close();
    await end();
  };
  const accounts = accountVerbs(record, context.run);
  const store: Store = {
    owner: ownerAccountOf(record.stored),
    bus: new LocalBus(),
    ...accounts,
    ...memberVerbs(context, record, accounts.removeUser),
    ...signInVerbs(record, context.run),
    ...passkeyVerbs(record, context.run),
    ...chatbotVerbs(context),
    ...siteVerbs(context),
    ...sourceVerbs(context),
    ...sessionVerbs(context),
    indexFiles: {
      read: (chatbot) => context.run(() => context.indexes.read(chatbot)),
      version: context.indexes.version,
      writer(chatbot) {
        const write = context.indexes.writer(chatbot);
        return (pieces, isCurrent) => context.run(() => write(pieces, isCurrent));
      },
    },
    reply: (key) => context.run(() => context.replies.find(key)),
    saveReply: (reply) => context.run(() => context.replies.save(reply)),
    addUsage: (usage) => context.run(() => context.usage.add(usage)),
    usage: (owner, from, to) => context.run(() => context.usage.between(owner, from, to)),
    addFigures: (figures, cited) => context.run(() => context.figures.addFigures(figures, cited)),
    figures: (chatbot, from, to) => context.run(() => context.figures.figures(chatbot, from, to)),
    cited: (chatbot) => context.run(() => context.figures.cited(chatbot)),
    addAudit: (entries) => context.run(() => context.audit.addAudit(entries)),
    audit: (scope, page) => context.run(() => context.audit.audit(scope, page)),
    removeOldAudit: (day) => context.run(() => context.audit.removeOldAudit(day)),
    close: () => (closing ??= close()),
  };
  const all: Snapshot = {
    ...store,
    facts: () => context.run(() => ({ ...record.stored.facts })),
    allChatbots: () => context.run(() => context.chatbots.files().map(({ chatbot }) => cloneJson(chatbot))),
    allUsage: () => context.usage.all(),
    replies: () => context.replies.all(),
    wholeAudit: (scope) => context.audit.all(scope),
  };
  return { ...store, snapshot: (act) => act(all) };
}

interface ResolvedOptions extends LowdbOptions {
  disk: Disk;
  userExists(uuid: string): boolean;
}

function createContext(
  { dir, disk, clock, maxIdleCharacters, userExists }: ResolvedOptions,
  nextOrder: () => number,
  damage: Damage,
): StoreContext {
  const inFlight = new InFlight();
  const chatbots = new Chatbots(disk, damage, join(dir, 'chatbots'));
  const chatbotExists = (chatbot: string) => chatbots.has(chatbot);
  const sources = new Sources({
    disk,
    damage,
    clock,
    root: join(dir, 'sources'),
    exists: (source) => chatbots.mayHave(source),
  });
  const sessions: Sessions = new Sessions({
    disk,
    damage,
    root: join(dir, 'sessions'),
    chatbotExists,
    deleting: (name, act) => found.deleting(name, act),
    maxIdleCharacters,
  });
  const found = new MessageIndex({ disk, root: join(dir, 'found'), chatbotExists, sessions });
  return {
    chatbots,
    agents: new SubRecords(chatbots, AGENTS_FIELD, sources),
    tags: new SubRecords(chatbots, TAGS_FIELD, sources),
    sites: new SubRecords(chatbots, SITES_FIELD, sources),
    sources,
    indexes: new IndexFolder({
      disk,
      root: join(dir, 'indexes'),
      chatbotExists,
      version: (uuid) => sources.version(uuid),
    }),
    sessions,
    found,
    replies: new Replies({ disk, damage, clock, root: join(dir, 'replies') }),
    usage: new UsageFiles({ disk, damage, root: join(dir, 'usage') }),
    figures: new FigureFiles({
      disk,
      damage,
      root: join(dir, 'figures'),
      chatbotExists,
      sourceExists: (source, chatbot) => sources.has(source, chatbot),
    }),
    audit: new AuditFiles({ disk, damage, root: join(dir, 'audit'), chatbotExists, userExists }),
    nextOrder,
    mutex: new KeyedMutex(),
    inFlight,
    run: inFlight.run,
  };
}

/** Finishes deletions of chatbots and sites that a crash has interrupted. */
function finishDeletions(context: StoreContext, { log }: LowdbOptions): void {
  for (const chatbot of context.chatbots.unfinishedDeletions()) {
    context
      .run(() => removeChatbotData(context, chatbot))
      .catch((error: unknown) => log?.warn({ err: error, chatbot }, 'a deleted chatbot could not be cleared away'));
  }
  context
    .run(() => finishSiteDeletions(context))
    .catch((error: unknown) => log?.warn({ err: error }, 'the pages of a deleted site could not be cleared away'));
}

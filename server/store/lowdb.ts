import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Clock } from '../records.ts';
import { Turns } from './batch.ts';
import { Chatbots } from './chatbots.ts';
import { realDisk, syncFolder, type Disk } from './disk.ts';
import { lockFolder, type Lock } from './lock.ts';
import { copy, type StoredRecord } from './record.ts';
import { homeOf, openRoot, orderFrom, type Root } from './root.ts';
import { messageLine, type SessionFile } from './session.ts';
import { Sessions } from './sessions.ts';
import { Sources } from './sources.ts';
import type { Change, Document, Home, Store, StoredAgent, StoredChatbot, StoredKey } from './store.ts';
import type { StoredMessage, StoredSession, StoredSource, User } from './store.ts';

export interface LowdbOptions {
  /** The data folder; made where it is missing. */
  dir: string;
  clock: Clock;
  /** Told of what could not be tidied up after a crash; such as pino's. Silent by default. */
  log?: { warn(fields: object, sentence: string): void };
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
    return new LowdbStore(options, lock, await openRoot(disk, join(dir, 'store.json'), options.clock));
  } catch (error) {
    await lock.release();
    throw error;
  }
}

class LowdbStore implements Store {
  readonly home: Home;
  readonly #lock: Lock;
  readonly #root: StoredRecord<Root>;
  readonly #chatbots: Chatbots;
  readonly #sources: Sources;
  readonly #sessions: Sessions;
  readonly #order: () => number;
  /** A chatbot, and then its sources, are made one after another, so that none is made twice. */
  readonly #turns = new Turns();
  #underWay = 0;
  #whenDone: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor({ dir, disk = realDisk, kept, log }: LowdbOptions, lock: Lock, root: StoredRecord<Root>) {
    this.#lock = lock;
    this.#root = root;
    this.home = homeOf(root.stored);
    this.#order = orderFrom(root.stored.life);
    this.#chatbots = new Chatbots(disk, join(dir, 'chatbots'));
    const alive = (chatbot: string) => this.#chatbots.has(chatbot);
    this.#sources = new Sources(disk, join(dir, 'sources'), alive);
    this.#sessions = new Sessions({ disk, root: join(dir, 'sessions'), alive, kept });
    for (const chatbot of this.#chatbots.halfDeleted()) {
      this.#run(() => this.#empty(chatbot)).catch((error: unknown) =>
        log?.warn({ err: error, chatbot }, 'a deleted chatbot could not be cleared away'),
      );
    }
  }

  keyOwner(hash: string): Promise<User | undefined> {
    return this.#run(() => {
      const { keys, users } = this.#root.stored;
      const key = keys.find((one) => one.hash === hash);
      const user = key && users.find(({ uuid }) => uuid === key.user);
      return user && { ...user };
    });
  }

  async addKey(key: StoredKey): Promise<void> {
    const own = { ...key };
    await this.#change((root) => ({ ...root, keys: [...root.keys.filter(({ hash }) => hash !== own.hash), own] }));
  }

  keys(): Promise<StoredKey[]> {
    return this.#run(() => copy(this.#root.stored.keys));
  }

  fact(name: string): Promise<string | undefined> {
    const { facts } = this.#root.stored;
    return this.#run(() => (Object.hasOwn(facts, name) ? facts[name] : undefined));
  }

  async setFact(name: string, value: string): Promise<void> {
    await this.#change((root) => ({ ...root, facts: { ...root.facts, [name]: value } }));
  }

  createChatbot(chatbot: StoredChatbot, agents: StoredAgent[]): Promise<void> {
    const file = { order: this.#order(), ...copy({ chatbot, agents }) };
    return this.#run(() =>
      this.#turns.take(file.chatbot.uuid, async () => {
        if (!this.#chatbots.has(file.chatbot.uuid)) await this.#chatbots.create(file);
      }),
    );
  }

  chatbot(uuid: string): Promise<StoredChatbot | undefined> {
    return this.#run(() => this.#chatbots.chatbot(uuid));
  }

  chatbots(owner: string): Promise<StoredChatbot[]> {
    return this.#run(() => this.#chatbots.list(owner));
  }

  updateChatbot(uuid: string, change: Change<StoredChatbot>): Promise<StoredChatbot | undefined> {
    return this.#run(() => this.#chatbots.update(uuid, change));
  }

  deleteChatbot(uuid: string): Promise<boolean> {
    return this.#run(async () => {
      if (!(await this.#chatbots.hide(uuid))) return false;
      await this.#empty(uuid);
      return true;
    });
  }

  agents(chatbot: string): Promise<StoredAgent[]> {
    return this.#run(() => this.#chatbots.agents(chatbot));
  }

  createSource(source: StoredSource): Promise<{ existing: StoredSource | undefined } | undefined> {
    const own = copy(source);
    return this.#run(() => this.#turns.take(own.chatbot, () => this.#createSource(own)));
  }

  source(uuid: string): Promise<StoredSource | undefined> {
    return this.#run(() => this.#sources.source(uuid));
  }

  sources(chatbot: string): Promise<StoredSource[]> {
    return this.#run(() => this.#sources.list(chatbot));
  }

  updateSource(uuid: string, change: Change<StoredSource>): Promise<StoredSource | undefined> {
    return this.#run(() => this.#sources.update(uuid, change));
  }

  deleteSource(uuid: string): Promise<boolean> {
    return this.#run(() => this.#sources.remove(uuid));
  }

  unfinishedSources(): Promise<StoredSource[]> {
    return this.#run(() => this.#sources.unfinished());
  }

  putDocument(source: string, document: Document): Promise<boolean> {
    return this.#run(() => this.#sources.putDocument(source, document));
  }

  document(source: string): Promise<Document | undefined> {
    return this.#run(() => this.#sources.document(source));
  }

  async createSession(session: StoredSession): Promise<boolean> {
    const [head, order] = [copy(session), this.#order()];
    return (await this.#run(() => this.#sessions.useOrBegin(head, order, (file) => file.write()))) ?? false;
  }

  session(uuid: string): Promise<StoredSession | undefined> {
    return this.#run(() => this.#sessions.use(uuid, (file) => file.head()));
  }

  sessions(chatbot: string): Promise<StoredSession[]> {
    return this.#run(() => this.#sessions.list(chatbot));
  }

  updateSession(uuid: string, change: Change<StoredSession>): Promise<StoredSession | undefined> {
    return this.#run(() => this.#sessions.use(uuid, (file) => file.update(change)));
  }

  deleteSession(uuid: string): Promise<boolean> {
    return this.#run(() => this.#sessions.remove(uuid));
  }

  async saveMessage(message: StoredMessage, session?: StoredSession): Promise<boolean> {
    const line = messageLine(message);
    const uuid = message.session;
    const head = session && copy(session);
    const order = session ? this.#order() : 0;
    const save = (file: SessionFile) => file.save(line);
    const saved = this.#run(() =>
      head ? this.#sessions.useOrBegin(head, order, save) : this.#sessions.use(uuid, save),
    );
    return (await saved) ?? false;
  }

  message(uuid: string): Promise<StoredMessage | undefined> {
    return this.#run(async () => {
      for (const session of await this.#sessions.candidates(uuid)) {
        const message = await this.#sessions.use(session, (file) => file.message(uuid));
        if (message) return message;
      }
      return undefined;
    });
  }

  async messages(session: string): Promise<StoredMessage[]> {
    return (await this.#run(() => this.#sessions.use(session, (file) => file.messages()))) ?? [];
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#end());
  }

  #change(change: Change<Root>): Promise<Root | undefined> {
    return this.#run(() => this.#root.update(change));
  }

  async #createSource(source: StoredSource): Promise<{ existing: StoredSource | undefined } | undefined> {
    if (!this.#chatbots.has(source.chatbot)) return undefined;
    const existing = this.#sources.withIdentity(source.chatbot, source.identity);
    if (!existing) await this.#sources.create(this.#order(), source);
    return { existing };
  }

  /** Removes all that belonged to a chatbot that is hidden; a source being made is waited for. */
  async #empty(chatbot: string): Promise<void> {
    await this.#turns.take(chatbot, () => this.#sources.removeAll(chatbot));
    await this.#sessions.removeAll(chatbot);
    await this.#chatbots.forget(chatbot);
  }

  /** Every verb goes through here, so that `close` knows what is under way. */
  async #run<T>(act: () => T | Promise<T>): Promise<T> {
    if (this.#closing) throw new Error('the store is closed');
    this.#underWay++;
    try {
      return await act();
    } finally {
      this.#underWay--;
      if (this.#underWay === 0) this.#whenDone?.();
    }
  }

  async #end(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((done) => (this.#whenDone = done));
    await this.#sessions.close();
    await this.#lock.release();
  }
}

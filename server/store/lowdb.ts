import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Clock } from '../records.ts';
import { Turns } from './batch.ts';
import { Chatbots } from './chatbots.ts';
import { realDisk, syncFolder, type Disk } from './disk.ts';
import { lockFolder, type Lock } from './lock.ts';
import { KeyUse } from './key-use.ts';
import { copy, type StoredRecord } from './record.ts';
import { homeOf, keyOf, openRoot, orderFrom, type Root } from './root.ts';
import { AGENTS, Parts, TAGS } from './parts.ts';
import type { SessionFile } from './session.ts';
import { messageLine } from './session-lines.ts';
import { Sessions } from './sessions.ts';
import { Sources } from './sources.ts';
import type { Change, Document, Home, Store, StoredAgent, StoredChatbot, StoredKey } from './store.ts';
import type { StoredMessage, StoredSession, StoredSource, StoredTag, User } from './store.ts';

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
  readonly #agents: Parts<StoredAgent>;
  readonly #tags: Parts<StoredTag>;
  readonly #sources: Sources;
  readonly #sessions: Sessions;
  readonly #order: () => number;
  /** A chatbot, and then its sources, are made one after another, so that none is made twice. */
  readonly #turns = new Turns();
  readonly #keyUse: KeyUse;
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
    const isSource = (uuid: string, chatbot: string) => this.#sources.has(uuid, chatbot);
    this.#agents = new Parts(this.#chatbots, AGENTS, isSource);
    this.#tags = new Parts(this.#chatbots, TAGS, isSource);
    this.#keyUse = new KeyUse((hash, at) => this.#noteUse(hash, at));
    this.#sessions = new Sessions({ disk, root: join(dir, 'sessions'), alive, kept });
    for (const chatbot of this.#chatbots.halfDeleted()) {
      this.#run(() => this.#empty(chatbot)).catch((error: unknown) =>
        log?.warn({ err: error, chatbot }, 'a deleted chatbot could not be cleared away'),
      );
    }
  }

  keyOwner(hash: string): Promise<User | undefined> {
    return this.#run(() => {
      const key = keyOf(this.#root.stored, hash);
      const user = key && this.#root.stored.users.find(({ uuid }) => uuid === key.user);
      return user && { ...user };
    });
  }

  async addKey(key: StoredKey): Promise<void> {
    const own = { ...key };
    await this.#change((root) => ({ ...root, keys: [...root.keys.filter(({ hash }) => hash !== own.hash), own] }));
  }

  keys(): Promise<StoredKey[]> {
    const current = (key: StoredKey) => ({ ...key, last_used_at: this.#keyUse.of(key) });
    return this.#run(() => this.#root.stored.keys.map(current));
  }

  async removeKey(hash: string): Promise<boolean> {
    let found = false;
    await this.#change((root) => {
      found = root.keys.some((key) => key.hash === hash);
      return found ? { ...root, keys: root.keys.filter((key) => key.hash !== hash) } : root;
    });
    return found;
  }

  keyUsed(hash: string, at: string): Promise<void> {
    return this.#run(() => {
      const key = this.#root.stored.keys.find((one) => one.hash === hash);
      if (key) this.#keyUse.note(key, at);
    });
  }

  users(): Promise<User[]> {
    return this.#run(() => copy(this.#root.stored.users));
  }

  async addUser(user: User): Promise<User | undefined> {
    const own = { ...user };
    const root = await this.#change((before) =>
      before.users.some(({ email }) => email === own.email) ? before : { ...before, users: [...before.users, own] },
    );
    return root?.users.includes(own) ? { ...own } : undefined;
  }

  fact(name: string): Promise<string | undefined> {
    const { facts } = this.#root.stored;
    return this.#run(() => (Object.hasOwn(facts, name) ? facts[name] : undefined));
  }

  async setFact(name: string, value: string): Promise<void> {
    await this.#change((root) => ({ ...root, facts: { ...root.facts, [name]: value } }));
  }

  createChatbot(chatbot: StoredChatbot, agents: StoredAgent[]): Promise<void> {
    const file = { order: this.#order(), tags: [], ...copy({ chatbot, agents }) };
    return this.#run(() =>
      this.#turns.take(file.chatbot.uuid, async () => {
        if (!this.#chatbots.has(file.chatbot.uuid)) await this.#chatbots.create(file);
      }),
    );
  }

  chatbot(uuid: string): Promise<StoredChatbot | undefined> {
    return this.#run(() => copy(this.#chatbots.file(uuid)?.chatbot));
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
    return this.#run(() => this.#agents.list(chatbot));
  }

  createAgent(agent: StoredAgent, check?: (agents: StoredAgent[]) => void): Promise<boolean> {
    const own = copy(agent);
    return this.#run(() => this.#agents.create(own, check));
  }

  agent(uuid: string): Promise<StoredAgent | undefined> {
    return this.#run(() => this.#agents.find(uuid));
  }

  agentWithFunction(uuid: string): Promise<StoredAgent | undefined> {
    return this.#run(() => {
      const agents = this.#chatbots.fileWith(uuid)?.agents ?? [];
      const found = agents.find(({ tool_functions }) => tool_functions.some((one) => one.uuid === uuid));
      return found && this.#agents.find(found.uuid);
    });
  }

  updateAgent(uuid: string, change: Change<StoredAgent>): Promise<StoredAgent | undefined> {
    return this.#run(() => this.#agents.update(uuid, change));
  }

  deleteAgent(uuid: string): Promise<boolean> {
    return this.#run(() => this.#agents.remove(uuid));
  }

  createTag(tag: StoredTag): Promise<boolean> {
    const own = copy(tag);
    return this.#run(() => this.#tags.create(own));
  }

  tag(uuid: string): Promise<StoredTag | undefined> {
    return this.#run(() => this.#tags.find(uuid));
  }

  tags(chatbot: string): Promise<StoredTag[]> {
    return this.#run(() => this.#tags.list(chatbot));
  }

  updateTag(uuid: string, change: Change<StoredTag>): Promise<StoredTag | undefined> {
    return this.#run(() => this.#tags.update(uuid, change));
  }

  deleteTag(uuid: string): Promise<boolean> {
    return this.#run(() => this.#tags.remove(uuid));
  }

  createSource(source: StoredSource, file?: Uint8Array): Promise<{ existing: StoredSource | undefined } | undefined> {
    const own = copy(source);
    return this.#run(() => this.#turns.take(own.chatbot, () => this.#createSource(own, file)));
  }

  file(source: string): Promise<Uint8Array | undefined> {
    return this.#run(() => this.#sources.file(source));
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

  deleteMessage(uuid: string): Promise<boolean> {
    return this.#run(async () => {
      for (const session of await this.#sessions.candidates(uuid)) {
        if (await this.#sessions.use(session, (file) => file.remove(uuid))) return true;
      }
      return false;
    });
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#end());
  }

  #change(change: Change<Root>): Promise<Root | undefined> {
    return this.#run(() => this.#root.update(change));
  }

  async #noteUse(hash: string, at: string): Promise<void> {
    await this.#change((root) => ({
      ...root,
      keys: root.keys.map((key) => (key.hash === hash ? { ...key, last_used_at: at } : key)),
    }));
  }

  async #createSource(
    source: StoredSource,
    file: Uint8Array | undefined,
  ): Promise<{ existing: StoredSource | undefined } | undefined> {
    if (!this.#chatbots.has(source.chatbot)) return undefined;
    const existing = this.#sources.withIdentity(source.chatbot, source.identity);
    if (!existing) await this.#sources.create(this.#order(), source, file);
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

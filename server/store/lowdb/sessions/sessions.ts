import { readFile } from 'node:fs/promises';
import { attemptEachConcurrent, forEachConcurrent } from '../../../async/for-each-concurrent.ts';
import type { Damage } from '../files/damage.ts';
import { hasCode, ignore, removeFile, syncFolder, type Disk } from '../files/disk.ts';
import { readEnds } from '../files/file-ends.ts';
import { AppendFile, OpenFiles } from '../files/append-file.ts';
import { SessionFile } from './session-file.ts';
import { withModifiedAt } from '../../session-times.ts';
import { modifiedIn, readHead } from './session-lines.ts';
import { isOfSession, parseFileName, type SessionName } from './session-name.ts';
import { SessionNames } from './session-names.ts';
import type { StoredSession } from '../../store.ts';
import type { ListOrder } from '../../shared/session-records.ts';

/** Idle sessions stay in memory up to this many characters in total. */
const MAX_IDLE_CHARACTERS = 16 * 1024 * 1024;
const MAX_OPEN_FILES = 128;
/** Sessions of a list that are read at a time. */
const BATCH_SESSIONS = 64;

const PARTLY_DAMAGED =
  'has lines, or fields of JSON in them, that cannot be read; the rest is served, and the file as it was is kept as ….damaged at its next change';

interface SessionsOptions {
  disk: Disk;
  damage: Damage;
  root: string;
  /** Whether the chatbot is there. */
  chatbotExists(chatbot: string): boolean;
  /** Deletes of a session by `act`, once nothing is kept of it elsewhere. */
  deleting<T>(name: SessionName, act: () => Promise<T>): Promise<T>;
  /** Characters; see `MAX_IDLE_CHARACTERS`. */
  maxIdleCharacters?: number | undefined;
}

type Act<T> = (file: SessionFile) => T | Promise<T>;

/** All sessions: loads, caches, creates and removes their files. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly names: SessionNames;
  readonly #open = new OpenFiles(MAX_OPEN_FILES);
  readonly #loading = new Map<string, Promise<void>>();
  readonly #live = new Map<string, SessionFile>();
  /** Those of `#live` that may be dropped from memory, the longest unused first. */
  readonly #idle = new Map<string, SessionFile>();
  #weight = 0;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.names = new SessionNames(options.disk, options.damage, options.root);
  }

  /** Calls `act` with the session, which stays in memory meanwhile; undefined where there is none. */
  async use<T>(uuid: string, act: Act<T>): Promise<T | undefined> {
    const live = this.#live.get(uuid);
    const file = live ? this.#acquire(live) : await this.#find(uuid);
    return file && this.#with(file, act);
  }

  /**
   * As `use`, with a new session where there is none: `act` has to store it. `order` is its place among the others.
   * Undefined without its chatbot.
   */
  async useOrCreate<T>(session: StoredSession, order: number, act: Act<T>): Promise<T | undefined> {
    const found = await this.#find(session.uuid);
    if (found) return this.#with(found, act);
    await this.names.makeFolder(session.uuid);
    if (!this.#options.chatbotExists(session.chatbot)) return undefined;
    // Another call may have begun it while the folder was made.
    if (this.names.has(session.uuid)) return this.use(session.uuid, act);
    return this.#with(this.#acquire(this.#create(session, order)), act);
  }

  /** A message's identifier starts with eight digits of its session's (schema/ids.ts). */
  async candidates(message: string): Promise<string[]> {
    return this.names.withPrefix(message.slice(0, 8));
  }

  /** Of one that was set aside, too. */
  async chatbotOf(uuid: string): Promise<string | undefined> {
    const head = await this.use(uuid, (file) => file.head());
    if (head) return head.chatbot;
    const name = this.#options.damage.originalName((file) => isOfSession(file, uuid));
    const chatbot = name && parseFileName(name)?.chatbot;
    return chatbot && this.#options.chatbotExists(chatbot) ? chatbot : undefined;
  }

  /** In order of creation or newest first, `BATCH_SESSIONS` at a time, from behind the session `after`; undefined where the chatbot has none such. */
  async list(
    chatbot: string,
    after?: string,
    order?: ListOrder,
  ): Promise<(() => Promise<StoredSession[] | undefined>) | undefined> {
    const last = after === undefined ? undefined : await this.names.find(after);
    if (after !== undefined && last?.chatbot !== chatbot) return undefined;
    const names = await this.names.list(chatbot, last?.order, order);
    return () => this.#heads(chatbot, names);
  }

  /** Of the next few; undefined behind the last. */
  async #heads(chatbot: string, names: Iterator<SessionName>): Promise<StoredSession[] | undefined> {
    const batch: SessionName[] = [];
    for (let name; batch.length < BATCH_SESSIONS && !(name = names.next()).done;) batch.push(name.value);
    const heads = Array.from<StoredSession | undefined>({ length: batch.length });
    await forEachConcurrent(batch.entries(), async ([at, name]) => {
      heads[at] = await this.#head(name);
    });
    if (batch.length === 0 || !this.#options.chatbotExists(chatbot)) return undefined;
    return heads.filter((head) => head !== undefined);
  }

  /** False where the session's file does not hold these words. Reads the file without loading the session. */
  async mayHold(uuid: string, words: string): Promise<boolean> {
    if (this.#live.has(uuid)) return true;
    const name = await this.names.find(uuid);
    const bytes = name && (await readFile(this.names.path(name)).catch(ignore));
    return bytes ? bytes.includes(words) : true;
  }

  /** With copies that were set aside, of a session that cannot be read too, and what a failed first write has left. */
  async remove(uuid: string, before?: string): Promise<boolean> {
    const isOld =
      before === undefined || (await this.use(uuid, (file) => (file.head()?.modified_at ?? before) < before));
    const name = await this.names.find(uuid);
    if (!isOld) return false;
    const { chatbotExists, deleting } = this.#options;
    const isErased = name && chatbotExists(name.chatbot) && (await deleting(name, () => this.#erase(name)));
    if (name && !isErased) return false;
    const wasDamaged = await this.#options.damage.remove((file) => isOfSession(file, uuid));
    if (name) {
      for (const path of await this.names.leftovers(uuid)) await removeFile(this.#options.disk, path);
      await syncFolder(this.#options.disk, this.names.folder(name));
    }
    return isErased === true || wasDamaged;
  }

  /** Only when the chatbot is no longer alive, so that no session is begun meanwhile. */
  async removeAll(chatbot: string): Promise<void> {
    const folders = new Set<string>();
    await attemptEachConcurrent(await this.names.list(chatbot), async (name) => {
      await this.#erase(name);
      folders.add(this.names.folder(name));
    });
    this.names.forgetLists(chatbot);
    await forEachConcurrent(folders, (folder) => syncFolder(this.#options.disk, folder));
    await this.#options.damage.remove((file) => file.startsWith(`${chatbot}.`, 33));
  }

  /** When nothing is under way any more. */
  async close(): Promise<void> {
    await this.#open.closeAll();
  }

  /** The session, acquired: `#with` releases it. */
  async #find(uuid: string): Promise<SessionFile | undefined> {
    // Asked for again after each load: meanwhile it may have been deleted, and made anew under another file's name.
    for (let name; (name = await this.names.find(uuid)) && this.#options.chatbotExists(name.chatbot);) {
      const live = this.#live.get(uuid);
      if (live) return this.#acquire(live);
      await this.#load(name);
    }
    return undefined;
  }

  #acquire(file: SessionFile): SessionFile {
    file.users++;
    this.#idle.delete(file.name.uuid);
    return file;
  }

  async #with<T>(file: SessionFile, act: Act<T>): Promise<T | undefined> {
    try {
      return file.isRemoved || !this.#options.chatbotExists(file.name.chatbot) ? undefined : await act(file);
    } finally {
      file.users--;
      this.#release(file);
    }
  }

  #release(file: SessionFile): void {
    if (this.#live.get(file.name.uuid) !== file) return;
    this.#weigh(file);
    if (file.wasNeverStored) {
      this.#unload(file);
      this.names.remove(file.name);
    } else if (file.isIdle) this.#idle.set(file.name.uuid, file);
    this.#trim();
  }

  #weigh(file: SessionFile): void {
    this.#weight += file.characters - file.countedCharacters;
    file.countedCharacters = file.characters;
  }

  #trim(): void {
    const limit = this.#options.maxIdleCharacters ?? MAX_IDLE_CHARACTERS;
    if (this.#weight <= limit) return;
    for (const file of this.#idle.values()) {
      this.#unload(file);
      file.closeFile();
      if (this.#weight <= limit) return;
    }
  }

  #create(session: StoredSession, order: number): SessionFile {
    const name = { uuid: session.uuid, chatbot: session.chatbot, order };
    const file = this.#fileOf(name);
    file.init(session);
    this.names.add(name);
    this.#live.set(name.uuid, file);
    return file;
  }

  #load(name: SessionName): Promise<void> {
    let loading = this.#loading.get(name.uuid);
    if (!loading) {
      loading = this.#read(name).finally(() => this.#loading.delete(name.uuid));
      this.#loading.set(name.uuid, loading);
    }
    return loading;
  }

  async #read(name: SessionName): Promise<void> {
    const { damage } = this.#options;
    const file = this.#fileOf(name);
    const path = this.names.path(name);
    const state = await file.load(() => damage.copyAside(path));
    if (!this.names.isCurrent(name)) return;
    if (state === 'torn' || state === 'lost') {
      this.names.remove(name);
      if (state === 'lost') await damage.setAside(path, 'holds a conversation that cannot be read');
      else this.#options.disk.unlink(path).catch(ignore);
      return;
    }
    if (state === 'damaged') damage.report(path, PARTLY_DAMAGED);
    this.#live.set(name.uuid, file);
    this.#weigh(file);
  }

  /** False where another call is removing it. */
  async #erase(name: SessionName): Promise<boolean> {
    if (!this.names.isCurrent(name)) return false;
    this.names.remove(name);
    const file = this.#live.get(name.uuid);
    if (file) {
      await file.end();
      this.#unload(file);
    }
    try {
      await removeFile(this.#options.disk, this.names.path(name));
    } catch (error) {
      if (hasCode(error, 'EISDIR')) return false;
      this.names.add(name);
      throw error;
    }
    return true;
  }

  #unload(file: SessionFile): void {
    const { uuid } = file.name;
    if (this.#live.get(uuid) === file) this.#live.delete(uuid);
    if (this.#idle.get(uuid) === file) this.#idle.delete(uuid);
    this.#weight -= file.countedCharacters;
    file.countedCharacters = 0;
  }

  async #head(name: SessionName): Promise<StoredSession | undefined> {
    const live = this.#live.get(name.uuid);
    if (live) return live.isRemoved ? undefined : live.head();
    const ends = await readEnds(this.names.path(name));
    const head = ends && readHead(ends.first, name);
    const modified = modifiedIn(ends?.last ?? '');
    if (head && (modified !== '' || ends.last === '')) return withModifiedAt(head, modified);
    return this.use(name.uuid, (file) => file.head());
  }

  #fileOf(name: SessionName): SessionFile {
    return new SessionFile(name, new AppendFile(this.#options.disk, this.names.path(name), this.#open));
  }
}

import { readdir } from 'node:fs/promises';
import { isSetAside, type Damage } from '../files/damage.ts';
import { hasCode, ignore, type Disk } from '../files/disk.ts';
import { mergeByOrder, mergeNewestFirst, namesBetween, type NameList } from './name-list.ts';
import { SessionFolder } from './session-folder.ts';
import { fileNameOf, isFileName, orderOf, parseFileName, type SessionName } from './session-name.ts';
import { Shards } from '../files/shards.ts';
import { forEachConcurrent } from '../../../async/for-each-concurrent.ts';
import type { ListOrder } from '../../shared/session-records.ts';

const SHARD_NAME = /^[0-9a-f]{2}$/;
const EMPTY_FOLDER = new SessionFolder();
/** Folders: as many as Node has threads for, so that few of them are taken in without a turn of others between. */
const READ_AT_ONCE = 4;

/**
 * Which sessions there are, known from the names of their files alone. The names of a folder are read when one of
 * its sessions is first asked for: the start reads none.
 */
export class SessionNames {
  readonly #disk: Disk;
  readonly #damage: Damage;
  readonly #shards: Shards;
  readonly #folders = new Map<string, SessionFolder>();
  readonly #reading = new Map<string, Promise<SessionFolder>>();

  constructor(disk: Disk, damage: Damage, root: string) {
    this.#disk = disk;
    this.#damage = damage;
    this.#shards = new Shards(disk, root);
  }

  async find(uuid: string): Promise<SessionName | undefined> {
    const text = (await this.#folder(uuid)).get(uuid);
    return text === undefined ? undefined : parseFileName(text);
  }

  /** As far as is known without reading; `find` has to be asked before. */
  has(uuid: string): boolean {
    return this.#folders.get(uuid.slice(0, 2))?.has(uuid) ?? false;
  }

  /** Whether this very file is the session's, and not one of the same uuid that came later. */
  isCurrent(name: SessionName): boolean {
    return this.#folders.get(name.uuid.slice(0, 2))?.get(name.uuid) === fileNameOf(name);
  }

  async withPrefix(prefix: string): Promise<string[]> {
    const folder = await this.#folder(prefix);
    return [...folder.uuids()].filter((uuid) => uuid.startsWith(prefix));
  }

  /** The chatbot's that are there now, in order of creation or newest first, from behind this place among them. */
  async list(chatbot: string, behind?: number, order: ListOrder = 'oldest'): Promise<Generator<SessionName>> {
    const lists = await this.#lists(chatbot);
    return order === 'newest' ? mergeNewestFirst(lists, behind ?? Infinity) : mergeByOrder(lists, behind ?? -1);
  }

  /** The chatbot's with a place from `first` to before `end`, newest first. */
  async between(chatbot: string, first: number, end: number): Promise<SessionName[]> {
    return namesBetween(await this.#lists(chatbot), first, end);
  }

  /** Of the chatbot's sessions their places in the order of creation, a list a folder. */
  async places(chatbot: string): Promise<(readonly number[])[]> {
    return (await this.#lists(chatbot)).map(({ orders }) => orders);
  }

  /** When the chatbot is gone with all its sessions. */
  forgetLists(chatbot: string): void {
    for (const folder of this.#folders.values()) folder.forgetList(chatbot);
  }

  /** Before the file is made. */
  async makeFolder(uuid: string): Promise<void> {
    await this.#shards.ensure(uuid);
  }

  add(name: SessionName): void {
    if (!this.has(name.uuid)) this.#folders.get(name.uuid.slice(0, 2))?.add(fileNameOf(name));
  }

  remove(name: SessionName): void {
    if (this.isCurrent(name)) this.#folders.get(name.uuid.slice(0, 2))!.remove(name.uuid);
  }

  /** Files that go by the uuid of a session that was removed. */
  async leftovers(uuid: string): Promise<string[]> {
    const names = await readdir(this.#shards.folder(uuid));
    const isLeft = (text: string): boolean => text.startsWith(`${uuid}.`) && parseFileName(text) !== undefined;
    return this.has(uuid) ? [] : names.filter(isLeft).map((text) => this.#shards.path(uuid, text));
  }

  folder(name: SessionName): string {
    return this.#shards.folder(name.uuid);
  }

  path(name: SessionName): string {
    return this.#shards.path(name.uuid, fileNameOf(name));
  }

  /** A folder is put in order once, at the first list; others have their turn between the folders then. */
  async #lists(chatbot: string): Promise<NameList[]> {
    const all = this.#shards.existing();
    const missing = all.filter((digits) => !this.#folders.get(digits)?.isListed(chatbot));
    const put = async (digits: string): Promise<void> => {
      (await this.#folder(digits)).list(chatbot);
    };
    await forEachConcurrent(missing, put, READ_AT_ONCE);
    return all.map((digits) => this.#folders.get(digits)!.list(chatbot));
  }

  async #folder(uuid: string): Promise<SessionFolder> {
    const digits = uuid.slice(0, 2);
    const known = this.#folders.get(digits);
    if (known) return known;
    // What callers ask for need be no identifier: `..` is another folder, and not one of ours.
    if (!SHARD_NAME.test(digits)) return EMPTY_FOLDER;
    let reading = this.#reading.get(digits);
    if (!reading) {
      reading = this.#read(digits).finally(() => this.#reading.delete(digits));
      this.#reading.set(digits, reading);
    }
    return reading;
  }

  async #read(digits: string): Promise<SessionFolder> {
    const names = await readdir(this.#shards.folder(digits)).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    });
    const folder = new SessionFolder();
    for (const text of names) {
      if (text.endsWith('.tmp')) this.#disk.unlink(this.#shards.path(digits, text)).catch(ignore);
      else if (isSetAside(text)) this.#damage.reportExisting(this.#shards.path(digits, text));
      else if (isFileName(text)) addNewer(folder, text);
    }
    this.#folders.set(digits, folder);
    return folder;
  }
}

/** Two files of one session: the older one is what a failed first write has left. */
function addNewer(folder: SessionFolder, text: string): void {
  const uuid = text.slice(0, 32);
  const other = folder.get(uuid);
  if (other === undefined || orderOf(other) < orderOf(text)) folder.add(text);
}

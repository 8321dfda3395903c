import { readdir } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { isSetAside, type Damage } from './damage.ts';
import { hasCode, ignore, type Disk } from './disk.ts';
import { Shards } from './shards.ts';

/** What the name of a session's file says: `<uuid>.<chatbot>.<order>.jsonl`, the order in base 36. */
export interface SessionName {
  uuid: string;
  chatbot: string;
  order: number;
}

const FORM = /^([0-9a-f]{32})\.([0-9a-f]{32})\.([0-9a-z]+)\.jsonl$/;

const written = (name: SessionName): string => `${name.uuid}.${name.chatbot}.${name.order.toString(36)}.jsonl`;

function readName(text: string): SessionName | undefined {
  const [, uuid, chatbot, order] = FORM.exec(text) ?? [];
  return uuid && chatbot && order ? { uuid, chatbot, order: parseInt(order, 36) } : undefined;
}

const orderOf = (text: string | undefined): number =>
  text === undefined ? Infinity : parseInt(text.slice(66, text.lastIndexOf('.')), 36);

/** The names of all folders in one order, each folder's being in order. */
function* merged(folders: string[][]): Generator<SessionName> {
  const at = folders.map(() => 0);
  const next = Float64Array.from(folders, ([first]) => orderOf(first));
  for (;;) {
    let least = 0;
    for (let one = 1; one < next.length; one++) if (next[one]! < next[least]!) least = one;
    const text = folders[least]?.[at[least]!++];
    if (text === undefined) return;
    yield readName(text)!;
    next[least] = orderOf(folders[least]![at[least]!]);
  }
}

/** Names as text: a third of the memory of objects, a hundred thousand times. */
type Folder = Map<string, string>;

const FOLDER = /^[0-9a-f]{2}$/;
const NO_FOLDER: Folder = new Map();

/**
 * Which sessions there are, known from the names of their files alone. The names of a folder are read when one of
 * its sessions is first asked for: the start reads none.
 */
export class SessionNames {
  readonly #disk: Disk;
  readonly #damage: Damage;
  readonly #shards: Shards;
  readonly #folders = new Map<string, Folder>();
  readonly #reading = new Map<string, Promise<Folder>>();

  constructor(disk: Disk, damage: Damage, root: string) {
    this.#disk = disk;
    this.#damage = damage;
    this.#shards = new Shards(disk, root);
  }

  async find(uuid: string): Promise<SessionName | undefined> {
    const text = (await this.#folder(uuid)).get(uuid);
    return text === undefined ? undefined : readName(text);
  }

  /** As far as is known without reading; `find` has to be asked before. */
  has(uuid: string): boolean {
    return this.#folders.get(uuid.slice(0, 2))?.has(uuid) ?? false;
  }

  /** Whether this very file is the session's, and not one of the same uuid that came later. */
  holds(name: SessionName): boolean {
    return this.#folders.get(name.uuid.slice(0, 2))?.get(name.uuid) === written(name);
  }

  async withPrefix(prefix: string): Promise<string[]> {
    const folder = await this.#folder(prefix);
    return [...folder.keys()].filter((uuid) => uuid.startsWith(prefix));
  }

  /**
   * The chatbot's that are there now, in order of creation, from behind this place among them. What is kept of them
   * meanwhile are references to the names. Lets others have their turn between the folders.
   */
  async of(chatbot: string, behind = -1): Promise<Generator<SessionName>> {
    const folders: string[][] = [];
    for (const digits of this.#shards.existing()) {
      const all = [...(await this.#folder(digits)).values()];
      const own = all.filter((text) => text.startsWith(chatbot, 33) && orderOf(text) > behind);
      folders.push(own.sort((a, b) => orderOf(a) - orderOf(b)));
      await setImmediate();
    }
    return merged(folders);
  }

  /** Before the file is made. */
  async makeFolder(uuid: string): Promise<void> {
    await this.#shards.ensure(uuid);
  }

  add(name: SessionName): void {
    if (!this.has(name.uuid)) this.#folders.get(name.uuid.slice(0, 2))?.set(name.uuid, written(name));
  }

  remove(name: SessionName): void {
    if (this.holds(name)) this.#folders.get(name.uuid.slice(0, 2))!.delete(name.uuid);
  }

  folder(name: SessionName): string {
    return this.#shards.folder(name.uuid);
  }

  path(name: SessionName): string {
    return this.#shards.path(name.uuid, written(name));
  }

  async #folder(uuid: string): Promise<Folder> {
    const digits = uuid.slice(0, 2);
    const known = this.#folders.get(digits);
    if (known) return known;
    // What callers ask for need be no identifier: `..` is another folder, and not one of ours.
    if (!FOLDER.test(digits)) return NO_FOLDER;
    let reading = this.#reading.get(digits);
    if (!reading) {
      reading = this.#read(digits).finally(() => this.#reading.delete(digits));
      this.#reading.set(digits, reading);
    }
    return reading;
  }

  async #read(digits: string): Promise<Folder> {
    const names = await readdir(this.#shards.folder(digits)).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    });
    const folder: Folder = new Map();
    for (const text of names) {
      if (text.endsWith('.tmp')) this.#disk.unlink(this.#shards.path(digits, text)).catch(ignore);
      else if (isSetAside(text)) this.#damage.found(this.#shards.path(digits, text));
      else if (FORM.test(text)) enter(folder, text);
    }
    this.#folders.set(digits, folder);
    return folder;
  }
}

/** Two files of one session: the older one is what a failed first write has left. */
function enter(folder: Folder, text: string): void {
  const uuid = text.slice(0, 32);
  const other = folder.get(uuid);
  if (other === undefined || readName(other)!.order < readName(text)!.order) folder.set(uuid, text);
}

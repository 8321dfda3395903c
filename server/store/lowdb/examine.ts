import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Clock } from '../../schema/ids.ts';
import { objectIn } from '../../schema/json.ts';
import type { Fault } from '../archive/faults.ts';
import type { SnapshotReader, SnapshotStore } from '../archive/snapshot.ts';
import { isSetAside } from './files/damage.ts';
import { realDisk, type Disk } from './files/disk.ts';
import { lockFolder } from './files/lock.ts';
import { cutTorn, sizeBeforeTorn } from './files/torn-lines.ts';
import { openLowdbStore } from './lowdb.ts';
import { isImportBroken } from './staging.ts';

interface ExamineOptions {
  dir: string;
  clock: Clock;
  /** The folder is left as it is. */
  isDry: boolean;
}

/** A data folder that is opened to be checked. */
interface Examined {
  /** For reading alone in a dry run. */
  store: SnapshotReader & Partial<SnapshotStore>;
  /** What opening and reading the folder has repaired, or in a dry run would; to be called at the end. */
  faults(): { repaired: string[]; others: Fault[] };
}

/** Throws where the folder has no data, or another process has it. */
export async function examineFolder({ dir: path, clock, isDry }: ExamineOptions): Promise<Examined> {
  const dir = resolve(path);
  if (!existsSync(join(dir, 'store.json')) && !isImportBroken(dir))
    throw new Error(`the data folder ${dir} holds no data of docent`);
  if (isDry && isImportBroken(dir))
    throw new Error('an import was broken off: the next start, or docent doctor, ends it');
  const lock = await lockFolder(dir);
  let looked: FileFaults;
  const imports = isImportBroken(dir) ? ['an import was broken off: it is ended'] : [];
  try {
    looked = imports.length > 0 ? { others: [], torn: new Map() } : await faultsOfFiles(dir);
    if (!isDry) for (const [file, size] of looked.torn) await cutTorn(realDisk, file, size);
  } catch (error) {
    await lock.release();
    throw error;
  }
  const { others: found, torn } = looked;
  const [removed, damaged] = [new Set<string>(), new Map<string, string>()];
  const onRemove = (file: string): void => {
    if (!torn.has(file) && !isOldReplies(dir, file))
      removed.add(`${displayPath(dir, file)} ${reasonOf(basename(file))}`);
  };
  const store = await openLowdbStore({
    dir,
    clock,
    lock,
    disk: recordingDisk(isDry, onRemove),
    health: { report: (key, { reason }) => damaged.set(key, reason), clear: (key) => damaged.delete(key) },
  });
  return {
    store,
    faults() {
      // A file that is missing is told of with its source.
      const reasons = [...damaged].filter(([key, why]) => key.startsWith('damaged:') && !why.includes(' is missing; '));
      const others = reasons.map(([, why]) => ({ what: why.replace(', and could not be set aside', '') }));
      const cut = Array.from(torn, ([file, size]) => `${displayPath(dir, file)} ${size > 0 ? CUT : LEFT_OF_WRITE}`);
      return { repaired: [...imports, ...cut.sort(), ...[...removed].sort()], others: [...found, ...others] };
    },
  };
}

const LEFT_OF_WRITE = 'is left of a write that was broken off: removed';
const CUT = 'ends in the middle of a line, left of a write that was broken off: cut off';

/** Those of days before yesterday are of no use. */
const isOldReplies = (dir: string, path: string): boolean =>
  dirname(path) === join(dir, 'replies') && path.endsWith('.jsonl');

const displayPath = (dir: string, path: string): string =>
  relative(dir, path).replace(/([0-9a-f]{8})[0-9a-f]{24}\.[0-9a-f]{32}\./, '$1*.');

function reasonOf(name: string): string {
  if (name.endsWith('.tmp')) return LEFT_OF_WRITE;
  if (name.endsWith('.deleted')) return 'is left of a deletion that was broken off: removed';
  if (name.endsWith('.index')) return 'is the index of a chatbot that is gone: removed';
  return 'has no record that it belongs to: removed';
}

/** Tells of files that are removed. In a dry run it has no room: nothing is changed. */
function recordingDisk(isDry: boolean, onRemove: (path: string) => void): Disk {
  const refuse = (): Promise<never> => Promise.reject(Object.assign(new Error('a dry run'), { code: 'ENOSPC' }));
  const unlink = (path: string): Promise<void> => {
    if (existsSync(path)) onRemove(path);
    return isDry ? refuse() : realDisk.unlink(path);
  };
  if (!isDry) return { ...realDisk, unlink };
  const open: Disk['open'] = (path, flags, mode) => (flags === 'r' ? realDisk.open(path, flags, mode) : refuse());
  const mkdir: Disk['mkdir'] = (path) => (existsSync(path) ? realDisk.mkdir(path) : refuse());
  return { ...realDisk, open, rename: refuse, mkdir, write: refuse, truncate: refuse, unlink };
}

interface FileFaults {
  others: Fault[];
  /** Files whose last line is torn, with the bytes of their whole lines. */
  torn: Map<string, number>;
}

/** What the store does not look at, or repairs without a word: it takes the names of files for granted. */
async function faultsOfFiles(dir: string): Promise<FileFaults> {
  const faults: Fault[] = [];
  const names = async (folder: string): Promise<string[]> =>
    existsSync(join(dir, folder)) ? readdir(join(dir, folder), { recursive: true }) : [];
  const chatbots = await names('chatbots');
  const known = new Set(chatbots.map((path) => basename(path).slice(0, 32)));
  const sources = new Map<string, string>();
  for (const path of await names('sources')) {
    const name = basename(path);
    const [, uuid] = /^([0-9a-f]{32})\.source\.json(?=$|\.damaged)/.exec(name) ?? [];
    if (!uuid || (isSetAside(name) && sources.has(uuid))) continue;
    const { source } = isSetAside(name) ? {} : objectIn(await readFile(join(dir, 'sources', path), 'utf8'));
    const chatbot = String((source as { chatbot?: string } | undefined)?.chatbot ?? '');
    sources.set(uuid, chatbot);
    if (chatbot !== '' && !known.has(chatbot)) faults.push({ what: goneOf('source', join('sources', path), chatbot) });
  }
  const torn = new Map<string, number>();
  for (const folder of ['sessions', 'replies', 'usage', 'audit'])
    for (const path of await names(folder)) {
      const file = join(dir, folder, path);
      const size = path.endsWith('.jsonl') ? sizeBeforeTorn(file) : undefined;
      if (size !== undefined) torn.set(file, size);
    }
  for (const path of await names('sessions')) {
    const [, uuid, chatbot] = /^([0-9a-f]{32})\.([0-9a-f]{32})\.[0-9a-z]+\.jsonl$/.exec(basename(path)) ?? [];
    if (uuid && !known.has(chatbot!))
      faults.push({ what: goneOf('conversation', `sessions/${uuid.slice(0, 2)}/${uuid.slice(0, 8)}*`, chatbot!) });
  }
  for (const path of chatbots.filter((name) => name.endsWith('.json') && !isSetAside(name)))
    faults.push(...staleReferences(await readFile(join(dir, 'chatbots', path), 'utf8'), sources));
  return { others: faults, torn };
}

const goneOf = (kind: string, path: string, chatbot: string): string =>
  `${path} is a ${kind} of chatbot ${chatbot}, which is gone: restore that from a backup, or remove the file`;

interface Part {
  uuid: string;
  chatbot: string;
  data_source_uuids?: unknown;
}

/**
 * Reading leaves them out; the next write removes them. `sources`: the chatbot of each; '' where its record cannot be read, so
 * that it may come back.
 */
function* staleReferences(json: string, sources: Map<string, string>): Generator<Fault> {
  const { agents, tags } = objectIn(json);
  for (const [kind, parts] of [
    ['agent', agents],
    ['tag', tags],
  ] as const)
    for (const { uuid, chatbot, data_source_uuids } of Array.isArray(parts) ? (parts as Part[]) : []) {
      const named = Array.isArray(data_source_uuids) ? (data_source_uuids as string[]) : [];
      if (named.some((source) => sources.get(source) !== '' && sources.get(source) !== chatbot))
        yield {
          what: `${kind} ${uuid} of chatbot ${chatbot} names sources that are gone: they are taken off its list`,
          repair: (store) =>
            kind === 'tag' ? store.updateTag(uuid, (one) => one) : store.updateAgent(uuid, (one) => one),
        };
    }
}

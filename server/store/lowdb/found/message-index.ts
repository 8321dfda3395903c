import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { KeyedMutex } from '../../../async/keyed-mutex.ts';
import { TimeSlice } from '../../../async/time-slice.ts';
import {
  entryOf,
  isFound,
  readCursor,
  readyFilter,
  type FindOptions,
  type FoundMessage,
  type FoundMessages,
  type MessageFilter,
} from '../../shared/message-search.ts';
import { hasCode, ignore, removeFile, replaceFile, syncFolder, type Disk } from '../files/disk.ts';
import { readBytes } from '../files/json-file.ts';
import { Shards } from '../files/shards.ts';
import type { SessionName } from '../sessions/session-folder.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { endOf, lineOf, linesIn, searchSegment, segmentOf, type Place } from './segment.ts';

/** Sessions that one call reads at most; the others are read beside it, for the next one. */
const MAX_READ = 1000;

interface MessageIndexOptions {
  disk: Disk;
  root: string;
  chatbotExists(chatbot: string): boolean;
  sessions: Pick<Sessions, 'names' | 'use'>;
}

/** The segments of a chatbot that was searched in this life of the process. */
interface Segments {
  /** Resolves when `all` is whole. */
  known: Promise<void>;
  /** That have sessions. */
  all: Set<number>;
  /** Those whose file was compared with the sessions in this life, and none of them changed since. */
  fresh: Set<number>;
  /** Those that are being compared, unless one of the sessions has changed meanwhile. */
  unchanged: Set<number>;
  /** All are being compared. */
  building?: Promise<void>;
}

/**
 * What `findMessages` searches: files of lines, each of the sessions of one stretch of the order of creation. They are derived:
 * whichever is gone, damaged, or of an earlier life is compared with the sessions when a search comes to it, and only those
 * sessions are read that have changed since. So a change of a session costs no more than noting its segment as not fresh, and the
 * start nothing. A deletion removes the file of its segment first: no word of what is deleted stays.
 */
export class MessageIndex {
  readonly #options: MessageIndexOptions;
  readonly #disk: Disk;
  readonly #shards: Shards;
  readonly #chatbots = new Map<string, Segments>();
  /** By the path of a segment: it is compared and written, or a session of it deleted. */
  readonly #mutex = new KeyedMutex();
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(options: MessageIndexOptions) {
    this.#options = options;
    // What is derived, and has no room, is no reason to report that nothing can be stored.
    const { onWriteEnd: _, ...quiet } = options.disk;
    this.#disk = quiet;
    this.#shards = new Shards(quiet, options.root);
  }

  /** After a change of the session is stored. */
  changed({ chatbot, order }: SessionName): void {
    const segments = this.#chatbots.get(chatbot);
    segments?.all.add(segmentOf(order));
    segments?.fresh.delete(segmentOf(order));
    segments?.unchanged.delete(segmentOf(order));
  }

  /** Removes what is kept of the session, durably, then deletes of it by `act`; nothing is kept of it meanwhile. */
  async deleting<T>(name: SessionName, act: () => Promise<T>): Promise<T> {
    const { chatbot, order } = name;
    const path = this.#path(chatbot, segmentOf(order));
    return this.#mutex.run(path, async () => {
      this.changed(name);
      await this.#remove(path);
      return act();
    });
  }

  /** Of a chatbot that is not there any more. */
  async removeAll(chatbot: string): Promise<void> {
    this.#chatbots.delete(chatbot);
    await Promise.allSettled(this.#underWay);
    const folder = this.#shards.folder(chatbot);
    const names = await readdir(folder).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    });
    const own = names.filter((name) => name.startsWith(`${chatbot}.`));
    for (const name of own) await removeFile(this.#disk, join(folder, name));
    if (own.length > 0) await syncFolder(this.#disk, folder);
  }

  /** Undefined where `after` is no place of the chatbot's. */
  async find(
    chatbot: string,
    filter: MessageFilter,
    { after, limit, onePerSession = false }: FindOptions,
  ): Promise<FoundMessages | undefined> {
    const before = await this.#placeOf(chatbot, after);
    if (!before) return undefined;
    const segments = await this.#segmentsOf(chatbot);
    const [ready, slice] = [readyFilter(filter), new TimeSlice()];
    const found: FoundMessages = { messages: [], next: '' };
    let read = 0;
    for (const segment of [...segments.all].sort((a, b) => b - a)) {
      if (segment > segmentOf(before.order)) continue;
      if (read >= MAX_READ) {
        this.#build(chatbot, segments);
        return { ...found, next: cursorOf({ order: endOf(segment), message: 0 }) };
      }
      const { bytes, count } = await this.#segment(chatbot, segment, segments);
      read += count;
      const take = (message: FoundMessage, place: Place): boolean => {
        if (found.messages.length === limit) return false;
        found.messages.push(message);
        found.next = cursorOf(onePerSession ? { ...place, message: 0 } : place);
        return true;
      };
      if (!searchSegment(bytes, { filter: ready, onePerSession, before, take })) return found;
      if (slice.isOver) await slice.renew();
    }
    return { ...found, next: '' };
  }

  /** When nothing is under way any more but what a search has begun. */
  async close(): Promise<void> {
    this.#chatbots.clear();
    await Promise.allSettled(this.#underWay);
  }

  async #placeOf(chatbot: string, after: string | undefined): Promise<Place | undefined> {
    if (after === undefined) return { order: Infinity, message: 0 };
    const cursor = readCursor(after);
    if (cursor) return { order: Number(cursor[0]), message: Number(cursor[1]) };
    const name = await this.#options.sessions.names.find(after);
    return name?.chatbot === chatbot ? { order: name.order, message: 0 } : undefined;
  }

  async #segmentsOf(chatbot: string): Promise<Segments> {
    let segments = this.#chatbots.get(chatbot);
    if (!segments) {
      const all = new Set<number>();
      const list = async (): Promise<void> => {
        for (const order of await this.#options.sessions.names.places(chatbot)) all.add(segmentOf(order));
      };
      segments = { all, fresh: new Set(), unchanged: new Set(), known: list() };
      this.#chatbots.set(chatbot, segments);
      segments.known.catch(() => this.#chatbots.delete(chatbot));
    }
    await segments.known;
    return segments;
  }

  /** Compares the other segments, one after another, for the searches to come. */
  #build(chatbot: string, segments: Segments): void {
    if (segments.building) return;
    const build = async (): Promise<void> => {
      for (const segment of [...segments.all].sort((a, b) => b - a)) {
        if (this.#chatbots.get(chatbot) !== segments) return;
        if (!segments.fresh.has(segment)) await this.#segment(chatbot, segment, segments);
      }
    };
    const building = build()
      .catch(ignore)
      .finally(() => {
        delete segments.building;
        this.#underWay.delete(building);
      });
    segments.building = building;
    this.#underWay.add(building);
  }

  /** The lines of a segment as the sessions are, and how many of them had to be read. */
  async #segment(chatbot: string, segment: number, segments: Segments): Promise<{ bytes: Buffer; count: number }> {
    const path = this.#path(chatbot, segment);
    const bytes = segments.fresh.has(segment) ? await readBytes(path) : undefined;
    if (bytes && isWhole(bytes)) return { bytes, count: 0 };
    const comparing = this.#mutex.run(path, () => this.#compare(chatbot, segment, segments));
    this.#underWay.add(comparing);
    return comparing.finally(() => this.#underWay.delete(comparing));
  }

  async #compare(chatbot: string, segment: number, segments: Segments): Promise<{ bytes: Buffer; count: number }> {
    segments.unchanged.add(segment);
    const { names } = this.#options.sessions;
    const path = this.#path(chatbot, segment);
    const known = linesIn((await readBytes(path)) ?? Buffer.alloc(0));
    const lines: Buffer[] = [];
    const slice = new TimeSlice();
    let [count, kept] = [0, 0];
    for (const name of await names.list(chatbot, endOf(segment), 'newest')) {
      if (segmentOf(name.order) < segment) break;
      if (slice.isOver) await slice.renew();
      const stamp = stampOf(names.path(name));
      const line = known.get(name.uuid);
      if (line?.stamp === stamp) {
        kept++;
        lines.push(line.line);
        continue;
      }
      count++;
      const made = await this.#lineOf(name, stamp);
      if (made) lines.push(made);
    }
    const isSame = count === 0 && kept === known.size;
    const isWritten = isSame || (await this.#write(path, chatbot, lines));
    if (segments.unchanged.delete(segment) && isWritten) segments.fresh.add(segment);
    return { bytes: Buffer.concat(lines), count };
  }

  async #lineOf(name: SessionName, stamp: string): Promise<Buffer | undefined> {
    const read = await this.#options.sessions.use(name.uuid, async (file) => {
      const session = file.head();
      return session && { session, messages: await file.messages() };
    });
    if (!read) return undefined;
    const { session, messages } = read;
    const entries = session.dry_run ? [] : messages.filter(isFound).map(entryOf);
    return lineOf({ uuid: name.uuid, order: name.order, messages: entries }, stamp);
  }

  /** False where there is no room for it. */
  async #write(path: string, chatbot: string, lines: Buffer[]): Promise<boolean> {
    if (!this.#options.chatbotExists(chatbot)) return false;
    try {
      await this.#shards.ensure(chatbot);
      await replaceFile(this.#disk, path, lines);
      return true;
    } catch {
      return false;
    }
  }

  /** With what a crash has left of its writing. */
  async #remove(path: string): Promise<void> {
    const removed = await Promise.all([path, `${path}.tmp`].map((one) => this.#unlink(one)));
    if (removed.includes(true)) await syncFolder(this.#disk, dirname(path));
  }

  #unlink(path: string): Promise<boolean> {
    return this.#disk.unlink(path).then(
      () => true,
      (error: unknown) => {
        if (hasCode(error, 'ENOENT', 'EISDIR')) return false;
        throw error;
      },
    );
  }

  #path(chatbot: string, segment: number): string {
    return this.#shards.path(chatbot, `${chatbot}.${segment.toString(36)}.jsonl`);
  }
}

/** Whoever damages it while the process has it, does so behind its back: that it is torn is all that is looked for. */
const isWhole = (bytes: Buffer): boolean => bytes.length === 0 || bytes.at(-1) === 10;

const cursorOf = ({ order, message }: Place): string => `${order}.${message}`;

/** What a file was like: it is longer with each message. */
function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? `${stats.size}.${stats.mtimeMs}` : '-';
}

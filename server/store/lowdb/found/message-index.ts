import { forEachConcurrent } from '../../../async/for-each-concurrent.ts';
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
  type ReadyFilter,
} from '../../shared/message-search.ts';
import { ignore } from '../files/disk.ts';
import { readBytes } from '../files/json-file.ts';
import type { SessionName } from '../sessions/session-name.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { IndexFiles, type IndexFilesOptions } from './index-files.ts';
import { bitOf, chapterOf, ChapterTerms, readChapter, segmentsWith, type Chapter } from './chapter.ts';
import { chaptersOf, isCovered, letSearchesPass, newestFirst, track, type Segments } from './segments.ts';
import { SearchWork } from './search-work.ts';
import {
  endOf,
  isWhole,
  lineOf,
  linesIn,
  searchSegment,
  segmentOf,
  sessionIn,
  stampOf,
  sumOfLines,
  UNKNOWN_STAMP,
  type Place,
} from './segment.ts';

/** Segments of a chapter that may be in no file of its own; the newest chapter has some that change all the time. */
const MAX_UNCOVERED = 8;
/** Sessions: so that questions of visitors come between. */
const COMPARED_AT_ONCE = 4;
/** Of the segments that one chapter's file is made of: others are searched themselves. */
const MAX_CHAPTER_BYTES = 64 * 1024 * 1024;

interface MessageIndexOptions extends IndexFilesOptions {
  sessions: Pick<Sessions, 'names' | 'use'>;
}

interface Search {
  filter: ReadyFilter;
  before: Place;
  options: FindOptions;
  work: SearchWork;
}

/**
 * What `findMessages` searches: files of lines, each of the sessions of one stretch of the order of creation. They are derived:
 * whichever is gone, damaged, or of an earlier life is compared with the sessions when a search comes to it, and only those
 * sessions are read that have changed since. So a change of a session costs no more than noting its segment as not fresh, and the
 * start nothing. A chapter's file says which of some segments have a word; it counts where the segment's lines are still the same. A
 * deletion removes the files of its segment and chapter first: no word of what is deleted stays.
 */
export class MessageIndex {
  readonly #options: MessageIndexOptions;
  readonly #files: IndexFiles;
  readonly #chatbots = new Map<string, Segments>();
  /** By the path of a segment or chapter: it is compared and written, or a session of it deleted. */
  readonly #mutex = new KeyedMutex();

  constructor(options: MessageIndexOptions) {
    this.#options = options;
    this.#files = new IndexFiles(options);
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
    const path = this.#files.segment(chatbot, segmentOf(order));
    return this.#mutex.run(path, async () => {
      this.changed(name);
      await this.#files.remove(path);
      const chapter = this.#files.chapter(chatbot, chapterOf(segmentOf(order)));
      // One that is being made of it is whole first.
      await this.#mutex.run(chapter, () => this.#files.remove(chapter));
      return act();
    });
  }

  /** Of a chatbot that is not there any more. */
  async removeAll(chatbot: string): Promise<void> {
    const work = this.#chatbots.get(chatbot)?.work ?? [];
    this.#chatbots.delete(chatbot);
    await Promise.allSettled(work);
    await this.#files.removeAll(chatbot);
  }

  /** Undefined where `after` is no place of the chatbot's. */
  async find(chatbot: string, filter: MessageFilter, options: FindOptions): Promise<FoundMessages | undefined> {
    const work = new SearchWork();
    const before = await this.#placeOf(chatbot, options.after);
    if (!before) return undefined;
    const segments = await this.#segmentsOf(chatbot);
    const search = this.#search(chatbot, segments, { filter: readyFilter(filter), before, options, work });
    return track(segments.searches, search);
  }

  async #search(
    chatbot: string,
    segments: Segments,
    { filter, before, options: { limit, onePerSession = false }, work }: Search,
  ): Promise<FoundMessages> {
    const slice = new TimeSlice();
    const found: FoundMessages = { messages: [], next: '' };
    const take = (message: FoundMessage, place: Place): boolean => {
      if (found.messages.length === limit) return false;
      found.messages.push(message);
      found.next = cursorOf(onePerSession ? { ...place, message: 0 } : place);
      return true;
    };
    let chapter: Chapter & { number: number; bits: number } = {
      ...readChapter(Buffer.alloc(0)),
      number: NaN,
      bits: ~0,
    };
    let uncovered = 0;
    // Nothing is left of a session that was searched to its first message, and it may be the first of its segment.
    const newest = segmentOf(before.message === 0 ? before.order - 1 : before.order);
    for (const segment of newestFirst(segments.all)) {
      if (segment > newest) continue;
      if (chapterOf(segment) !== chapter.number) {
        const read = await this.#chapter(chatbot, chapterOf(segment));
        chapter = { ...read, number: chapterOf(segment), bits: segmentsWith(read, filter) };
        uncovered = 0;
      }
      if (!isCovered(chapter, segment, segments)) uncovered++;
      else if ((chapter.bits & bitOf(segment)) === 0) continue;
      const { isOver } = work;
      if (isOver || uncovered > MAX_UNCOVERED) this.#build(chatbot, segments);
      if (isOver) return { ...found, next: cursorOf({ order: endOf(segment), message: 0 }) };
      const bytes = await this.#segment(chatbot, segment, segments, work);
      work.bytes += bytes.length;
      if (!(await searchSegment(bytes, { filter, onePerSession, before, take, slice }))) return found;
      if (slice.isOver) await slice.renew();
    }
    return { ...found, next: '' };
  }

  /** When nothing is under way any more but what a search has begun. */
  async close(): Promise<void> {
    const work = [...this.#chatbots.values()].flatMap((one) => [...one.work]);
    this.#chatbots.clear();
    await Promise.allSettled(work);
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
        for (const places of await this.#options.sessions.names.places(chatbot))
          for (const order of places) all.add(segmentOf(order));
      };
      segments = { all, fresh: new Map(), unchanged: new Set(), searches: new Set(), work: new Set(), known: list() };
      this.#chatbots.set(chatbot, segments);
      segments.known.catch(() => this.#chatbots.delete(chatbot));
    }
    await segments.known;
    return segments;
  }

  /** Compares the other segments, one after another, and makes what is missing of chapters, for the searches to come; those under way go first. */
  #build(chatbot: string, segments: Segments): void {
    if (segments.building) return;
    const isThere = (): boolean => this.#chatbots.get(chatbot) === segments;
    const build = async (): Promise<void> => {
      const work = new SearchWork();
      for (const own of chaptersOf(segments.all)) {
        for (const segment of own) {
          await letSearchesPass(segments);
          if (isThere() && !segments.fresh.has(segment)) await this.#segment(chatbot, segment, segments, work);
        }
        if (isThere()) await this.#makeChapter(chatbot, own, segments);
      }
    };
    const building = build()
      .catch(ignore)
      .finally(() => {
        delete segments.building;
        segments.work.delete(building);
      });
    segments.building = building;
    segments.work.add(building);
  }

  async #chapter(chatbot: string, number: number): Promise<Chapter> {
    return readChapter((await readBytes(this.#files.chapter(chatbot, number))) ?? Buffer.alloc(0));
  }

  /** Of these segments, all of one chapter, unless nearly all are in its file. */
  async #makeChapter(chatbot: string, own: number[], segments: Segments): Promise<void> {
    const number = chapterOf(own[0]!);
    const path = this.#files.chapter(chatbot, number);
    await this.#mutex.run(path, async () => {
      const old = await this.#chapter(chatbot, number);
      const uncovered = own.filter((segment) => segments.fresh.has(segment) && !isCovered(old, segment, segments));
      if (uncovered.length <= MAX_UNCOVERED / 2) return;
      const terms = new ChapterTerms();
      // Waits for no search: one may wait for a deletion, and that for this.
      const slice = new TimeSlice();
      let size = 0;
      for (const segment of own) {
        const bytes = segments.fresh.has(segment) ? await readBytes(this.#files.segment(chatbot, segment)) : undefined;
        if (!bytes) continue;
        const lines = [...linesIn(bytes).values()].map(({ line }) => line);
        terms.cover(segment, sumOfLines(lines));
        if ((size += bytes.length) > MAX_CHAPTER_BYTES) terms.addAny(segment);
        else
          for (const line of lines) {
            terms.add(segment, sessionIn(line) ?? { messages: [] });
            if (slice.isOver) await slice.renew();
          }
      }
      await this.#files.write(path, chatbot, await terms.bytes(slice));
    });
  }

  /** The lines of a segment as the sessions are; adds what had to be done to `work`. */
  async #segment(chatbot: string, segment: number, segments: Segments, work: SearchWork): Promise<Buffer> {
    const path = this.#files.segment(chatbot, segment);
    const readFresh = async (): Promise<Buffer | undefined> => {
      const bytes = segments.fresh.has(segment) ? await readBytes(path) : undefined;
      return bytes && isWhole(bytes) ? bytes : undefined;
    };
    const bytes = await readFresh();
    if (bytes) return bytes;
    // Another call may have compared it while this one waited.
    const compare = async (): Promise<Buffer> => (await readFresh()) ?? this.#compare(chatbot, segment, segments, work);
    return track(segments.work, this.#mutex.run(path, compare));
  }

  async #compare(chatbot: string, segment: number, segments: Segments, work: SearchWork): Promise<Buffer> {
    segments.unchanged.add(segment);
    const { names } = this.#options.sessions;
    const path = this.#files.segment(chatbot, segment);
    const known = linesIn((await readBytes(path)) ?? Buffer.alloc(0));
    const made: (Buffer | undefined)[] = [];
    let kept = 0;
    const compare = async ([at, name]: [number, SessionName]): Promise<void> => {
      work.compared++;
      const line = known.get(name.uuid);
      if (line?.stamp === stampOf(names.path(name))) {
        kept++;
        made[at] = line.line;
      } else {
        work.read++;
        made[at] = await this.#lineOf(name);
      }
    };
    const own = await names.between(chatbot, endOf(segment - 1), endOf(segment));
    await forEachConcurrent(own.entries(), compare, COMPARED_AT_ONCE);
    const lines = made.filter((line) => line !== undefined);
    const isSame = kept === known.size && kept === lines.length;
    const isWritten = isSame || (await this.#files.write(path, chatbot, lines));
    if (segments.unchanged.delete(segment) && isWritten) segments.fresh.set(segment, sumOfLines(lines));
    return Buffer.concat(lines);
  }

  async #lineOf(name: SessionName): Promise<Buffer | undefined> {
    const { sessions } = this.#options;
    const read = await sessions.use(name.uuid, async (file) => {
      const stamp = file.isWriting ? UNKNOWN_STAMP : stampOf(sessions.names.path(name));
      const session = file.head();
      return session && { session, stamp, messages: await file.messages() };
    });
    if (!read) return undefined;
    const { session, stamp, messages } = read;
    const entries = session.dry_run ? [] : messages.filter(isFound).map(entryOf);
    const { uuid, order } = name;
    return lineOf({ uuid, order, ...session.live, messages: entries }, stamp);
  }
}

const cursorOf = ({ order, message }: Place): string => `${order}.${message}`;

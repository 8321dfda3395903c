import { statSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { TimeSlice } from '../../../async/time-slice.ts';
import { jsonIn } from '../../../schema/json.ts';
import { passes, type FoundMessage, type MessageEntry, type ReadyFilter } from '../../shared/message-search.ts';
import type { LiveState } from '../../shared/session-records.ts';

/** Places in the order of creation that one file covers: so many sessions at most are read again where it is gone. */
const SEGMENT_PLACES = 256;

export const segmentOf = (order: number): number => Math.floor(order / SEGMENT_PLACES);

/** The first place behind the segment. */
export const endOf = (segment: number): number => (segment + 1) * SEGMENT_PLACES;

/** What a segment holds of a session. */
export interface IndexedSession {
  uuid: string;
  order: number;
  /** Absent where no person was asked for. */
  state?: LiveState;
  /** Oldest first; none of a dry run. */
  messages: MessageEntry[];
}

/** A line of a segment: the session's uuid and what its file was like when it was read, then the session as JSON. */
export interface SegmentLine {
  stamp: string;
  line: Buffer;
}

const HEAD = /^([0-9a-f]{8}) ([0-9a-f]{32}) (\S+) /;
/** Of the checksum with its space. */
const SUM_LENGTH = 9;

export function lineOf(session: IndexedSession, stamp: string): Buffer {
  const text = `${session.uuid} ${stamp} ${JSON.stringify(session)}\n`;
  return Buffer.from(`${sumOf(Buffer.from(text))} ${text}`);
}

/** Of the lines of a segment: another one where one of them is. */
export const sumOfLines = (lines: readonly Buffer[]): string =>
  sumOf(Buffer.concat(lines.map((line) => line.subarray(0, SUM_LENGTH))));

const sumOf = (bytes: Uint8Array): string => crc32(bytes).toString(16).padStart(8, '0');

/** The whole lines of a segment's file by session; what is torn or damaged is left out. */
export function linesIn(bytes: Buffer): Map<string, SegmentLine> {
  const lines = new Map<string, SegmentLine>();
  for (let from = 0, end; (end = bytes.indexOf(10, from) + 1) > 0; from = end) {
    const line = bytes.subarray(from, end);
    const [, sum, uuid, stamp] = HEAD.exec(line.toString('latin1', 0, 100)) ?? [];
    if (sum === sumOf(line.subarray(SUM_LENGTH))) lines.set(uuid!, { stamp: stamp!, line });
  }
  return lines;
}

/** Changes with what is kept of a session: lines of a version before are made again. */
const VERSION = 4;

/** What a file was like: it is longer with each message. */
export function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? `${VERSION}.${stats.size}.${stats.mtimeMs}` : '-';
}

/** Of a session that was being written: its line is made again. */
export const UNKNOWN_STAMP = '?';

/** Whoever damages it while the process has it, does so behind its back: that it is torn is all that is looked for. */
export const isWhole = (bytes: Buffer): boolean => bytes.length === 0 || bytes.at(-1) === 10;

/** The places behind which a search goes on: sessions before it, and messages before it in that session. */
export interface Place {
  order: number;
  message: number;
}

export interface SegmentSearch {
  filter: ReadyFilter;
  onePerSession: boolean;
  before: Place;
  /** Ends the search where it returns false. */
  take(message: FoundMessage, place: Place): boolean;
  slice: TimeSlice;
}

/** Of a line, with its end or without. */
export const sessionIn = (line: Buffer): IndexedSession | undefined =>
  jsonIn(line.toString('utf8', line.indexOf(123))) as IndexedSession | undefined;

/** Calls `take` with the messages of a segment, newest session first. False where that has ended it. */
export async function searchSegment(
  bytes: Buffer,
  { filter, onePerSession, before, take, slice }: SegmentSearch,
): Promise<boolean> {
  for (const line of candidates(bytes, needleOf(filter))) {
    if (slice.isOver) await slice.renew();
    const session = sessionIn(line);
    if (!session) continue;
    const { uuid, order, state, messages } = session;
    if (order > before.order || (filter.state !== undefined && state !== filter.state)) continue;
    for (let at = (order === before.order ? before.message : messages.length) - 1; at >= 0; at--) {
      const entry = messages[at]!;
      if (!passes(entry, filter)) continue;
      if (!take(found(entry, uuid), { order, message: at })) return false;
      if (onePerSession) break;
    }
  }
  return true;
}

function found(entry: MessageEntry, session: string): FoundMessage {
  const { uuid, query, created_at, outcome, rating, agent, page } = entry;
  return { session, uuid, query, created_at, outcome, rating, agent, page };
}

/** Bytes that a line has where one of its messages passes; undefined where nothing tells. */
function needleOf({ words, state, outcome, rated, label, agent }: ReadyFilter): string | undefined {
  const [longest] = (words ?? []).toSorted((a, b) => b.length - a.length);
  if (longest !== undefined) return ` ${longest}`;
  if (state !== undefined) return `"state":"${state}"`;
  if (label !== undefined) return JSON.stringify(label);
  if (outcome !== undefined) return `"outcome":"${outcome}"`;
  if (rated !== undefined) return `"rating":${rated === 'up' ? 1 : -1}`;
  return agent;
}

/** The lines that have the needle: JSON is parsed of them alone. */
function* candidates(bytes: Buffer, needle = ''): Generator<Buffer> {
  const sought = Buffer.from(needle);
  for (let from = 0; from < bytes.length;) {
    const at = bytes.indexOf(sought, from);
    if (at < 0) return;
    const end = bytes.indexOf(10, at);
    yield bytes.subarray(bytes.lastIndexOf(10, at) + 1, end);
    from = end + 1;
  }
}

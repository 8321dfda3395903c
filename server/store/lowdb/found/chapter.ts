import { crc32 } from 'node:zlib';
import type { TimeSlice } from '../../../async/time-slice.ts';
import { jsonIn } from '../../../schema/json.ts';
import { RATINGS, type MessageEntry, type ReadyFilter } from '../../shared/message-search.ts';
import type { IndexedSession } from './segment.ts';

/** Segments of a chapter: each is a bit of a number. */
const SEGMENTS = 32;

export const chapterOf = (segment: number): number => Math.floor(segment / SEGMENTS);

/** Of a segment in the numbers of its chapter. */
export const bitOf = (segment: number): number => 1 << (segment % SEGMENTS);

/** Which of its segments have what: a file without a line of their texts, so that a search reads only the segments that may have it. */
export interface Chapter {
  /** By segment, the `sumOfLines` of the file that was read. */
  covered: ReadonlyMap<number, string>;
  /** `\n`, then a line a term: the term, a space, and the bits of the segments that have it. */
  terms: Buffer;
}

/** A term's kind is its first letter; JSON where it may have any character. */
const labelTerm = (name: string): string => `l${JSON.stringify(name)}`;
const outcomeTerm = (outcome: string): string => `o${outcome}`;
const stateTerm = (state: string): string => `s${state}`;
const ratingTerm = (rating: number): string => `r${rating}`;
const agentTerm = (uuid: string): string => `a${JSON.stringify(uuid)}`;
const pageTerm = (page: string): string => `p${JSON.stringify(page.toLowerCase())}`;
const ANY = '*';
const dayTerm = (day: string): string => `d${JSON.stringify(day)}`;

function* termsOf({ words, labels, outcome, rating, agent, page, created_at }: MessageEntry): Generator<string> {
  for (const word of words.trim().split(' ')) yield `w${word}`;
  yield* labels.map(labelTerm);
  yield outcomeTerm(outcome);
  yield ratingTerm(rating);
  yield agentTerm(agent.uuid);
  yield pageTerm(page);
  yield dayTerm(created_at.slice(0, 10));
}

/** Collects what a chapter's file says. */
export class ChapterTerms {
  readonly #bits = new Map<string, number>();
  readonly #covered: [number, string][] = [];

  cover(segment: number, sum: string): void {
    this.#covered.push([segment, sum]);
  }

  add(segment: number, { state, messages }: Pick<IndexedSession, 'state' | 'messages'>): void {
    if (state !== undefined) this.#set(stateTerm(state), segment);
    for (const entry of messages) for (const term of termsOf(entry)) this.#set(term, segment);
  }

  /** In place of its messages: it may have anything. */
  addAny(segment: number): void {
    this.#set(ANY, segment);
  }

  async bytes(slice: TimeSlice): Promise<Buffer[]> {
    const pieces = [Buffer.from(`${JSON.stringify(this.#covered)}\n`)];
    let lines = '';
    for (const [term, bits] of this.#bits) {
      lines += `${term} ${hex(bits)}\n`;
      if (!slice.isOver) continue;
      pieces.push(Buffer.from(lines));
      lines = '';
      await slice.renew();
    }
    pieces.push(Buffer.from(lines));
    const sum = pieces.reduce((before, piece) => crc32(piece, before), 0);
    return [Buffer.from(`${hex(sum)} `), ...pieces];
  }

  #set(term: string, segment: number): void {
    this.#bits.set(term, (this.#bits.get(term) ?? 0) | bitOf(segment));
  }
}

const hex = (bits: number): string => (bits >>> 0).toString(16).padStart(8, '0');
/** Of a checksum, or the bits of a term, with its space. */
const HEX_LENGTH = 9;

/** Covers nothing where the bytes are damaged. */
export function readChapter(bytes: Buffer): Chapter {
  const text = bytes.subarray(HEX_LENGTH);
  const isWhole = bytes.toString('latin1', 0, HEX_LENGTH) === `${hex(crc32(text))} `;
  const end = text.indexOf(10);
  const covered = isWhole ? (jsonIn(text.toString('utf8', 0, end)) as [number, string][]) : [];
  return { covered: new Map(covered), terms: text.subarray(Math.max(0, end)) };
}

/** The bits of the segments that may have a message which passes; a segment without its bit has none. */
export function segmentsWith({ terms }: Chapter, filter: ReadyFilter): number {
  const { words, state, outcome, rated, label, agent, page, from, to } = filter;
  const exactly = (term: string): number => bitsOf(terms, `${term} `);
  const isBetween = (day: string): boolean => (from === undefined || day >= from) && (to === undefined || day <= to);
  let bits = words?.length === 0 ? 0 : ~0;
  for (const word of words ?? []) bits &= bitsOf(terms, `w${word}`);
  if (state !== undefined) bits &= exactly(stateTerm(state));
  if (label !== undefined) bits &= exactly(labelTerm(label));
  if (outcome !== undefined) bits &= exactly(outcomeTerm(outcome));
  if (rated !== undefined) bits &= exactly(ratingTerm(RATINGS[rated]));
  if (agent !== undefined) bits &= exactly(agentTerm(agent));
  if (page !== undefined) bits &= bitsOf(terms, 'p', (name) => name.includes(page));
  if (from !== undefined || to !== undefined) bits &= bitsOf(terms, 'd', isBetween);
  return bits | exactly(ANY);
}

/** Of all terms that begin so; `is`: and whose JSON behind that is such a text. */
function bitsOf(terms: Buffer, start: string, is?: (text: string) => boolean): number {
  const sought = Buffer.from(`\n${start}`);
  let bits = 0;
  for (let at = terms.indexOf(sought), end; at >= 0; at = terms.indexOf(sought, end)) {
    end = terms.indexOf(10, at + 1);
    if (is && !is(String(jsonIn(terms.toString('utf8', at + sought.length, end - HEX_LENGTH))))) continue;
    bits |= parseInt(terms.toString('latin1', end - HEX_LENGTH + 1, end), 16);
  }
  return bits;
}

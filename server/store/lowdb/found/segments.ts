import { setTimeout as sleep } from 'node:timers/promises';
import { yieldTurn } from '../../../async/time-slice.ts';
import { groupBy } from '../../shared/figures.ts';
import { chapterOf, type Chapter } from './chapter.ts';

/** The segments of a chatbot that was searched in this life of the process. */
export interface Segments {
  /** Resolves when `all` is whole. */
  known: Promise<void>;
  /** That have sessions. */
  all: Set<number>;
  /** Those whose file was compared with the sessions in this life, and none of them changed since: the sum of its lines. */
  fresh: Map<number, string>;
  /** Those that are being compared, unless one of the sessions has changed meanwhile. */
  unchanged: Set<number>;
  /** All are being compared. */
  building?: Promise<void>;
  /** That are under way. */
  searches: Set<Promise<unknown>>;
  /** What searches have begun and need not wait for. */
  work: Set<Promise<unknown>>;
}

export const newestFirst = (segments: Iterable<number>): number[] => [...segments].sort((a, b) => b - a);

/** The segments of each chapter, newest first. */
export const chaptersOf = (segments: Iterable<number>): number[][] => [
  ...groupBy(newestFirst(segments), (segment) => String(chapterOf(segment))).values(),
];

/** Whether the chapter's file says what the segment has now. */
export const isCovered = ({ covered }: Chapter, segment: number, { fresh }: Segments): boolean =>
  fresh.has(segment) && covered.get(segment) === fresh.get(segment);

/** The promise is in the set until it has ended. */
export function track<T>(set: Set<Promise<unknown>>, promise: Promise<T>): Promise<T> {
  set.add(promise);
  return promise.finally(() => set.delete(promise));
}

const MAX_WAIT_MS = 50;

/** For what is made in the background, between two parts of it: with a mutex held, a search could wait for what waits for it. */
export async function letSearchesPass({ searches }: Segments): Promise<void> {
  await yieldTurn();
  if (searches.size > 0) await Promise.race([Promise.allSettled(searches), sleep(MAX_WAIT_MS)]);
}

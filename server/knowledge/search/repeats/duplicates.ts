import type { Query } from '../query.ts';
import type { Entry, Hit } from '../types.ts';
import { byVersion, isOfOtherRelease, namedIn } from './versions.ts';

/** UTF-16 units from which on equal texts are duplicates; shorter ones (a figure, a label) may differ by their page. */
const MIN_PARAGRAPH = 200;
/** The share of their different words that two versions of a passage have in common. */
const SAME_PASSAGE = 0.6;
/** Passages of one page and heading that a further one is compared with. */
const MAX_COMPARED = 12;
/** How many times as many are asked for where half of them are other versions of the same. */
const MANY_VERSIONS = 4;

interface Candidate<S, C> {
  item: C;
  entry: Entry<S>;
  /** Its different words, set at first use. */
  words?: Set<number>;
}

/**
 * Of passages that tell nearly the same in several versions of a page, keeps the one whose version the question names, else
 * the newest, in the place of the first. Passages of different pages are not compared: two products may differ by a number.
 */
export function oneVersion<S, C>(items: C[], entryOf: (item: C) => Entry<S>, question: string): C[] {
  const kept: Candidate<S, C>[] = [];
  const byPage = new Map<string, Candidate<S, C>[]>();
  let named: number[][] | undefined;
  for (const item of items) {
    const one: Candidate<S, C> = { item, entry: entryOf(item) };
    const { key } = one.entry.page;
    const ofPage = byPage.get(key) ?? [];
    const others = ofPage.filter((other) => isOtherPage(one, other)).slice(0, MAX_COMPARED);
    const same = others.find((other) => areVersions(one, other));
    if (!same) {
      kept.push(one);
      ofPage.push(one);
      if (key !== '') byPage.set(key, ofPage);
      continue;
    }
    named ??= namedIn(question);
    if (byVersion(one.entry.page, same.entry.page, named) < 0) Object.assign(same, { words: undefined }, one);
  }
  return kept.map(({ item }) => item);
}

/**
 * See `oneVersion`. At most `count`, of those that are told at all; where these are less than half of what `top` gives, more of it
 * is read. `top`: so many, best first.
 */
export function topInOneVersion<S, C>(
  top: (count: number) => C[],
  count: number,
  { entryOf, isTold }: { entryOf: (item: C) => Entry<S>; isTold: (entry: Entry<S>) => boolean },
  question: string,
): C[] {
  const distinctOf = (items: C[]): C[] =>
    oneVersion(
      items.filter((item) => isTold(entryOf(item))),
      entryOf,
      question,
    );
  const items = top(count);
  const distinct = distinctOf(items);
  if (items.length < count || distinct.length > count / 2) return distinct;
  return distinctOf(top(count * MANY_VERSIONS)).slice(0, count);
}

const isOtherPage = <S, C>({ entry: a }: Candidate<S, C>, { entry: b }: Candidate<S, C>): boolean =>
  a.page !== b.page && a.headings.at(-1) === b.headings.at(-1);

function areVersions<S, C>(a: Candidate<S, C>, b: Candidate<S, C>): boolean {
  a.words ??= new Set(a.entry.forms);
  b.words ??= new Set(b.entry.forms);
  let common = 0;
  for (const word of a.words) if (b.words.has(word)) common++;
  const share = common / (a.words.size + b.words.size - common || 1);
  // The notes of two events differ by little, and are both of use.
  return a.entry.page.isOccasion || b.entry.page.isOccasion ? share === 1 : share >= SAME_PASSAGE;
}

/** The least share of what a release's notes have of the question that a current page has which tells the same. */
const CURRENT_SHARE = 0.75;

/** Without the notes of releases that the question does not name, where a current page may answer it. `held`: how much of it a passage has. */
export function currentAlone<S, H extends Hit<S>>(
  hits: H[],
  { text, hasAnswerType }: Query,
  held: (entry: Entry<S>) => number,
): H[] {
  const named = namedIn(text);
  const current = hits.filter(({ entry }) => !isOfOtherRelease(entry.headings, named));
  if (current.length === hits.length) return hits;
  const least = CURRENT_SHARE * held(hits[0]!.entry);
  const isAnswer = ({ entry }: H): boolean => (hasAnswerType?.(entry.text) ?? true) && held(entry) >= least;
  return current.some(isAnswer) ? current : hits;
}

/**
 * Keeps the best of the hits with the same text and heading, except texts shorter than `MIN_PARAGRAPH`: the newest version,
 * with the score of the first.
 */
export function withoutDuplicates<S, H extends Hit<S>>(hits: H[]): H[] {
  const kept: H[] = [];
  for (const hit of hits) {
    const at = hit.entry.text.length < MIN_PARAGRAPH ? -1 : kept.findIndex((other) => haveSameText(other, hit));
    if (at < 0) kept.push(hit);
    else if (byVersion(hit.entry.page, kept[at]!.entry.page, []) < 0) kept[at] = { ...hit, score: kept[at]!.score };
  }
  return kept;
}

const haveSameText = <S>({ entry: a }: Hit<S>, { entry: b }: Hit<S>): boolean =>
  a.text === b.text && a.headings.at(-1) === b.headings.at(-1);

import { TimeSlice } from '../../async/time-slice.ts';
import { detectLanguage } from '../../knowledge/text/detect-language.ts';
import type { LanguageCode } from '../../knowledge/text/languages.ts';
import type { SourceDocument, Store, StoredSource } from '../../store/store.ts';
import { shownHeading } from './headings.ts';

/** A heading that may be suggested. */
export interface Candidate {
  text: string;
  source: StoredSource;
  /** The heading as it stands above its passages. */
  heading: string;
  /** The kind, the best first: an owner's question, a page's question, a subject. */
  kind: number;
  /** How far it is from the middle of the site: names in the path of its page, 1 at least, and headings above it. */
  distance: number;
}

/** Sources that are read, the most central ones. */
const MAX_READ = 200;
/** Headings of one source: one of them is suggested at most. */
const MAX_PER_SOURCE = 2;
/** How much less a heading above counts than a name in the path. */
const HEADING_DISTANCE = 0.5;

/** The headings of these sources that may be suggested, best first, in the language that most of the sources are in. */
export async function candidatesIn(store: Pick<Store, 'document'>, sources: StoredSource[]): Promise<Candidate[]> {
  const read: { source: StoredSource; language: LanguageCode | undefined; candidates: Candidate[] }[] = [];
  const texts = new Set<string>();
  const slice = new TimeSlice();
  for (const source of central(sources)) {
    const document = await store.document(source.uuid);
    if (slice.isOver) await slice.renew();
    // The same page may have two addresses.
    if (!document || texts.has(document.text)) continue;
    texts.add(document.text);
    read.push({ source, language: detectLanguage(document.text), candidates: headingsOf(source, document) });
  }
  const language = commonest(read.flatMap((one) => one.language ?? []));
  const all = read
    .filter((one) => (one.language ?? language) === language)
    .flatMap((one) => one.candidates.slice(0, MAX_PER_SOURCE));
  const owners = new Map<string, Set<string>>();
  for (const { source, candidates } of read) {
    for (const { text } of candidates) owners.set(keyOf(text), (owners.get(keyOf(text)) ?? new Set()).add(source.uuid));
  }
  // What several pages have tells nothing of one of them.
  return all.filter(({ text }) => owners.get(keyOf(text))!.size === 1).toSorted(byRank);
}

export const byRank = (one: Candidate, other: Candidate): number =>
  one.kind - other.kind || one.distance - other.distance || compare(keyFor(one), keyFor(other));

/** Indexes that got the same pages in another order suggest the same. */
const keyFor = ({ source, text }: Candidate): string => `${source.file_name || source.title}\n${text}`;

const keyOf = (text: string): string => text.toLowerCase();

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

function central(sources: StoredSource[]): StoredSource[] {
  const ranked = sources.map((source) => ({ source, depth: depthOf(source) }));
  ranked.sort((one, other) => one.depth - other.depth || compare(one.source.file_name, other.source.file_name));
  return ranked.slice(0, MAX_READ).map(({ source }) => source);
}

/** Names in the path of a page; a question and answer of the owner's is as near as the first page, a file as one below it. */
function depthOf({ type, file_name }: StoredSource): number {
  if (type !== 'link') return type === 'qa' ? 0 : 1;
  return pathOf(file_name).length;
}

const pathOf = (address: string): string[] =>
  URL.canParse(address) ? new URL(address).pathname.split('/').filter((part) => part && !INDEX.test(part)) : [];

const INDEX = /^index\.\w+$/i;

function headingsOf(source: StoredSource, { passages }: SourceDocument): Candidate[] {
  const depth = depthOf(source);
  // The first heading of a site's first page is its name, or its motto.
  const isHome = source.type === 'link' && depth === 0;
  const found = new Map<string, Candidate>();
  for (const { headings } of source.type === 'qa' ? passages.slice(0, 1) : passages) {
    const heading = (source.type === 'qa' ? headings[0] : headings.at(-1)) ?? '';
    if (found.has(heading) || (isHome && headings.length === 1)) continue;
    const shown = shownHeading(heading);
    if (!shown) continue;
    const kind = source.type === 'qa' ? 0 : shown.asks ? 1 : 2;
    const distance = Math.max(1, depth) + HEADING_DISTANCE * (headings.length - 1);
    found.set(heading, { text: shown.text, source, heading, kind, distance });
  }
  const all = [...found.values()];
  // A question alone on its page is seldom one of visitors: “Tired of waiting?”
  if (all.filter(({ kind }) => kind === 1).length === 1) for (const one of all) one.kind = 2;
  return all.toSorted((one, other) => one.kind - other.kind || one.distance - other.distance);
}

function commonest(languages: LanguageCode[]): LanguageCode | undefined {
  const counts = new Map<LanguageCode, number>();
  for (const language of languages) counts.set(language, (counts.get(language) ?? 0) + 1);
  const sorted = [...counts].toSorted(([one, count], [other, more]) => more - count || compare(one, other));
  return sorted[0]?.[0];
}

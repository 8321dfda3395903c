import { crc32 } from 'node:zlib';
import type { PassageIndex } from '../index.ts';
import type { SiteTeller } from '../repeats/site-facts.ts';
import { versionOf } from '../repeats/versions.ts';
import type { Entry, Pair } from '../types.ts';
import type { Language } from '../../text/language.ts';
import type { LanguageCode } from '../../text/languages.ts';
import type { Common } from '../words/entry.ts';
import type { SavedVocabulary } from '../../text/tokenizer.ts';
import { SectionReader, SectionWriter } from './sections.ts';

/**
 * An index as a file: a name of what was indexed by which code, words with their lookup tables and postings, then each source with its text; a checksum of all that at the end. It is read 15 times as fast as texts are indexed.
 */

const CHECKSUM_BYTES = 4;
/** Lists of postings in one section, and lists and sources that are read in one step. */
const [LISTS, SOURCES_PER_STEP] = [1000, 32];

/** Without the tables, which are sections of their own. */
type Words = Pick<SavedVocabulary, 'languages' | 'rootOf' | 'stems'> & { typos: number; stemTypos: number };

interface SavedSource {
  uuid: string;
  language: Language;
  spoken: LanguageCode | undefined;
  rank: number;
  /** As `RepeatedLines` counts it. */
  title: string | undefined;
  passages: SavedPassage[];
  /** What it has to tell of its site, whether it does or not. */
  ofSite: { title: string; passages: SiteTeller<unknown>['passages'] } | undefined;
}

/** Lengths: of its text, and of its lists of forms and of roots in the head. */
type SavedPassage = [headings: string[], text: number, forms: number, head: number, more?: SavedTraits];
type SavedTraits = Pick<Entry<unknown>, 'ofSite' | 'leadsAway'> & { pair?: Pair | undefined };

/**
 * The index in pieces of up to some hundred kilobytes, each of which takes a few milliseconds to make. It must not change
 * meanwhile, and must have been prepared; `name` tells it from every other one.
 */
export function* piecesOf<S>(index: PassageIndex<S>, name: string): Generator<Uint8Array> {
  let sum = 0;
  for (const piece of sectionsOf(index, name)) {
    sum = crc32(piece, sum);
    yield piece;
  }
  const end = Buffer.alloc(CHECKSUM_BYTES);
  end.writeUInt32LE(sum);
  yield end;
}

function* sectionsOf<S>(index: PassageIndex<S>, name: string): Generator<Uint8Array> {
  // Slots without gaps.
  if (index.size < index.parts.entries.length) index.compact();
  const { slots, entries } = index.parts;
  const writer = new SectionWriter();
  writer.json(name);
  const { typos, stemTypos, ...words } = index.words.save();
  writer.json({ ...words, typos: typos.length, stemTypos: stemTypos.length } satisfies Words);
  for (const table of [...typos, ...stemTypos]) writer.numbers(table);
  yield writer.take();
  const { lists } = index.parts.postings;
  writer.json(lists.length);
  for (let at = 0; at < lists.length; at += LISTS) {
    const some = lists.slice(at, at + LISTS);
    writer.numbers(Uint32Array.from(some, ({ length }) => length));
    writer.numbers(joined(some));
    yield writer.take();
  }
  for (const [uuid, own] of slots) {
    const passages = own.map((slot) => entries[slot]!);
    writeSource(writer, index, uuid, passages);
    yield writer.take();
  }
}

function writeSource<S>(writer: SectionWriter, index: PassageIndex<S>, uuid: string, entries: Entry<S>[]): void {
  const teller = index.parts.siteFacts.of(uuid);
  const texts = entries.map(({ text, whole = text }) => whole);
  const { language = 'en', rank = 0 } = teller?.common ?? entries[0] ?? {};
  const passages = entries.map(({ headings, forms, head, pair, ofSite, leadsAway }, at): SavedPassage => {
    const lengths = [texts[at]!.length, forms.length, head.length] as const;
    const traits = { ...(pair ? { pair } : {}), ...(ofSite ? { ofSite } : {}), ...(leadsAway ? { leadsAway } : {}) };
    return Object.keys(traits).length > 0 ? [headings, ...lengths, traits] : [headings, ...lengths];
  });
  const ofSite = teller && { title: teller.common.title, passages: teller.passages };
  const title = entries[0] && index.repeated.countedTitle(entries[0].page);
  const spoken = index.parts.spoken.of(uuid);
  writer.json({ uuid, language, spoken, rank, title, passages, ofSite } satisfies SavedSource);
  writer.text(texts.join(''));
  writer.numbers(joined(entries.map(({ forms }) => forms)));
  writer.numbers(joined(entries.map(({ head }) => head)));
}

function joined(lists: readonly ArrayLike<number>[]): Uint32Array {
  const all = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all;
}

/**
 * Fills an empty index from a file, in steps of a few milliseconds. False, and the index is of no use, where the bytes are
 * not what `piecesOf` made under this name. `sourceOf`: a source with the address of its page.
 */
export function* readInSteps<S>(
  index: PassageIndex<S>,
  bytes: Uint8Array,
  name: string,
  sourceOf: (uuid: string) => { source: S; address: string } | undefined,
): Generator<void, boolean> {
  const end = bytes.length - CHECKSUM_BYTES;
  if (end < 0) return false;
  const content = bytes.subarray(0, end);
  if (Buffer.from(bytes.buffer, bytes.byteOffset).readUInt32LE(end) !== crc32(content)) return false;
  try {
    return yield* read(index, new SectionReader(content), name, sourceOf);
  } catch (error) {
    if (error instanceof RangeError || error instanceof SyntaxError || error instanceof TypeError) return false;
    throw error;
  }
}

function* read<S>(
  index: PassageIndex<S>,
  reader: SectionReader,
  name: string,
  sourceOf: (uuid: string) => { source: S; address: string } | undefined,
): Generator<void, boolean> {
  if (reader.json() !== name) return false;
  const words = reader.json() as Words;
  const tables = (count: number) => Array.from({ length: count }, () => reader.numbers(Float64Array));
  index.words.restore({ ...words, typos: tables(words.typos), stemTypos: tables(words.stemTypos) });
  yield;
  for (let left = reader.json() as number; left > 0; left -= LISTS) {
    const lengths = reader.numbers(Uint32Array);
    const take = takeFrom(reader.numbers(Uint32Array));
    for (const length of lengths) index.parts.postings.restore(take(length));
    yield;
  }
  for (let at = 1; !reader.isAtEnd; at++) {
    const saved = reader.json() as SavedSource;
    const found = sourceOf(saved.uuid);
    if (!found) return false;
    const { uuid, language, rank, ofSite } = saved;
    const common = { source: found.source, page: versionOf(found.address), language, rank };
    index.parts.spoken.restore(uuid, saved.spoken);
    addSource(index, saved, entriesOf(saved, reader, common));
    if (ofSite)
      index.parts.siteFacts.put({
        uuid,
        page: common.page,
        passages: ofSite.passages,
        common: { ...common, title: ofSite.title },
      });
    if (at % SOURCES_PER_STEP === 0) yield;
  }
  return true;
}

function entriesOf<S>({ passages }: SavedSource, reader: SectionReader, common: Omit<Common<S>, 'title'>): Entry<S>[] {
  const text = reader.text();
  const formsOf = takeFrom(reader.numbers(Uint32Array));
  const headOf = takeFrom(reader.numbers(Uint32Array));
  let start = 0;
  return passages.map(([headings, length, forms, head, { pair, ...traits } = {}], at) => {
    const own = { headings, text: text.slice(start, (start += length)), rank: common.rank + at };
    const terms = { forms: formsOf(forms), head: headOf(head), pair };
    return { ...common, ...own, ...terms, ...traits };
  });
}

/** As `putInSteps` of the index, but for words and postings. */
function addSource<S>({ parts }: PassageIndex<S>, { uuid, title }: SavedSource, entries: Entry<S>[]): void {
  const { postings, pairs, definitions, repeated } = parts;
  const lines = new Set<number>();
  const slots = entries.map((entry, at) => {
    const { page, pair, ofSite } = entry;
    const slot = parts.entries.push(entry) - 1;
    postings.add(slot, entry, true);
    if (pair) pairs.put(uuid, at, pair);
    if (!ofSite) definitions.put(uuid, at, entry);
    if (!ofSite) repeated.count(page, entry, lines, at === 0 ? title : undefined);
    return slot;
  });
  parts.slots.set(uuid, slots);
}

/** Takes so many of the numbers, from the first on. */
function takeFrom(numbers: Uint32Array): (count: number) => Uint32Array {
  let at = 0;
  return (count) => {
    const from = at;
    at += count;
    return new Uint32Array(numbers.buffer, from * Uint32Array.BYTES_PER_ELEMENT, count);
  };
}

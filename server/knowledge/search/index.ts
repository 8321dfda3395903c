import { bySentences } from './coverage.ts';
import type { Entry, Hit, IndexedDocument, ScoreRecorder, SearchScope } from './types.ts';
import { FEEDBACK_PASSAGES, wantsFeedback, withFeedback } from './relevance-feedback.ts';
import type { Match, Sentence } from './found.ts';
import { withLinksLowered } from './links-alone.ts';
import { matchOf } from './match.ts';
import { proximityTo } from './proximity.ts';
import { pairOf, PAIRS_COMPARED, QuestionPairs } from './question-pairs.ts';
import { Definitions, withDefinitions } from './definitions/definitions.ts';
import { areUnderTheSame, besideBest } from './section.ts';
import { Postings } from './bm25.ts';
import { slotSetOf, type SlotSet } from './posting.ts';
import { readQuery, type Query } from './query.ts';
import { SourceLanguages } from '../text/detect-language.ts';
import type { LanguageCode } from '../text/languages.ts';
import { withMeaning } from './meaning/mix.ts';
import { nearPage } from './asking/page.ts';
import { asksPair, gainOfPair, isOfTopic } from './asking/page-pair.ts';
import { gainOf, otherQuoted, slotsOfQuoted } from './asking/quoted.ts';
import { currentAlone, oneVersion, topInOneVersion, withoutDuplicates } from './repeats/duplicates.ts';
import { RepeatedLines } from './repeats/lines.ts';
import { SiteFacts, textIn, type Change, type SiteTeller } from './repeats/site-facts.ts';
import { versionOf } from './repeats/versions.ts';
import { Vectors } from './meaning/vectors.ts';
import { entryOf, ofDocument, sentencesIn } from './words/entry.ts';
import { WordStatistics } from './words/statistics.ts';
import { Vocabulary } from '../text/tokenizer.ts';

/** Passages, best by BM25, that are scored by proximity and coverage; and those indexed in one step. */
const [CANDIDATES, PASSAGES_PER_STEP] = [40, 64];
/** Exponent by which longer passages score less: SQuAD +.003 right first. */
const LENGTH_PENALTY = 0.03;

/** The passages of one chatbot, in memory. The slots of removed sources are compacted when they are half of all. */
export class PassageIndex<S> {
  readonly words = new Vocabulary();
  #entries: (Entry<S> | undefined)[] = [];
  readonly #postings = new Postings(this.words);
  readonly #slots = new Map<string, number[]>();
  readonly statistics = new WordStatistics(this.words, this.#postings, (slot) => this.#entries[slot]);
  readonly #pairs = new QuestionPairs();
  readonly #definitions = new Definitions();
  readonly #spoken = new SourceLanguages();
  readonly repeated = new RepeatedLines();
  readonly #siteFacts = new SiteFacts<SiteTeller<S>>();
  /** Absent until the first source with vectors. */
  #vectors: Vectors | undefined;

  /** How many passages there are. */
  get size(): number {
    return this.#postings.size;
  }

  /** See `SourceLanguages.ofSite`. */
  get siteLanguages(): LanguageCode[] {
    return this.#spoken.ofSite();
  }

  /** Adds a source, or replaces it. `question`: the one that its owner wrote the first passage to answer. */
  put(...put: [uuid: string, source: S, document: IndexedDocument, question?: string]): void {
    for (const _ of this.putInSteps(...put));
  }

  /** As `put`, in steps of a few milliseconds. Removing the source between two steps ends it. */
  *putInSteps(uuid: string, source: S, document: IndexedDocument, question?: string): Generator<void> {
    this.remove(uuid);
    const slots: number[] = [];
    this.#slots.set(uuid, slots);
    this.#spoken.put(uuid, document.text);
    const page = versionOf(document.address ?? '');
    const common = { source, page, ...ofDocument(document) };
    const own = document.passages.filter(({ ofSite }) => !ofSite);
    const lines = new Set<number>();
    for (const [at, passage] of own.entries()) {
      const { headings, text, ...more } = textIn(document, passage);
      this.repeated.count(page, { text, headings }, lines, at === 0 ? document.title.replace(/^.*\n/s, '') : undefined);
      const before = document.passages[at - 1]?.headings.at(-1);
      const pair = pairOf(question, headings.at(-1), before);
      if (pair) this.#pairs.put(uuid, at, pair);
      this.#definitions.put(uuid, at, { headings, text });
      slots.push(this.#add({ ...entryOf(this.words, common, { headings, text, ...more, at }), pair }));
      if (at % PASSAGES_PER_STEP !== PASSAGES_PER_STEP - 1) continue;
      yield;
      if (this.#slots.get(uuid) !== slots) return;
    }
    const passages = document.passages.slice(own.length).map((passage) => textIn(document, passage));
    if (passages.length > 0) this.#tell(this.#siteFacts.put({ uuid, page, passages, common }));
  }

  #tell({ tells, silent }: Change<SiteTeller<S>>): void {
    if (silent) for (const slot of this.#slots.get(silent.uuid)!.splice(-silent.passages.length)) this.#drop(slot);
    if (!tells) return;
    const slots = this.#slots.get(tells.uuid)!;
    for (const passage of tells.passages) {
      const entry = entryOf(this.words, tells.common, { ...passage, at: slots.length });
      slots.push(this.#add({ ...entry, ofSite: true }));
    }
  }

  /** Builds the lookup tables that the first question needs, in steps as `putInSteps`. */
  prepareInSteps(): Generator<void> {
    return this.words.updateInSteps();
  }

  /** Sets the vectors of a source's passages, a row each in their order, after `put`; in steps as `putInSteps`. */
  embedInSteps(uuid: string, dimensions: number, rows: Int8Array): Generator<void> {
    const slots = this.#slots.get(uuid) ?? [];
    if (this.dimensions === 0) this.#vectors = new Vectors(dimensions, (slot) => this.#entries[slot]!.rank);
    const given = { dimensions, rows, more: this.#siteFacts.silentOf(uuid) };
    return this.#vectors!.setInSteps(slots, given, () => this.#slots.get(uuid) === slots);
  }

  /** For `saved/`, which reads them, and fills those of an empty index. */
  get parts() {
    const [entries, slots, postings, repeated] = [this.#entries, this.#slots, this.#postings, this.repeated];
    const [pairs, definitions, spoken, siteFacts] = [this.#pairs, this.#definitions, this.#spoken, this.#siteFacts];
    return { entries, slots, postings, repeated, pairs, definitions, spoken, siteFacts };
  }

  /** Of the vectors; 0 where no passage has one. */
  get dimensions(): number {
    return this.#vectors?.size ? this.#vectors.dimensions : 0;
  }

  remove(uuid: string): void {
    const slots = this.#slots.get(uuid) ?? [];
    this.repeated.remove(slots.map((slot) => this.#entries[slot]!).filter(({ ofSite }) => !ofSite));
    for (const slot of slots) this.#drop(slot);
    this.#slots.delete(uuid);
    this.#pairs.remove(uuid);
    this.#definitions.remove(uuid);
    this.#spoken.remove(uuid);
    this.#tell(this.#siteFacts.remove(uuid));
    if (this.#entries.length > 64 && this.size * 2 < this.#entries.length) this.compact();
  }

  /** Parses a question. A follow-up gets terms of the `earlier` ones too, oldest first. */
  query(text: string, earlier: string[] = [], hasAnswer = false, now?: number): Query {
    return readQuery(text, earlier, this.words, this, hasAnswer, now);
  }

  /** The best passages, best first. */
  search(query: Query, limit: number, searchIn: SearchScope<S> = {}): Hit<S>[] {
    const most = limit + (searchIn.further ?? 0);
    const hits = nearPage(this.#searchPassages(query, limit, searchIn), searchIn).slice(0, most);
    const pair = this.#pairs.find([query.text, query.question], searchIn.sources);
    const exact = pair && this.#entries[this.#slots.get(pair.source)?.[pair.at] ?? -1];
    const near = exact
      ? undefined
      : hits.slice(0, PAIRS_COMPARED).find((hit) => asksPair(hit.entry, query, this.words));
    const entry = exact ?? near?.entry;
    if (!entry?.pair || !isOfTopic(entry, query, hits, this.words))
      return this.#withDefinitions(hits, query, searchIn).slice(0, most);
    const first: Hit<S> = { entry, score: 1 + (hits[0]?.score ?? 0), isAsked: true };
    searchIn.scores?.putFirst(first);
    return [first, ...hits.filter((hit) => hit.entry !== entry)].slice(0, most);
  }

  #withDefinitions(hits: Hit<S>[], query: Query, { sources, scores }: SearchScope<S>): Hit<S>[] {
    const places = this.#definitions.find(query.question, sources);
    const slots = new Set(places.map(({ source, at }) => this.#slots.get(source)?.[at] ?? -1));
    const told = [...slots].filter((slot) => slot >= 0 && this.repeated.clean(this.#entries[slot]!));
    if (told.length === 0) return hits;
    for (const slot of told) scores?.parts.delete(this.#entries[slot]!);
    const found = this.#postings.scores(query, told).map((score, at) => this.#scorer(query, scores)(told[at]!, score));
    const defining = this.#bySentences(found, query, found.length, scores);
    const all = withDefinitions(hits, defining, query, ({ entry }, gain) => scores?.add(entry, 'pair', gain));
    if (scores) scores.ranked = withDefinitions(scores.ranked, defining, query, () => {});
    return all;
  }

  #searchPassages(asked: Query, limit: number, { sources, vector, scores, quoted }: SearchScope<S>): Hit<S>[] {
    const query =
      asked.mayContinue && quoted ? { ...asked, quoted: slotsOfQuoted(quoted, this.#slots, this.#entries) } : asked;
    const slots = sources && Array.from(sources, (uuid) => this.#slots.get(uuid) ?? []);
    const slotSet = slots && slotSetOf(slots, this.#entries.length);
    const rank = (one: Query) =>
      vector?.length === this.dimensions
        ? this.#rankedByBoth(one, limit, slotSet, vector, scores)
        : this.#ranked(one, limit, slotSet, scores);
    if (!wantsFeedback(query, slotSet ? slotSet.size : this.size)) return rank(query);
    const many = Math.max(limit, FEEDBACK_PASSAGES);
    const hits = this.#ranked(query, many, slotSet).slice(0, many);
    return rank(hits.length === 0 ? query : withFeedback(query, hits, this.words, (root) => this.statistics.idf(root)));
  }

  /** Ranks candidates of both BM25F and the vectors. */
  #rankedByBoth(
    query: Query,
    limit: number,
    slotSet: SlotSet | undefined,
    vector: Float32Array,
    recorder?: ScoreRecorder<S>,
  ): Hit<S>[] {
    const vectors = this.#vectors!;
    const many = Math.max(limit, CANDIDATES);
    const byWords = this.#candidates(query, many, slotSet);
    const known = new Set(byWords.map(([slot]) => slot));
    const near = vectors
      .nearest(vector, many, slotSet?.has)
      .filter((slot) => !known.has(slot) && this.repeated.clean(this.#entries[slot]!));
    const scores = this.#postings.scores(query, near);
    const both = [...byWords, ...near.map((slot, at): [number, number] => [slot, scores[at]!])];
    const all = oneVersion(both, ([slot]) => this.#entries[slot]!, query.text);
    const hitOf = this.#scorer(query, recorder);
    const found = all.map(([slot, score]) => ({ slot, ...hitOf(slot, score) }));
    const hits = this.#bySentences(found, query, limit, recorder);
    const words = hits[0] ? Math.min(1, this.#postings.matchShare(hits[0].entry, query)) : 0;
    return withMeaning(hits, words, ({ slot }) => vectors.cosine(slot, vector), vectors.standingTo(vector), recorder);
  }

  #ranked(query: Query, limit: number, slotSet: SlotSet | undefined, recorder?: ScoreRecorder<S>): Hit<S>[] {
    const [many, hitOf] = [Math.max(limit, CANDIDATES), this.#scorer(query, recorder)];
    const scored = this.#candidates(query, many, slotSet).map(([slot, score]) => hitOf(slot, score));
    const hits = this.#bySentences(scored, query, limit, recorder);
    if (recorder) recorder.ranked = hits;
    return hits;
  }

  #candidates(query: Query, count: number, slotSet: SlotSet | undefined): [slot: number, score: number][] {
    const top = (many: number) => this.#postings.top(query, many, slotSet);
    const entryOf = ([slot]: [number, number]) => this.#entries[slot]!;
    const isTold = (entry: Entry<S>) => this.repeated.clean(entry);
    const best = topInOneVersion(top, count, { entryOf, isTold }, query.text);
    const near = otherQuoted(query, best).filter((slot) => slotSet?.has[slot] !== 0 && isTold(this.#entries[slot]!));
    const scores = this.#postings.scores(query, near);
    return [...best, ...near.map((slot, at): [number, number] => [slot, scores[at]!])];
  }

  /** Scores candidates of BM25F. */
  #scorer(query: Query, recorder?: ScoreRecorder<S>): (slot: number, score: number) => Hit<S> {
    const proximity = proximityTo(query, this.words);
    return (slot, score) => {
      const [entry, quoted] = [this.#entries[slot]!, query.quoted?.get(slot)];
      const gain = gainOf(quoted, query);
      recorder?.add(entry, 'quoted', gain);
      if (score === 0) return { entry, score: gain, quoted };
      const [near, like] = [proximity(entry), gainOfPair(entry, query, this.words)];
      recorder?.add(entry, 'pair', like);
      const penalty = this.#postings.lengthFactor(entry.forms.length) ** LENGTH_PENALTY;
      recorder?.add(entry, 'bm25', score / query.totalWeight / penalty);
      recorder?.add(entry, 'proximity', near / penalty);
      const hit = { entry, score: (score / query.totalWeight + near) / penalty + gain + like, quoted };
      return withLinksLowered(hit, query, this.words, recorder);
    };
  }

  #bySentences<H extends Hit<S>>(hits: H[], query: Query, limit: number, recorder?: ScoreRecorder<S>): H[] {
    const ranked = bySentences<S, H>(hits, query, limit, (entry) => this.sentences(entry), recorder);
    return currentAlone(withoutDuplicates(ranked), query, (entry) => this.#postings.textShare(entry, query));
  }

  /** See `besideBest`. `uuidOf`: the name of a source, as it was put. */
  beside(hits: Hit<S>[], uuidOf: (source: S) => string, most: number): Entry<S>[] {
    const entries = hits.map(({ entry }) => entry);
    const beside = besideBest(entries, (entry, by) => this.#neighbour(entry, by, uuidOf), most);
    return beside.filter((entry) => this.repeated.clean(entry));
  }

  /** Whether the passage before it is of another section. */
  opensSection(entry: Entry<S>, uuidOf: (source: S) => string): boolean {
    const before = this.#neighbour(entry, -1, uuidOf);
    return !before || !areUnderTheSame(entry, before);
  }

  #neighbour(entry: Entry<S>, by: number, uuidOf: (source: S) => string): Entry<S> | undefined {
    const slots = this.#slots.get(uuidOf(entry.source)) ?? [];
    const at = entry.rank - (this.#entries[slots[0] ?? -1]?.rank ?? 0);
    return this.#entries[slots[at + by] ?? -1];
  }

  match(hit: Hit<S>, query: Query): Match {
    return matchOf(hit, query, { postings: this.#postings, index: this });
  }

  sentences(entry: Entry<S>): Sentence[] {
    return sentencesIn(this.words, entry);
  }

  #add(entry: Entry<S>): number {
    const slot = this.#entries.push(entry) - 1;
    this.#postings.add(slot, entry);
    return slot;
  }

  #drop(slot: number): void {
    this.#postings.drop(slot, this.#entries[slot]!);
    this.#vectors?.drop(slot);
    this.#entries[slot] = undefined;
  }

  compact(): void {
    const entries: Entry<S>[] = [];
    const newSlots = this.#entries.map((entry) => (entry ? entries.push(entry) - 1 : -1));
    this.#entries = entries;
    this.#postings.compact(newSlots);
    this.#vectors?.compact(newSlots);
    for (const slots of this.#slots.values()) for (const [at, slot] of slots.entries()) slots[at] = newSlots[slot]!;
  }
}

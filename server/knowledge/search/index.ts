import type { SourceDocument } from '../../store/store.ts';
import { bySentences } from './coverage.ts';
import type { Entry, Hit, SearchScope } from './types.ts';
import { FEEDBACK_PASSAGES, wantsFeedback, withFeedback } from './relevance-feedback.ts';
import type { Match, Sentence } from './found.ts';
import { languageOf, type Language } from '../text/language.ts';
import { proximity } from './proximity.ts';
import { QuestionPairs } from './question-pairs.ts';
import { Postings, type SlotSet } from './postings.ts';
import { readQuery, type Query } from './query.ts';
import { leadsOf, sentencesOf } from '../text/sentences.ts';
import { Vectors } from './vectors.ts';
import { eachWord, STOP_WORD, Vocabulary } from '../text/tokenizer.ts';

/** Passages, best by BM25, that are scored by proximity and coverage. */
const CANDIDATES = 40;
/** How much less the longer of two passages is worth: SQuAD +.003 right first. */
const LENGTH_PENALTY = 0.03;
/**
 * What a cosine counts beside a passage that has words for all of the question. With vectors far worse than a model's,
 * which alone put .68 of SQuAD's paragraphs first, an earlier ranking's .807 became .810; a weight of 1 took .012 away.
 */
const VECTOR_WEIGHT = 0.5;
/** UTF-16 units of a text that is no mere figure, label or line. */
const MIN_PARAGRAPH = 200;
/** Passages indexed in one step. */
const PASSAGES_PER_STEP = 64;

/**
 * The passages of one chatbot, in memory. The slots of removed sources are compacted when they are half of all.
 */
export class PassageIndex<S> {
  readonly words = new Vocabulary();
  #entries: (Entry<S> | undefined)[] = [];
  readonly #postings = new Postings(this.words);
  readonly #slots = new Map<string, number[]>();
  readonly #pairs = new QuestionPairs();
  /** None before the first source that has any. */
  #vectors: Vectors | undefined;

  /** How many passages there are. */
  get size(): number {
    return this.#postings.size;
  }

  /** Replaces whatever the index had of that source. `question` is the one that its owner wrote the first passage to answer. */
  put(uuid: string, source: S, document: SourceDocument, question?: string): void {
    for (const _ of this.putting(uuid, source, document, question));
  }

  /** As `put`, in steps of a few milliseconds. Removing the source between two steps ends it. */
  *putting(uuid: string, source: S, document: SourceDocument, question?: string): Generator<void> {
    this.remove(uuid);
    if (question !== undefined) this.#pairs.put(uuid, question);
    const slots: number[] = [];
    this.#slots.set(uuid, slots);
    const language = languageOf(document.text);
    for (const [at, { headings, start, end }] of document.passages.entries()) {
      const text = document.text.slice(start, end);
      const head = this.#formsOf([document.title, ...headings].join('\n'), language);
      const roots = new Set(Array.from(head, (form) => this.words.root(form)));
      const forms = this.#formsOf(text, language);
      slots.push(this.#add({ source, headings, text, language, forms, head: Uint32Array.from(roots) }));
      if (at % PASSAGES_PER_STEP !== PASSAGES_PER_STEP - 1) continue;
      yield;
      if (this.#slots.get(uuid) !== slots) return;
    }
  }

  /** What the first question would have to wait for. As `putting`. */
  settling(): Generator<void> {
    return this.words.catchingUp();
  }

  /** Gives the passages of a source, which are all there, their meanings: a row each, in their order. As `putting`. */
  *embedding(uuid: string, dimensions: number, rows: Int8Array): Generator<void> {
    const slots = this.#slots.get(uuid) ?? [];
    if (this.dimensions === 0) this.#vectors = new Vectors(dimensions);
    const vectors = this.#vectors!;
    if (vectors.dimensions !== dimensions || rows.length !== slots.length * dimensions) return;
    for (let at = 0; at < slots.length; at++) {
      vectors.set(slots[at]!, rows.subarray(at * dimensions, (at + 1) * dimensions));
      if (at % PASSAGES_PER_STEP !== PASSAGES_PER_STEP - 1) continue;
      yield;
      if (this.#slots.get(uuid) !== slots) return;
    }
  }

  /** Of the meanings; 0 where no passage has one. */
  get dimensions(): number {
    return this.#vectors?.size ? this.#vectors.dimensions : 0;
  }

  remove(uuid: string): void {
    for (const slot of this.#slots.get(uuid) ?? []) this.#drop(slot);
    this.#slots.delete(uuid);
    this.#pairs.remove(uuid);
    if (this.#entries.length > 64 && this.size * 2 < this.#entries.length) this.#compact();
  }

  /** `earlier` questions lend their words to one that does not stand by itself. */
  query(text: string, earlier: string[] = []): Query {
    return readQuery(text, earlier, this.words, (root, least) => this.idf(root, least));
  }

  /** How much a word tells, by how few of all passages, or of `least`, have it; the most for a word that none has. */
  idf(root: number, least = 0): number {
    const having = this.#postings.having(root);
    return Math.log(1 + (Math.max(this.size, least) - having + 0.5) / (having + 0.5));
  }

  /** The best passages, best first. */
  search(query: Query, limit: number, searchIn: SearchScope = {}): Hit<S>[] {
    const hits = this.#found(query, limit, searchIn);
    const pair = this.#pairs.find([query.text, query.question], searchIn.sources);
    const entry = pair === undefined ? undefined : this.#entries[this.#slots.get(pair)?.[0] ?? -1];
    if (!entry) return hits;
    const others = hits.filter((hit) => hit.entry !== entry);
    return [{ entry, score: 1 + (hits[0]?.score ?? 0), exact: true as const }, ...others].slice(0, limit);
  }

  #found(query: Query, limit: number, { sources, meaning }: SearchScope): Hit<S>[] {
    const within = sources && this.#within(sources);
    const rank = (one: Query) =>
      meaning?.length === this.dimensions
        ? this.#rankedByBoth(one, limit, within, meaning)
        : this.#ranked(one, limit, within);
    if (!wantsFeedback(query, within ? within.size : this.size)) return rank(query);
    const hits = this.#ranked(query, Math.max(limit, FEEDBACK_PASSAGES), within);
    if (hits.length === 0) return rank(query);
    return rank(withFeedback(query, hits, this.words, (root) => this.idf(root)));
  }

  /**
   * By words and by meaning, each finding what the other misses. Words go by the best there is, which counts as much as
   * it has words for the question: the fewer it has, the more meaning says.
   */
  #rankedByBoth(query: Query, limit: number, within: SlotSet | undefined, meaning: Float32Array): Hit<S>[] {
    const vectors = this.#vectors!;
    const many = Math.max(limit, CANDIDATES);
    const byWords = this.#postings.top(query, many, within);
    const known = new Set(byWords.map(([slot]) => slot));
    const near = vectors.nearest(meaning, many, within?.has).filter((slot) => !known.has(slot));
    const scores = this.#postings.scores(query, near);
    const all = [...byWords, ...near.map((slot, at): [number, number] => [slot, scores[at]!])];
    const found = all.map(([slot, score]) => ({ slot, ...this.#hit(slot, score, query) }));
    const hits = this.#bySentences(found, query, limit);
    const [best] = hits;
    if (!best) return [];
    const words = Math.min(1, this.#postings.known(best.entry, query)) / (best.score || 1);
    const mixed = hits.map(({ slot, entry, score }) => {
      return { entry, score: words * score + VECTOR_WEIGHT * vectors.cosine(slot, meaning), first: best.entry };
    });
    return mixed.sort(byScore).slice(0, limit);
  }

  #within(sources: ReadonlySet<string>): SlotSet {
    const has = new Uint8Array(this.#entries.length);
    const slots = Array.from(sources, (uuid) => this.#slots.get(uuid) ?? []);
    let size = 0;
    for (const some of slots) {
      for (const slot of some) has[slot] = 1;
      size += some.length;
    }
    return { slots, size, has };
  }

  #ranked(query: Query, limit: number, within: SlotSet | undefined): Hit<S>[] {
    const top = this.#postings.top(query, Math.max(limit, CANDIDATES), within);
    const hits = top.map(([slot, score]) => this.#hit(slot, score, query));
    return this.#bySentences(hits, query, limit).slice(0, limit);
  }

  #hit(slot: number, score: number, query: Query): Hit<S> {
    const entry = this.#entries[slot]!;
    if (score === 0) return { entry, score: 0 };
    const closer = score / query.totalWeight + proximity(entry, query, this.words);
    return { entry, score: closer / this.#postings.lengthening(entry.forms.length) ** LENGTH_PENALTY };
  }

  #bySentences<H extends Hit<S>>(hits: H[], query: Query, limit: number): H[] {
    return withoutDuplicates(bySentences<S, H>(hits, query, limit, (entry) => this.sentences(entry)));
  }

  match({ entry, first, exact }: Hit<S>, query: Query): Match {
    return {
      exact: exact ?? false,
      head: entry.head,
      known: () => this.#postings.known(first ?? entry, query),
      sentences: () => this.sentences(entry),
    };
  }

  sentences(entry: Entry<S>): Sentence[] {
    entry.sentences ??= this.#read(entry);
    return entry.sentences;
  }

  #read(entry: Entry<S>): Sentence[] {
    const spans = sentencesOf(entry.text);
    const leads = leadsOf(entry.text, spans);
    return spans.map(({ start, end }, at) => {
      const text = entry.text.slice(start, end);
      const roots = Array.from(this.#formsOf(text, entry.language), (form) => this.words.root(form));
      return { text, start, lead: leads[at]!, roots };
    });
  }

  #formsOf(text: string, language: Language): Uint32Array {
    const forms: number[] = [];
    eachWord(text, (word) => {
      const form = this.words.add(word, language);
      if (form !== STOP_WORD) forms.push(form);
    });
    return Uint32Array.from(forms);
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

  #compact(): void {
    const kept: Entry<S>[] = [];
    const moved = this.#entries.map((entry) => (entry ? kept.push(entry) - 1 : -1));
    this.#entries = kept;
    this.#postings.compact(moved);
    this.#vectors?.compact(moved);
    for (const slots of this.#slots.values()) for (const [at, slot] of slots.entries()) slots[at] = moved[slot]!;
  }
}

/** What pages say to the letter under the same heading is found once, on the best of them; short texts may well differ by their page. */
function withoutDuplicates<S, H extends Hit<S>>(hits: H[]): H[] {
  const seen = new Set<string>();
  return hits.filter(({ entry: { text, headings } }) => {
    const key = `${headings.at(-1) ?? ''}\n${text}`;
    return text.length < MIN_PARAGRAPH || (!seen.has(key) && seen.add(key));
  });
}

const byScore = <S>(a: Hit<S>, b: Hit<S>): number => b.score - a.score;

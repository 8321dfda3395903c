import type { Document } from '../store/store.ts';
import { FEEDBACK, wantsFeedback, withFeedback } from './feedback.ts';
import type { Match } from './knowledge.ts';
import { languageOf, type Language } from './language.ts';
import { nearness } from './nearness.ts';
import { readQuestion, type Question } from './question.ts';
import { sentencesOf } from './sentences.ts';
import { eachWord, NOTHING, Vocabulary } from './words.ts';

/** BM25F: saturation, length, and what a word in the title or a heading weighs. */
const K1 = 1.2;
const B = 0.75;
const HEAD = 3;
/** So many of the best by BM25 are looked at more closely. */
const CANDIDATES = 40;
/** Passages indexed in one step. */
const STEP = 64;

/** A passage in the index; `S` is whatever the caller knows it by. */
export interface Entry<S> {
  source: S;
  headings: string[];
  text: string;
  /** Of its words of Latin letters. */
  language: Language;
  /** The words of the text in order, empty ones left out, numbered by the vocabulary. */
  forms: Uint32Array;
  /** The roots of the different words of title and headings. */
  head: Uint32Array;
  /** Made when first asked for. */
  sentences?: Sentence[];
}

export interface Sentence {
  text: string;
  /** In order, repeats among them. */
  roots: number[];
}

export interface Hit<S> {
  entry: Entry<S>;
  score: number;
}

/**
 * The passages of one chatbot, in memory. Sources come and go one by one; what a gone one leaves behind is cleared
 * away when it is half of all.
 */
export class PassageIndex<S> {
  readonly words = new Vocabulary();
  #entries: (Entry<S> | undefined)[] = [];
  /** By root: a number for each passage that has the word, see `pack`. */
  #postings: number[][] = [];
  /** By root: how many living passages have the word. */
  readonly #counts: number[] = [];
  readonly #slots = new Map<string, number[]>();
  #scores = new Float64Array(64);
  #size = 0;
  #length = 0;

  /** How many passages there are. */
  get size(): number {
    return this.#size;
  }

  /** Replaces whatever the index had of that source. */
  put(uuid: string, source: S, document: Document): void {
    for (const _ of this.putting(uuid, source, document));
  }

  /** As `put`, in steps of a few milliseconds. Removing the source between two steps ends it. */
  *putting(uuid: string, source: S, document: Document): Generator<void> {
    this.remove(uuid);
    const slots: number[] = [];
    this.#slots.set(uuid, slots);
    const language = languageOf(document.text);
    for (const [at, { headings, start, end }] of document.passages.entries()) {
      const text = document.text.slice(start, end);
      const head = this.#formsOf([document.title, ...headings].join('\n'), language);
      const roots = new Set(Array.from(head, (form) => this.words.root(form)));
      const forms = this.#formsOf(text, language);
      slots.push(this.#add({ source, headings, text, language, forms, head: Uint32Array.from(roots) }));
      if (at % STEP !== STEP - 1) continue;
      yield;
      if (this.#slots.get(uuid) !== slots) return;
    }
  }

  remove(uuid: string): void {
    for (const slot of this.#slots.get(uuid) ?? []) this.#drop(slot);
    this.#slots.delete(uuid);
    if (this.#entries.length > 64 && this.#size * 2 < this.#entries.length) this.#compact();
  }

  /** `earlier` questions lend their words to one that does not stand by itself. */
  question(text: string, earlier: string[] = []): Question {
    return readQuestion(text, earlier, this.words, (root, least) => this.idf(root, least));
  }

  /** How much a word tells, by how few of all passages, or of `least`, have it; the most for a word that none has. */
  idf(root: number, least = 0): number {
    const having = this.#counts[root] ?? 0;
    return Math.log(1 + (Math.max(this.#size, least) - having + 0.5) / (having + 0.5));
  }

  /** 0 to about 2: BM25F as a share of what the question is worth. */
  #known(entry: Entry<S>, { terms, places, worth }: Question): number {
    const counts = new Float64Array(terms.length);
    const count = (root: number, value: number) => {
      const place = places.get(root);
      if (place) counts[place.term]! += value * place.share;
    };
    const once = 1 / this.#lengthening(entry);
    for (const form of entry.forms) count(this.words.root(form), once);
    for (const root of entry.head) count(root, HEAD);
    return terms.reduce((sum, term, at) => sum + term.worth * saturated(counts[at]!), 0) / (worth || 1);
  }

  /** What a longer passage than most divides its counts by. */
  #lengthening(entry: Entry<S>): number {
    return 1 - B + (B * entry.forms.length * this.#size) / (this.#length || 1);
  }

  /** The best passages, best first. */
  search(question: Question, limit: number): Hit<S>[] {
    const feedback = wantsFeedback(question, this.#size);
    const hits = this.#ranked(question, feedback ? Math.max(limit, FEEDBACK) : limit);
    if (hits.length === 0 || !feedback) return hits;
    return this.#ranked(
      withFeedback(question, hits, this.words, (root) => this.idf(root)),
      limit,
    );
  }

  #ranked(question: Question, limit: number): Hit<S>[] {
    const touched = this.#accumulate(question);
    const hits = best(touched, this.#scores, Math.max(limit, CANDIDATES)).map((slot) => {
      const entry = this.#entries[slot]!;
      return { entry, score: this.#scores[slot]! * (1 + nearness(entry.forms, question, this.words)) };
    });
    for (const slot of touched) this.#scores[slot] = 0;
    return hits.sort((a, b) => b.score - a.score).slice(0, limit);
  }

  match({ entry }: Hit<S>, question: Question): Match {
    return {
      question,
      head: entry.head,
      known: () => this.#known(entry, question),
      sentences: () => this.sentences(entry),
    };
  }

  sentences(entry: Entry<S>): Sentence[] {
    entry.sentences ??= sentencesOf(entry.text).map(({ start, end }) => {
      const text = entry.text.slice(start, end);
      return { text, roots: Array.from(this.#formsOf(text, entry.language), (form) => this.words.root(form)) };
    });
    return entry.sentences;
  }

  #formsOf(text: string, language: Language): Uint32Array {
    const forms: number[] = [];
    eachWord(text, (word) => {
      const form = this.words.add(word, language);
      if (form !== NOTHING) forms.push(form);
    });
    return Uint32Array.from(forms);
  }

  #add(entry: Entry<S>): number {
    const slot = this.#entries.push(entry) - 1;
    for (const [root, packed] of this.#occurrences(entry, slot)) {
      (this.#postings[root] ??= []).push(packed);
      this.#counts[root] = (this.#counts[root] ?? 0) + 1;
    }
    this.#size++;
    this.#length += entry.forms.length;
    if (this.#scores.length < this.#entries.length) this.#scores = new Float64Array(this.#entries.length * 2);
    return slot;
  }

  #occurrences(entry: Entry<S>, slot: number): Map<number, number> {
    const body = new Map<number, number>();
    for (const form of entry.forms) {
      const root = this.words.root(form);
      body.set(root, (body.get(root) ?? 0) + 1);
    }
    const head = new Set(entry.head);
    for (const root of head) if (!body.has(root)) body.set(root, 0);
    for (const [root, count] of body) body.set(root, pack(slot, count, head.has(root)));
    return body;
  }

  #drop(slot: number): void {
    const entry = this.#entries[slot]!;
    for (const root of this.#occurrences(entry, slot).keys()) this.#counts[root]!--;
    this.#size--;
    this.#length -= entry.forms.length;
    this.#entries[slot] = undefined;
  }

  #compact(): void {
    const kept: Entry<S>[] = [];
    const moved = this.#entries.map((entry) => (entry ? kept.push(entry) - 1 : -1));
    this.#entries = kept;
    this.#postings = this.#postings.map((list) =>
      list.filter((packed) => moved[slotOf(packed)] !== -1).map((packed) => repack(packed, moved[slotOf(packed)]!)),
    );
    for (const slots of this.#slots.values()) for (const [at, slot] of slots.entries()) slots[at] = moved[slot]!;
  }

  /** Adds each passage's BM25F score to `#scores`; returns the slots that got one. */
  #accumulate(question: Question): number[] {
    const touched: number[] = [];
    for (const [root, { term, share }] of question.places) {
      const weight = question.terms[term]!.weight * share;
      for (const packed of this.#postings[root] ?? []) {
        const slot = slotOf(packed);
        const entry = this.#entries[slot];
        if (!entry) continue;
        const count = countOf(packed) / this.#lengthening(entry) + HEAD * headOf(packed);
        if (this.#scores[slot] === 0) touched.push(slot);
        this.#scores[slot]! += weight * saturated(count);
      }
    }
    return touched;
  }
}

const saturated = (count: number): number => (count * (K1 + 1)) / (K1 + count);

/** One number a posting keeps lists of small integers small: slot, in the head or not, count up to 127. */
const pack = (slot: number, count: number, head: boolean): number =>
  (slot << 8) | (head ? 128 : 0) | Math.min(count, 127);
const repack = (packed: number, slot: number): number => (slot << 8) | (packed & 255);
const slotOf = (packed: number): number => packed >>> 8;
const headOf = (packed: number): number => (packed >>> 7) & 1;
const countOf = (packed: number): number => packed & 127;

/** The slots with the highest scores, best first; older passages first where scores are the same. */
function best(slots: number[], scores: Float64Array, count: number): number[] {
  let chosen = slots;
  if (slots.length > count * 4) {
    const sorted = Float64Array.from(slots, (slot) => scores[slot]!).sort();
    const least = sorted[sorted.length - count]!;
    chosen = slots.filter((slot) => scores[slot]! >= least);
  }
  return [...chosen].sort((a, b) => scores[b]! - scores[a]! || a - b).slice(0, count);
}

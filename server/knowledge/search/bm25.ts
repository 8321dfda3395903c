import { COUNT_BITS, countOf, find, HEAD_BIT, headOf, NONE, pack, repack, slotOf } from './posting.ts';
import type { PassageTerms, SlotSet } from './posting.ts';
import type { Query } from './query.ts';
import type { Vocabulary } from '../text/tokenizer.ts';

/** BM25F: saturation, length normalisation, weight of a word in the title or a heading. */
const K1 = 1.2;
const B = 0.75;
const HEAD = 3;
/** A word in `LONG_LIST` passages adds no candidates where rarer words have found `MIN_CANDIDATES`. */
const LONG_LIST = 2048;
const MIN_CANDIDATES = 500;
/** A binary search in a list costs about as much as reading so many postings. */
const LOOKUP_COST = 16;

const NO_ROOTS = new Uint32Array();

/** An inverted index with BM25F scores. Passages are numbered by slots. */
export class Postings {
  readonly #words: Vocabulary;
  /** By root: a number for each passage that has the word, see `pack`. */
  #lists: number[][] = [];
  /** By slot: the number of words of the text plus one; 0 for a removed passage. */
  #lengths = new Uint32Array(64);
  #scores = new Float64Array(64);
  #ranks = new Float64Array(64);
  /** By root, all zero between two passages. */
  #tally = new Uint8Array(1024);
  #size = 0;
  #length = 0;

  constructor(words: Vocabulary) {
    this.#words = words;
  }

  /** How many passages there are, removed ones left out. */
  get size(): number {
    return this.#size;
  }

  /** The first slots, at most `count`, that have a root; those of removed passages among them. */
  slotsOf(root: number, count: number): number[] {
    return (this.#lists[root] ?? []).slice(0, count).map(slotOf);
  }

  /** Removed ones left out. */
  passagesWith(root: number): number {
    return this.#words.passagesWith(root);
  }

  /** By root, see `pack`. */
  get lists(): readonly (readonly number[])[] {
    return this.#lists;
  }

  /** Adds the list of the next root, before the passages in it are added with `isListed`. */
  restore(list: ArrayLike<number>): void {
    const own: number[] = [];
    for (let at = 0; at < list.length; at++) own.push(list[at]!);
    this.#words.countRoot(this.#lists.push(own) - 1, own.length);
  }

  /** `slot` is higher than any before. */
  add(slot: number, passage: PassageTerms, isListed = false): void {
    if (!isListed)
      this.#eachRoot(slot, passage, (root, packed) => {
        (this.#lists[root] ??= []).push(packed);
        this.#words.countRoot(root, 1);
      });
    this.#words.countLanguage(passage.language, 1, passage.forms.length);
    if (this.#lengths.length <= slot) this.#makeRoom(slot);
    this.#lengths[slot] = passage.forms.length + 1;
    this.#ranks[slot] = passage.rank;
    this.#size++;
    this.#length += passage.forms.length;
  }

  drop(slot: number, passage: PassageTerms): void {
    this.#eachRoot(slot, passage, (root) => this.#words.countRoot(root, -1));
    this.#words.countLanguage(passage.language, -1, -passage.forms.length);
    this.#lengths[slot] = 0;
    this.#size--;
    this.#length -= passage.forms.length;
  }

  /** Drops the postings of removed passages. `newSlots` maps each slot to its new one, -1 for removed ones; it keeps their order. */
  compact(newSlots: number[]): void {
    this.#lists = this.#lists.map((list) =>
      list
        .filter((packed) => newSlots[slotOf(packed)] !== -1)
        .map((packed) => repack(packed, newSlots[slotOf(packed)]!)),
    );
    const lengths = new Uint32Array(this.#lengths.length);
    for (const [slot, to] of newSlots.entries()) {
      if (to === -1) continue;
      lengths[to] = this.#lengths[slot]!;
      this.#ranks[to] = this.#ranks[slot]!;
    }
    this.#lengths = lengths;
  }

  /** The `count` passages with the highest BM25F scores, best first; only those in `slotSet`, where it is given. */
  top(query: Query, count: number, slotSet?: SlotSet): [slot: number, score: number][] {
    const touched = this.#accumulate(query, slotSet);
    const best = this.#best(touched, count).sort((a, b) => this.#compare(a, b));
    const top = best.map((slot): [number, number] => [slot, this.#scores[slot]!]);
    for (const slot of touched) this.#scores[slot] = 0;
    return top;
  }

  /** The BM25F scores of these passages. */
  scores(query: Query, slots: number[]): number[] {
    const lists = this.#listsOf(query);
    return slots.map((slot) =>
      lists.reduce((sum, { list, weight }) => {
        const packed = find(list, slot);
        return packed === NONE ? sum : sum + this.#scoreOf(packed, slot, weight);
      }, 0),
    );
  }

  /** 0 to about 2: BM25F by `worth` as a share of the question's. */
  matchShare({ forms, head }: Pick<PassageTerms, 'forms' | 'head'>, { terms, termByRoot, totalWorth }: Query): number {
    const counts = new Float64Array(terms.length);
    const count = (root: number, value: number) => {
      const found = termByRoot.get(root);
      if (found) counts[found.term]! += value * found.share;
    };
    const once = 1 / this.lengthFactor(forms.length);
    for (const form of forms) count(this.#words.root(form), once);
    for (const root of head) count(root, HEAD);
    return terms.reduce((sum, term, at) => sum + term.worth * saturate(counts[at]!), 0) / (totalWorth || 1);
  }

  /** The same by the text alone: a heading such as “Version 2.0” has words of a question for a version. */
  textShare({ forms }: Pick<PassageTerms, 'forms'>, query: Query): number {
    return this.matchShare({ forms, head: NO_ROOTS }, query);
  }

  /** BM25's length normalisation: what counts in a text of so many words are divided by. */
  lengthFactor(length: number): number {
    const { base, perWord } = this.#normalisation;
    return base + perWord * length;
  }

  get #normalisation(): { base: number; perWord: number } {
    return { base: 1 - B, perWord: (B * this.#size) / (this.#length || 1) };
  }

  /** Calls `visit` with each different root of a passage and its posting. */
  #eachRoot(slot: number, { forms, head }: PassageTerms, visit: (root: number, packed: number) => void): void {
    if (this.#tally.length < this.#words.size) this.#tally = new Uint8Array(this.#words.size * 2);
    const tally = this.#tally;
    const roots = [...head];
    for (const root of roots) tally[root] = HEAD_BIT;
    for (const form of forms) {
      const root = this.#words.root(form);
      if (tally[root] === 0) roots.push(root);
      if ((tally[root]! & COUNT_BITS) < COUNT_BITS) tally[root]!++;
    }
    for (const root of roots) {
      visit(root, pack(slot, tally[root]!));
      tally[root] = 0;
    }
  }

  #makeRoom(slot: number): void {
    this.#scores = new Float64Array(slot * 2);
    const lengths = new Uint32Array(slot * 2);
    lengths.set(this.#lengths);
    this.#lengths = lengths;
    const ranks = new Float64Array(slot * 2);
    ranks.set(this.#ranks);
    this.#ranks = ranks;
  }

  #listsOf({ termByRoot, terms }: Query): List[] {
    return [...termByRoot]
      .map(([root, { term, share }]) => {
        return { weight: terms[term]!.weight * share, list: this.#lists[root], count: this.passagesWith(root) };
      })
      .filter((one): one is List => one.list !== undefined);
  }

  /**
   * Adds each passage's BM25F score to `#scores`; returns the slots that got one. The rarest words go first, so that
   * the long lists of common words are only looked up for candidates, see `LONG_LIST`.
   */
  #accumulate(query: Query, slotSet: SlotSet | undefined): number[] {
    // Lists have postings of removed passages too: by their lengths, what came and went would change scores.
    const lists = this.#listsOf(query).sort((a, b) => a.count - b.count);
    let touched: number[] = [];
    for (const { list, count, weight } of lists) {
      if (count < LONG_LIST || touched.length < MIN_CANDIDATES) {
        if (slotSet) this.#addFromSet(list, weight, touched, slotSet);
        else this.#addAll(list, weight, touched);
      } else {
        touched = this.#onlyBest(touched);
        for (const slot of touched) this.#scores[slot]! += this.#scoreOf(find(list, slot), slot, weight);
      }
    }
    return touched;
  }

  #addAll(list: number[], weight: number, touched: number[]): void {
    const [scores, lengths, { base, perWord }] = [this.#scores, this.#lengths, this.#normalisation];
    for (let at = 0; at < list.length; at++) {
      const packed = list[at]!;
      const slot = slotOf(packed);
      const length = lengths[slot]!;
      if (length === 0) continue;
      const score = scores[slot]!;
      if (score === 0) touched.push(slot);
      scores[slot] = score + weight * scoreOf(packed, base + perWord * (length - 1));
    }
  }

  /** Looks up the passages of a small set one by one, so that the cost does not grow with the index. */
  #addFromSet(list: number[], weight: number, touched: number[], { slots, size, has }: SlotSet): void {
    if (size * LOOKUP_COST < list.length) {
      for (const some of slots) for (const slot of some) this.#addOne(find(list, slot), weight, touched);
    } else {
      for (let at = 0; at < list.length; at++) if (has[slotOf(list[at]!)]) this.#addOne(list[at]!, weight, touched);
    }
  }

  #addOne(packed: number, weight: number, touched: number[]): void {
    const slot = slotOf(packed);
    if (packed === NONE || this.#lengths[slot] === 0) return;
    if (this.#scores[slot] === 0) touched.push(slot);
    this.#scores[slot]! += this.#scoreOf(packed, slot, weight);
  }

  #scoreOf(packed: number, slot: number, weight: number): number {
    return packed === NONE ? 0 : weight * scoreOf(packed, this.lengthFactor(this.#lengths[slot]! - 1));
  }

  #onlyBest(touched: number[]): number[] {
    if (touched.length <= MIN_CANDIDATES) return touched;
    const bestSlots = this.#best(touched, MIN_CANDIDATES);
    const scores = bestSlots.map((slot) => this.#scores[slot]!);
    for (const slot of touched) this.#scores[slot] = 0;
    for (const [at, slot] of bestSlots.entries()) this.#scores[slot] = scores[at]!;
    return bestSlots;
  }

  /** The slots with the highest scores, in no order. */
  #best(slots: number[], count: number): number[] {
    // A heap with the worst on top: where many score the same, each of them may come and go.
    const chosen = slots.slice(0, count);
    if (slots.length <= count) return chosen;
    for (let at = (count >>> 1) - 1; at >= 0; at--) this.#sink(chosen, at);
    const scores = this.#scores;
    let worst = scores[chosen[0]!]!;
    for (let at = count; at < slots.length; at++) {
      const slot = slots[at]!;
      if (scores[slot]! < worst || this.#compare(slot, chosen[0]!) > 0) continue;
      chosen[0] = slot;
      this.#sink(chosen, 0);
      worst = scores[chosen[0]!]!;
    }
    return chosen;
  }

  /** For `sort`, best first. */
  #compare(a: number, b: number): number {
    return this.#scores[b]! - this.#scores[a]! || this.#ranks[a]! - this.#ranks[b]! || a - b;
  }

  #sink(heap: number[], at: number): void {
    const slot = heap[at]!;
    for (;;) {
      let child = 2 * at + 1;
      if (child + 1 < heap.length && this.#compare(heap[child]!, heap[child + 1]!) < 0) child++;
      if (child >= heap.length || this.#compare(slot, heap[child]!) > 0) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = slot;
  }
}

interface List {
  weight: number;
  list: number[];
  /** How many passages are in it, removed ones left out. */
  count: number;
}

/** What a posting adds, as a share of its word's weight. `factor`: see `lengthFactor`. */
function scoreOf(packed: number, factor: number): number {
  // saturate(count / factor + HEAD * head), with one division.
  const count = countOf(packed) + HEAD * headOf(packed) * factor;
  return ((K1 + 1) * count) / (K1 * factor + count);
}

const saturate = (count: number): number => (count * (K1 + 1)) / (K1 + count);

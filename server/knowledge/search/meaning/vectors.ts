/** Rows compared exactly. Of more, only those whose signs agree most with the question's. */
const MAX_EXACT = 2000;
/** Rows set in one step. */
const ROWS_PER_STEP = 64;
/** Marks a slot without a row; no row has so many dimensions. */
const NO_ROW = 65_535;
/** Rows that are compared to tell how near the passages are to a question: 256 of 768 dimensions take .2 ms. */
const [MIN_SAMPLED, MAX_SAMPLED] = [20, 256];
/** Of cosines: below it they are the same. */
const LEAST_DEVIATION = 1e-4;
/** Deviations that the nearest passage of a site, all of one subject, is less above the others than one of as many at random. */
const ON_SUBJECT = 0.4;

/** How near one passage is to a question beside the others. */
export interface Standing {
  /** As in `Match`. */
  likeness: number | undefined;
  /** As in `Meaning`. */
  others: number | undefined;
}

/**
 * The vectors of passages, by slot: rows of signed bytes, compared by cosine. The signs of each row are kept as bits
 * besides: comparing those of 100,000 rows takes 10 ms, comparing the rows 200 ms.
 */
export class Vectors {
  readonly #dimensions: number;
  readonly #rank: (slot: number) => number;
  readonly #words: number;
  #rows: Int8Array;
  #signs: Uint32Array;
  /** The lengths of the rows; 0 where there is none. */
  #lengths: Float32Array;
  /** One more than the highest slot that has had a row. */
  #end = 0;
  #size = 0;

  /** `rank`: orders slots that are equally near, lowest first. */
  constructor(dimensions: number, rank: (slot: number) => number) {
    this.#dimensions = dimensions;
    this.#rank = rank;
    this.#words = Math.ceil(dimensions / 32);
    this.#rows = new Int8Array(64 * dimensions);
    this.#signs = new Uint32Array(64 * this.#words);
    this.#lengths = new Float32Array(64);
  }

  /** How many slots have a row. */
  get size(): number {
    return this.#size;
  }

  get dimensions(): number {
    return this.#dimensions;
  }

  /** Sets a row for each slot, in steps of a few milliseconds, as long as `isCurrent`. Nothing where there are not these and `more`. */
  *setInSteps(
    slots: readonly number[],
    { dimensions, rows, more }: { dimensions: number; rows: Int8Array; more: number },
    isCurrent: () => boolean,
  ): Generator<void> {
    if (this.#dimensions !== dimensions || rows.length !== (slots.length + more) * dimensions) return;
    for (const [at, slot] of slots.entries()) {
      this.set(slot, rows.subarray(at * dimensions, (at + 1) * dimensions));
      if (at % ROWS_PER_STEP !== ROWS_PER_STEP - 1) continue;
      yield;
      if (!isCurrent()) return;
    }
  }

  set(slot: number, row: Int8Array): void {
    this.drop(slot);
    if (slot >= this.#lengths.length) this.#resize(Math.ceil(slot * 1.5));
    this.#rows.set(row, slot * this.#dimensions);
    this.#signs.set(signsOf(row, this.#words), slot * this.#words);
    let square = 0;
    for (let at = 0; at < row.length; at++) square += row[at]! * row[at]!;
    this.#lengths[slot] = Math.sqrt(square);
    if (square > 0) this.#size++;
    this.#end = Math.max(this.#end, slot + 1);
  }

  drop(slot: number): void {
    if (!this.#has(slot)) return;
    this.#lengths[slot] = 0;
    this.#size--;
  }

  /** `newSlots` maps each slot to its new one, -1 for removed ones; it keeps their order. */
  compact(newSlots: number[]): void {
    let end = 0;
    for (let slot = 0; slot < this.#end; slot++) {
      const to = newSlots[slot] ?? -1;
      if (to === -1) continue;
      this.#rows.copyWithin(to * this.#dimensions, slot * this.#dimensions, (slot + 1) * this.#dimensions);
      this.#signs.copyWithin(to * this.#words, slot * this.#words, (slot + 1) * this.#words);
      this.#lengths[to] = this.#lengths[slot]!;
      end = to + 1;
    }
    this.#lengths.fill(0, end);
    this.#end = end;
    this.#resize(Math.max(64, end));
  }

  /** -1 to 1; 0 where the slot has no row. `vector` has length 1. */
  cosine(slot: number, vector: Float32Array): number {
    if (!this.#has(slot)) return 0;
    const from = slot * this.#dimensions;
    let sum = 0;
    for (let at = 0; at < this.#dimensions; at++) sum += this.#rows[from + at]! * vector[at]!;
    return sum / this.#lengths[slot]!;
  }

  /** How a cosine with a vector stands among those of all passages, or of a sample of them. */
  standingTo(vector: Float32Array): (cosine: number) => Standing {
    const step = Math.max(1, Math.ceil(this.#end / MAX_SAMPLED));
    let [count, sum, squares] = [0, 0, 0];
    for (let slot = 0; slot < this.#end; slot += step) {
      if (!this.#has(slot)) continue;
      const cosine = this.cosine(slot, vector);
      count++;
      sum += cosine;
      squares += cosine * cosine;
    }
    const mean = sum / count;
    const deviation = Math.sqrt(squares / count - mean * mean);
    const othersOf = (cosine: number): number | undefined => (count < 2 ? undefined : (sum - cosine) / (count - 1));
    if (count < MIN_SAMPLED || !(deviation > LEAST_DEVIATION))
      return (cosine) => ({ likeness: undefined, others: othersOf(cosine) });
    const usual = highestOf(this.#size) - ON_SUBJECT;
    return (cosine) => ({ likeness: (cosine - mean) / deviation - usual, others: othersOf(cosine) });
  }

  /** The `count` slots nearest to a vector, of those that `has` marks with 1 where it is given. */
  nearest(vector: Float32Array, count: number, has?: Uint8Array): number[] {
    const some = this.#size > MAX_EXACT ? this.#nearestBySigns(vector, has) : this.#all(has);
    const near = some.map((slot): [number, number] => [slot, this.cosine(slot, vector)]);
    near.sort((a, b) => b[1] - a[1] || this.#rank(a[0]) - this.#rank(b[0]));
    return near.slice(0, count).map(([slot]) => slot);
  }

  #all(has: Uint8Array | undefined): number[] {
    const slots: number[] = [];
    for (let slot = 0; slot < this.#end; slot++) if (this.#has(slot) && (!has || has[slot])) slots.push(slot);
    return slots;
  }

  /** The `MAX_EXACT` slots whose signs differ least, and those that tie with the last. */
  #nearestBySigns(vector: Float32Array, has: Uint8Array | undefined): number[] {
    const signs = signsOf(vector, this.#words);
    const different = new Uint16Array(this.#end).fill(NO_ROW);
    const counts = new Uint32Array(this.#words * 32 + 1);
    let all = 0;
    for (let slot = 0; slot < this.#end; slot++) {
      if (!this.#has(slot) || (has && !has[slot])) continue;
      counts[(different[slot] = this.#countDifferentSigns(slot, signs))]!++;
      all++;
    }
    let most = 0;
    for (let sum = counts[0]!; sum < Math.min(MAX_EXACT, all); sum += counts[most]!) most++;
    const slots: number[] = [];
    for (let slot = 0; slot < this.#end; slot++) if (different[slot]! <= most) slots.push(slot);
    return slots;
  }

  #countDifferentSigns(slot: number, signs: Uint32Array): number {
    const from = slot * this.#words;
    const all = this.#signs;
    let sum = 0;
    for (let at = 0; at < signs.length; at++) sum += countBits(all[from + at]! ^ signs[at]!);
    return sum;
  }

  #has(slot: number): boolean {
    return slot < this.#end && this.#lengths[slot]! > 0;
  }

  #resize(slots: number): void {
    this.#rows = resize(this.#rows, slots * this.#dimensions);
    this.#signs = resize(this.#signs, slots * this.#words);
    this.#lengths = resize(this.#lengths, slots);
  }
}

/** About the highest of so many numbers at random, of mean 0 and deviation 1. */
function highestOf(count: number): number {
  const root = Math.sqrt(2 * Math.log(count));
  return root - Math.log(4 * Math.PI * Math.log(count)) / (2 * root);
}

/** Quantises a vector to signed bytes: the largest component becomes ±127. */
export function rowOf(vector: Float32Array): Int8Array {
  const most = vector.reduce((sum, value) => Math.max(sum, Math.abs(value)), 0) || 1;
  return Int8Array.from(vector, (value) => Math.round((value / most) * 127));
}

function signsOf(row: ArrayLike<number>, words: number): Uint32Array {
  const signs = new Uint32Array(words);
  for (let at = 0; at < row.length; at++) if (row[at]! < 0) signs[at >>> 5]! |= 1 << (at & 31);
  return signs;
}

function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function resize<T extends Int8Array | Uint32Array | Float32Array>(array: T, length: number): T {
  const larger = new (array.constructor as new (length: number) => T)(length);
  larger.set(array.length > length ? array.subarray(0, length) : array);
  return larger;
}

import { PassageIndex } from '../../server/knowledge/search/index.ts';
import { THESAURUS } from '../../server/knowledge/text/thesaurus/english.ts';

/**
 * How the index grows: sites of 1,000, 10,000 and 100,000 passages, made up of words as frequent as words are. Every third of
 * the commonest has synonyms that the site has too. Times of questions are CPU times, the least of `RUNS`.
 */

export interface Row {
  passages: number;
  build_s: number;
  /** Of the build, the longest time that nothing else could be done. */
  longest_step_ms: number;
  query_p50_ms: number;
  query_p95_ms: number;
  /** Questions with a mistyped word, after the first of them. */
  typo_p95_ms: number;
  first_typo_ms: number;
  /** With the text of the passages, which the index quotes from. */
  memory_mb: number;
  /** From stored passages to the first answer. */
  cold_ms: number;
}

const SIZES = [1_000, 10_000, 100_000];
const PER_PAGE = 20;
const WORDS = 70;
const QUERIES = 400;
/** Of each question. */
const RUNS = 3;
/** The commonest words of a language are empty ones, which no index has; the next is in one passage of five. */
const FIRST = 30;

export function bench(args: string[]): Row[] {
  const sizes = args.map(Number).filter((size) => size > 0);
  // The first small one is for the compiler.
  measure(2000);
  return (sizes.length ? sizes : SIZES).map((size) => {
    console.error(`passages: ${size} passages …`);
    return measure(size);
  });
}

interface Page {
  title: string;
  text: string;
  passages: { headings: string[]; start: number; end: number }[];
}

function measure(size: number): Row {
  const words = new Writer(size);
  const before = heldBytes();
  const pages = Array.from({ length: size / PER_PAGE }, () => words.page());
  const asked = Array.from({ length: QUERIES }, () => words.question(pages));
  const start = performance.now();
  const index = new PassageIndex<string>();
  const longest = fill(index, pages);
  const built = performance.now() - start;
  ask(index, asked[0]!.text);
  const cold = performance.now() - start;
  pages.length = 0;
  const memory = heldBytes() - before;
  check(index, asked);
  const times = timesOf(index, asked, ({ text }) => text);
  const first = timeOf(() => ask(index, mistyped(asked[0]!.text)));
  const typos = timesOf(index, asked, ({ text }) => mistyped(text));
  return {
    passages: size,
    build_s: built / 1000,
    longest_step_ms: longest,
    query_p50_ms: quantile(times, 0.5),
    query_p95_ms: quantile(times, 0.95),
    typo_p95_ms: quantile(typos, 0.95),
    first_typo_ms: first,
    memory_mb: memory / 1e6,
    cold_ms: cold,
  };
}

function fill(index: PassageIndex<string>, pages: Page[]): number {
  let longest = 0;
  let last = performance.now();
  const note = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  for (const [at, page] of pages.entries()) {
    for (const _ of index.putInSteps(String(at), String(at), page)) continue;
    note();
  }
  for (const _ of index.prepareInSteps()) note();
  return longest;
}

const ask = (index: PassageIndex<string>, text: string) => index.search(index.query(text), 8);

interface Asked {
  text: string;
  page: string;
}

/** A bench of wrong answers tells nothing. */
function check(index: PassageIndex<string>, asked: Asked[]): void {
  const right = asked.filter(({ text, page }) => ask(index, text).some(({ entry }) => entry.source === page));
  if (right.length < 0.9 * asked.length) throw new Error(`only ${right.length} of ${asked.length} pages were found`);
}

function timesOf(index: PassageIndex<string>, asked: Asked[], textOf: (asked: Asked) => string): number[] {
  const least = (text: string) => Math.min(...Array.from({ length: RUNS }, () => timeOf(() => ask(index, text))));
  return asked.map((one) => least(textOf(one)));
}

/** Milliseconds of CPU. */
function timeOf(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

const heldBytes = (): number => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const quantile = (values: number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(share * values.length)]!;

/** Its longest word with two letters swapped. */
function mistyped(text: string): string {
  const longest = text.split(' ').reduce((a, b) => (b.length > a.length ? b : a));
  return text.replace(longest, longest.slice(0, 2) + longest[3] + longest[2] + longest.slice(4));
}

/** Writes text whose words are as unequally frequent as those of a language (Zipf), the same text each time. */
export class Writer {
  #state = 12345;
  readonly #vocabulary: string[];

  constructor(passages: number) {
    // Heaps: the more text, the more words, by about the square root.
    const real = this.#shuffled([...new Set(THESAURUS.flat())]).values();
    const word = (at: number) => (at % 3 === 2 ? real.next().value : undefined) ?? this.#word();
    this.#vocabulary = Array.from({ length: Math.round(150 * Math.sqrt(passages)) }, (_, at) => word(at));
  }

  page(): Page {
    const passages: Page['passages'] = [];
    const lines: string[] = [];
    let start = 0;
    for (let n = 0; n < PER_PAGE; n++) {
      const line = Array.from({ length: WORDS }, (_, word) => this.#pick() + (word % 14 === 13 ? '.' : '')).join(' ');
      passages.push({ headings: [this.#pick()], start, end: start + line.length });
      start += line.length + 2;
      lines.push(line);
    }
    const text = lines.join('\n\n');
    return { title: `${this.#pick()} ${this.#pick()}`, text, passages };
  }

  /** Six words of one passage, near each other. */
  question(pages: Page[]): Asked {
    const at = this.#below(pages.length);
    const { text, passages } = pages[at]!;
    const { start, end } = passages[this.#below(PER_PAGE)]!;
    const words = text.slice(start, end).replaceAll('.', '').split(' ');
    const from = this.#below(WORDS - 12);
    return {
      text: `what is the ${words
        .slice(from, from + 12)
        .filter((_, n) => n % 2 === 0)
        .join(' ')}`,
      page: String(at),
    };
  }

  #shuffled(words: string[]): string[] {
    return words
      .map((word): [number, string] => [this.#random(), word])
      .sort(([a], [b]) => a - b)
      .map(([, word]) => word);
  }

  #pick(): string {
    const { length } = this.#vocabulary;
    return this.#vocabulary[Math.floor(FIRST * ((length + FIRST) / FIRST) ** this.#random() - FIRST)]!;
  }

  #word(): string {
    const syllables = 'ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu'.split(' ');
    return Array.from({ length: 2 + this.#below(3) }, () => syllables[this.#below(syllables.length)]).join('');
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #random(): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
    return this.#state / 2 ** 32;
  }
}

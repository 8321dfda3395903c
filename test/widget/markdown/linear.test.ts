import { afterEach, expect, test, vi } from 'vitest';
import { createDocument } from '../../../widget/markdown/document.ts';
import type { Node } from '../../../widget/markdown/node.ts';

const { exec } = RegExp.prototype;
let read = 0;

afterEach(() => {
  vi.restoreAllMocks();
});

/** How many characters every pattern was given for each of the last thousand chunks, on average. */
function readPerChunk(part: string, length: number, start = ''): number {
  const text = (start + part.repeat(Math.ceil(length / part.length))).slice(0, length);
  const { write } = createDocument();
  const from = text.length - 8000;
  write(text.slice(0, from));
  read = 0;
  const spy = vi.spyOn(RegExp.prototype, 'exec').mockImplementation(function (this: RegExp, input: string) {
    read += this.sticky ? Math.min(input.length - this.lastIndex, 2000) : input.length;
    return exec.call(this, input);
  });
  for (let at = from; at < text.length; at += 8) write(text.slice(at, at + 8));
  spy.mockRestore();
  return read / 1000;
}

test.each([
  ['an answer', '## A title\n\nSome **bold** words, `code` and a [link](https://x.test) [1].\n\n- one\n- two\n\n'],
  ['one paragraph', 'some words and *more* of them, '],
  ['one word', 'a'],
  ['brackets', '['],
  ['closing brackets', '[]'],
  ['links that never are', '[a]('],
  ['emphasis that never closes', '*a '],
  ['signs', '*'],
  ['backticks', '`'],
  ['code that never closes', '`a ``'],
  ['quotes in quotes', '> '],
  ['lists in lists', '- '],
  ['quoted lines', '> > > a\n'],
  ['items', '- a\n'],
  ['tags', '<a'],
  ['addresses', 'https://a.test/'],
  ['mail', 'a@b.c '],
  ['definitions', '[a]: x\n'],
  ['spaces', ' '],
  ['dashes under words', 'a\n-|-|-\n'],
])('a chunk is as little to read in 200 KB as in 20: %s', (_, part) => {
  const [small, large] = [readPerChunk(part, 20_000), readPerChunk(part, 200_000)];
  expect(large).toBeLessThanOrEqual(small * 1.2 + 10);
});

test('nor in a table of thousands of rows', () => {
  const start = '| a | b |\n|---|---|\n';
  const [small, large] = [readPerChunk('| c | d |\n', 20_000, start), readPerChunk('| c | d |\n', 200_000, start)];
  expect(large).toBeLessThanOrEqual(small * 1.2 + 10);
});

/** The signs of Markdown, what addresses are made of, and what stands beside them. */
const ALPHABET = [
  '*',
  '**',
  '_',
  '__',
  '~',
  '`',
  '[',
  ']',
  '(',
  ')',
  '!',
  '\\',
  '<',
  '>',
  '|',
  ':',
  '.',
  '+',
  '@',
  '/',
  'w',
  '&',
  '#',
  '-',
  ' ',
  'a',
  '\n',
];

/** Periods of one to six symbols, the same ones in each run. */
function periods(count: number): string[] {
  let state = 1;
  const next = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  const one = (): string => Array.from({ length: 1 + next(6) }, () => ALPHABET[next(ALPHABET.length)]).join('');
  return Array.from({ length: count }, one);
}

interface Work {
  /** Characters that patterns were given. */
  read: number;
  /** Items of lists that were looked at or moved. */
  items: number;
}

/** What was done while it ran. */
function workOf(act: () => void): Work {
  const work = { read: 0, items: 0 };
  const { findLastIndex, indexOf, splice, filter, some } = Array.prototype;
  const spies = [
    vi.spyOn(RegExp.prototype, 'exec').mockImplementation(function (this: RegExp, input: string) {
      work.read += this.sticky ? Math.min(input.length - this.lastIndex, 2000) : input.length;
      return exec.call(this, input);
    }),
    ...Object.entries({ findLastIndex, indexOf, splice, filter, some }).map(([name, own]) =>
      vi.spyOn(Array.prototype, name as 'some').mockImplementation(function (this: unknown[], ...values: unknown[]) {
        // What stands before is neither looked at nor moved.
        work.items += this.length - (name === 'splice' ? (values[0] as number) : 0);
        return Reflect.apply(own, this, values) as boolean;
      }),
    ),
  ];
  try {
    act();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return work;
}

const sumOf = ({ read, items }: Work): number => read + items;

const repeated = (period: string, length: number): string =>
  period.repeat(Math.ceil(length / period.length)).slice(0, length);

/** The work of a text as a whole, and of some of its last characters one at a time. */
function workFor(period: string, length: number): [whole: number, byCharacter: number] {
  const text = repeated(period, length);
  const whole = sumOf(
    workOf(() => {
      const { write, end } = createDocument();
      write(text);
      end();
    }),
  );
  const { write } = createDocument();
  write(text.slice(0, -3000));
  // What is read again grows and shrinks with what is open: single characters from all of the last 3,000.
  let byCharacter = 0;
  for (let at = text.length - 3000; at < text.length; at += 200) {
    byCharacter += sumOf(workOf(() => write(text[at]!)));
    write(text.slice(at + 1, at + 200));
  }
  return [whole, byCharacter];
}

test('four times the text is at most seven times the work, whatever is repeated in it', () => {
  const known = ['*a**', '**:*', '**_*', '_[__', '***\\', '*a*', '_a__', '~a~~', '[a](', '*a**_b__'];
  const slow = [...known, ...periods(16)].flatMap((period) => {
    const [small, large] = [workFor(period, 6000), workFor(period, 24_000)];
    const [whole, byCharacter] = [large[0] / small[0], large[1] / small[1]];
    return whole <= 7 && byCharacter <= 7 / 4 ? [] : [{ period, whole, byCharacter }];
  });
  expect(slow).toEqual([]);
}, 300_000);

test('a character reads few parts again, whatever is repeated behind whatever start', () => {
  const known = ['!~[.+_', '!~.+_', '**a*', '!~*.+_', 'a*[w_'];
  const costly = [...known, ...periods(60)].flatMap((symbols) => {
    const text = symbols.slice(0, 2) + repeated(symbols.slice(2) || symbols, 1200);
    const { write } = createDocument();
    const { items } = workOf(() => {
      for (const char of text) write(char);
    });
    const perCharacter = Math.round(items / text.length);
    return perCharacter <= 800 ? [] : [{ symbols, perCharacter }];
  });
  expect(costly).toEqual([]);
}, 300_000);

test('blocks and emphasis are nested a bounded number of times', () => {
  const depthOf = ({ children }: Node): number => 1 + Math.max(0, ...children.map(depthOf));
  for (const period of ['*a ', '*a **b ', '***a ', '[', '> ', '- ', '*a', '_*', ...periods(8)]) {
    const { root, write, end } = createDocument();
    write(repeated(period, 4000));
    end();
    expect(depthOf(root), period).toBeLessThan(100);
  }
});

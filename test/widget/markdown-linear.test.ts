import { afterEach, expect, test, vi } from 'vitest';
import { createDocument } from '../../widget/markdown/document.ts';

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

import fc from '../random.ts';
import { expect, it } from 'vitest';
import { MAX_ANSWER_LENGTH, Run } from '../../server/answer/run.ts';
import type { StoredMessage } from '../../server/store/store.ts';

const message = { uuid: 'm', query: 'q' } as StoredMessage;
const tick = (): Promise<void> => new Promise((done) => setImmediate(done));

/** All that a reader sees who reads at every wake, piece by piece. */
async function pieces(parts: string[]): Promise<{ seen: string[]; run: Run }> {
  const run = new Run(message);
  const seen: string[] = [];
  let offset = 0;
  run.attach(() => {
    if (run.length > offset) seen.push(run.read(offset));
    offset = run.length;
  });
  for (const part of parts) {
    run.append(part);
    await tick();
  }
  return { seen, run };
}

it('never shows a piece that is white space alone, and loses no word', async () => {
  const { seen } = await pieces(['\n\n', ' Thirty', ' ', '\u00a0', 'days', '\n', '\n', 'from receipt.', '  \n']);
  expect(seen).toEqual(['Thirty', ' \u00a0days', '\n\nfrom receipt.']);
});

it('never shows half of a surrogate pair', async () => {
  const { seen } = await pieces(['a\ud83d', '\ude00b', '\ud83d']);
  expect(seen).toEqual(['a', '\ud83d\ude00b']);
});

it('shows the same answer however it is cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\u3000', '😀', 'é', '漢', '.') }),
      fc.array(fc.nat(40), { maxLength: 8 }),
      async (text, cuts) => {
        const at = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
        const parts = [...at, text.length].map((end, i) => text.slice(at[i - 1] ?? 0, end));
        const { seen, run } = await pieces(parts);
        expect(run.read(0)).toBe(text.trim());
        expect(seen.join('')).toBe(text.trim());
        expect(seen.every((piece) => piece.trim() !== '' && piece.isWellFormed())).toBe(true);
      },
    ),
  );
});

it('replaces half a character in the middle, which no reader could be sent', async () => {
  expect((await pieces(['a\ud83d', 'b'])).run.read(0)).toBe('a\ufffdb');
});

it('wakes a reader once for all that came in one tick', async () => {
  const run = new Run(message);
  let woken = 0;
  run.attach(() => (woken += 1));
  for (const word of ['one', ' two', ' three']) run.append(word);
  await tick();
  expect([woken, run.read(0)]).toEqual([1, 'one two three']);
});

it('wakes the other readers where one throws, and that one no more', async () => {
  const run = new Run(message);
  const woken = [0, 0];
  run.attach(() => {
    woken[0]! += 1;
    throw new Error('planted');
  });
  run.attach(() => (woken[1]! += 1));
  const faults: unknown[] = [];
  const listeners = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => faults.push(error));
  for (const word of ['one', ' two']) {
    run.append(word);
    await tick();
  }
  process.removeAllListeners('uncaughtException');
  for (const listener of listeners) process.on('uncaughtException', listener);
  expect([woken, faults.map(String)]).toEqual([[1, 2], ['Error: planted']]);
});

it('does not wake a reader who has left', async () => {
  const run = new Run(message);
  let woken = 0;
  run.attach(() => (woken += 1))();
  run.append('text');
  await tick();
  expect(woken).toBe(0);
});

it('takes no more text than the longest answer', () => {
  const run = new Run(message);
  for (let i = 0; i < 5; i += 1) run.append('x'.repeat(100_000));
  expect([run.length, run.isFull]).toEqual([MAX_ANSWER_LENGTH, true]);
});

it('is full, too, of white space that nobody sees, and does not look through it again and again', () => {
  for (const first of ['', 'a']) {
    const run = new Run(message);
    run.append(first);
    for (let i = 0; i < MAX_ANSWER_LENGTH / 4; i += 1) run.append('  \n\n');
    expect([run.length, run.isFull]).toEqual([first.length, true]);
  }
});

it('keeps what was written when it is stopped, and takes nothing after', () => {
  const run = new Run(message);
  let asked = 0;
  run.onStop = () => (asked += 1);
  run.append('so far');
  run.stop();
  run.stop();
  run.append(' and more');
  expect([run.read(0), asked]).toEqual(['so far', 1]);
});

it('is read in pieces of a size, before and after its end, none of them white space or half a character', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: fc.constantFrom('a', ' ', '\n', '😀', 'é', '漢'), minLength: 1 }),
      fc.integer({ min: 1, max: 9 }),
      fc.boolean(),
      async (text, most, over) => {
        const run = new Run(message);
        run.append(text);
        if (over) run.end({ message: { ...message, response: run.read(0) } });
        const seen: string[] = [];
        for (let at = 0; at < run.length; at = seen.join('').length) seen.push(run.read(at, most));
        expect(seen.join('')).toBe(text.trim());
        expect(seen.every((piece) => piece.trim() !== '' && piece.isWellFormed())).toBe(true);
      },
    ),
  );
});

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { forEachSliced, TimeSlice, yieldTurn } from '../../server/async/time-slice.ts';

/** Each reading of the clock moves it on by a millisecond. */
let now = 0;
beforeEach(() => void vi.spyOn(performance, 'now').mockImplementation(() => (now += 1)));
afterEach(() => void vi.restoreAllMocks());

/** For each turn of the event loop during `act`, what `log` was given in it. */
async function perTurn(act: (log: (entry: string) => void) => Promise<unknown>): Promise<string[][]> {
  const turns: string[][] = [[]];
  let isDone = false;
  const next = (): void => {
    turns.push([]);
    if (!isDone) setImmediate(next);
  };
  setImmediate(next);
  await act((entry) => turns.at(-1)!.push(entry));
  isDone = true;
  return turns.filter((entries) => entries.length > 0);
}

it('gives each caller of yieldTurn a turn of its own, in the order of the calls', async () => {
  const turns = await perTurn((log) => Promise.all(['a', 'b', 'c'].map((name) => yieldTurn().then(() => log(name)))));
  expect(turns).toEqual([['a'], ['b'], ['c']]);
});

it('is over after a few milliseconds, and begins again in a later turn', async () => {
  const slice = new TimeSlice();
  expect(slice.isOver).toBe(false);
  while (!slice.isOver);
  const turns = await perTurn(async (log) => {
    log('before');
    await Promise.all([slice.renew(), slice.renew()]);
    log(`after: ${slice.isOver}`);
  });
  expect(turns).toEqual([['before'], ['after: false']]);
});

it('calls the action for each item in order, many items in several turns', async () => {
  const items = Array.from({ length: 500 }, (_, index) => `${index}`);
  const turns = await perTurn((log) => forEachSliced(items, (item, index) => log(`${item} at ${index}`)));
  expect(turns.flat()).toEqual(items.map((item) => `${item} at ${item}`));
  expect(turns.length).toBeGreaterThan(50);
  expect(Math.max(...turns.map((entries) => entries.length))).toBeLessThan(10);
});

it('begins a short list at once', () => {
  const seen: number[] = [];
  void forEachSliced([1, 2, 3], (item) => seen.push(item));
  expect(seen).toEqual([1, 2, 3]);
});

it('keeps long lists that are processed at once from sharing a turn', async () => {
  const items = Array.from({ length: 200 });
  const turns = await perTurn((log) => Promise.all(['a', 'b'].map((name) => forEachSliced(items, () => log(name)))));
  for (const entries of turns) expect(new Set(entries).size).toBe(1);
});

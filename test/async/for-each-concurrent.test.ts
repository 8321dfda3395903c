import { expect, it, vi } from 'vitest';
import { attemptEachConcurrent, forEachConcurrent } from '../../server/async/for-each-concurrent.ts';

const settled = (): Promise<void> => new Promise((done) => setImmediate(done));

it('calls the action once for each item, no more than the bound at a time', async () => {
  const seen: number[] = [];
  let [running, most] = [0, 0];
  const items = Array.from({ length: 20 }, (_, index) => index);
  await forEachConcurrent(
    items,
    async (item) => {
      most = Math.max(most, ++running);
      seen.push(item);
      await settled();
      running--;
    },
    3,
  );
  expect(seen).toEqual(items);
  expect(most).toBe(3);
});

it('takes an item from the iterator only when its action starts', async () => {
  let taken = 0;
  function* items(): Generator<number> {
    for (; taken < 10;) yield taken++;
  }
  const ends: (() => void)[] = [];
  const done = forEachConcurrent(items(), () => new Promise<void>((end) => ends.push(end)), 2);
  await settled();
  expect(taken).toBe(2);
  while (ends.length > 0) {
    ends.shift()!();
    await settled();
  }
  await done;
  expect(taken).toBe(10);
});

it('starts nothing after a failure, waits for what runs, then rejects with the first error', async () => {
  const started: number[] = [];
  let end = (): void => {};
  const done = forEachConcurrent(
    [1, 2, 3, 4],
    (item) => {
      started.push(item);
      return item === 1 ? Promise.reject(new Error('first')) : new Promise<void>((resolve) => (end = resolve));
    },
    2,
  );
  let outcome = '';
  const settling = done.catch((error: unknown) => (outcome = String(error)));
  await settled();
  expect([started, outcome]).toEqual([[1, 2], '']);
  end();
  await settling;
  expect([started, outcome]).toEqual([[1, 2], 'Error: first']);
});

it('yields the event loop between actions that wait for nothing', async () => {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1));
  let [turns, isDone] = [0, false];
  const count = (): void => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await forEachConcurrent(Array.from({ length: 1000 }), async () => {});
  isDone = true;
  clock.mockRestore();
  expect(turns).toBeGreaterThan(20);
});

it('attempts every item where some fail, then rejects with the first error', async () => {
  const seen: number[] = [];
  const items = Array.from({ length: 40 }, (_, index) => index);
  const attempt = async (item: number): Promise<void> => {
    seen.push(item);
    if (item % 10 === 3) throw new Error(`item ${item}`);
  };
  await expect(attemptEachConcurrent(items, attempt)).rejects.toThrow('item 3');
  expect(seen).toEqual(items);
});

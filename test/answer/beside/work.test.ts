import { expect, it } from 'vitest';
import { BackgroundWork, type Task } from '../../../server/answer/background/work.ts';

const task = (variables: Record<string, string>): Task => ({
  agent: 'one',
  by: 'model',
  run: () => Promise.resolve({ labels: [], variables }),
  reasonOf: () => 'internal',
});
const ended = async (work: BackgroundWork): Promise<BackgroundWork> => {
  while (work.pending > 0) await work.next();
  return work;
};

it('counts a task that found values as unfinished until they are stored', async () => {
  const work = await ended(new BackgroundWork([task({ email: 'ada@example.com' })], 60_000));
  expect(work.unfinished).toBe(1);
  work.take();
  expect(work.unfinished).toBe(1);
  work.markStored();
  expect(work.unfinished).toBe(0);
});

it('counts a task that found none as finished when it ends', async () => {
  const work = await ended(new BackgroundWork([task({})], 60_000));
  expect(work.unfinished).toBe(0);
});

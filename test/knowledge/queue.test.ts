import { expect, it } from 'vitest';
import { FairTurns } from '../../server/async/fair-turns.ts';
import { Queue } from '../../server/async/queue.ts';
import { Politeness } from '../../server/web/politeness.ts';

it('tells of a job that rejects, and goes on with the next', async () => {
  const failures: unknown[] = [];
  const queue = new Queue(1, 1, (error) => failures.push(error));
  const fault = new Error('a full disk');
  const job = { owner: 'o', host: 'a', group: 'b' };
  queue.add({ ...job, name: '1', run: () => Promise.reject(fault) });
  await new Promise<void>((done) => queue.add({ ...job, name: '2', run: async () => done() }));
  await queue.close();
  expect(failures).toEqual([fault]);
});

it('gives users their turns in rotation, so many at once', async () => {
  const turns = new FairTurns(2);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  for (const user of ['a', 'a', 'a', 'a', 'b', 'c', 'b']) {
    void turns.take(user).then((end) => {
      begun.push(user);
      ends.push(end);
    });
  }
  const settled = (): Promise<void> => new Promise((done) => setImmediate(done));
  await settled();
  expect(begun).toEqual(['a', 'a']);
  while (ends.length > 0) {
    ends.shift()!();
    await settled();
  }
  expect(begun).toEqual(['a', 'a', 'a', 'b', 'c', 'a', 'b']);
  expect(await turns.take('a')).toBeTypeOf('function');
});

it('keeps the longer of two times that a site asks for, and looks again after a wait', async () => {
  let now = 0;
  const pace = new Politeness(() => now);
  pace.hold('a', 60_000);
  pace.hold('a', 10);
  const { signal } = new AbortController();
  await expect(pace.turn('a', 0, signal)).rejects.toThrow('left alone');
  const other = new Politeness(() => now);
  other.hold('b', 20);
  const waiting = other.turn('b', 0, signal);
  other.hold('b', 60_000);
  now = 20;
  await expect(waiting).rejects.toThrow('left alone');
});

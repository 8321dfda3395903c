import { expect, it } from 'vitest';
import { FairQueue } from '../../server/async/fair-queue.ts';

const settled = (): Promise<void> => new Promise((done) => setImmediate(done));

/** Adds jobs that end when the test says so; `started` has their names in the order in which they start. */
function manualJobs(queue: FairQueue) {
  const started: string[] = [];
  const running = new Map<string, () => void>();
  const aborted: string[] = [];
  const add = (name: string, { owner = 'o', host = 'h', group = 'g' } = {}): Promise<void> =>
    queue.add({
      name,
      owner,
      host,
      group,
      run: (signal) =>
        new Promise<void>((end) => {
          started.push(name);
          running.set(name, end);
          signal.addEventListener('abort', () => {
            aborted.push(name);
            end();
          });
        }),
    });
  const end = async (name: string): Promise<void> => {
    running.get(name)!();
    await settled();
  };
  return { add, end, started, aborted };
}

it('passes the error of a job to onError, and starts the next job', async () => {
  const failures: unknown[] = [];
  const queue = new FairQueue({ concurrency: 1, onError: (error) => failures.push(error) });
  const fault = new Error('a full disk');
  const job = { owner: 'o', host: 'a', group: 'b' };
  void queue.add({ ...job, name: '1', run: () => Promise.reject(fault) });
  await new Promise<void>((done) => queue.add({ ...job, name: '2', run: async () => done() }));
  await queue.close();
  expect(failures).toEqual([fault]);
});

it('runs no more jobs at a time than its bounds, in all and for each host', async () => {
  const queue = new FairQueue({ concurrency: 3, perHost: 2 });
  const { add, end, started } = manualJobs(queue);
  for (const name of ['a1', 'a2', 'a3']) add(name, { host: 'a' });
  for (const name of ['b1', 'b2']) add(name, { host: 'b' });
  expect(started).toEqual(['a1', 'a2', 'b1']);
  await end('b1');
  expect(started).toEqual(['a1', 'a2', 'b1', 'b2']);
  await end('a1');
  expect(started).toEqual(['a1', 'a2', 'b1', 'b2', 'a3']);
});

it('lets owners take turns, and the hosts of one owner', async () => {
  const queue = new FairQueue({ concurrency: 1 });
  const { add, end, started } = manualJobs(queue);
  for (const name of ['a1', 'a2', 'a3']) add(name, { owner: 'a', host: 'x' });
  add('a4', { owner: 'a', host: 'y' });
  add('b1', { owner: 'b' });
  for (let at = 0; at < 5; at++) await end(started[at]!);
  expect(started).toEqual(['a1', 'a2', 'b1', 'a4', 'a3']);
});

it('replaces a job of the same name, and starts the new one when the old one has ended', async () => {
  const queue = new FairQueue({ concurrency: 2 });
  const { add, started, aborted } = manualJobs(queue);
  add('page');
  add('page');
  expect([started, aborted, queue.has('page')]).toEqual([['page'], ['page'], true]);
  await settled();
  expect(started).toEqual(['page', 'page']);
});

it('cancels the jobs of a group, those that run and those that wait', async () => {
  const queue = new FairQueue({ concurrency: 1 });
  const { add, started, aborted } = manualJobs(queue);
  add('1', { group: 'gone' });
  add('2', { group: 'gone' });
  add('3', { group: 'kept' });
  queue.cancelGroup('gone');
  await settled();
  expect([started, aborted]).toEqual([['1', '3'], ['1']]);
});

it('starts nothing once it is closed', async () => {
  const queue = new FairQueue({ concurrency: 1 });
  const { add, started, aborted } = manualJobs(queue);
  add('1');
  add('2');
  await queue.close();
  add('3');
  await settled();
  expect([started, aborted]).toEqual([['1'], ['1']]);
});

it('grants turns to owners in rotation, no more at a time than its bound', async () => {
  const queue = new FairQueue({ concurrency: 2 });
  const granted: string[] = [];
  const releases: (() => void)[] = [];
  for (const owner of ['a', 'a', 'a', 'a', 'b', 'c', 'b']) {
    void queue.acquire(owner).then((release) => {
      granted.push(owner);
      releases.push(release);
    });
  }
  await settled();
  expect(granted).toEqual(['a', 'a']);
  while (releases.length > 0) {
    releases.shift()!();
    await settled();
  }
  expect(granted).toEqual(['a', 'a', 'a', 'b', 'c', 'a', 'b']);
  expect(await queue.acquire('a')).toBeTypeOf('function');
});

it('resolves what add returned when the job has ended, or is cancelled before it starts', async () => {
  const queue = new FairQueue({ concurrency: 1 });
  const { add, end } = manualJobs(queue);
  const over: string[] = [];
  const watch = (name: string, group = 'g') => void add(name, { group }).then(() => over.push(name));
  watch('1');
  for (const name of ['2', '3', '4']) watch(name, name);
  await settled();
  expect(over).toEqual([]);
  queue.cancel('2');
  queue.cancelGroup('3');
  await settled();
  expect(over).toEqual(['2', '3']);
  await end('1');
  expect(over).toEqual(['2', '3', '1']);
  watch('5');
  await queue.close();
  expect(over.toSorted()).toEqual(['1', '2', '3', '4', '5']);
});

import { expect, it } from 'vitest';
import { KeyedMutex } from '../../server/async/keyed-mutex.ts';

const settled = (): Promise<void> => new Promise((done) => setImmediate(done));

it('runs actions of one key in order, and actions of different keys side by side', async () => {
  const mutex = new KeyedMutex();
  const log: string[] = [];
  const ends = new Map<string, () => void>();
  const action = (name: string) => async (): Promise<string> => {
    log.push(name);
    await new Promise<void>((end) => ends.set(name, end));
    return name;
  };
  const [first, second, other] = [
    mutex.run('a', action('a1')),
    mutex.run('a', action('a2')),
    mutex.run('b', action('b1')),
  ];
  await settled();
  expect(log).toEqual(['a1', 'b1']);
  ends.get('a1')!();
  expect(await first).toBe('a1');
  await settled();
  expect(log).toEqual(['a1', 'b1', 'a2']);
  for (const name of ['a2', 'b1']) ends.get(name)!();
  expect(await Promise.all([second, other])).toEqual(['a2', 'b1']);
});

it('rejects with the error of an action, and runs the next one', async () => {
  const mutex = new KeyedMutex();
  const failed = mutex.run('a', () => Promise.reject(new Error('no space')));
  const next = mutex.run('a', async () => 'next');
  await expect(failed).rejects.toThrow('no space');
  expect(await next).toBe('next');
});

it('settles when every action so far has ended, whether it failed or not', async () => {
  const mutex = new KeyedMutex();
  const log: string[] = [];
  mutex.run('a', () => Promise.reject(new Error('no space'))).catch(() => log.push('failed'));
  void mutex.run('b', async () => {
    await settled();
    log.push('done');
  });
  await mutex.settled();
  expect(log).toEqual(['failed', 'done']);
});

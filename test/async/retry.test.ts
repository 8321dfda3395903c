import { expect, it, vi } from 'vitest';
import { retry } from '../../server/async/retry.ts';

const isBusy = (error: unknown): boolean => (error as Error).message === 'busy';

it('calls again after a transient error, until the action succeeds', async () => {
  const act = vi.fn(async () => {
    if (act.mock.calls.length < 3) throw new Error('busy');
    return 'done';
  });
  expect(await retry(act, isBusy, [1, 1, 1])).toBe('done');
  expect(act).toHaveBeenCalledTimes(3);
});

it('rejects with the last error when the delays are used up', async () => {
  const act = vi.fn(() => Promise.reject(new Error('busy')));
  await expect(retry(act, isBusy, [1, 1])).rejects.toThrow('busy');
  expect(act).toHaveBeenCalledTimes(3);
});

it('rejects at once with any other error', async () => {
  const act = vi.fn(() => Promise.reject(new Error('gone')));
  await expect(retry(act, isBusy, [1, 1])).rejects.toThrow('gone');
  expect(act).toHaveBeenCalledTimes(1);
});

it('waits no more when its signal aborts, and rejects with the last error', async () => {
  const stop = new AbortController();
  const act = vi.fn(() => Promise.reject(new Error('busy')));
  const result = retry(act, isBusy, [600_000], { signal: stop.signal });
  await Promise.resolve();
  stop.abort();
  await expect(result).rejects.toThrow('busy');
  await expect(retry(act, isBusy, [600_000], { signal: stop.signal })).rejects.toThrow('busy');
  expect(act).toHaveBeenCalledTimes(2);
});

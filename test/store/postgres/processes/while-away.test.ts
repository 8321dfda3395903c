import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { repeatWhileAway } from '../../../../server/answer/runs/while-away.ts';
import { Refusal } from '../../../../server/schema/errors.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** How often it is tried where the database is away, and each attempt takes so many milliseconds. */
async function attempts(ms: number, isOver?: (attempt: number) => boolean): Promise<number> {
  let count = 0;
  const act = async (): Promise<void> => {
    count++;
    vi.advanceTimersByTime(ms);
    throw new Refusal('unavailable', 'the database of the server does not answer', { unstored: true });
  };
  await expect(repeatWhileAway(act, isOver && (() => isOver(count)))).rejects.toMatchObject({ code: 'unavailable' });
  return count;
}

it('is not tried again after 15 s, of which attempts may take most', async () => {
  expect(await attempts(6000)).toBe(3);
  expect(await attempts(30_000)).toBe(1);
});

it('is not tried again once it is over', async () => {
  expect(await attempts(0, (attempt) => attempt === 2)).toBe(2);
});

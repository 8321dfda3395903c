import { setImmediate as nextTurn } from 'node:timers/promises';
import { vi } from 'vitest';

/**
 * The most characters that JSON reads and writes in one turn of the event loop while `act` runs. The clock moves by a
 * millisecond whenever it is read, so that slices by time hold the same work on every machine.
 */
export async function mostInOneTurn(act: () => Promise<unknown>): Promise<number> {
  const work = { most: 0, inTurn: 0, isDone: false };
  const count = (characters: number): void => {
    work.inTurn += characters;
    work.most = Math.max(work.most, work.inTurn);
  };
  const { parse, stringify } = JSON;
  let now = performance.now();
  const spies = [
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 1)),
    vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
      count(text.length);
      return parse(text, reviver);
    }),
    vi.spyOn(JSON, 'stringify').mockImplementation((...given: Parameters<typeof stringify>) => {
      const text = stringify(...given);
      count(text?.length ?? 0);
      return text;
    }),
  ];
  const turns = (async () => {
    while (!work.isDone) {
      await nextTurn();
      work.inTurn = 0;
    }
  })();
  try {
    await act();
  } finally {
    work.isDone = true;
    await turns;
    for (const spy of spies) spy.mockRestore();
  }
  if (work.most === 0) throw new Error('no JSON was read or written: nothing was counted');
  return work.most;
}

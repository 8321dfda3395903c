import { expect, it } from 'vitest';
import { Politeness } from '../../server/web/politeness.ts';

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

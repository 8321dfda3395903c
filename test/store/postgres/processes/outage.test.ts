import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { DatabaseWatch } from '../../../../server/store/postgres/outage.ts';

const fault = (code: string): Error => Object.assign(new Error(code), { code });

it('finds a database that is back while an earlier look still waits for one that was silent', async () => {
  const seen: string[] = [];
  let state: 'refusing' | 'silent' | 'back' = 'refusing';
  const longest = { ms: 0 };
  const network = {
    async probe(patience: number) {
      if (state === 'refusing') throw fault('ECONNREFUSED');
      if (state === 'back') return;
      longest.ms = Math.max(longest.ms, patience);
      await wait(patience);
      seen.push(`silent for ${patience}`);
      throw fault('ETIMEDOUT');
    },
    refuse: () => {},
    accept: () => void seen.push('accepts'),
  };
  const watch = new DatabaseWatch(undefined, undefined, network);
  const returned = new Promise<void>((done) => watch.onReturn(done));
  await expect(watch.run(() => Promise.reject(fault('ECONNREFUSED')))).rejects.toThrow('does not answer');
  state = 'silent';
  // A busy database may take so long.
  while (longest.ms < 2900) await wait(5);
  state = 'back';
  seen.length = 0;
  await returned;
  expect(seen).not.toContain(`silent for ${longest.ms}`);
  expect(seen.at(-1)).toBe('accepts');
  await watch.close();
}, 30_000);

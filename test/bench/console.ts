import { availableParallelism, loadavg } from 'node:os';
import { measureEntries } from './console/entries.ts';
import { measureLists, type Row } from './console/lists.ts';
import { measureOpening, type Opening } from './console/opening.ts';
import { keptInDatabase, keptInFiles } from './console/stores.ts';

const CONVERSATIONS = 100_000;
const ENGINES = { lowdb: keptInFiles, postgres: keptInDatabase };

interface Result {
  machine: string;
  lists?: Row[];
  opening?: Opening[];
}

/**
 * What the owner's console asks of a chatbot with 100,000 conversations, over HTTP, while visitors ask, and how soon its screens
 * are usable in a slowed-down browser: times in ms.
 *
 * `args`: `lowdb`, `postgres`, `opening`, all without; a number of conversations.
 */
export async function bench(args: string[]): Promise<Result> {
  const before = loadavg()[0]!;
  const count = args.map(Number).find((one) => one > 0) ?? CONVERSATIONS;
  const isSelected = (name: string): boolean => args.every((arg) => Number(arg) > 0) || args.includes(name);
  const opening = isSelected('opening') ? { opening: await measureOpening() } : {};
  const lists: Row[] = [];
  for (const [engine, open] of Object.entries(ENGINES)) {
    if (!isSelected(engine)) continue;
    const kept = await open();
    try {
      const url = kept.env['DATABASE_URL'];
      if (url) lists.push(await measureEntries(url));
      lists.push(...(await measureLists(engine, kept, count)));
    } finally {
      await kept.remove();
    }
  }
  const load = [before, loadavg()[0]!].map((one) => one.toFixed(1));
  return {
    machine: `${availableParallelism()} cores; load average ${load[0]} before, ${load[1]} after`,
    ...opening,
    ...(lists.length > 0 && { lists }),
  };
}

import { availableParallelism, loadavg } from 'node:os';
import { measureLists, type Row } from './console/lists.ts';
import { keptInDatabase, keptInFiles } from './console/stores.ts';

const CONVERSATIONS = 100_000;
const ENGINES = { lowdb: keptInFiles, postgres: keptInDatabase };

interface Result {
  machine: string;
  lists: Row[];
}

/**
 * What the owner's console asks of a chatbot with 100,000 conversations, over HTTP, while visitors ask: times in ms.
 *
 * `args`: `lowdb`, `postgres`, both without; a number of conversations.
 */
export async function bench(args: string[]): Promise<Result> {
  const before = loadavg()[0]!;
  const count = args.map(Number).find((one) => one > 0) ?? CONVERSATIONS;
  const lists: Row[] = [];
  for (const [engine, open] of Object.entries(ENGINES)) {
    if (args.some((arg) => arg in ENGINES) && !args.includes(engine)) continue;
    const kept = await open();
    try {
      lists.push(...(await measureLists(engine, kept, count)));
    } finally {
      await kept.remove();
    }
  }
  const load = [before, loadavg()[0]!].map((one) => one.toFixed(1));
  return { machine: `${availableParallelism()} cores; load average ${load[0]} before, ${load[1]} after`, lists };
}

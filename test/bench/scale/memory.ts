import { setTimeout as wait } from 'node:timers/promises';
import { startCluster, type Database } from './cluster.ts';
import type { FakeModel } from '../server/targets.ts';
import { times } from './loads.ts';
import { Visitors } from './visitors.ts';

export interface MemoryRow {
  sessions: number;
  rss_mb: number;
}

const AT_ONCE = 16;

/** The resident memory of one server after so many sessions, each with an answered question. */
export async function memoryOver(model: FakeModel, database: Database, sizes: number[]): Promise<MemoryRow[]> {
  const cluster = await startCluster(model, { processes: 1, database, withModel: false });
  try {
    const rows: MemoryRow[] = [];
    let asked = 0;
    for (const size of sizes) {
      console.error(`scale: ${size} sessions …`);
      // Each piece has visitors of its own: none of them comes back, and none is remembered.
      for (; asked < size; asked += AT_ONCE) {
        const visitors = new Visitors(cluster, false, { base: asked });
        await times(Math.min(AT_ONCE, size - asked), AT_ONCE, () => visitors.ask());
      }
      await wait(3000);
      rows.push({ sessions: size, rss_mb: (cluster.servers[0]!.rss() * 1024) / 1e6 });
    }
    return rows;
  } finally {
    await cluster.end();
  }
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createAdmin } from '../admin.ts';
import type { Config } from '../config.ts';
import { createKnowledge } from '../knowledge/learning.ts';
import { createSites } from '../knowledge/sites.ts';
import { NobodyListens, remoteVerbs, type Verbs } from '../socket.ts';
import { FolderInUse } from '../store/lock.ts';
import { openLowdbStore } from '../store/lowdb.ts';
import { createTeaching } from '../teaching.ts';
import { createWeb } from '../web/web.ts';
import type { Terminal } from './command.ts';

/** How long a server that has the folder may take until it listens to commands. */
const STARTING_MS = 3000;

type Act<T> = (verbs: Verbs) => Promise<T>;

/** By the server that has the folder, or else by having the folder ourselves. */
export async function withVerbs<T>(config: Config, terminal: Terminal, act: Act<T>): Promise<T> {
  for (const end = Date.now() + STARTING_MS; ; await wait(50)) {
    try {
      return await act(remoteVerbs(config.dataDir));
    } catch (error) {
      if (!(error instanceof NobodyListens)) throw error;
    }
    try {
      return await withOwnFolder(config, terminal, act);
    } catch (error) {
      if (!(error instanceof FolderInUse) || Date.now() > end) throw error;
    }
  }
}

async function withOwnFolder<T>(config: Config, { err }: Terminal, act: Act<T>): Promise<T> {
  const { dataDir: dir, fetchAllow, publicUrl } = config;
  const clock = Date.now;
  const isNew = !existsSync(join(dir, 'store.json'));
  const store = await openLowdbStore({ dir, clock });
  // Where DATA_DIR was forgotten, the keys of a new folder open nothing.
  if (isNew) err(`docent: ${dir} is a new data folder, made now\n`);
  const log = { info() {}, warn() {}, error: ({ err: error }: { err?: unknown }) => err(`docent: ${String(error)}\n`) };
  const web = createWeb({ allow: fetchAllow, about: publicUrl && `${publicUrl}/bot` });
  const knowledge = createKnowledge({ store, web, clock, log });
  const sites = createSites({ store, knowledge, web, clock, log });
  try {
    return await act({ ...createAdmin({ store, clock }), ...createTeaching({ store, knowledge, sites, clock }) });
  } finally {
    await sites.close();
    await knowledge.close();
    await Promise.all([web.close(), store.close()]);
  }
}

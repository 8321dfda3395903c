import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLowdbStore } from '../../server/store/lowdb.ts';
import { storeContract } from './contract.ts';

storeContract('lowdb', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'docent-store-'));
  return {
    open: () => openLowdbStore({ dir, clock: Date.now }),
    clear: () => rm(dir, { recursive: true, force: true }),
  };
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLowdbStore, type LowdbOptions } from '../../server/store/lowdb/lowdb.ts';
import type { StoreFixture } from './contract.ts';

/** Makes data folders in which the contracts open a lowdb store with these options. */
export const lowdbFolder =
  (more: Partial<LowdbOptions> = {}) =>
  async (): Promise<StoreFixture> => {
    const dir = await mkdtemp(join(tmpdir(), 'docent-store-'));
    return {
      open: () => openLowdbStore({ dir, clock: Date.now, ...more }),
      clear: () => rm(dir, { recursive: true, force: true }),
    };
  };

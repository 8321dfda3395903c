import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { realDisk, syncFolder } from './files/disk.ts';

/**
 * An import is written to `importing/`. Renamed to `imported/` it counts: its parts then replace those of the folder one by one, at
 * the next start where a crash came between. All parts are there, so that one that is missing has been moved.
 */
const [STAGING, COMPLETE] = ['importing', 'imported'];
const FOLDERS = ['chatbots', 'sources', 'sessions', 'indexes', 'found', 'replies', 'usage', 'figures', 'audit'];

export const stagingFolder = (dir: string): string => join(dir, STAGING);

/** Replaces what the folder holds with what is in its staging folder. */
export async function commitImport(dir: string): Promise<void> {
  const staging = stagingFolder(dir);
  await rm(join(staging, 'lock'), { recursive: true, force: true });
  for (const name of FOLDERS) await mkdir(join(staging, name), { recursive: true, mode: 0o700 });
  await syncFolder(realDisk, staging);
  await rename(staging, join(dir, COMPLETE));
  await syncFolder(realDisk, dir);
  await finishImport(dir);
}

/** Whether `finishImport` has something to do. */
export const isImportBroken = (dir: string): boolean =>
  existsSync(stagingFolder(dir)) || existsSync(join(dir, COMPLETE));

/** Removes what an import has left that did not come to its end; ends one that had only to be moved. */
export async function finishImport(dir: string): Promise<void> {
  const [staging, complete] = [stagingFolder(dir), join(dir, COMPLETE)];
  if (existsSync(staging)) await rm(staging, { recursive: true, force: true });
  if (!existsSync(complete)) return;
  for (const name of [...FOLDERS, 'store.json']) {
    if (!existsSync(join(complete, name))) continue;
    await rm(join(dir, name), { recursive: true, force: true });
    await rename(join(complete, name), join(dir, name));
    await syncFolder(realDisk, dir);
  }
  await rm(complete, { recursive: true, force: true });
}

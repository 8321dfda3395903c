import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** In the data folder of a server that has its data in PostgreSQL. */
const MARK = 'postgres';
const SENTENCE = "The data of this folder's server are in PostgreSQL: set DATABASE_URL.\n";

/** Requires the folder's lock. */
export const markFolder = (dir: string): void => writeFileSync(join(resolve(dir), MARK), SENTENCE, { mode: 0o600 });

/** Before a folder is opened as files: throws where its server has the data in PostgreSQL, since an empty store would be made. */
export function refuseMarkedFolder(dir: string): void {
  const mark = join(resolve(dir), MARK);
  if (existsSync(mark))
    throw new Error(
      `the data of the server of ${dir} are in PostgreSQL: set DATABASE_URL (or remove ${mark}, if the folder is to hold data again)`,
    );
}

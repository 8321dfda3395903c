import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Where Debian installs it, a folder a version. */
const INSTALLED = '/usr/lib/postgresql';

/** The folder of the programs of the newest PostgreSQL that is installed; undefined for none. */
export function installedPostgres() {
  const [version] = existsSync(INSTALLED) ? readdirSync(INSTALLED).sort((a, b) => Number(b) - Number(a)) : [];
  return version === undefined ? undefined : join(INSTALLED, version, 'bin');
}

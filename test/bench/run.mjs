import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt } from '../../server/dev/build.mjs';
import { table } from './run/table.mjs';

const here = import.meta.dirname;
process.chdir(join(here, '..', '..'));

/** A bench is a file here that exports `bench(args)`: its name is the file's. Names with a dot are parts of one. */
const benches = readdirSync(here)
  .filter((name) => /^[\w-]+\.ts$/.test(name))
  .map((name) => name.slice(0, -3));

/**
 * `npm run bench -- [name] [what the bench takes] [--json]`, in any order; without a name all of them run. Tables on standard
 * output, or with --json nothing but JSON: the result of the bench named, else an object of all by name. Progress goes to
 * standard error.
 */
async function main() {
  const given = process.argv.slice(2);
  const json = given.includes('--json');
  const name = given.find((arg) => benches.includes(arg));
  const rest = given.filter((arg) => arg !== '--json' && arg !== name);
  if (!name && rest.some((arg) => !arg.startsWith('-'))) {
    console.error(`no such bench; there are: ${benches.join(', ') || 'none yet'}`);
    return 2;
  }
  if (json) console.log = console.error;
  await ensureBuilt();
  /** @type {Record<string, unknown>} */
  const results = {};
  for (const one of name ? [name] : benches) {
    const result = await run(one, rest);
    results[one] = result;
    if (!json) process.stdout.write(`${name ? '' : `\n${one}\n`}${table(result)}\n`);
  }
  if (json) process.stdout.write(`${JSON.stringify(name ? results[name] : results, null, 2)}\n`);
  return 0;
}

/** @param {string} name @param {string[]} args @returns {Promise<unknown>} */
async function run(name, args) {
  // Inside node_modules, where the bundle finds the packages it leaves outside.
  mkdirSync('node_modules/.cache', { recursive: true });
  const folder = mkdtempSync(join('node_modules', '.cache', 'bench-'));
  try {
    const bundle = [join(here, 'run', 'bundle.mjs'), join(here, `${name}.ts`), join(process.cwd(), folder)];
    const { status } = spawnSync(process.execPath, bundle, { stdio: ['ignore', 2, 2] });
    if (status !== 0) throw new Error(`the bench ${name} did not build`);
    const { bench } = await import(pathToFileURL(join(folder, 'bench.mjs')).href);
    return await bench(args);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// A bench may leave a socket or a timer open: its result is there, so end.
process.exit(
  await main().catch((error) => {
    console.error(error instanceof Error ? error.stack : error);
    return 1;
  }),
);

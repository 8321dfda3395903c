import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '../..');
const stampFile = join(root, 'dist/.stamp');
const lockFile = join(root, 'node_modules/.docent-build');
const vite = join(root, 'node_modules/vite/bin/vite.js');
const otherInputs = ['vite.config.ts', 'tsconfig.json', 'package.json', 'package-lock.json'];

/** A hash of the content of all that the build reads; not of modification times, which change with every checkout. */
function stampOfSources() {
  const hash = createHash('sha256');
  for (const file of [...['widget', 'server', 'demo'].flatMap(sourcesIn), ...otherInputs]) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  }
  return hash.digest('hex');
}

/** @param {string} folder @returns {string[]} */
function sourcesIn(folder) {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => /\.(?:mjs|tsx?|css|html|json|md|txt|yaml)$/.test(name))
    .toSorted()
    .map((name) => `${folder}/${name}`);
}

/** @param {boolean} quiet a line on standard error for each step; the rest of its output is shown only when it fails */
async function build(quiet) {
  const stamp = stampOfSources();
  rmSync(stampFile, { force: true });
  /** @type {Buffer[]} */
  const output = [];
  // In a process of its own, so that the memory of the bundler is not the server's.
  // A test runner's NODE_ENV would put preact's development build into what visitors download.
  const env = { ...process.env, NODE_ENV: 'production' };
  const stdio = quiet ? 'pipe' : 'inherit';
  const child = spawn(process.execPath, [vite, 'build'], { cwd: root, env, stdio: ['ignore', stdio, stdio, 'ipc'] });
  if (quiet) child.on('message', (step) => console.error(`building … ${step}`));
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece) => output.push(piece));
  const stop = () => {
    child.kill();
    rmSync(lockFile, { force: true });
    process.exit(143);
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  const code = await new Promise((done) => child.on('close', done));
  process.off('SIGTERM', stop).off('SIGINT', stop);
  if (code !== 0) throw new Error(`the build failed\n${Buffer.concat(output).toString()}`);
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(stampFile, stamp);
}

/**
 * Builds `dist/` where it is missing or older than the sources, says so and each step on standard error, and else returns
 * at once. Without the development dependencies a `dist/` that is there is taken as it is.
 */
export async function ensureBuilt() {
  if (isBuilt()) return;
  await withBuildLock(async () => {
    if (isBuilt()) return;
    console.error(existsSync(stampFile) ? 'building … (the sources have changed)' : 'building … (first start)');
    await build(true);
  });
}

function isBuilt() {
  const there = existsSync(join(root, 'dist/server/main.js'));
  if (existsSync(vite)) return there && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stampOfSources();
  if (there) return true;
  throw new Error(
    'nothing is built, and the tools to build it are not installed: run `npm ci --include=dev` first (NODE_ENV=production leaves them out)',
  );
}

/** Allows one build at a time in a checkout, since tests that need one run in parallel. @param {() => Promise<void>} work */
async function withBuildLock(work) {
  while (!acquireLock()) await sleep(100);
  try {
    await work();
  } finally {
    rmSync(lockFile, { force: true });
  }
}

/** False while another build holds the lock. Removes the lock of a process that died with it. */
function acquireLock() {
  try {
    writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    if (!isAlive(Number(readLockHolder()))) rmSync(lockFile, { force: true });
    return false;
  }
}

/** The process that holds the lock; this one, which is alive, while the other is still writing or has just ended. */
function readLockHolder() {
  try {
    return readFileSync(lockFile, 'utf8') || process.pid;
  } catch {
    return process.pid;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  withBuildLock(() => build(false)).catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
}

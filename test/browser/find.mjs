import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const minute = 60_000;

/**
 * An installed Chromium: CHROMIUM_PATH, then the usual names on PATH.
 * @returns {string | undefined}
 */
export function findChromium() {
  const named = process.env['CHROMIUM_PATH'];
  if (named) {
    if (existsSync(named)) return named;
    throw new Error(`CHROMIUM_PATH names ${named}, which is not there`);
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable);
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * A Chromium, installed where there is none: Debian's package as root, else Playwright's download (five minutes at most).
 * @returns {Promise<{ path: string, from: string } | { missing: string }>}
 */
export async function obtainChromium() {
  const installed = findChromium();
  if (installed) return { path: installed, from: installed };
  const { chromium } = await import('playwright');
  if (existsSync(chromium.executablePath())) return { path: chromium.executablePath(), from: "Playwright's download" };
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.error("no Chromium here: installing Debian's package …");
    attempt('apt-get', ['update', '-qq'], 3 * minute);
    attempt('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], 10 * minute);
    const path = findChromium();
    if (path) return { path, from: `${path}, Debian's package, installed now` };
  }
  console.error("no Chromium here: trying Playwright's download …");
  attempt(process.execPath, [join('node_modules', 'playwright', 'cli.js'), 'install', 'chromium'], 5 * minute);
  const path = chromium.executablePath();
  if (existsSync(path)) return { path, from: "Playwright's download, made now" };
  return { missing: 'no Chromium on PATH or in CHROMIUM_PATH, and none could be installed' };
}

/** @param {string} program @param {string[]} args @param {number} timeout in ms */
function attempt(program, args, timeout) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    execFileSync(program, args, { env, timeout, stdio: ['ignore', 'ignore', 'ignore'] });
  } catch {
    // The next way is tried; what is missing in the end is said in one line.
  }
}

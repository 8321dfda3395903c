import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * An installed Chromium: CHROMIUM_PATH, then the usual names on PATH, then Playwright's own download. Installs nothing.
 * Throws where CHROMIUM_PATH names a file that is not there.
 * @returns {{ path: string } | { missing: string }} `missing` says in one sentence how to get one
 */
export function findBrowser() {
  const path = namedBrowser() ?? installedBrowser() ?? downloadedBrowser();
  if (path) return { path };
  return {
    missing: 'no Chromium was found: run `npx playwright install --with-deps chromium`, or set CHROMIUM_PATH to one',
  };
}

function namedBrowser() {
  const named = process.env['CHROMIUM_PATH'];
  if (named && !existsSync(named)) throw new Error(`CHROMIUM_PATH names ${named}, which is not there`);
  return named || undefined;
}

function installedBrowser() {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable);
}

function downloadedBrowser() {
  const path = chromium.executablePath();
  return existsSync(path) ? path : undefined;
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

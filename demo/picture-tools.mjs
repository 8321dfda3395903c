// What the scripts that make pictures share: a server with the demo, a browser, a small file.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { findBrowser } from '../test/browser/find-browser.mjs';
import { smallerPng } from './smaller-png.mjs';

export const root = join(import.meta.dirname, '..');
export const base = 'http://127.0.0.1:8099';
export const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

/** @param {string} dir the data folder @param {NodeJS.ProcessEnv} more variables; resolves when the demo has been learned and asked once */
function start(dir, more = {}) {
  // The card names the site's address: a reader's own, not the one that this machine happens to have.
  const env = {
    ...process.env,
    PORT: '8099',
    DATA_DIR: dir,
    LOG_LEVEL: 'warn',
    PUBLIC_URL: 'https://tolliverandwren.example',
    ...more,
  };
  const server = spawn(process.execPath, [join(root, 'dist/server/main.js')], {
    env,
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  return new Promise((resolve, reject) => {
    let said = '';
    server.once('exit', () => reject(new Error(`the server ended:\n${said}`)));
    server.stderr.on('data', (piece) => {
      said += piece;
      if (said.includes('Ask it yourself')) resolve(server);
    });
  });
}

/** @param {import('playwright').Page} page @param {string} file */
export async function save(page, file) {
  const shot = smallerPng(await page.screenshot({ animations: 'disabled', caret: 'hide' }));
  writeFileSync(file, shot);
  console.log(`${file}: ${Math.round(shot.length / 1000)} kB`);
}

/**
 * Runs `act` with a browser, beside a server with the demo and these variables.
 * @param {NodeJS.ProcessEnv} env @param {(browser: import('playwright').Browser) => Promise<void>} act
 */
export async function withDemo(env, act) {
  const found = findBrowser();
  if (!('path' in found)) throw new Error(found.missing);
  const dir = mkdtempSync(join(tmpdir(), 'docent-picture-'));
  const server = await start(dir, env);
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath: found.path, args });
  try {
    await act(browser);
  } finally {
    await browser.close();
    server.removeAllListeners('exit').kill();
    rmSync(dir, { recursive: true, force: true });
  }
}

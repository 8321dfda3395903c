// Makes demo/pictures/widget.png, the README's picture: `npm run build && node demo/picture.mjs`.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { obtainChromium } from '../test/browser/find.mjs';
import { smallerPng } from './smaller-png.mjs';

const root = join(import.meta.dirname, '..');
const file = join(root, 'demo/pictures/widget.png');
const base = 'http://127.0.0.1:8099';

/** @param {string} dir the data folder; resolves when the demo has been learned and asked once */
function start(dir) {
  // The card names the site's address: a reader's own, not the one that this machine happens to have.
  const env = {
    ...process.env,
    PORT: '8099',
    DATA_DIR: dir,
    LOG_LEVEL: 'warn',
    PUBLIC_URL: 'https://tolliverandwren.example',
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

/** @param {import('playwright').Browser} browser */
async function picture(browser) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 860 }, deviceScaleFactor: 1.5 });
  await page.goto(`${base}/demo/returns.html`);
  await page.getByRole('button', { name: 'Open chat' }).click();
  const field = page.getByRole('textbox', { name: 'Your question' });
  await field.fill('How long do I have to return something?');
  await field.press('Enter');
  // The last marker's card leaves the answer above it in sight.
  const markers = page.getByRole('button', { name: /^Source \d/ });
  await markers.last().click();
  await page.mouse.move(0, 0);
  writeFileSync(file, smallerPng(await page.screenshot({ animations: 'disabled', caret: 'hide' })));
}

const found = await obtainChromium();
if (!('path' in found)) throw new Error(found.missing);
const dir = mkdtempSync(join(tmpdir(), 'docent-picture-'));
const server = await start(dir);
const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
const browser = await chromium.launch({ executablePath: found.path, args });
try {
  mkdirSync(join(root, 'demo/pictures'), { recursive: true });
  await picture(browser);
  console.log(`${file}: ${Math.round(statSync(file).size / 1000)} kB`);
} finally {
  await browser.close();
  server.removeAllListeners('exit').kill();
  rmSync(dir, { recursive: true, force: true });
}

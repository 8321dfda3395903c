import { chromium } from 'playwright';
import type { Browser } from 'playwright';
import { findBrowser } from './find-browser.mjs';

const args = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Launches the Chromium that `npm run test:all` found, or an installed one. Close it; its profile goes with it. `without`: arguments
 * that Playwright adds, to be left out; `path`: another Chromium.
 */
export async function launchChromium(without: string[] = [], path?: string): Promise<Browser> {
  const found = path ? { path } : findBrowser();
  if ('missing' in found) throw new Error(found.missing);
  // Chromium refuses its sandbox to root.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: found.path, args: [...sandbox, ...args], ignoreDefaultArgs: without });
}

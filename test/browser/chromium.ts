import { chromium } from 'playwright';
import type { Browser } from 'playwright';
import { findChromium } from './find.mjs';

const args = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The Chromium that `npm test` found, or an installed one when vitest runs by itself. Close it; its profile goes with it. */
export async function launch(): Promise<Browser> {
  const executablePath = process.env['DOCENT_CHROMIUM'] || findChromium();
  if (!executablePath) throw new Error('no Chromium: set CHROMIUM_PATH, or run `npm test`, which can install one');
  // Chromium refuses its sandbox to root.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args: [...sandbox, ...args] });
}

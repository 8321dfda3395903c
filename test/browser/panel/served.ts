import type { Browser } from 'playwright';
import { afterAll, beforeAll } from 'vitest';
import { startBuiltServer, type BuiltServer } from '../built-server.ts';
import { launchChromium } from '../chromium.ts';

/** Of the test file that imports them, from its first test to its last. */
export let server: BuiltServer;
export let browser: Browser;

beforeAll(async () => {
  [server, browser] = await Promise.all([startBuiltServer(), launchChromium()]);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

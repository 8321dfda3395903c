import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, BrowserContextOptions, Page } from 'playwright';
import type { BuiltServer } from '../built-server.ts';

interface Axe {
  run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}

/** A page of a browser that nobody is signed in on, with axe; `faults` has what its console says. */
export async function newPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; faults: string[] }> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  // The console's policy of content lets no page add scripts: axe comes before it, from the browser itself.
  await context.addInitScript({ path: 'node_modules/axe-core/axe.min.js' });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  return { page, faults };
}

/** What a command of `docent` prints. */
export async function docent({ dataDir, port }: BuiltServer, ...args: string[]): Promise<string> {
  const env = { PATH: process.env['PATH'], DATA_DIR: dataDir, PORT: String(port) };
  const { stdout } = await promisify(execFile)(process.execPath, ['dist/server/main.js', ...args], { env });
  return stdout;
}

/** The line that `docent login` prints. */
export const loginLink = async (server: BuiltServer, ...email: string[]): Promise<string> =>
  /http\S+/.exec(await docent(server, 'login', ...email))![0];

export async function signInByKey(page: Page, { base, key }: BuiltServer, path = '/console/'): Promise<void> {
  await page.goto(base + path);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('navigation', { name: 'Console' }).waitFor();
}

/** What axe has to say of the page as it stands. */
export async function violations(page: Page): Promise<string[]> {
  const found = await page.evaluate(() => (globalThis as unknown as { axe: Axe }).axe.run());
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

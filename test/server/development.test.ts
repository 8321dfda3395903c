import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pages } from '../../demo/pages.ts';
import { freePort, until } from '../browser/built-server.ts';

/** `npm run dev`. */

let child: ChildProcess;
let dir: string;
let base: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'docent-dev-'));
  const port = await freePort();
  base = `http://127.0.0.1:${port}`;
  const env = { PATH: process.env['PATH'], PORT: String(port), DATA_DIR: dir, LOG_LEVEL: 'warn' };
  child = spawn(process.execPath, ['node_modules/vite/bin/vite.js'], { env, stdio: 'ignore' });
  await until(async () => (await fetch(`${base}/readyz`).catch(() => undefined))?.status === 200, 60_000);
});

afterAll(async () => {
  child.kill();
  await once(child, 'exit');
  await rm(dir, { recursive: true, force: true });
});

/** The paths that a script, as the server sends it, loads before it runs. */
const importsOf = (code: string): string[] =>
  [...code.matchAll(/\b(?:from|import) ?["'](\/[^"']+)["']/g)].map(([, path]) => path!);

const demoScripts = Object.entries(pages).flatMap(([page, html]) =>
  [...html.matchAll(/<script type="module" src="([\w-]+\.js)"/g)].map(([, script]) => [page, script!] as const),
);

/** Requests a script and all that it loads; the paths, each of which is a script. */
async function loadAll(script: string): Promise<Set<string>> {
  const seen = new Set<string>();
  const queue = [script];
  for (let path = queue.pop(); path; path = queue.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const reply = await fetch(base + path);
    expect([path, reply.status, reply.headers.get('content-type')]).toEqual([
      path,
      200,
      expect.stringMatching('javascript'),
    ]);
    if (/^\/(?:demo|embed|widget)\//.test(path)) queue.push(...importsOf(await reply.text()));
  }
  return seen;
}

test.each(demoScripts)('%s is served with its script and all that the script imports', async (page, script) => {
  expect((await fetch(`${base}/demo/${page}`)).status).toBe(200);
  const seen = await loadAll(`/demo/${script}`);
  expect([...seen].some((path) => path.startsWith('/demo/') && path.includes('.css?inline'))).toBe(true);
});

test('the panel of the script tag is served with all that it imports', async () => {
  expect([...(await loadAll('/embed/panel.js'))]).toContain('/widget/panel.tsx');
});

test('the shop’s style sheet is served by the app', async () => {
  expect((await fetch(`${base}/demo/site.css`)).headers.get('content-type')).toMatch('text/css');
});

test('the guides are rendered anew at each request', async () => {
  const [page, style, unknown] = await Promise.all(
    ['/docs/widget', '/docs/style.css', '/docs/nothing'].map((path) => fetch(base + path)),
  );
  expect(await page!.text()).toContain('<title>Widget · Docent</title>');
  expect(style!.headers.get('content-type')).toMatch('text/css');
  expect(unknown!.status).toBe(404);
});

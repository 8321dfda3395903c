import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ensureBuilt } from '../../../server/dev/build.mjs';
import { site, until } from '../../running.ts';
import { startChild, type Child } from '../child.ts';

/** SIGKILL while a site is deleted: it is all there, or nothing of it is and nothing comes back. */

const API_KEY = 'the-key-of-the-deletion-test';
const PAGES = 100;
/** Shares of the pages that are on the disk still when the process is killed. */
const KILLS = [1, 0.99, 0.7, 0.3];

let town: Awaited<ReturnType<typeof site>>;
let child: Child;
let dir: string;
beforeAll(async () => {
  await ensureBuilt();
  const list = Array.from({ length: PAGES }, (_, n) => `<url><loc>http://HOST/${n}</loc></url>`).join('');
  town = await site(
    new Proxy(
      {},
      {
        get: (_, path: string) =>
          path === '/sitemap.xml'
            ? (
                _request: unknown,
                response: { end(text: string): void; setHeader(name: string, value: string): void },
              ) => {
                response.setHeader('Content-Type', 'text/xml');
                response.end(`<urlset>${list.replaceAll('HOST', town.host)}</urlset>`);
              }
            : path === '/robots.txt'
              ? ''
              : `<title>House ${path}</title><p>The house number ${path} is white.</p>`,
      },
    ),
  );
  dir = await mkdtemp(join(tmpdir(), 'docent-kill-'));
}, 120_000);
afterAll(async () => {
  await child?.kill();
  await town.close();
  await rm(dir, { recursive: true, force: true });
});

const open = async () => void (child = await startChild({ API_KEY, DATA_DIR: dir, FETCH_ALLOW: town.host }));

async function call(method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
  const sent = body ? { body: JSON.stringify(body) } : {};
  return (await fetch(`${child.base}/api/v1${path}`, { method, headers, ...sent })).json();
}

const onDisk = (sources: string[]): number =>
  sources.filter((uuid) => existsSync(join(dir, 'sources', uuid.slice(0, 2), `${uuid}.source.json`))).length;

it('leaves all of it, or nothing', async () => {
  const left: number[] = [];
  await open();
  for (const share of KILLS) {
    const bot = (await call('POST', '/chatbot/create', { name: 'Town' })).uuid;
    const path = `/chatbot/${bot}/data-source`;
    const { uuid } = await call('POST', `${path}/site`, { url: `${town.base}/`, max_pages: PAGES });
    await until(
      () => call('GET', `${path}/site/${uuid}`),
      ({ status }) => status === 'done',
      60_000,
    );
    const pages: string[] = (await call('GET', `${path}s`)).map((source: { uuid: string }) => source.uuid);
    expect(onDisk(pages)).toBe(PAGES);
    const reply = { isHere: false };
    const deletion = call('POST', `${path}/site/${uuid}/delete`)
      .catch(() => undefined)
      .finally(() => (reply.isHere = true));
    while (!reply.isHere && onDisk(pages) > share * PAGES) await setImmediate();
    await child.kill();
    await deletion;
    left.push(onDisk(pages));
    await open();
    const [sites, sources] = [await call('GET', `${path}/sites`), await call('GET', `${path}s`)];
    expect(sources).toHaveLength(sites.length > 0 ? sites[0].pages : 0);
    if (sites.length > 0) expect(sites[0]).toMatchObject({ uuid, status: 'done' });
    await child.kill();
    await open();
    expect(await call('GET', `${path}s`)).toHaveLength(sources.length);
  }
  // Of the kills at least one came in the middle.
  expect(left.filter((pages) => pages > 0 && pages < PAGES)).not.toEqual([]);
}, 180_000);

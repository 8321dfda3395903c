import type { ServerResponse, IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { site, start, until, type Running } from '../running.ts';

/** Sites on loopback, learned whole through the operations. */

type Answer = string | { status?: number; type?: string; location?: string; body?: string | Buffer; more?: object };

let shown: Record<string, Answer> = {};
let asked: string[] = [];
let hold: Promise<void> | undefined;
let most = 0;
let open = 0;
let next = 0;
const TOWNS = 40;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? '/';
  asked.push(path);
  most = Math.max(most, ++open);
  response.on('close', () => open--);
  if (path !== '/robots.txt') await hold;
  const page = shown[path];
  const {
    status = page === undefined ? 404 : 200,
    type = 'text/html',
    location,
    body,
    more,
  } = typeof page === 'object' ? page : { body: page };
  response.writeHead(status, { 'Content-Type': type, ...(location ? { Location: location } : {}), ...more });
  response.end(body);
}

let docent: Running;
/** One a test, since what a robots.txt says is kept. */
let towns: Awaited<ReturnType<typeof site>>[];
let town: (typeof towns)[number];
let elsewhere: Awaited<ReturnType<typeof site>>;
const visited: string[] = [];
beforeAll(async () => {
  towns = await Promise.all(Array.from({ length: TOWNS }, () => site(new Proxy({}, { get: () => answer }))));
  elsewhere = await site(
    new Proxy(
      {},
      {
        get: (_, path: string) => (_request: IncomingMessage, response: ServerResponse) =>
          void (visited.push(path), response.end()),
      },
    ),
  );
  docent = await start({ FETCH_ALLOW: [...towns, elsewhere].map(({ host }) => host).join(',') });
});
afterAll(async () => {
  await docent.stop();
  await Promise.all(towns.map((one) => one.close()));
  await elsewhere.close();
});
let bot: string;
beforeEach(async () => {
  bot = (await docent.api('POST', '/chatbot/create', { name: 'Town', show_citations: true })).body.uuid;
  town = towns[next++ % TOWNS]!;
  [shown, asked, hold, most] = [{}, [], undefined, 0];
});
afterEach(() => expect(visited).toEqual([]));

/** A page whose text is its name, and which leads to others. */
const page = (name: string, ...links: string[]): string =>
  `<title>${name}</title><nav>${links.map((link) => `<a href="${link}">more</a>`).join(' ')}</nav>
  <main><p>The page of the ${name} tells all about the ${name}.</p></main>`;

const begin = async (body: object, path = '/') =>
  (await docent.api('POST', `/chatbot/${bot}/data-source/site`, { url: town.base + path, ...body })).body;
const get = async (uuid: string) => (await docent.api('GET', `/chatbot/${bot}/data-source/site/${uuid}`)).body;
const ended = (uuid: string) =>
  until(
    () => get(uuid),
    ({ status }) => status !== 'running',
  );
const learn = async (body: object = {}, path = '/') => ended((await begin(body, path)).uuid);

interface Source {
  uuid: string;
  status: string;
  file_name: string;
  title: string;
}
const sources = async (): Promise<Source[]> => (await docent.api('GET', `/chatbot/${bot}/data-sources`)).body;
/** Paths of the chatbot's pages with how they ended. */
const pages = async (): Promise<Record<string, string>> =>
  Object.fromEntries((await sources()).map(({ file_name, status }) => [file_name.replace(town.base, ''), status]));
const success = (...paths: string[]) => Object.fromEntries(paths.map((path) => [path, 'success']));
/** The pages that a question is answered from. */
async function cited(query: string): Promise<string[]> {
  const session = (await docent.api('POST', `/chatbot/${bot}/session/create`)).body.uuid;
  await docent.api('POST', `/session/${session}/message/non-stream`, { query });
  const [message] = (await docent.api('GET', `/session/${session}/messages`)).body;
  const citations = Object.values<{ file_name: string }>(JSON.parse(message.cite_data_json));
  return citations.map(({ file_name }) => file_name.replace(town.base, ''));
}

describe('a site without a sitemap', () => {
  it('is learned by its links, a source a page', async () => {
    shown = {
      '/': page('square', 'mill', '/bridge?side=north#rail', 'mill#wheel'),
      '/mill': page('mill', 'deep/cellar', '/'),
      '/bridge?side=north': page('bridge'),
      '/deep/cellar': page('cellar', '../mill'),
    };
    const made = await begin({});
    expect(Object.keys(made)).toEqual([
      'uuid',
      'url',
      'status',
      'max_pages',
      'include',
      'exclude',
      'found',
      'done',
      'failed',
      'current',
      'created_at',
      'modified_at',
    ]);
    expect(made).toMatchObject({ url: `${town.base}/`, status: 'running', max_pages: 200, include: [], exclude: [] });
    const site = await ended(made.uuid);
    expect(site).toMatchObject({ status: 'done', found: 4, done: 4, failed: 0, current: '' });
    expect(await pages()).toEqual(success('/', '/mill', '/bridge?side=north', '/deep/cellar'));
    expect(asked.toSorted()).toEqual([
      '/',
      '/bridge?side=north',
      '/deep/cellar',
      '/mill',
      '/robots.txt',
      '/sitemap.xml',
    ]);
    expect(most).toBeLessThanOrEqual(2);
    expect((await docent.api('GET', `/chatbot/${bot}/data-source/sites`)).body).toEqual([site]);
  });
});

describe('where a site says what its pages are', () => {
  const xml = (kind: 'url' | 'sitemap', ...paths: string[]) => ({
    type: 'application/xml',
    body: `<?xml version="1.0"?><${kind}set xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
      ${paths.map((path) => `<${kind}><loc> ${path.replace(/^\//, `${town.base}/`)} </loc></${kind}>`).join('')}</${kind}set>`,
  });

  it('learns those of its sitemap within the folder, and follows no links', async () => {
    shown = {
      '/sitemap.xml': xml('url', '/help/a?x=1&amp;y=2', '/help/b', '/shop/c', `${elsewhere.base}/help/d`, 'nonsense'),
      '/help/': page('help', 'hidden'),
      '/help/a?x=1&y=2': page('abbey'),
      '/help/b': page('barn', 'hidden'),
    };
    expect(await learn({}, '/help/')).toMatchObject({ status: 'done', found: 3, done: 3 });
    expect(await pages()).toEqual(success('/help/', '/help/a?x=1&y=2', '/help/b'));
    expect(asked).not.toContain('/help/hidden');
  });

  it('reads the sitemaps that robots.txt names, lists of lists and packed ones', async () => {
    const packed = (path: string) => ({ type: 'application/gzip', body: gzipSync(xml('url', path).body) });
    shown = {
      '/robots.txt': {
        type: 'text/plain',
        body: `User-agent: *\nDisallow:\nSitemap: ${town.base}/maps/all.xml\nsitemap: ${elsewhere.base}/maps.xml`,
      },
      '/maps/all.xml': xml(
        'sitemap',
        '/maps/1.xml.gz',
        '/maps/2.txt',
        '/maps/broken.gz',
        '/maps/gone.xml',
        '/maps/all.xml',
        `${elsewhere.base}/3.xml`,
      ),
      '/maps/1.xml.gz': packed('/one'),
      '/maps/2.txt': { type: 'text/plain', body: `${town.base}/two\r\n${town.base}/three` },
      '/maps/broken.gz': { type: 'application/gzip', body: gzipSync(xml('url', '/four').body).subarray(0, 40) },
      '/': page('square'),
      '/one': page('one'),
      '/two': page('two'),
      '/three': page('three'),
    };
    expect(await learn()).toMatchObject({ status: 'done', found: 4, done: 4 });
    expect(await pages()).toEqual(success('/', '/one', '/two', '/three'));
    expect(asked).not.toContain('/sitemap.xml');
  });

  it('follows links where the sitemap names no page of the folder but the first', async () => {
    shown = {
      '/sitemap.xml': xml('url', '/help/', '/shop/c'),
      '/help/': page('help', 'more'),
      '/help/more': page('more'),
    };
    expect(await learn({}, '/help/')).toMatchObject({ status: 'done', found: 2, done: 2 });
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ensureBuilt } from '../../../server/dev/build.mjs';
import { runCommand } from '../../../server/cli/run.ts';
import { newUuid, timestamp } from '../../../server/schema/ids.ts';
import { openLowdbStore } from '../../../server/store/lowdb/lowdb.ts';
import type { StoredSource } from '../../../server/store/store.ts';
import { site, start, until, type Running } from '../../running.ts';
import { aChatbot, anAgent } from '../../store/records.ts';

/** `docent learn`, by itself and with a server that has the folder. */

type Answer = string | ((request: IncomingMessage, response: ServerResponse) => void);

const page = (text: string, ...links: string[]): string =>
  `<title>${text}</title><main><p>${text}</p>${links.map((link) => `<a href="${link}">next</a>`).join(' ')}</main>`;
const asHtml = (_: unknown, response: ServerResponse, body: string): void =>
  void response.setHeader('Content-Type', 'text/html; charset=utf-8').end(body);

let dir: string;
let pages: Record<string, Answer>;
let requestedPaths: string[];
let museum: Awaited<ReturnType<typeof site>>;
let help: string;
beforeAll(async () => {
  // The pages are looked up at each request, so that a test can change them.
  const handler = (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.url ?? '';
    requestedPaths.push(path);
    const answer = pages[path];
    if (typeof answer === 'function') answer(request, response);
    else if (answer === undefined) response.writeHead(404).end();
    else asHtml(request, response, answer);
  };
  museum = await site(new Proxy({}, { get: () => handler }));
});
afterAll(() => museum.close());

beforeEach(async () => {
  [dir, pages, requestedPaths] = [await mkdtemp(join(tmpdir(), 'docent-learn-')), {}, []];
  help = await withStore(async (store) => {
    const chatbot = { ...aChatbot(store.owner.user.uuid), name: 'Help' };
    await store.createChatbot(chatbot, [anAgent(chatbot.uuid)]);
    return chatbot.uuid;
  });
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function withStore<T>(act: (store: Awaited<ReturnType<typeof openLowdbStore>>) => Promise<T>): Promise<T> {
  const store = await openLowdbStore({ dir, clock: Date.now });
  try {
    return await act(store);
  } finally {
    await store.close();
  }
}

const statuses = async (): Promise<Record<string, string>> => {
  const sources: StoredSource[] = await withStore((store) => store.sources(help));
  return Object.fromEntries(sources.map(({ file_name, status }) => [file_name.slice(museum.base.length), status]));
};

interface Typed {
  columns?: number;
  /** Called with what is said; true for a Ctrl-C. */
  interrupt?: (out: string) => boolean;
}

async function learn(words: string[], { columns, interrupt }: Typed = {}) {
  const said = { out: '', err: '' };
  let stop = (): void => {};
  const out = (text: string): void => {
    said.out += text;
    if (interrupt?.(said.out)) stop();
  };
  const env = { DATA_DIR: dir, FETCH_ALLOW: museum.host };
  const code = await runCommand(['learn', ...words], env, {
    out,
    err: (text) => (said.err += text),
    columns: () => columns,
    onInterrupt(act) {
      stop = act;
      return () => (stop = () => {});
    },
  });
  return { code, ...said };
}

describe.each(['without a server', 'with a running server'])('%s', (how) => {
  let docent: Running | undefined;
  beforeEach(async () => {
    docent = how.startsWith('with ') ? await start({ DATA_DIR: dir, FETCH_ALLOW: museum.host }) : undefined;
  });
  afterEach(() => docent?.stop());
  /** What is kept is looked at when nobody else has the folder. */
  const kept = async () => {
    await docent?.stop();
    docent = undefined;
    return statuses();
  };

  it('ingests a page, and ingests it again when called again', async () => {
    pages['/hours'] = page('The museum opens at nine.');
    const url = `${museum.base}/hours`;
    const { code, out, err } = await learn([help, url]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^learned 1 page in \d+\.\d s\n$/);
    pages['/hours'] = page('The museum is closed.');
    expect(await learn(['Help', url])).toMatchObject({ code: 0 });
    expect(requestedPaths.filter((path) => path === '/hours')).toHaveLength(2);
    expect(await kept()).toEqual({ '/hours': 'success' });
  });

  it('prints the reason where a page cannot be ingested', async () => {
    const { code, out, err } = await learn(['Help', `${museum.base}/gone`]);
    expect({ code, err }).toEqual({ code: 1, err: `1 page failed:\n  ${museum.base}/gone  not found\n` });
    expect(out).toMatch(/^learned 0 pages /);
  });

  it.each(['shop.test', 'ftp://shop.test/', 'http://a:b@shop.test/'])('%s is no page', async (url) => {
    const { code, out, err } = await learn(['Help', url]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^docent: url must .*\n$/);
  });

  it('takes a uuid, or a name that only one chatbot has', async () => {
    const unknown = await learn(['Shop', museum.base]);
    expect(unknown).toMatchObject({ code: 1, out: '' });
    expect(unknown.err).toBe(`docent: there is no chatbot "Shop"; there are: Help (${help})\n`);
    await docent?.stop();
    docent = undefined;
    const other = { ...aChatbot('0'.repeat(32)), uuid: newUuid(), name: 'Help' };
    await withStore(async (store) => {
      await store.addUser({ uuid: '0'.repeat(32), email: 'ann@example.com', created_at: timestamp(Date.now) });
      await store.createChatbot(other, []);
    });
    const unclear = await learn(['Help', museum.base]);
    expect(unclear).toMatchObject({ code: 1, out: '' });
    expect(unclear.err).toContain('"Help" could be any of 2 chatbots');
    for (const uuid of [help, other.uuid]) expect(unclear.err).toContain(uuid);
    expect(requestedPaths).toEqual([]);
  });

  it('refuses a page at a private address, and names the setting that allows it', async () => {
    const { code, err } = await learn(['Help', 'http://10.0.0.1/']);
    expect(code).toBe(1);
    expect(err).toMatch(/10\.0\.0\.1\/ {2}blocked address: .*FETCH_ALLOW/);
  });

  it('ingests a whole site, and lists its dead links without failing', async () => {
    Object.assign(pages, {
      '/': page('The museum.', '/hours', '/shop', '/dead'),
      '/hours': page('It opens at nine.', '/'),
      '/shop': page('The shop sells cards.', '/hours'),
    });
    const { code, out, err } = await learn(['Help', `${museum.base}/`, '--site', '--max-pages', '4']);
    const dead = `  404 ${museum.base}/dead, linked from ${museum.base}/\n`;
    expect({ code, err }).toEqual({ code: 0, err: `1 dead link:\n${dead}` });
    expect(out).toMatch(/^learned 3 pages in \d+\.\d s\n$/);
    expect(await kept()).toEqual({ '/': 'success', '/hours': 'success', '/shop': 'success' });
  });

  it('lists twenty dead links, and counts the others', async () => {
    pages['/'] = page('The museum.', ...Array.from({ length: 30 }, (_, at) => `/dead${at}`));
    const { code, err } = await learn(['Help', `${museum.base}/`, '--site']);
    const lines = err.split('\n');
    expect({ code, first: lines[0], last: lines.at(-2) }).toEqual({
      code: 0,
      first: '30 dead links:',
      last: '  and 10 more',
    });
    const listed = lines.slice(1, -2).filter((line) => line.endsWith(`, linked from ${museum.base}/`));
    expect(new Set(listed).size).toBe(20);
  });

  it('keeps a crawl within --max-pages, --include and --exclude', async () => {
    for (const path of ['/a', '/old/b', '/c', '/d']) pages[path] = page(`This is ${path}.`);
    pages['/'] = page('The museum.', '/old/b', '/a', '/c', '/d');
    const bounds = ['--max-pages', '3', '--exclude', '/old/', '--exclude=*d'];
    const { code, err } = await learn(['Help', `${museum.base}/`, '--site', ...bounds]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(await kept()).toEqual({ '/': 'success', '/a': 'success', '/c': 'success' });
  });

  it('says where the site has more pages than --max-pages', async () => {
    for (const path of ['/a', '/b', '/c']) pages[path] = page(`This is ${path}.`);
    pages['/'] = page('The museum.', '/a', '/b', '/c');
    const { code, err } = await learn(['Help', `${museum.base}/`, '--site', '--max-pages', '3']);
    expect({ code, err }).toEqual({ code: 0, err: 'the site has more: --max-pages is how many it takes\n' });
    expect(await kept()).toEqual({ '/': 'success', '/a': 'success', '/b': 'success' });
  });

  it('exits with 1 where the first page of a site cannot be fetched', async () => {
    const { code, out, err } = await learn(['Help', `${museum.base}/`, '--site']);
    expect(code).toBe(1);
    expect(out).toMatch(/^learned 0 pages /);
    expect(err).toContain(`${museum.base}/  not found`);
  });

  it('exits with 1 where more than a tenth of the pages fail', async () => {
    const paths = Array.from({ length: 9 }, (_, at) => `/p${at}`);
    for (const path of paths) pages[path] = page(`This is ${path}.`);
    for (const path of paths.slice(7)) pages[path] = (_, response) => response.writeHead(500).end();
    pages['/'] = page('The museum.', ...paths);
    const { code, out, err } = await learn(['Help', `${museum.base}/`, '--site']);
    expect(code).toBe(1);
    expect(out).toMatch(/^learned 8 pages /);
    expect(err.split('\n').toSorted()).toEqual([
      '',
      `  ${museum.base}/p7  download`,
      `  ${museum.base}/p8  download`,
      '2 pages failed:',
    ]);
  });

  it('stops a crawl at Ctrl-C, and keeps the ingested pages', async () => {
    const paths = Array.from({ length: 20 }, (_, at) => `/p${at}`);
    const slowly =
      (path: string): Answer =>
      (request, response) =>
        void setTimeout(() => asHtml(request, response, page(`This is ${path}.`)), 300);
    for (const path of paths) pages[path] = slowly(path);
    pages['/'] = page('The museum.', ...paths);
    const words = ['Help', `${museum.base}/`, '--site'];
    const { code, out, err } = await learn(words, { columns: 80, interrupt: (said) => / [3-9]\/21/.test(said) });
    expect({ code, err }).toEqual({ code: 130, err: '' });
    const learned = Number(/learned (\d+) pages in .* s, and stopped\n$/.exec(out)?.[1]);
    expect(learned).toBeGreaterThanOrEqual(3);
    expect(Object.values(await kept()).filter((status) => status === 'success')).toHaveLength(learned);
    expect(requestedPaths.length).toBeLessThan(15);
  });
});

describe('how far it is', () => {
  const crowd = (count: number): void => {
    const paths = Array.from({ length: count }, (_, at) => `/a-page-of-the-museum-with-a-long-address/${at}`);
    for (const path of paths) {
      pages[path] = (request, response) =>
        void setTimeout(() => asHtml(request, response, page(`This is ${path}.`)), 150);
    }
    pages['/'] = page('The museum.', ...paths);
  };

  it.each([24, 60, 100])(
    'is one line on a terminal of %i columns, drawn again and gone at the end',
    async (columns) => {
      crowd(10);
      const { code, out } = await learn(['Help', `${museum.base}/`, '--site'], { columns });
      expect(code).toBe(0);
      const drawn = out.split('\r\u001b[K');
      expect(drawn.length).toBeGreaterThan(3);
      for (const line of drawn.slice(0, -1)) expect(line.length).toBeLessThan(columns);
      expect(drawn.at(-1)).toMatch(/^learned 11 pages/);
      if (columns >= 60) expect(out).toMatch(/\[#+\.+\] \d+\/11, \d+\.\d pages\/s {2}(?:http|…)\S+/);
    },
  );

  it('is a line every few seconds where output is no terminal', async () => {
    pages['/'] = page('The museum.', '/slow');
    pages['/slow'] = () => {};
    const words = ['Help', `${museum.base}/`, '--site'];
    const { code, out } = await learn(words, { interrupt: (said) => said !== '' });
    expect(code).toBe(130);
    const [line] = out.split('\n');
    expect(line).toBe(`1 of 2 pages, 0 failed, 0.2 pages/s: ${museum.base}/slow`);
  });
});

it.each([
  ['--max-pages 5', /go with --site/],
  ['--site --max-pages 0', /--max-pages/],
  ['--site --max-pages 2001', /--max-pages/],
  ['--site --max-pages many', /--max-pages/],
  [`--site --include ${'x'.repeat(301)}`, /include/],
])('%s is refused', async (words, sentence) => {
  const { code, out, err } = await learn(['Help', museum.base, ...words.split(' ')]);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(sentence);
  expect(requestedPaths).toEqual([]);
});

it('stops the process at Ctrl-C, once, with exit code 130', async () => {
  await ensureBuilt();
  pages['/'] = page('The museum.', '/slow');
  pages['/slow'] = () => {};
  const child = spawn(process.execPath, ['dist/server/main.js', 'learn', 'Help', `${museum.base}/`, '--site'], {
    env: { PATH: process.env['PATH'], DATA_DIR: dir, FETCH_ALLOW: museum.host },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (piece) => (out += String(piece)));
  const ended = once(child, 'close');
  await until(
    () => Promise.resolve(requestedPaths),
    (paths) => paths.includes('/slow'),
    20_000,
  );
  child.kill('SIGINT');
  expect(await ended).toEqual([130, null]);
  // The first page leads to the next before it is in the index itself.
  expect(out).toMatch(/^learned [01] pages? in .* s, and stopped\n$/);
}, 120_000);

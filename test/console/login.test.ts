import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { printWelcome } from '../../server/cli/welcome.ts';
import { ensureBuilt } from '../../server/dev/build.mjs';
import { freePort } from '../browser/built-server.ts';
import { databaseOf, onFiles } from '../engine/engine.ts';
import { start, until } from '../running.ts';
import { cookieOf, OWN, send, tokenOf } from './requests.ts';

/** `docent login` and the first start, by the built program. */

let folder: string;
const folders: string[] = [];
let env: NodeJS.ProcessEnv;
const API_KEY = 'the-key-of-the-login-tests';
beforeAll(async () => {
  await ensureBuilt();
});
afterAll(async () => {
  for (const dir of folders) await rm(dir, { recursive: true, force: true });
});

const newPlace = async (): Promise<void> => {
  folder = await mkdtemp(join(tmpdir(), 'docent-login-'));
  folders.push(folder);
  const DATABASE_URL = await databaseOf(folder);
  const PORT = String(await freePort());
  env = {
    PATH: process.env['PATH'],
    DATA_DIR: folder,
    PORT,
    API_KEY,
    DEMO: '0',
    ...(DATABASE_URL && { DATABASE_URL }),
  };
};

async function docent(words: string[], more: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, ['dist/server/main.js', ...words], { env: { ...env, ...more } });
  const said = { out: '', err: '' };
  child.stdout.on('data', (piece) => (said.out += String(piece)));
  child.stderr.on('data', (piece) => (said.err += String(piece)));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...said };
}

async function serve(more: NodeJS.ProcessEnv = {}) {
  const own = { ...env, ...more };
  const child = spawn(process.execPath, ['dist/server/main.js'], { env: own });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said += String(piece)));
  const ended = once(child, 'close');
  const end = async (): Promise<void> => {
    child.kill();
    await ended;
  };
  onTestFinished(end);
  const base = `http://127.0.0.1:${own['PORT']}`;
  const isReady = () => fetch(`${base}/readyz`).then(({ status }) => status === 200);
  await until(() => isReady().catch(() => false), Boolean);
  return { base, end, output: () => said };
}

const use = (base: string, link: string) => send(base, 'POST', '/console/session', OWN, { link: tokenOf(link) });

it('prints a link without a server, which the next one takes once', async () => {
  await newPlace();
  const { code, out, err } = await docent(['login']);
  expect({ code, err }).toMatchObject({ code: 0 });
  expect(out).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${env['PORT']}/console/#sign-in=[\\w-]{43}\n$`));
  expect(err).toContain('Open it within 30 minutes: it signs in one browser, as owner@localhost.\n');
  const server = await serve();
  expect(await use(server.base, out)).toMatchObject({ status: 200, body: { user: { name: 'owner@localhost' } } });
  expect((await use(server.base, out)).status).toBe(401);
});

it('prints one of a running server, at its public address, for the user of an address', async () => {
  await newPlace();
  const server = await serve({ PUBLIC_URL: 'https://chat.example.com/docent' });
  expect((await docent(['user', 'add', 'ann@example.com'])).code).toBe(0);
  const { out } = await docent(['login', 'Ann@example.com']);
  expect(out).toMatch(/^https:\/\/chat\.example\.com\/docent\/console\/#sign-in=[\w-]{43}\n$/);
  const reply = await use(server.base, out);
  expect(reply).toMatchObject({ status: 200, body: { user: { name: 'ann@example.com' }, is_secure: true } });
  expect(await docent(['login', 'bob@example.com'])).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('there is no user bob@example.com'),
  });
  expect((await docent(['login', 'ann@example.com', 'bob@example.com'])).code).toBe(2);
});

it('lists the browsers that are signed in, and ends those of one user', async () => {
  await newPlace();
  expect(await docent(['sign-in', 'list'])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^SIGN-IN .*BROWSER\n$/),
  });
  const server = await serve();
  const signIn = async (body: object, agent: string): Promise<string> =>
    cookieOf(await send(server.base, 'POST', '/console/session', { ...OWN, 'user-agent': agent }, body));
  const byOwner = await signIn({ key: API_KEY }, 'Firefox\u009b31m');
  expect((await docent(['user', 'add', 'ann@example.com'])).code).toBe(0);
  const { out: key } = await docent(['key', 'add', 'ann@example.com', '--name', 'laptop']);
  const byKey = await signIn({ key: key.trim() }, 'Chrome');
  const byLink = await signIn({ link: tokenOf((await docent(['login', 'ann@example.com'])).out) }, 'Safari');
  const isSignedIn = async (cookie: string): Promise<boolean> =>
    (await send(server.base, 'GET', '/console/session', { ...OWN, cookie })).status === 200;
  const all = [byOwner, byKey, byLink];

  const { out } = await docent(['sign-in', 'list']);
  expect(out).not.toMatch(/[^\P{C}\n]/u);
  for (const secret of [API_KEY, key.trim(), ...all.map((cookie) => cookie.slice('docent='.length))])
    expect(out).not.toContain(secret);
  const lines = out.trim().split('\n').slice(1);
  expect(lines.map((line) => line.split(/ {2,}/).filter((_, at) => at === 1 || at > 3))).toEqual([
    ['owner@localhost', 'API_KEY', expect.stringMatching(/^Firefox/)],
    ['ann@example.com', 'key laptop', 'Chrome'],
    ['ann@example.com', 'link', 'Safari'],
  ]);
  expect((await docent(['sign-in', 'list', 'Ann@example.com'])).out.trim().split('\n')).toHaveLength(3);

  const [owners, first] = lines.map((line) => line.slice(0, 8));
  const refused = await docent(['sign-in', 'end', 'ann@example.com', first!, owners!]);
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('ann@example.com has no sign-in') });
  expect(await Promise.all(all.map(isSignedIn))).toEqual([true, true, true]);
  const one = await docent(['sign-in', 'end', 'ann@example.com', first!]);
  expect(one).toMatchObject({ code: 0, out: 'ended 1 sign-in of ann@example.com\n' });
  expect(await Promise.all(all.map(isSignedIn))).toEqual([true, false, true]);
  const rest = await docent(['sign-in', 'end', 'ANN@example.com']);
  expect(rest).toMatchObject({ code: 0, out: 'ended 1 sign-in of ann@example.com\n' });
  expect(await Promise.all(all.map(isSignedIn))).toEqual([true, false, false]);
  expect(await docent(['sign-in', 'end', 'bob@example.com'])).toMatchObject({ code: 1 });
  expect((await docent(['sign-in', 'end'])).code).toBe(2);
});

it('says why there is none with CONSOLE=0', async () => {
  await newPlace();
  const refused = { code: 1, out: '', err: expect.stringContaining('CONSOLE=0 leaves the console out') };
  expect(await docent(['login'], { CONSOLE: '0' })).toMatchObject(refused);
  await serve({ CONSOLE: '0' });
  expect(await docent(['login'])).toMatchObject(refused);
});

it('leaves no link, key or cookie in the log, whatever is tried', async () => {
  await newPlace();
  const server = await serve({ LOG_LEVEL: 'trace' });
  const { out } = await docent(['login']);
  const { out: key } = await docent(['key', 'add', 'owner@localhost', '--name', 'mine']);
  const byLink = await use(server.base, out);
  const byKey = await send(server.base, 'POST', '/console/session', OWN, { key: key.trim() });
  expect([byLink.status, byKey.status]).toEqual([200, 200]);
  const cookies = [byLink, byKey].map(cookieOf);
  const secrets = [tokenOf(out), key.trim(), API_KEY, ...cookies.map((cookie) => cookie.slice('docent='.length))];
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(20);
    for (const body of [{ link: secret }, { key: secret }, { [secret]: secret }, [secret], `{"link":"${secret}`])
      await send(server.base, 'POST', '/console/session', OWN, body);
    for (const cookie of cookies) {
      await send(server.base, 'GET', '/console/sessions', { ...OWN, cookie });
      await send(server.base, 'POST', '/api/v1/chatbot/create', { cookie }, { name: 'x' });
      await send(server.base, 'POST', '/api/v1/chatbot/create', { ...OWN, cookie }, { name: 7 });
    }
    await send(server.base, 'GET', '/console/session', { ...OWN, cookie: `docent=${secret}` });
  }
  await server.end();
  const lines = server.output().split('\n');
  expect(lines.filter((line) => line.includes('"/console/session"')).length).toBeGreaterThan(20);
  expect(lines.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([]);
  expect(lines.filter((line) => /"cookie"|"authorization"/i.test(line))).toEqual([]);
});

it.skipIf(onFiles)('signs in at one of two servers that a link is used at, and ends at both', async () => {
  await newPlace();
  const other = { DATA_DIR: join(folder, 'other'), PORT: String(await freePort()) };
  const [one, two] = await Promise.all([serve(), serve(other)]);
  const { out } = await docent(['login']);
  const bases = Array.from({ length: 10 }, (_, i) => (i % 2 ? one.base : two.base));
  const replies = await Promise.all(bases.map((base) => use(base, out)));
  const statuses = replies.map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, ...Array<number>(9).fill(401)]);
  const cookie = cookieOf(replies[statuses.indexOf(200)]!);
  const both = () =>
    Promise.all([one, two].map(({ base }) => send(base, 'GET', '/api/v1/user', { ...OWN, cookie }))).then((all) =>
      all.map(({ status }) => status),
    );
  expect(await both()).toEqual([200, 200]);
  await send(two.base, 'DELETE', '/console/session', { ...OWN, cookie });
  expect(await both()).toEqual([401, 401]);
});

it('is printed at the first start, once, beside the key, where the console is built', async () => {
  const page = await mkdtemp(join(tmpdir(), 'docent-page-'));
  const dataDir = await mkdtemp(join(tmpdir(), 'docent-welcome-'));
  onTestFinished(async () => {
    for (const dir of [page, dataDir]) await rm(dir, { recursive: true, force: true });
  });
  await writeFile(join(page, 'index.html'), '<!doctype html>');
  const own = { API_KEY: undefined, DATA_DIR: dataDir };
  const server = await start(own, undefined, page);
  const welcome = async (): Promise<string> => {
    let said = '';
    await printWelcome(server.booted, (words) => (said += words));
    return said;
  };
  const [first, second] = [await welcome(), await welcome()];
  const [, link = ''] =
    /^This link opens the console, .* 30 minutes:\n {2}(\S+)\nDocent listens .*\nYour API key, .*\n$/m.exec(first) ??
    [];
  expect(link.startsWith(`${server.base}/console/#sign-in=`)).toBe(true);
  expect(second).not.toMatch(/key|sign-in/);
  expect(await use(server.base, link)).toMatchObject({ status: 200, body: { user: { name: 'owner@localhost' } } });
  await server.stop();
  const bare = await start({ API_KEY: undefined }, undefined, join(page, 'missing'));
  let said = '';
  await printWelcome(bare.booted, (words) => (said += words));
  expect(said).toMatch(/Your API key/);
  expect(said).not.toContain('sign-in');
  await bare.stop();
});

import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { freePort, startBuiltServer, until, type BuiltServer } from '../../browser/built-server.ts';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { blocksOf, textOf } from '../../readme/texts.ts';
import { open, send, startNginx, waitUntilReady, type Proxy, type RequestOptions } from './proxies.ts';

/** The configurations of the production guide, each run by its proxy in front of a built server. */

const guide = textOf('production');
const required = process.env['REQUIRE_PROXIES'] === '1';
const isInstalled = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;
const missingPrograms = ['nginx -v', 'caddy version', 'openssl version', 'systemd-analyze --version'].filter((line) => {
  const [program = '', ...args] = line.split(' ');
  return !isInstalled(program, ...args);
});
if (missingPrograms.length > 0 && !required)
  console.error(
    `production: left out what needs these: ${missingPrograms.map((line) => line.split(' ')[0]).join(', ')}`,
  );
const canRun = (...programs: string[]): boolean =>
  required || !missingPrograms.some((line) => programs.includes(line.split(' ')[0]!));

let server: BuiltServer;
let model: FakeModel;
let folder: string;
let proxy: Proxy | undefined;

beforeAll(async () => {
  model = await startFakeModel();
  // What the unit of the guide sets, beside the model.
  const env = { DEMO: '0', TRUST_PROXY_HOPS: '1', LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake' };
  server = await startBuiltServer(env);
  folder = await mkdtemp(join(tmpdir(), 'docent-proxy-'));
});
afterEach(async () => {
  await proxy?.stop();
  proxy = undefined;
});
afterAll(async () => {
  await server?.stop();
  await model?.close();
  await rm(folder, { recursive: true, force: true });
});

const nginx = (block: string, path: string): Promise<Proxy> =>
  startNginx({ folder, block, path, servers: { 8080: server.port } });

/** Caddy would ask a certificate authority for the name; here it serves the same site over HTTP. */
async function caddy(block: string, path: string): Promise<Proxy> {
  const port = await freePort();
  const [host = ''] = block.split(' ');
  const configured = block
    .replace(`${host} {`, `http://${host}:${port} {\nbind 127.0.0.1`)
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${server.port}`);
  const file = join(folder, 'Caddyfile');
  await writeFile(file, `{\nadmin off\nauto_https off\n}\n${configured}`);
  const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return waitUntilReady(child, { origin: `http://127.0.0.1:${port}`, path, host });
}

const authorization = () => ({ Authorization: `Bearer ${server.key}` });
const JSON_TYPE = { 'Content-Type': 'application/json' };

async function createChatbot(place: Proxy, settings: object = {}): Promise<string> {
  const body = JSON.stringify({ name: 'Shop', visibility: 'public', ...settings });
  const made = await send(place, '/api/v1/chatbot/create', { body, headers: { ...authorization(), ...JSON_TYPE } });
  return (JSON.parse(made.text) as { uuid: string }).uuid;
}

const ask = (query: string): RequestOptions => ({ body: JSON.stringify({ query }), headers: JSON_TYPE });

async function addSource(place: Proxy, chatbot: string): Promise<void> {
  await send(place, `/api/v1/chatbot/${chatbot}/data-source/upload`, page(1000));
  const list = { headers: authorization() };
  await until(async () =>
    (await send(place, `/api/v1/chatbot/${chatbot}/data-sources`, list)).text.includes('"success"'),
  );
}

/** The form of an upload of so many bytes, all of it but a sentence in a comment. */
function page(bytes: number): RequestOptions {
  const [head, tail] = ['<title>Ferries</title><p>Ferries leave at noon.</p><!--', '-->'];
  const file = head + 'x'.repeat(bytes - head.length - tail.length) + tail;
  const part =
    '--edge\r\nContent-Disposition: form-data; name="file"; filename="ferries.html"\r\nContent-Type: text/html\r\n\r\n';
  return {
    body: `${part}${file}\r\n--edge--\r\n`,
    headers: { ...authorization(), 'Content-Type': 'multipart/form-data; boundary=edge' },
  };
}

const LARGEST = 50 * 1024 * 1024;
const blocks = (language: string): string[] => blocksOf(guide, language);

const configurations: [name: string, program: string, start: () => Promise<Proxy>][] = [
  ['nginx', 'nginx', () => nginx(blocks('nginx')[0]!, '')],
  ['nginx, under a path', 'nginx', () => nginx(blocks('nginx')[1]!, '/docent')],
  ['Caddy', 'caddy', () => caddy(blocks('caddy')[0]!, '')],
  ['Caddy, under a path', 'caddy', () => caddy(blocks('caddy')[1]!, '/docent')],
];

describe.each(configurations)('%s', (_name, program, start) => {
  const testWith = test.skipIf(!canRun(program, 'openssl'));

  testWith('passes an answer on in pieces, while the model still writes', async () => {
    proxy = await start();
    const chatbot = await createChatbot(proxy);
    await addSource(proxy, chatbot);
    let goOn = (): void => {};
    const hold = new Promise<void>((done) => (goOn = done));
    const reply = {
      raw: [
        'data: {"choices":[{"delta":{"content":"Ferries leave at noon. "}}]}\n\n',
        'data: {"choices":[{"delta":{"content":"Be there early."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
      ],
      headers: { 'content-type': 'text/event-stream' },
      beforeHold: 1,
      hold,
    };
    model.next(reply);
    const stream = await open(proxy, `/chat/${chatbot}/ask`, ask('When do ferries leave?'));
    let got = '';
    for await (const piece of stream) {
      got += String(piece);
      // The model writes no more until the first words have arrived here.
      if (/event: delta\n.*Ferries/.test(got)) goOn();
    }
    expect(got).toMatch(/event: delta\n.*early/s);
    expect(got).toMatch(/^event: done$/m);
  });

  testWith('tells visitors apart, whatever address they claim', async () => {
    proxy = await start();
    const chatbot = await createChatbot(proxy, { rate_limit: [2, 240] });
    const statusOf = async (from: string, headers: Record<string, string> = {}): Promise<number> => {
      const question = ask('Is anybody there?');
      return (await send(proxy!, `/chat/${chatbot}/ask`, { ...question, from, headers: { ...JSON_TYPE, ...headers } }))
        .status;
    };
    expect([await statusOf('127.0.0.2'), await statusOf('127.0.0.2'), await statusOf('127.0.0.2')]).toEqual([
      200, 200, 429,
    ]);
    expect(await statusOf('127.0.0.2', { 'X-Forwarded-For': '203.0.113.9' })).toBe(429);
    expect(await statusOf('127.0.0.3')).toBe(200);
  });

  testWith('lets uploads of 50 MB through, and the server refuse larger ones', async () => {
    proxy = await start();
    const chatbot = await createChatbot(proxy);
    const upload = `/api/v1/chatbot/${chatbot}/data-source/upload`;
    const added = await send(proxy, upload, page(LARGEST));
    expect([added.status, JSON.parse(added.text)]).toEqual([200, expect.objectContaining({ file_size: LARGEST })]);
    const refused = await send(proxy, upload, page(LARGEST + 1));
    expect([refused.status, JSON.parse(refused.text)]).toEqual([413, expect.objectContaining({ code: 'too_large' })]);
    await send(proxy, `/api/v1/data-source/${JSON.parse(added.text).uuid}/delete`, {
      body: '{}',
      headers: { ...authorization(), ...JSON_TYPE },
    });
  });

  testWith('serves the launcher with its panel, the guides with their links, and the page of a chatbot', async () => {
    proxy = await start();
    const chatbot = await createChatbot(proxy);
    const launcher = await send(proxy, '/embed.js');
    expect(launcher.headers['content-type']).toMatch('text/javascript');
    const [panel] = /embed\/panel-[\w-]{8}\.js/.exec(launcher.text)!;
    // What the launcher and the pages load, from where a browser would.
    const linked = [new URL(panel, `https://host${proxy.path}/embed.js`)];
    for (const from of ['/docs', '/docs/production', `/c/${chatbot}`]) {
      const { status, text } = await send(proxy, from);
      expect([from, status]).toEqual([from, 200]);
      for (const [, href = ''] of text.matchAll(/(?:href|src|spec-url)="([^"#]+)"/g)) {
        if (!/^(?:data|https?):/.test(href)) linked.push(new URL(href, `https://host${proxy.path}${from}`));
      }
    }
    for (const path of new Set(linked.map(({ pathname }) => pathname))) {
      expect(path.startsWith(`${proxy.path}/`), path).toBe(true);
      expect([path, (await send(proxy, path.slice(proxy.path.length))).status]).toEqual([path, 200]);
    }
    expect(linked.length).toBeGreaterThan(10);
  });
});

describe('the systemd unit', () => {
  const [unit = ''] = blocks('ini');

  test.skipIf(!canRun('systemd-analyze'))('passes systemd-analyze verify without a warning', async () => {
    const file = join(folder, 'docent.service');
    // The program has to exist: the built one stands in for the installed.
    const program = join(process.cwd(), 'dist/server/main.js');
    await writeFile(file, unit.replace(/(?<=^ExecStart=).*$/m, program));
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
    const own = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('docent'));
    expect([status, own]).toEqual([0, []]);
  });

  test('starts a server with the unit’s variables', async () => {
    const set = [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!] as const);
    expect(set.length).toBeGreaterThan(3);
    const started = await startBuiltServer({ ...Object.fromEntries(set), DATA_DIR: join(folder, 'data') });
    expect(started.output()).toMatch(/^Docent listens at http:\/\/127\.0\.0\.1:\d+ for https:\/\/chat\.example\.com$/m);
    expect(await started.stop()).toBe(0);
  });
});

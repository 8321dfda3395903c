import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../browser/built-server.ts';
import { startFakeModel, type FakeModel } from '../fakes/model.ts';
import { until } from '../running.ts';

/** The built program as its operator starts and stops it. */

let folder: string;
let model: FakeModel;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docent-start-'));
  model = await startFakeModel({ script: { pieces: Array.from({ length: 20 }, (_, i) => `word${i} `), pace: 50 } });
});
afterAll(async () => {
  await model.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a program on a terminal of its own. */
const hasScript = spawnSync('script', ['--version']).status === 0;
if (!hasScript) console.error('start: the part on a terminal is left out, script of util-linux is not here');

interface Started {
  child: ChildProcess;
  base: string;
  out: () => string;
  err: () => string;
  ended: Promise<number | null>;
}

async function run(env: Record<string, string>): Promise<Started> {
  const port = String(await freePort());
  const own = { PATH: process.env['PATH'] ?? '', PORT: port, DEMO: '0', DATA_DIR: folder };
  const child = spawn(process.execPath, ['dist/server/main.js'], { env: { ...own, ...env } });
  let out = '';
  let err = '';
  child.stdout.on('data', (piece) => (out += String(piece)));
  child.stderr.on('data', (piece) => (err += String(piece)));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, base: `http://127.0.0.1:${env['PORT'] ?? port}`, out: () => out, err: () => err, ended };
}

const ready = (one: Started): Promise<unknown> =>
  until(
    () =>
      fetch(`${one.base}/readyz`).then(
        (reply) => reply.status,
        () => 0,
      ),
    (status) => status === 200,
  );

async function stop(one: Started): Promise<number | null> {
  one.child.kill('SIGTERM');
  return one.ended;
}

const bearer = (key: string): Record<string, string> => ({
  Authorization: `Bearer ${key}`,
  'Content-Type': 'application/json',
});

/** A request with more bytes than it says: Node's parser ends it in the middle of its handling. */
function sendTooManyBytes(base: string, path: string, key: string): Promise<unknown> {
  const { hostname, port } = new URL(base);
  const head = `POST ${path} HTTP/1.1\r\nHost: docent.test\r\nConnection: close\r\nAuthorization: Bearer ${key}`;
  const type = 'Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 80';
  const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n';
  const socket = connect(Number(port), hostname, () => {
    socket.write(`${head}\r\n${type}\r\n\r\n${part}canary text that goes on and on`);
  });
  socket.on('error', () => {}).resume();
  return once(socket, 'close');
}

async function filesBelow(dir: string): Promise<string> {
  const names = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = names
    .filter((entry) => entry.isFile())
    .map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8'));
  return (await Promise.all(files)).join('\n');
}

describe('the program', () => {
  it.each([
    ['PORT', 'http'],
    ['API_KEY', 'short'],
    ['FETCH_ALLOW', 'intranet'],
    ['LLM_BASE_URL', 'nowhere'],
  ])('exits with 1 on an invalid %s and names it', async (name, value) => {
    const one = await run({ [name]: value });
    expect(await one.ended).toBe(1);
    expect(one.err()).toContain(`${name} must be`);
  });

  it.each([
    ['an uncaught exception', 'throw new Error("planted")'],
    ['an unhandled rejection', 'Promise.reject(new Error("planted"))'],
  ])(
    'exits with 1 after %s, once the answer in progress is complete',
    async (_, fault) => {
      const planted = `process.on("SIGUSR2",()=>{${fault}})`;
      const API_KEY = 'the-key-of-the-fault';
      const one = await run({
        DATA_DIR: join(folder, fault.slice(0, 5)),
        API_KEY,
        LLM_BASE_URL: model.baseUrl,
        LLM_MODEL: 'small',
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(planted)}`,
      });
      await ready(one);
      const call = (path: string, body: object) =>
        fetch(`${one.base}/api/v1${path}`, { method: 'POST', headers: bearer(API_KEY), body: JSON.stringify(body) });
      const made = async (path: string): Promise<string> => (await (await call(path, { name: 'Fault' })).json()).uuid;
      const session = await made(`/chatbot/${await made('/chatbot/create')}/session/create`);
      model.next({ pieces: ['One', ' two', ' three.'], pace: 200 });
      const reply = await call(`/session/${session}/message/stream`, { query: 'How many?' });
      one.child.kill('SIGUSR2');
      expect(await reply.text()).toBe('One two three.');
      expect(await one.ended).toBe(1);
      expect(one.out()).toMatch(/"msg":"un(?:caught exception|handled rejection): the server drains and ends"/);
      expect(one.out()).toContain('planted');
    },
    60_000,
  );

  it('creates a key at its first start, prints it once outside the log and stores only its hash', async () => {
    const DATA_DIR = join(folder, 'first');
    const first = await run({ DATA_DIR });
    await ready(first);
    await until(
      async () => first.err(),
      (words) => /dk_.*\n/.test(words),
    );
    const last = first.err().trim().split('\n').slice(-2);
    expect(last).toEqual([
      `Docent listens at ${first.base}`,
      expect.stringMatching(/^Your API key, shown this once: dk_[\w-]{32}$/),
    ]);
    const key = /dk_[\w-]{20,}/.exec(first.err())?.[0] ?? '';
    const made = await fetch(`${first.base}/api/v1/chatbot/create`, {
      method: 'POST',
      headers: bearer(key),
      body: '{"name":"Mine"}',
    });
    expect(made.status).toBe(200);
    const { uuid } = await made.json();
    expect(await stop(first)).toBe(0);
    expect(first.out()).not.toContain(key);
    expect(await filesBelow(DATA_DIR)).not.toContain(key);

    const API_KEY = 'now a key of my own';
    const second = await run({ DATA_DIR, API_KEY });
    await ready(second);
    const mine = await fetch(`${second.base}/api/v1/chatbot/${uuid}`, { headers: bearer(API_KEY) });
    expect(mine.status).toBe(200);
    await stop(second);
    expect(second.err()).not.toContain('dk_');
    expect(second.err()).toContain('To sign in to the console, run: docent login\n');
    expect(first.err()).not.toContain('docent login');
  });

  it.skipIf(!hasScript && !process.env['CI'])(
    'prints address and key last on a terminal, and logs no requests',
    async () => {
      const PORT = String(await freePort());
      const own = { PATH: process.env['PATH'], PORT, DATA_DIR: join(folder, 'terminal') };
      const command = `exec '${process.execPath}' dist/server/main.js`;
      const child = spawn('script', ['-qec', command, '/dev/null'], { env: own, stdio: ['ignore', 'pipe', 'pipe'] });
      let said = '';
      child.stdout.on('data', (piece) => (said += String(piece)));
      const ended = once(child, 'close');
      await until(
        async () => said,
        (words) => /dk_[\w-]{32}/.test(words),
      );
      expect((await fetch(`http://127.0.0.1:${PORT}/demo/`)).status).toBe(200);
      const last = said.trim().split(/\r?\n/).slice(-2);
      child.kill('SIGTERM');
      await ended;
      expect(said).not.toContain('"msg"');
      expect(last).toEqual([
        `The demo is at http://127.0.0.1:${PORT}/demo/`,
        expect.stringMatching(/^Your API key, shown this once: dk_[\w-]{32}$/),
      ]);
    },
  );

  it('logs one JSON object per line, with a request id and without keys, questions or sessions', async () => {
    const DATA_DIR = join(folder, 'log');
    const API_KEY = 'canary-key-of-the-log';
    const one = await run({
      DATA_DIR,
      API_KEY,
      LLM_BASE_URL: model.baseUrl,
      LLM_MODEL: 'm',
      LLM_API_KEY: 'canary-llm',
      LLM_MODLE: 'canary-model',
    });
    await ready(one);
    const post = async (path: string, body: object) =>
      fetch(`${one.base}/api/v1${path}`, { method: 'POST', headers: bearer(API_KEY), body: JSON.stringify(body) });
    const chatbot = await (await post('/chatbot/create', { name: 'Mine' })).json();
    const session = await (await post(`/chatbot/${chatbot.uuid}/session/create`, {})).json();
    const replies = [
      await post(`/session/${session.uuid}/message/stream`, { query: 'canary question' }),
      await post(`/session/${session.uuid}/message/stream`, { query: '' }),
      await post(`/SESSION/${session.uuid}/message/stream`, { query: '' }),
      await post('/nowhere?canary=1', {}),
      await fetch(`${one.base}/console/chatbot/${chatbot.uuid}/conversations/${session.uuid}`),
    ];
    await Promise.all(replies.map((reply) => reply.text()));
    await sendTooManyBytes(one.base, `/api/v1/chatbot/${chatbot.uuid}/data-source/upload`, API_KEY);
    expect(await stop(one)).toBe(0);
    const lines = one
      .out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.filter((line) => line.msg === 'request').every((line) => /^[0-9a-f]{16}$/.test(line.req))).toBe(true);
    expect(lines.some((line) => line.req === replies[0]?.headers.get('x-request-id'))).toBe(true);
    // Probes are a monitor's, at debug.
    expect(one.out()).not.toContain('/readyz');
    expect(one.out()).toContain('LLM_MODLE is not known; did you mean LLM_MODEL?');
    expect(one.out()).not.toMatch(/canary/);
    // As a list of bytes.
    expect(one.out()).not.toContain([...Buffer.from('canary')].join());
    expect(one.out()).not.toContain(session.uuid);
  });

  it.each(['/etc/passwd', '/proc/nope', '/proc/nope/data', '/proc'])(
    'exits with 1 on DATA_DIR=%s, which cannot be created or written, and names it',
    async (DATA_DIR) => {
      const one = await run({ DATA_DIR });
      expect(await one.ended).toBe(1);
      expect(one.err()).toMatch(/^docent: cannot (?:create|lock) the data folder /);
      expect(one.err()).toContain(`the data folder ${DATA_DIR}: `);
    },
  );

  it('refuses a data folder in use, and takes over the lock of a killed server', async () => {
    const DATA_DIR = join(folder, 'locked');
    const first = await run({ DATA_DIR });
    await ready(first);
    const second = await run({ DATA_DIR });
    expect(await second.ended).toBe(1);
    expect(second.err()).toContain(DATA_DIR);
    first.child.kill('SIGKILL');
    await first.ended;
    const third = await run({ DATA_DIR });
    await ready(third);
    expect(await stop(third)).toBe(0);
  });

  it('keeps serving when its output is closed, and still stops on SIGTERM', async () => {
    const one = await run({ DATA_DIR: join(folder, 'unread'), DEMO: '1' });
    one.child.stdout!.destroy();
    one.child.stderr!.destroy();
    await ready(one);
    await until(
      () => fetch(`${one.base}/demo/`).then((reply) => reply.text()),
      (page) => /data-chatbot="[0-9a-f]{32}"/.test(page),
    );
    for (let i = 0; i < 50; i += 1) expect((await fetch(`${one.base}/healthz`)).status).toBe(200);
    expect(await stop(one)).toBe(0);
  });

  it('reports that its port is in use', async () => {
    const first = await run({ DATA_DIR: join(folder, 'port') });
    await ready(first);
    const second = await run({ DATA_DIR: join(folder, 'port2'), PORT: new URL(first.base).port });
    expect(await second.ended).toBe(1);
    expect(second.err()).toContain('PORT');
    await stop(first);
  });

  it('on SIGTERM refuses new requests, finishes open streams and exits with 0', async () => {
    const API_KEY = 'the key of the drain';
    const one = await run({ DATA_DIR: join(folder, 'drain'), API_KEY, LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'm' });
    await ready(one);
    const post = (path: string, body: object) =>
      fetch(`${one.base}/api/v1${path}`, { method: 'POST', headers: bearer(API_KEY), body: JSON.stringify(body) });
    const chatbot = await (await post('/chatbot/create', { name: 'Mine' })).json();
    const session = await (await post(`/chatbot/${chatbot.uuid}/session/create`, {})).json();
    const stream = await post(`/session/${session.uuid}/message/stream`, { query: 'Count' });
    one.child.kill('SIGTERM');
    await new Promise((done) => setTimeout(done, 100));
    const refused = await post('/chatbot/create', { name: 'Late' }).then(
      (reply) => reply.status,
      () => 'no connection',
    );
    expect([503, 'no connection']).toContain(refused);
    expect((await stream.text()).trim()).toMatch(/^word0 .* word19$/);
    expect(await one.ended).toBe(0);
  });
});

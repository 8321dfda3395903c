import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt } from '../../server/dev/build.mjs';

/** A built server in a process of its own, with a data folder of its own. */
export interface BuiltServer {
  /** Without a slash at the end. */
  base: string;
  port: number;
  /** The key of the owner, as the environment gave it. */
  key: string;
  /** Its DATA_DIR. */
  dataDir: string;
  /** What it wrote for the person at the terminal. */
  output(): string;
  /** The uuid that the demo's pages carry. */
  chatbot(): Promise<string>;
  /** SIGTERM; resolves with the exit code once the process has gone and its folder is removed. */
  stop(): Promise<number | null>;
  /** SIGKILL; its folder stays until `stop`. */
  kill(): Promise<void>;
}

const PATIENCE_MS = 30_000;

/** Starts `dist/server/main.js` with these variables and waits until it is ready and its demo has been learned. */
export async function startBuiltServer(env: Record<string, string> = {}): Promise<BuiltServer> {
  await ensureBuilt();
  const dir = await mkdtemp(join(tmpdir(), 'docent-served-'));
  const port = Number(env['PORT'] ?? (await freePort()));
  const key = 'a key for tests only';
  const base = `http://127.0.0.1:${port}`;
  const own = { PATH: process.env['PATH'], PORT: String(port), DATA_DIR: dir, API_KEY: key, LOG_LEVEL: 'warn' };
  const child = spawn(process.execPath, ['dist/server/main.js'], {
    env: { ...own, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close') as Promise<[number | null]>;
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said += String(piece)));
  const stop = async (): Promise<number | null> => {
    child.kill();
    const [code] = await ended;
    await rm(dir, { recursive: true, force: true });
    return code;
  };
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  try {
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`the server ended at its start:\n${said}`);
      return (await status(`${base}/readyz`)) === 200 && /Ask it yourself|listens at/.test(said);
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { base, port, key, dataDir: dir, output: () => said, chatbot: () => chatbotOf(base), stop, kill };
}

/** Repeats `check` until it says true. */
export async function until(check: () => Promise<boolean>, patience = PATIENCE_MS): Promise<void> {
  for (const end = Date.now() + patience; !(await check());) {
    if (Date.now() > end) throw new Error(`not so after ${patience / 1000} seconds`);
    await new Promise((done) => setTimeout(done, 100));
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const status = (url: string): Promise<number> =>
  fetch(url).then(
    (response) => response.status,
    () => 0,
  );

async function chatbotOf(base: string): Promise<string> {
  const html = await (await fetch(`${base}/demo/`)).text();
  const uuid = /data-chatbot="([0-9a-f]{32})"/.exec(html)?.[1];
  if (!uuid) throw new Error('the page as served carries no chatbot');
  return uuid;
}

import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureBuilt } from '../../server/dev/build.mjs';

const modules = resolve('node_modules');
let folder = '';

/** A project of somebody else's, with our package in it as npm makes and installs it, without the network. */
beforeAll(async () => {
  await ensureBuilt();
  folder = mkdtempSync(join(tmpdir(), 'docent-pack-'));
  const packed = npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], '.');
  const [pack] = JSON.parse(packed) as { filename: string }[];
  cpSync('test/pack/host', folder, { recursive: true });
  const beside = ['preact', '@preact/signals', '@preact/signals-core'].map((name) => `file:${join(modules, name)}`);
  npm(['install', '--offline', '--ignore-scripts', '--install-links', `./${pack?.filename}`, ...beside], folder);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function npm(args: string[], cwd: string): string {
  return execFileSync('npm', [...args, '--no-audit', '--no-fund'], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

describe('the package, installed in another project', () => {
  test('brings along no server framework', () => {
    const installed = readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect(installed.toSorted()).toEqual(['@preact', 'docent', 'preact']);
  });

  test('type-checks under strict rules, and refuses wrong options', () => {
    const tsc = join(modules, 'typescript/bin/tsc');
    const check = (): string => execFileSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
    expect(check()).toBe('');
  });

  test('exports its names and no others, and runs: the widget that is mounted is in the page until it is destroyed', () => {
    // happy-dom is ours; the host project imports it by its address.
    const env = { ...process.env, HAPPY_DOM: join(modules, 'happy-dom/lib/index.js') };
    const said = execFileSync(process.execPath, ['run.mjs'], { cwd: folder, env, encoding: 'utf8' });
    expect(said.trim().split('\n')).toEqual(['ChatWidget,defineElement,mount', 'mounted', 'gone', 'heading']);
  });

  test('starts a server by its command, which answers and ends on SIGTERM', async () => {
    const command = join(folder, 'node_modules/.bin/docent');
    expect(readFileSync(command, 'utf8').slice(0, 20)).toBe('#!/usr/bin/env node\n');
    const port = await freePort();
    const env = {
      ...process.env,
      DATABASE_URL: '',
      PORT: String(port),
      DATA_DIR: join(folder, 'data'),
      DEMO: '0',
      API_KEY: 'a-key-of-the-pack-test',
    };
    const server = spawn(command, { cwd: folder, env, stdio: 'ignore' });
    const ended = new Promise((done) => server.on('exit', done));
    try {
      expect(await statusOf(`http://127.0.0.1:${port}/healthz`)).toBe(200);
      expect(await statusOf(`http://127.0.0.1:${port}/embed.js`)).toBe(200);
      expect(existsSync(join(folder, 'data'))).toBe(true);
    } finally {
      server.kill('SIGTERM');
    }
    expect(await ended).toBe(0);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => server.on('listening', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

/** The status of the first reply, within forty seconds. */
async function statusOf(url: string): Promise<number> {
  const until = Date.now() + 40_000;
  for (;;) {
    try {
      return (await fetch(url)).status;
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise((done) => setTimeout(done, 50));
    }
  }
}

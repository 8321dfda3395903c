import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { beforeAll, expect, it } from 'vitest';
import { printWelcome } from '../../../server/cli/welcome.ts';
import type { DocentServer } from '../../../server/boot.ts';
import { ensureBuilt } from '../../../server/dev/build.mjs';
import { freePort, until } from '../../browser/built-server.ts';

beforeAll(ensureBuilt);

it('indents each line of the demo answer by two spaces, and prints a source without an address by its title', async () => {
  const sources = { '1': { title: 'Returns', file_name: 'http://a.test/' }, '2': { title: 'Lamps?', file_name: '' } };
  const demo = {
    sampleQuestion: 'How long?',
    prepare: async () => ({ chatbot: 'c', created: true }),
    learned: async () => {},
    async ask(write: (words: string) => void) {
      for (const piece of ['You have', ' 45 days. [1]\n', '\nFrom the day', ' of arrival.\n- one\n- two']) write(piece);
      return { cite_data_json: JSON.stringify(sources) };
    },
  };
  const config = { host: '127.0.0.1', port: 8080 };
  const booted = {
    config,
    demo,
    base: 'http://docent.test',
    log: pino({ level: 'silent' }),
    firstKey: async () => 'dk_1',
    loginLink: async () => 'http://docent.test/console/#sign-in=abc',
  };
  let said = '';
  await printWelcome(booted as unknown as DocentServer, (words) => (said += words));
  expect(said).toContain(
    '\n  How long?\n  You have 45 days. [1]\n\n  From the day of arrival.\n  - one\n  - two\n\n  [1] Returns: http://a.test/\n  [2] Lamps?\n\n',
  );
  expect(said).toContain(
    'This link opens the console, once and within 30 minutes:\n  http://docent.test/console/#sign-in=abc\n' +
      'Docent listens at http://127.0.0.1:8080 for http://docent.test\nThe demo is at http://docent.test/demo/\n' +
      'Your API key, shown this once: dk_1\n',
  );
});

it('is in one piece among the lines of the log, where both go to one file', async () => {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'docent-greeting-'));
  const env = { PATH: process.env['PATH'], PORT: String(await freePort()), DATA_DIR, LOG_LEVEL: 'debug' };
  const child = spawn('sh', ['-c', 'exec node dist/server/main.js 2>&1'], { env });
  const ended = once(child, 'close');
  let said = '';
  child.stdout.on('data', (piece) => (said += String(piece)));
  await until(async () => /Your API key/.test(said));
  child.kill();
  await ended;
  await rm(DATA_DIR, { recursive: true });
  const isLog = said.split('\n').map((line) => line.startsWith('{"level":'));
  const first = said.split('\n').findIndex((line) => line.startsWith('The demo is reading'));
  const last = said.split('\n').findIndex((line) => line.startsWith('Your API key'));
  expect(isLog.slice(0, first).filter(Boolean).length).toBeGreaterThan(5);
  expect(isLog.slice(first, last)).not.toContain(true);
  expect(last - first).toBeGreaterThan(5);
});

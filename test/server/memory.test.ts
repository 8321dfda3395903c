import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { ensureBuilt } from '../../server/dev/build.mjs';
import { until } from '../browser/built-server.ts';
import { startChild } from './child.ts';

beforeAll(ensureBuilt);

/** Runs in the server's process: writes what its compilers held at most, in bytes. */
const REPORT = `
import { writeFileSync } from 'node:fs';
import { getHeapStatistics } from 'node:v8';
process.on('exit', () => writeFileSync(process.env.PEAK_FILE, String(getHeapStatistics().peak_malloced_memory)));
`;

it('reads the pages of the demo with at most 16 MB for its compilers', async () => {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'docent-memory-'));
  onTestFinished(() => rm(DATA_DIR, { recursive: true }));
  const PEAK_FILE = join(DATA_DIR, 'peak');
  const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(REPORT)}`;
  const server = await startChild({ DATA_DIR, PEAK_FILE, NODE_OPTIONS, DEMO: '1', LOG_LEVEL: 'info' });
  await until(async () => server.log.filter(({ msg }) => msg === 'source learned').length === 7);
  await server.end();
  expect(Number(await readFile(PEAK_FILE, 'utf8'))).toBeLessThan(16 * 1024 ** 2);
});

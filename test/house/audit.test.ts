import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureBuilt } from '../../server/dev/build.mjs';

/** The audit of what is bundled, with a registry of the test's. */

let folder: string;
beforeAll(async () => {
  await ensureBuilt();
  folder = mkdtempSync(join(tmpdir(), 'docent-audit-'));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function audited(reply: object) {
  const npm = join(folder, 'npm');
  writeFileSync(npm, `#!/bin/sh\ncat <<'END'\n${JSON.stringify(reply)}\nEND\nexit 1\n`);
  chmodSync(npm, 0o755);
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH']}` };
  return spawnSync(process.execPath, ['.ci/audit.mjs'], { env, encoding: 'utf8' });
}

const one = (severity: string) => ({ via: [{ title: 'reads too much', severity, url: 'https://advisory.test/1' }] });

test('fails on a high advisory of a bundled package and names it', () => {
  const { status, stdout } = audited({ vulnerabilities: { koa: one('high'), vitest: one('critical') } });
  expect({ status, stdout }).toEqual({ status: 1, stdout: 'koa: high: reads too much https://advisory.test/1\n' });
});

test('ignores advisories of packages that are not bundled, below high, or of dependencies alone', () => {
  const vulnerabilities = { vitest: one('critical'), koa: one('moderate'), undici: { via: ['vitest'] } };
  const { status, stdout } = audited({ vulnerabilities });
  expect(status).toBe(0);
  expect(stdout).toMatch(/^audit: nothing high or critical in the \d{3} bundled packages\n$/);
});

test('says so where the registry does not answer', () => {
  const { status, stdout } = audited({ message: '405 Method Not Allowed', error: {} });
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'audit: left out, the registry does not answer it\n' });
});

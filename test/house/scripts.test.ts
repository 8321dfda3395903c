import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

describe('npm run bench', () => {
  test('lists the benches for an unknown name', () => {
    const args = ['test/bench/run.mjs', 'no-bench-of-ours', '--json'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(status).toBe(2);
    expect(stdout).toBe('');
    for (const file of readdirSync('test/bench').filter((name) => /^[\w-]+\.ts$/.test(name))) {
      expect(stderr).toContain(file.replace('.ts', ''));
    }
  });

  test('prints only a JSON array with --json, wherever the flags are', { timeout: 120_000 }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'docent-bench-'));
    const file = join(folder, 'two.small.json.gz');
    const docs = [
      { id: 'a', title: '', text: 'Ferries leave at noon.' },
      { id: 'b', title: '', text: 'Lamps are made of brass.' },
    ];
    const queries = [{ id: 'q', text: 'When do ferries leave?', answers: ['noon'] }];
    writeFileSync(file, gzipSync(JSON.stringify({ docs, queries, qrels: { q: { a: 1 } } })));
    const args = ['test/bench/run.mjs', '--json', 'retrieval', '--remove-gold', file, '--typos'];
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect(status).toBe(0);
    const [row, ...others] = JSON.parse(stdout) as Record<string, unknown>[];
    expect(others).toEqual([]);
    expect(row).toMatchObject({ dataset: 'two', ndcg10: 1, recall5: 1, mrr10: 1, hit1: 1, answer1: 1, answer3: 1 });
    expect(row).toMatchObject({ refused95: 1, auc: 1, typo_loss: expect.any(Number) });
  });
});

describe('npm run test:all', () => {
  const run = (env: NodeJS.ProcessEnv) => {
    const args = ['test/run.mjs', 'all', 'test/model/catalogue.test.ts'];
    // No name of a browser is on this PATH, and Playwright has downloaded none.
    const none = { PATH: '/nowhere', PLAYWRIGHT_BROWSERS_PATH: '/nowhere', CHROMIUM_PATH: '', REQUIRE_BROWSER: '' };
    const all = { ...process.env, ...none, ...env };
    return spawnSync(process.execPath, args, { encoding: 'utf8', env: all });
  };

  test('skips the browser tests where there is no browser, and says how to get one', { timeout: 240_000 }, () => {
    const { status, stdout, stderr } = run({});
    expect(status, stderr).toBe(0);
    expect(stderr.match(/^browser: .*$/gm)).toEqual([
      expect.stringMatching(/^browser: no Chromium was found: run `npx playwright install .*; its tests are left out$/),
    ]);
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^\d+ passed, 0 failed$/);
  });

  test('fails without a browser with REQUIRE_BROWSER=1', { timeout: 240_000 }, () => {
    const { status, stderr } = run({ REQUIRE_BROWSER: '1' });
    expect([status, stderr]).toEqual([1, expect.stringContaining('REQUIRE_BROWSER=1, but no Chromium was found')]);
  });
});

describe('npm start in a checkout that is not built', () => {
  const folder = mkdtempSync(join(tmpdir(), 'docent-unbuilt-'));
  const write = (file: string, text: string): void => {
    mkdirSync(join(folder, file, '..'), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  const start = () => spawnSync(process.execPath, [join(folder, 'server/dev/start.mjs')], { encoding: 'utf8' });
  beforeAll(() => {
    for (const file of ['start.mjs', 'build.mjs']) cpSync(`server/dev/${file}`, join(folder, 'server/dev', file));
    for (const file of ['package.json', 'package-lock.json', 'tsconfig.json', 'vite.config.ts']) write(file, '{}');
    for (const file of ['widget/a.ts', 'demo/a.ts']) write(file, '');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('names the command that installs missing build tools', () => {
    const { status, stdout, stderr } = start();
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^nothing is built, .* run `npm ci --include=dev` first .*\n$/);
  });

  test('prints the steps of the build to standard error only', () => {
    const program = `process.send('panel (1 of 1)'); console.log('many words');
      const { mkdirSync, writeFileSync } = await import('node:fs');
      mkdirSync('dist/server', { recursive: true });
      writeFileSync('dist/server/main.js', 'console.log("serving")');
      process.disconnect();`;
    write('node_modules/vite/package.json', '{"type":"module"}');
    write('node_modules/vite/bin/vite.js', program);
    const said = start();
    expect(said).toMatchObject({ status: 0, stdout: 'serving\n' });
    expect(said.stderr).toBe('building … (first start)\nbuilding … panel (1 of 1)\n');
  });
});

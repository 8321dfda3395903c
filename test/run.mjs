import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt } from '../server/built.mjs';
import { obtainChromium } from './browser/find.mjs';

const root = join(import.meta.dirname, '..');
process.chdir(root);

/** Which browser the tests use, said in one line, as vitest is to know it. */
async function browser() {
  const found = await obtainChromium();
  if ('path' in found) {
    console.error(`browser: ${found.from}`);
    return { env: { DOCENT_CHROMIUM: found.path }, args: [] };
  }
  if (process.env['REQUIRE_BROWSER'] === '1') throw new Error(`REQUIRE_BROWSER=1, but ${found.missing}`);
  console.error(`browser: the browser part is left out (${found.missing})`);
  return { env: {}, args: ['--exclude', 'test/browser/**'] };
}

/**
 * @param {string} temp the folder for all that the tests leave behind
 * @param {{ env: object, args: string[] }} part
 */
async function vitest(temp, part) {
  const report = join(temp, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...part.args, ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, { stdio: 'inherit', env: { ...process.env, ...part.env, TMPDIR: temp } });
  const stop = () => child.kill();
  process.on('SIGINT', stop).on('SIGTERM', stop);
  /** @type {number | null} */
  const code = await new Promise((done) => child.on('close', done));
  return { code: code ?? 1, ...counts(report) };
}

/** @param {string} report vitest's own JSON; a file that did not load counts as one failure */
function counts(report) {
  if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0 };
  const { numPassedTests, numPendingTests, numTodoTests, numFailedTests, testResults } = JSON.parse(
    readFileSync(report, 'utf8'),
  );
  /** @param {{ status: string, assertionResults: { status: string }[] }} file */
  const unloaded = (file) => file.status === 'failed' && !file.assertionResults.some((one) => one.status === 'failed');
  const failed = numFailedTests + testResults.filter(unloaded).length;
  return { passed: numPassedTests, failed, skipped: numPendingTests + numTodoTests };
}

async function main() {
  if (process.env['REQUIRE_SHARED'] === '1' && !existsSync('../shared/data')) {
    throw new Error('REQUIRE_SHARED=1, but ../shared/data is not here');
  }
  await ensureBuilt();
  const part = await browser();
  const temp = mkdtempSync(join(tmpdir(), 'docent-test-'));
  try {
    const { code, passed, failed, skipped } = await vitest(temp, part);
    const lost = code !== 0 && failed === 0 ? 1 : failed;
    console.log(`\n${passed} passed, ${lost} failed${skipped ? `, ${skipped} skipped` : ''}`);
    return code === 0 && lost > 0 ? 1 : code;
  } finally {
    rmSync(temp, { recursive: true, force: true, maxRetries: 5 });
  }
}

process.exitCode = await main().catch((error) => {
  console.error(error.message);
  return 1;
});

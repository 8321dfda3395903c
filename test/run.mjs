import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt } from '../server/dev/build.mjs';
import { findBrowser } from './browser/find-browser.mjs';
import { postgresPrograms } from './store/postgres/programs.mjs';

/**
 * `node test/run.mjs [all] [arguments of vitest]`: the quick tests, or all of them, and one closing line of counts. Which
 * files are quick stands in vite.config.ts.
 */
const root = join(import.meta.dirname, '..');
process.chdir(root);
const [first, ...rest] = process.argv.slice(2);
const all = first === 'all';
const given = all ? rest : process.argv.slice(2);

/**
 * Builds, finds PostgreSQL and a browser, and says in a line each which; what needs one that is missing is left out.
 * @returns {Promise<string[]>} the projects of vite.config.ts that are to run
 */
async function prepareAll() {
  await ensureBuilt();
  const projects = ['quick', 'slow'];
  const postgres = process.env['DATABASE_URL'] ? 'DATABASE_URL' : postgresPrograms();
  if (postgres) projects.push('postgres');
  console.error(`postgres: ${postgres ?? 'none was found; its tests are left out'}`);
  const found = findBrowser();
  if ('path' in found) {
    console.error(`browser: ${found.path}`);
    projects.push('browser');
  } else {
    if (process.env['REQUIRE_BROWSER'] === '1') throw new Error(`REQUIRE_BROWSER=1, but ${found.missing}`);
    console.error(`browser: ${found.missing}; its tests are left out`);
  }
  return projects;
}

/**
 * @param {string} temp the folder for all that the tests leave behind
 * @param {string[]} names of projects
 */
async function vitest(temp, names) {
  const report = join(temp, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const projects = names.flatMap((name) => ['--project', name]);
  // A machine of CI may stop for seconds. What fails once and then passes is listed with "retry".
  const retry = process.env['CI'] ? ['--retry=1'] : [];
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...retry, ...projects, ...given];
  const child = spawn(process.execPath, args, { stdio: 'inherit', env: { ...process.env, TMPDIR: temp } });
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
  const projects = all ? await prepareAll() : ['quick'];
  const temp = mkdtempSync(join(tmpdir(), 'docent-test-'));
  try {
    const { code, passed, failed, skipped } = await vitest(temp, projects);
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

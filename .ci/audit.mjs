// Asks the registry's advisories about the packages that are in the bundles: everything bundled is a development
// dependency, so that `npm audit --omit=dev` sees none of them. Ends with 1 where one is high or critical.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const folders = ['embed', 'demo', 'server', 'server/parser', 'docs'];

/** @param {string} folder the names that its licenses.md tells, of what is bundled there @returns {string[]} */
function bundledIn(folder) {
  const file = join(root, 'dist', folder, 'licenses.md');
  if (!existsSync(file)) throw new Error(`${file} is missing: run npm run build first`);
  return [...readFileSync(file, 'utf8').matchAll(/^## (\S+) - \S/gm)].map(([, name]) => name ?? '');
}

/** @typedef {{ via: (string | { title: string, severity: string, url: string })[] }} Found */

/** @returns {Record<string, Found> | undefined} undefined where the registry does not answer */
function advisories() {
  const { stdout } = spawnSync('npm', ['audit', '--json'], { cwd: root, encoding: 'utf8', timeout: 120_000 });
  try {
    return JSON.parse(stdout).vulnerabilities;
  } catch {
    return undefined;
  }
}

const bundled = new Set(folders.flatMap(bundledIn));
const found = advisories();
if (!found) {
  console.log('audit: left out, the registry does not answer it');
} else {
  const lines = Object.entries(found).flatMap(([name, { via }]) => {
    const own = via
      .filter((one) => typeof one === 'object')
      .filter(({ severity }) => /^(?:high|critical)$/.test(severity));
    return bundled.has(name) ? own.map(({ title, severity, url }) => `${name}: ${severity}: ${title} ${url}`) : [];
  });
  console.log(lines.join('\n') || `audit: nothing high or critical in the ${bundled.size} bundled packages`);
  if (lines.length > 0) process.exitCode = 1;
}

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** A third-party package that is part of a bundle. */
interface BundledPackage {
  name: string;
  version: string;
  /** An SPDX expression; '' where the package names none. */
  license: string;
  text: string;
}

/** Third-party code inside packages: by a part of the module's path, the name of its text in server/dev/licenses/. */
const VENDORED: { within: string; name: string; license: string }[] = [
  { within: 'unpdf/dist/pdfjs', name: 'pdfjs', license: 'Apache-2.0' },
  { within: 'unpdf/dist/pdfjs', name: 'openjpeg', license: 'BSD-2-Clause' },
  { within: 'unpdf/dist/pdfjs', name: 'qcms', license: 'MIT' },
  { within: 'undici/lib/llhttp/', name: 'llhttp', license: 'MIT' },
  { within: 'rapidoc/', name: '@apitools/openapi-parser', license: 'MIT' },
  { within: 'rapidoc/', name: 'fast-json-patch', license: 'MIT' },
  { within: 'rapidoc/', name: 'js-yaml', license: 'MIT' },
];

/** Where the build has put data of CLDR into files: server/dev/locale-plugin.ts. */
const CLDR_READER = '/server/knowledge/text/locale/compute.ts';

const LICENSE_FILE = /^(?:licen[cs]e|copying)(?:[.-].*)?$/i;

/** The licence text of a package that ships none. */
const storedTextPath = (name: string): string => join(import.meta.dirname, 'licenses', `${name.replace('/', '+')}.txt`);

/**
 * The packages of these modules, with what is vendored inside them, each once and in order of name. Throws an Error that
 * names the package where there is no licence text.
 */
export function bundledFrom(modules: Iterable<string>): BundledPackage[] {
  const found = new Map<string, BundledPackage>();
  for (const id of modules) {
    const path = id.replace(/^\0+/, '').split('?')[0]!.replaceAll('\\', '/');
    if (path.endsWith(CLDR_READER))
      found.set('cldr', {
        name: 'cldr',
        version: process.versions['cldr']!,
        license: 'Unicode-3.0',
        text: textOf('cldr', undefined),
      });
    if (!path.includes('/node_modules/')) continue;
    const own = packageOf(path);
    const inside = VENDORED.filter(({ within }) => path.includes(`/node_modules/${within}`));
    const vendored = inside.map((one) => ({ ...one, version: `in ${own.name} ${own.version}`, folder: undefined }));
    for (const { name, version, license, folder } of [own, ...vendored]) {
      const key = `${name} ${version}`;
      if (!found.has(key)) found.set(key, { name, version, license, text: textOf(name, folder) });
    }
  }
  return [...found.values()].toSorted((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1));
}

interface Package {
  name: string;
  version: string;
  license: string;
  folder: string;
}

const PACKAGE_FOLDER = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/;

/** From the package.json of the package's folder: some packages have others in folders inside. */
function packageOf(path: string): Package {
  const folder = PACKAGE_FOLDER.exec(path)![0];
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return { name, version, license: typeof license === 'string' ? license : '', folder };
}

function textOf(name: string, folder: string | undefined): string {
  const files = folder === undefined ? [] : readdirSync(folder).filter((file) => LICENSE_FILE.test(file));
  const paths = files.length > 0 ? files.map((file) => join(folder!, file)) : [storedTextPath(name)];
  if (!existsSync(paths[0]!)) throw new Error(`${name} has no licence text: add it as ${storedTextPath(name)}`);
  return paths.map((path) => readFileSync(path, 'utf8').trim()).join('\n\n');
}

export function licensesFile(bundled: BundledPackage[]): string {
  const parts = bundled.map(
    ({ name, version, license, text }) => `## ${name} - ${version}${license && ` (${license})`}\n\n${text}\n`,
  );
  return ['# Licenses\n\nWhat is bundled here holds these works of others.\n', ...parts].join('\n');
}

/**
 * Writes `licenses.md` beside what is built, for the modules that are part of it; the build fails where a package has no
 * licence text. `none`: the environments that must bundle no package.
 */
export function licenses({ none }: { none: string[] }): Plugin {
  return {
    name: 'docent:licenses',
    apply: 'build',
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const bundled = bundledFrom(chunks.flatMap(({ moduleIds }) => moduleIds));
      if (bundled.length === 0) return;
      const { name } = this.environment;
      if (none.includes(name)) throw new Error(`${name} is to bring no package along, and has ${bundled[0]!.name}`);
      this.emitFile({ type: 'asset', fileName: 'licenses.md', source: licensesFile(bundled) });
    },
  };
}

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { ensureBuilt } from '../../server/dev/build.mjs';

interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
  /** npm's own field: true runs a package's install scripts, false leaves them out. */
  allowScripts: Record<string, boolean>;
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const lock = readFileSync('package-lock.json', 'utf8');

describe('the manifest', () => {
  test('pins every development package to one version', () => {
    const loose = Object.entries(manifest.devDependencies).filter(
      ([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version),
    );
    expect(loose).toEqual([]);
  });

  test('has no dependencies: preact and its signals are peers', () => {
    expect(manifest.dependencies).toBeUndefined();
    expect(Object.keys(manifest.peerDependencies).toSorted()).toEqual(['@preact/signals', 'preact']);
  });

  test('has a lock file that names no registry', () => {
    expect(lock).not.toContain('"resolved"');
    expect(lock).toContain('"integrity"');
  });

  test('has a lock file that knows the packages of every platform: `npm ci` refuses one that does not', () => {
    const { packages } = JSON.parse(lock) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>;
    };
    const wanted = Object.values(packages).flatMap((one) => Object.keys(one.optionalDependencies ?? {}));
    expect(wanted.filter((name) => !packages[`node_modules/${name}`])).toEqual([]);
  });

  test('decides for every package with an install script whether it may run', () => {
    const { packages } = JSON.parse(lock) as { packages: Record<string, { hasInstallScript?: true }> };
    const scripted = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript);
    const names = scripted.map((path) => path.split('node_modules/').at(-1));
    expect(Object.keys(manifest.allowScripts)).toEqual(expect.arrayContaining(names));
  });
});

describe('the package as published', () => {
  beforeAll(ensureBuilt);

  test('contains the build and no sources', () => {
    const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const said = execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const [pack] = JSON.parse(said) as { files: { path: string }[] }[];
    const files = (pack?.files ?? []).map(({ path }) => path);
    expect(files).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'README.md',
        'package.json',
        'dist/embed.js',
        'dist/embed.js.br',
        'dist/embed.js.gz',
        expect.stringMatching(/^dist\/embed\/panel-.{8}\.js$/),
        'dist/component/index.js',
        'dist/component/index.d.ts',
        'dist/demo/conversations.yaml',
        'dist/server/main.js',
        'dist/server/parser/parse.mjs',
        'dist/server/licenses.md',
      ]),
    );
    const odd = files.filter(
      (path) => !path.startsWith('dist/') && !/^(?:LICENSE|README\.md|package\.json)$/.test(path),
    );
    expect(odd).toEqual([]);
    expect(files.filter((path) => /\.(?:map|stamp)$|\.test\./.test(path))).toEqual([]);
  });
});

import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ensureBuilt } from '../../server/dev/build.mjs';
import { bundledFrom } from '../../server/dev/licenses.ts';

/** By folder the works that are bundled there: the text of each by its name. */
const shipped = (folder: string): Map<string, string> => {
  const parts = readFileSync(`${folder}/licenses.md`, 'utf8')
    .split(/^## (\S+) - \S.*$/m)
    .slice(1);
  return new Map(parts.flatMap((part, at) => (at % 2 === 0 ? [[part, parts[at + 1]!] as const] : [])));
};

const FOLDERS = ['dist/embed', 'dist/demo', 'dist/server', 'dist/server/parser', 'dist/docs'];

describe('what is bundled', () => {
  beforeAll(ensureBuilt);

  test.each(FOLDERS)('%s has the licence text of each work in it', (folder) => {
    const texts = shipped(folder);
    expect(texts.size).toBeGreaterThan(1);
    const without = [...texts].filter(([, text]) => !/warrant|as is/i.test(text)).map(([name]) => name);
    expect(without).toEqual([]);
  });

  test('licenses.md lists every package of the server’s source maps', () => {
    const maps = readdirSync('dist/server').filter((name) => name.endsWith('.map'));
    const sources = maps.flatMap((name) => {
      const { sources: all } = JSON.parse(readFileSync(`dist/server/${name}`, 'utf8')) as { sources: string[] };
      return all.map((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1]);
    });
    const names = [...new Set(sources.filter((name) => name !== undefined))];
    expect(names.length).toBeGreaterThan(50);
    const told = shipped('dist/server');
    expect(names.filter((name) => !told.has(name))).toEqual([]);
  });

  test('licenses.md lists works inside packages: PDF.js’s, and undici’s HTTP parser', () => {
    expect(shipped('dist/server/parser').get('pdfjs')).toMatch(/Mozilla[^]*Apache License\s+Version 2\.0/);
    expect(shipped('dist/server/parser').get('openjpeg')).toContain('Antonin Descampe');
    expect(shipped('dist/server/parser').get('qcms')).toContain('Marti Maria');
    expect(shipped('dist/docs').get('@apitools/openapi-parser')).toContain('Mrinmoy Majumdar');
    expect(shipped('dist/server').get('llhttp')).toContain('Fedor Indutny');
  });

  test('licenses.md lists the data that the build writes for each language', () => {
    expect(shipped('dist/server').get('cldr')).toMatch(/UNICODE LICENSE V3[^]*the "Data Files"/);
  });
});

test('the build fails on a package without a licence text and names it', () => {
  const root = mkdtempSync(join(tmpdir(), 'docent-licenses-'));
  const folder = join(root, 'node_modules/@some/one');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"name":"@some/one","version":"1.0.0","license":"MIT"}');
  const modules = [`\0${join(folder, 'index.js')}?commonjs`, join(root, 'own.js')];
  expect(() => bundledFrom(modules)).toThrow('@some/one has no licence text');
  writeFileSync(join(folder, 'LICENCE.md'), 'Do as you like.');
  const told = { name: '@some/one', version: '1.0.0', license: 'MIT', text: 'Do as you like.' };
  expect(bundledFrom(modules)).toEqual([told]);
  rmSync(root, { recursive: true });
});

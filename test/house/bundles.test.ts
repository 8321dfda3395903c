import { readFileSync, readdirSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import ts from 'typescript';
import { beforeAll, describe, expect, test } from 'vitest';
import { ensureBuilt } from '../../server/dev/build.mjs';
import { editPreact } from '../../server/dev/own-preact.ts';
import { LANGUAGES, type LanguageCode } from '../../server/knowledge/text/languages.ts';
import { readCalendars, readNames, readWorld } from '../../server/knowledge/text/locale/compute.ts';

const zipped = (file: string): number => gzipSync(readFileSync(file), { level: 9 }).length;
/** What a module asks for before it runs, by TypeScript's own scanner. */
const asksFor = (file: string): string[] =>
  ts.preProcessFile(readFileSync(file, 'utf8'), true, true).importedFiles.map(({ fileName }) => fileName);

/** What a module loads later, when it needs it. */
const loads = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/import\((?:\/\*.*?\*\/)?[`'"](.+?)[`'"]\)/g)].map(([, name]) => name!);
/** The panel by its content's name. */
const embedded = (name: string): string =>
  `dist/embed/${readdirSync('dist/embed').find((file) => new RegExp(`^${name}-.{8}\\.js$`).test(file))}`;
const needs = (file: string): string[] => asksFor(file).filter((name) => !loads(file).includes(name));

/** Node's own modules. */
const OWN =
  /^(?:node:)?(?:assert|async_hooks|buffer|child_process|console|crypto|diagnostics_channel|dns|events|fs|http2?|https|module|net|os|path|perf_hooks|process|querystring|readline|sqlite|stream|string_decoder|timers|tls|tty|url|util|v8|vm|worker_threads|zlib)(?:\/\w+)*$/;

beforeAll(ensureBuilt);

describe('what a visitor downloads, gzip -9', () => {
  test('the launcher is at most 1,500 bytes', () => {
    expect(zipped('dist/embed.js')).toBeLessThanOrEqual(1500);
  });

  test('launcher, panel, sources, what stands below an answer and what marks unread ones, which is all but languages, are at most 26,000 bytes', () => {
    const sizes = ['dist/embed.js', ...['panel', 'sources', 'after-answer', 'presence'].map(embedded)].map(zipped);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(26_000);
    expect(needs(embedded('panel'))).toEqual([]);
  });

  test('a language is a file of its own of at most 1,500 bytes, which needs no other', () => {
    const names = (folder: string): string[] =>
      readdirSync(folder).filter((name) => /^[a-z]{2}(?:-.{8})?\.js$/.test(name));
    for (const folder of ['dist/embed', 'dist/component']) {
      expect(names(folder).length + 1).toBeGreaterThanOrEqual(20);
      for (const name of names(folder)) {
        expect(zipped(`${folder}/${name}`), name).toBeLessThanOrEqual(1500);
        expect(asksFor(`${folder}/${name}`)).toEqual([]);
      }
    }
  });

  test.each([
    ['what lists sources and is read to screen readers', 'sources', 1300],
    ['what stands below an answer', 'after-answer', 3000],
    ['the field for a comment', 'comment', 1000],
    ['what fits the panel to a phone', 'full-screen', 600],
    ['what asks to confirm a call', 'confirmation', 1500],
    ['what marks unread answers', 'presence', 1300],
    ['what counts down a rate limit', 'limit', 600],
    ['the sound of an answer', 'sound', 500],
    ['what loads earlier messages', 'history', 1000],
    ['the list of conversations', 'conversations', 2800],
    ['what shows a teaser', 'teaser', 1500],
    ['parts beside the text', 'parts', 2500],
    ['the style of code and tables', 'blocks', 1000],
    ['what copies an answer', 'copy', 1000],
    ['what colours code', 'colours', 2500],
  ])('%s is a file of its own, which needs no other', (_, part, most) => {
    for (const folder of ['dist/embed', 'dist/component']) {
      const files = readdirSync(folder).filter((name) => new RegExp(`^${part}(?:-.{8})?\\.js$`).test(name));
      expect(files).toHaveLength(1);
      expect(zipped(`${folder}/${files[0]}`)).toBeLessThanOrEqual(most);
      expect(needs(`${folder}/${files[0]}`)).toEqual([]);
    }
  });

  test("the component with its panel, which is all but languages and what is loaded when it is met, is at most 16,000 bytes beside the host's preact", () => {
    const entry = 'dist/component/index.js';
    const [panel] = loads(entry).filter((name) => name.includes('panel'));
    expect(zipped(entry)).toBeLessThanOrEqual(2000);
    expect(zipped(entry) + zipped(`dist/component/${panel}`)).toBeLessThanOrEqual(16_000);
    expect(needs(`dist/component/${panel}`)).toEqual(['preact', '@preact/signals']);
  });

  test("Markdown alone is at most 6,144 bytes beside the host's preact", () => {
    expect(zipped('dist/component/markdown.js')).toBeLessThanOrEqual(6144);
    expect(asksFor('dist/component/markdown.js')).toEqual(['preact']);
  });

  test('the first screen of the console is at most 25,000 bytes, and all of it 60,000', () => {
    const named = (end: string): string[] => readdirSync('dist/console').filter((name) => name.endsWith(end));
    const entry = named('.js').find((name) => name.startsWith('console-'))!;
    const style = named('.css').find((name) => name.startsWith('style-'))!;
    const first = ['index.html', entry, style, ...needs(`dist/console/${entry}`)];
    const bytes = (names: string[]): number =>
      names.reduce((sum, name) => sum + zipped(`dist/console/${name.replace('./', '')}`), 0);
    expect(bytes(first)).toBeLessThanOrEqual(25_000);
    expect(named('.js').length).toBeGreaterThan(1);
    // No script loads a style: one that a screen imports would be built and never asked for.
    expect(named('.css')).toEqual([style]);
    expect(bytes(['index.html', ...named('.css'), ...named('.js')])).toBeLessThanOrEqual(60_000);
  });

  test('the files compressed ahead hold the same bytes', () => {
    const served = ['dist/embed.js', ...readdirSync('dist/embed').map((name) => `dist/embed/${name}`)];
    const scripts = served.filter((file) => file.endsWith('.js'));
    expect(scripts.length).toBeGreaterThan(1);
    for (const file of scripts) {
      expect(gunzipSync(readFileSync(`${file}.gz`)).equals(readFileSync(file))).toBe(true);
      expect(brotliDecompressSync(readFileSync(`${file}.br`)).equals(readFileSync(file))).toBe(true);
    }
  });
});

const serverFiles = (): string[] => readdirSync('dist/server').filter((name) => name.endsWith('.js'));

describe('imports of the bundles', () => {
  test('the launcher names the panel by its content', () => {
    expect(readFileSync('dist/embed.js', 'utf8')).toContain(embedded('panel').slice('dist/'.length));
  });

  test('the panel’s Preact reads no member of the document by name; a version that reads otherwise fails the build', () => {
    const panel = readFileSync(embedded('panel'), 'utf8');
    expect(panel).not.toMatch(/ownerDocument|Symbol\.dispose|getSnapshotBeforeUpdate/);
    const file = 'node_modules/preact/dist/preact.mjs';
    const code = readFileSync(file, 'utf8');
    expect(() => editPreact('panel', file, code.replace('ownerDocument', 'document'))).toThrow(
      /preact\.mjs has 0 times/,
    );
    expect(editPreact('panel', 'widget/panel.tsx', code)).toBe(code);
  });

  test('the console has nothing of Preact, its router and the passkeys’ library that serves hydration, suspense or programmers', () => {
    const scripts = readdirSync('dist/console').filter((name) => name.endsWith('.js'));
    const code = scripts.map((name) => readFileSync(`dist/console/${name}`, 'utf8')).join('\n');
    const unused = ['"$s"', '__html', 'getSnapshotBeforeUpdate', 'LocationProvider', 'AbortError'];
    expect(unused.filter((word) => code.includes(word))).toEqual([]);
  });

  test('components of the console are functions, for its Preact has no lifecycle methods', () => {
    const sources = readdirSync('widget/console', { recursive: true, encoding: 'utf8' });
    const files = sources.filter((name) => name.endsWith('.tsx')).map((name) => `widget/console/${name}`);
    expect(files.length).toBeGreaterThan(50);
    expect(
      files.filter((file) =>
        /extends Component|dangerouslySet|Capture=|createPortal|style="|hydrate\(/.test(readFileSync(file, 'utf8')),
      ),
    ).toEqual([]);
  });

  test('the component imports preact and its signals, nothing else', () => {
    const allowed = new Set(['preact', '@preact/signals']);
    const asked = needs('dist/component/index.js');
    expect(asked).toContain('preact');
    expect(asked.filter((name) => !allowed.has(name))).toEqual([]);
  });

  test("the server brings its packages with it and needs only Node's own modules", () => {
    const files = ['main.js'];
    const names: string[] = [];
    for (const file of files)
      for (const name of needs(`dist/server/${file}`))
        if (!name.startsWith('./')) names.push(name);
        else if (!files.includes(name.slice(2))) files.push(name.slice(2));
    expect(names).toContain('node:http');
    expect(names.filter((name) => !OWN.test(name))).toEqual([]);
  });

  test('the server is in files of at most 1.1 MB, each kept in memory at one byte a character', () => {
    for (const name of serverFiles()) {
      const code = readFileSync(`dist/server/${name}`, 'utf8');
      expect(code.length, name).toBeLessThan(1_100_000);
      expect([...new Set(code.match(/[^\0-\xFF]/g))], name).toEqual([]);
    }
  });

  test('the server has what it would ask `Intl` for, 7 MB of a process, in files of its own', () => {
    for (const name of serverFiles())
      expect(
        readFileSync(`dist/server/${name}`, 'utf8').match(/\bIntl\.|\.toLocale\w*String\b|\.localeCompare\b/g),
      ).toBeNull();
    const file = (name: string): unknown => JSON.parse(readFileSync(`dist/server/locale/${name}.json`, 'utf8'));
    expect(file('calendars')).toEqual(readCalendars());
    expect(file('world')).toEqual(readWorld());
    for (const language of Object.keys(LANGUAGES) as LanguageCode[])
      expect(file(language), language).toEqual(readNames(language));
  });

  test('the parser of office files is outside the server’s bundle and brings its packages with it', () => {
    const server = serverFiles().map((name) => readFileSync(`dist/server/${name}`, 'utf8'));
    const scripts = readdirSync('dist/server/parser').filter((name) => name.endsWith('.mjs'));
    const parser = scripts.map((name) => readFileSync(`dist/server/parser/${name}`, 'utf8')).join('\n');
    for (const word of ['PasswordException', 'convertToHtml', 'sharedStrings']) {
      expect(parser).toContain(word);
      expect(server.join('\n')).not.toContain(word);
    }
    const names = scripts.flatMap((name) => asksFor(`dist/server/parser/${name}`));
    expect(names).toContain('./pdfjs.mjs');
    expect(names.filter((name) => !name.startsWith('./') && !OWN.test(name))).toEqual([]);
  });
});

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pages } from '../../demo/pages.ts';
import { snippet } from '../../demo/snippet.ts';
import { readConfig, VARIABLES } from '../../server/config.ts';
import { guides } from '../../server/docs/guides.ts';
import { WIDGET_DEFAULTS } from '../../server/schema/widget-settings.ts';
import { blocksOf, textOf, texts } from './texts.ts';

/** What the README and the guides say, compared with the code. Their commands are run in commands.test.ts. */

const readme = texts['README.md']!;
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  name: string;
  version: string;
  scripts: Record<string, string>;
};

test('the README has at most 200 lines, and 8 to 12 kB', () => {
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(200);
  const bytes = Buffer.byteLength(readme);
  expect(bytes).toBeGreaterThanOrEqual(8000);
  expect(bytes).toBeLessThanOrEqual(12_000);
});

test('the README links to every guide, and the menu lists every guide', () => {
  const files = Object.keys(texts).filter((path) => path !== 'README.md');
  expect(files.toSorted()).toEqual(
    Object.keys(guides)
      .map((name) => `server/docs/${name}.md`)
      .toSorted(),
  );
  for (const file of files) expect(readme).toContain(`](${file})`);
});

describe.each(Object.entries(texts))('%s', (file, text) => {
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, href = '']) => href);
  // As GitHub names the heading in a fragment.
  const fragmentsOf = (path: string): string[] =>
    [...texts[path]!.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-'),
    );

  test('has links only to existing files and headings', () => {
    for (const href of links.filter((one) => !/^https?:/.test(one))) {
      const [path, fragment] = href.split('#');
      const target = path === '' ? file : join(dirname(file), path!);
      expect(existsSync(target), href).toBe(true);
      if (fragment !== undefined) expect(fragmentsOf(target), href).toContain(fragment);
    }
  });

  test('begins with a heading of its own', () => {
    expect(text).toMatch(/^# \S/);
  });

  test('names existing npm scripts and the file that npm pack makes', () => {
    const named = [...text.matchAll(/npm (?:run ([\w:]+)|(start|test)\b)/g)].map(([, run, short]) => run ?? short);
    for (const name of named) expect(manifest.scripts).toHaveProperty(name ?? '');
    for (const [made] of text.matchAll(/\bdocent-[\d.]+tgz/g))
      expect(made).toBe(`${manifest.name}-${manifest.version}.tgz`);
  });
});

test('starts with npm ci && npm start, and for a contributor with npm ci && npm test', () => {
  const typed = blocksOf(readme, 'sh');
  expect(typed[0]).toBe('npm ci && npm start\n');
  expect(typed).toContain('npm ci && npm test\n');
});

test('the table of the widget’s settings lists each with its default', () => {
  const rows = textOf('widget').matchAll(/^\| `(\w+)` +\| .* \| `([^`]*)` +\|$/gm);
  const named = [...rows].map(([, name, value]) => [name, value]);
  expect(named).toEqual(Object.entries(WIDGET_DEFAULTS).map(([name, value]) => [name, JSON.stringify(value)]));
});

test('the table of CSS properties lists each that the style sheet documents', () => {
  const described = readFileSync('widget/view/style.css', 'utf8').split('*/')[0]!;
  for (const [name] of described.matchAll(/--docent-[a-z-]+/g)) expect(textOf('widget')).toContain(`\`${name}\``);
});

describe('the table of environment variables', () => {
  const rows = [...textOf('settings').matchAll(/^\| `([A-Z_]+)` +\| (.*?) +\|/gm)].map(
    ([, name = '', byDefault = '']) => ({ name, byDefault }),
  );

  test('lists every variable that the server reads, and no other', () => {
    const read = [...readFileSync('server/config.ts', 'utf8').matchAll(/\bread\('([A-Z_]+)'\)/g)].map(
      ([, name]) => name,
    );
    expect([...new Set(read)].toSorted()).toEqual(VARIABLES.toSorted());
    expect(rows.map(({ name }) => name).toSorted()).toEqual(VARIABLES.toSorted());
  });

  test.each(rows.filter(({ byDefault }) => byDefault.startsWith('`')))('$name is $byDefault by default', (row) => {
    expect(readConfig({ [row.name]: row.byDefault.replaceAll('`', '') })).toEqual(readConfig({}));
  });
});

test('the map of the folders lists every folder and no other', () => {
  const mapped = [...textOf('developing').matchAll(/^\| `([\w/]+)\/` +\|/gm)].map(([, folder = '']) => folder);
  for (const folder of mapped) expect(existsSync(folder), folder).toBe(true);
  const rooms = readdirSync('server', { withFileTypes: true }).filter((one) => one.isDirectory());
  expect(mapped).toEqual(expect.arrayContaining(rooms.map(({ name }) => `server/${name}`)));
});

test('the README has four small pictures, the guide of the console four, each with a description', () => {
  const picturesIn = (text: string) =>
    [...text.matchAll(/<img src="([^"]+)" width="\d+" alt="[^"]{40,}" \/>/g)].map(([, file]) => file!);
  const [ofReadme, ofConsole] = [picturesIn(readme), picturesIn(textOf('console'))];
  expect([ofReadme.length, ofConsole.length]).toEqual([4, 4]);
  for (const file of [...ofReadme, ...ofConsole.map((one) => join('server/docs', one))])
    expect(readFileSync(file).length, file).toBeLessThan(150_000);
});

test('the script tag is the one that the demo carries, with the settings that the server keeps', () => {
  const inDemo = /<script async .*<\/script>/.exec(pages['index.html'] ?? '')?.[0];
  for (const text of [readme, textOf('widget')]) {
    const [tag = ''] = blocksOf(text, 'html');
    const bare = tag.trim().replace('https://chat.example.com', '').replace('CHATBOT_UUID', '{{chatbot}}');
    expect(bare).toBe(inDemo);
  }
});

test('the tag with settings equals the playground’s output', () => {
  const written = blocksOf(textOf('widget'), 'html')[1] ?? '';
  const given = [...written.matchAll(/data-([\w-]+)="(.*)"/g)].map(([, name, value]): [string, string] => [
    name!,
    value!,
  ]);
  const { chatbot = '', ...settings } = Object.fromEntries(given);
  expect(written).toBe(`${snippet('https://chat.example.com', chatbot, settings)}\n`);
  for (const name of Object.keys(settings)) expect(WIDGET_DEFAULTS).toHaveProperty(name.replaceAll('-', '_'));
});

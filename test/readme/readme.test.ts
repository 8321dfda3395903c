import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pages } from '../../demo/pages.ts';
import { snippet } from '../../demo/snippet.ts';
import { readConfig, VARIABLES } from '../../server/config.ts';
import { WIDGET_DEFAULTS } from '../../server/widget-settings.ts';
import { serve, type Served } from '../browser/served.ts';

const readme = readFileSync('README.md', 'utf8');
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  name: string;
  version: string;
  scripts: Record<string, string>;
};

const blocks = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, text]) => text ?? '');

const shell = blocks('sh');
const curls = shell.filter((block) => block.includes('curl'));

const commands = shell.filter((block) => block.startsWith('docent '));

/** As a reader does: the status is asked for until the page is learned. */
const patiently = (block: string): string =>
  block.includes('.status') ? `until [ "$(${block})" = "[ 'success' ]" ]; do sleep 0.2; done\n` : block;

const hasCurl = spawnSync('curl', ['--version']).status === 0 && spawnSync('bash', ['-c', 'true']).status === 0;
if (!hasCurl) console.error('README: its curl lines are left out, curl or bash is not here');

describe.skipIf(!hasCurl && !process.env['CI'])('the curl lines, one after another in one shell', () => {
  let server: Served;
  let said: string[];

  beforeAll(async () => {
    server = await serve();
    // The reader has pasted the key where `read` waits.
    const script = curls
      .map((block) => patiently(block.replace(/^npm .*\n/gm, '')))
      .join('printf "\\n=====\\n"\n')
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${server.port}`);
    const reader = promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { timeout: 100_000 });
    reader.child.stdin?.end(`${server.key}\n`);
    said = (await reader).stdout.split('\n=====\n');
  });

  afterAll(() => server?.stop());

  const saidBy = (words: string): string => said[curls.findIndex((block) => block.includes(words))] ?? '';

  test('the first lines give the result that is shown below them', () => {
    const [shown = ''] = blocks('text');
    expect(shown).toMatch(/^data: /m);
    for (const line of shown.trim().split('\n')) expect(saidBy('/demo/ |')).toContain(line);
  });

  test('a chatbot is made and learns the page', () => {
    expect(JSON.parse(saidBy('chatbot/create'))).toMatchObject({ type: 'link', status: 'await' });
  });

  test('anybody asks it and gets a cited answer', () => {
    const events = saidBy('Can I return a sale item?');
    expect(events).toMatch(/^event: done$/m);
    expect(events).toMatch(/^event: delta\ndata: {"text":"Sale items have the same 45 days/m);
    expect(events).toMatch(/returns\.html/);
  });

  test('the widget is set up, and pages learn of it', async () => {
    const set = JSON.parse(saidBy('/widget'));
    expect(set).toMatchObject({ color: '#0f766e', suggestions: ['Can I return a sale item?'], radius: 18 });
  });

  test('a program asks it with the key and gets plain text', () => {
    expect(saidBy('message/stream')).toMatch(/We refund you within 5 working days.*\[\d\]/);
  });
});

describe.skipIf(!hasCurl && !process.env['CI'])('the commands, one after another in one shell', () => {
  let server: Served;
  let said: string;

  beforeAll(async () => {
    server = await serve();
    // `docent` is what it is in a checkout; the server that runs is the reader's.
    const program = `docent() { DATA_DIR=${server.dataDir} '${process.execPath}' dist/server/main.js "$@"; }\n`;
    const script = program + commands.join('').replaceAll('127.0.0.1:8080', `127.0.0.1:${server.port}`);
    said = (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script])).stdout;
  }, 120_000);

  afterAll(() => server?.stop());

  test('do what is said of them', () => {
    expect(said).toMatch(
      /^<script async src=".*" data-chatbot="[0-9a-f]{32}" data-settings><\/script>\nlearned \d+ pages in /m,
    );
    expect(said).toMatch(/^You have 45 days .*\[1\]$/m);
    expect(said).toMatch(/^\[1\] .*\/demo\/returns\.html$/m);
    expect(said).toMatch(/^learned 1 page in /m);
    expect(said).toMatch(/^removed ann@example\.com, and ended 0 keys$/m);
    expect(said).toMatch(/^Museum is hybrid$/m);
    expect(said).toMatch(/^deleted the chatbot Museum /m);
  });

  test('are all that there are', () => {
    const titles = [...readme.matchAll(/^\| `docent ((?:[a-z]+ ?)+)/gm)].map(([, title = '']) => title.trim());
    expect(titles).toHaveLength(13);
    for (const title of titles) expect(commands.join('')).toContain(`docent ${title} `.trim());
  });
});

test('its table of the widget’s settings has each with its default', () => {
  const named = [...readme.matchAll(/^\| `(\w+)` +\| .* \| `([^`]*)` +\|$/gm)].map(([, name, value]) => [name, value]);
  const defaults = Object.entries(WIDGET_DEFAULTS).map(([name, value]) => [name, JSON.stringify(value)]);
  expect(named).toEqual(expect.arrayContaining(defaults));
});

test('every npm script it names is there', () => {
  const named = [...readme.matchAll(/npm (?:run ([\w:]+)|(start|test)\b)/g)].map(([, run, short]) => run ?? short);
  expect(named).toContain('start');
  for (const name of named) expect(manifest.scripts).toHaveProperty(name ?? '');
  expect(readme).toContain(`\`${manifest.name}-${manifest.version}.tgz\``);
});

test('the two lines of set-up stand there to the letter', () => {
  expect(shell).toContain('npm ci && npm start\n');
  expect(shell).toContain('npm ci && npm test\n');
  expect(readme).toContain('`npm run test:all` runs every test');
});

const starts = shell.join('').match(/^\S+=.* npm start$/gm) ?? [];

test.each(starts)('%s: the server starts', async (line) => {
  const env = Object.fromEntries([...line.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]));
  const server = await serve({ ...env, DEMO: '0' });
  expect(await server.stop()).toBe(0);
});

test('the other uses have such lines', () => {
  expect(starts.filter((line) => /UPSTREAM_URL=|LLM_MODEL=|EMBED_MODEL=/.test(line))).toHaveLength(3);
});

describe('the table of settings', () => {
  const rows = [...readme.matchAll(/^\| `([A-Z_]+)` +\| (.*?) +\|/gm)].map(([, name = '', byDefault = '']) => ({
    name,
    byDefault,
  }));

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

test('the map of the folders has every folder, and no other', () => {
  const mapped = [...readme.matchAll(/^\| `([\w/]+)\/` +\|/gm)].map(([, folder = '']) => folder);
  for (const folder of mapped) expect(existsSync(folder), folder).toBe(true);
  const rooms = readdirSync('server', { withFileTypes: true }).filter((one) => one.isDirectory());
  expect(mapped).toEqual(expect.arrayContaining(rooms.map(({ name }) => `server/${name}`)));
});

test('its three pictures are there, small, and told in words', () => {
  const pictures = [...readme.matchAll(/<img src="([^"]+)" width="\d+" alt="[^"]{40,}" \/>/g)].map(([, file]) => file!);
  expect(pictures).toHaveLength(3);
  for (const file of pictures) expect(readFileSync(file).length, file).toBeLessThan(150_000);
});

test('its script tag is the one that the demo carries, with the settings that the server keeps', () => {
  const [tag = ''] = blocks('html');
  const inDemo = /<script async .*<\/script>/.exec(pages['index.html'] ?? '')?.[0];
  const bare = tag.trim().replace('https://chat.example.com', '').replace('CHATBOT_UUID', '{{chatbot}}');
  expect(bare).toBe(inDemo?.replace('></', ' data-settings></'));
});

test('its tag with settings is as the playground writes it', () => {
  const written = blocks('html')[1] ?? '';
  const given = [...written.matchAll(/data-([\w-]+)="(.*)"/g)].map(([, name, value]): [string, string] => [
    name!,
    value!,
  ]);
  const { chatbot = '', ...settings } = Object.fromEntries(given);
  expect(written).toBe(`${snippet('https://chat.example.com', chatbot, settings)}\n`);
  for (const name of Object.keys(settings)) expect(WIDGET_DEFAULTS).toHaveProperty(name.replaceAll('-', '_'));
});

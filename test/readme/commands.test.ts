import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBuiltServer, type BuiltServer } from '../browser/built-server.ts';
import { blocksOf, textOf, texts } from './texts.ts';

/** The commands of the README and the guides, run as a reader would type them. */

const readme = texts['README.md']!;
const shell = Object.values(texts).flatMap((text) => blocksOf(text, 'sh'));

const curls = [...blocksOf(textOf('api'), 'sh'), ...blocksOf(textOf('widget'), 'sh')];
const steps = blocksOf(readme, 'sh').filter((block) => /^npx docent (?!\n)/.test(block));
const commands = blocksOf(textOf('commands'), 'sh');
const team = blocksOf(textOf('team'), 'sh');
/** What wants root, Docker or the registry: .ci/package runs the installation, .ci/run the other npm lines but `dev` and the benches. */
const elsewhere = shell.filter((block) => /^(?:sudo|docker|npm) /.test(block));
/** Run by test/server/proxies/several.test.ts. */
const several = blocksOf(textOf('scaling'), 'sh');
const starts = shell
  .filter((block) => !elsewhere.includes(block) && !several.includes(block))
  .flatMap((block) => block.match(/^\S+=.* (?:npm start|npx docent)$/gm) ?? []);

const hasCurl = spawnSync('curl', ['--version']).status === 0 && spawnSync('bash', ['-c', 'true']).status === 0;
if (!hasCurl) console.error('README: its commands are left out, curl or bash is not here');
const skipped = !hasCurl && !process.env['CI'];

/** Runs a script where `docent` and `npx docent` are the built program, and resolves with its standard output. */
async function run(
  script: string,
  { port, dataDir }: Pick<BuiltServer, 'port' | 'dataDir'>,
  typed = '',
): Promise<string> {
  const program =
    `docent() { DATA_DIR="\${DATA_DIR:-${dataDir}}" '${process.execPath}' dist/server/main.js "$@"; }\n` +
    'npx() { [ "$1" = docent ] && "$@"; }\n';
  const lines = program + script.replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`);
  const reader = promisify(execFile)('bash', ['-euo', 'pipefail', '-c', lines], { timeout: 100_000 });
  reader.child.stdin?.end(typed);
  return (await reader).stdout;
}

test('every block of commands is run here, or needs what a test does not have', () => {
  const startsAlone = (block: string): boolean => starts.includes(block.trim());
  const others = shell.filter(
    (block) => ![curls, steps, commands, team, several, elsewhere].some((group) => group.includes(block)),
  );
  expect(others.filter((block) => !startsAlone(block))).toEqual([]);
});

describe.skipIf(skipped)('the curl lines of the API and widget guides, one after another in one shell', () => {
  let server: BuiltServer;
  let said: string[];

  beforeAll(async () => {
    server = await startBuiltServer();
    const patiently = (block: string): string =>
      block.includes('.status') ? `until [ "$(${block})" = "[ 'success' ]" ]; do sleep 0.2; done\n` : block;
    // The reader pastes the key where `read` waits.
    said = (await run(curls.map(patiently).join('printf "\\n=====\\n"\n'), server, `${server.key}\n`)).split(
      '\n=====\n',
    );
  });

  afterAll(() => server?.stop());

  const saidBy = (words: string): string => said[curls.findIndex((block) => block.includes(words))] ?? '';

  test('the first lines print the result shown below them', () => {
    const [shown = ''] = blocksOf(textOf('api'), 'text');
    expect(shown).toMatch(/^data: /m);
    for (const line of shown.trim().split('\n')) expect(saidBy('/demo/ |')).toContain(line);
  });

  test('creates a chatbot that ingests the page', () => {
    expect(JSON.parse(saidBy('chatbot/create'))).toMatchObject({ type: 'link', status: 'await' });
  });

  test('gets a cited answer as a visitor', () => {
    const events = saidBy('Can I return a sale item?');
    expect(events).toMatch(/^event: done$/m);
    expect(events).toMatch(/^event: delta\ndata: {"text":"[^"]*Sale items have the same 45 days/m);
    expect(events).toMatch(/returns\.html/);
  });

  test('gets plain text as a program with the key', () => {
    expect(saidBy('message/stream')).toMatch(/We refund you within 5 working days.*\[\d\]/);
  });

  test('starts a crawl of the site', () => {
    expect(JSON.parse(saidBy('data-source/site'))).toMatchObject({ status: 'running', exclude: ['/demo/states*'] });
  });

  test('creates a tool function, and sums the usage', () => {
    expect(JSON.parse(saidBy('function/create'))).toMatchObject({ headers: { Authorization: '****shop' } });
    expect(JSON.parse(saidBy('/usage'))).toMatchObject({ from: '2026-01-01', to: '2026-01-31' });
  });

  test('changes the settings of the widget', () => {
    const set = JSON.parse(saidBy('/widget'));
    expect(set).toMatchObject({ color: '#0f766e', suggestions: ['Can I return a sale item?'], radius: 18 });
  });
});

describe.skipIf(skipped)('the commands guide, one after another in one shell', () => {
  let server: BuiltServer;
  let folder: string;
  let said: string;

  beforeAll(async () => {
    server = await startBuiltServer();
    folder = await mkdtemp(join(tmpdir(), 'docent-commands-'));
    said = await run(commands.join('').replaceAll(/\bmoved\b/g, join(folder, 'moved')), server);
  });

  afterAll(() => server?.stop());

  test('prints what the guide shows', () => {
    expect(said).toMatch(
      /^<script async src=".*" data-chatbot="[0-9a-f]{32}" data-settings><\/script>\nlearned \d+ pages in /m,
    );
    expect(said).toMatch(/^How long you have: You have 45 days [^]*\[1\]$/m);
    expect(said).toMatch(/^\[1\] .*\/demo\/returns\.html$/m);
    expect(said).toMatch(/^learned 1 page in /m);
    expect(said).toMatch(/^9 conversations: 9 held, 0 failed in /m);
    expect(said).toMatch(/^deleted the conversation [0-9a-f]{8}… of .*: 0 messages$/m);
    expect(said).toMatch(/^removed ann@example\.com, and ended 0 keys$/m);
  });

  test('runs every command of its table', () => {
    const titles = [...textOf('commands').matchAll(/^\| `docent ((?:[a-z]+ ?)+)/gm)];
    expect(titles).toHaveLength(23);
    for (const [, title = ''] of titles) expect(commands.join('')).toContain(`docent ${title.trim()} `.trim());
  });
});

describe.skipIf(skipped)('the team guide, one after another in one shell', () => {
  let server: BuiltServer;
  let folder: string;
  let said: string[];

  beforeAll(async () => {
    server = await startBuiltServer();
    folder = await mkdtemp(join(tmpdir(), 'docent-team-'));
    const script = team.join('printf "\\n=====\\n"\n').replaceAll(/\bteam\.(yaml|xml)/g, join(folder, 'team.$1'));
    said = (await run(script, server, `${server.key}\n`)).split('\n=====\n');
  });

  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const saidBy = (words: string): string => said[team.findIndex((block) => block.includes(words))] ?? '';

  test('makes an agent with examples and a rule', () => {
    expect(JSON.parse(saidBy('agent/create'))).toMatchObject({ name: 'Monograms', enabled: 1 });
    expect(JSON.parse(saidBy('/routing'))).toMatchObject({ rules: [{ contains: ['monogram', 'initials'] }] });
  });

  test('declares variables, and creates a tool function', () => {
    expect(JSON.parse(saidBy('"variables"'))).toMatchObject({
      variables: [{ name: 'order' }, { default_value: { content: 'summer', static: 1 } }],
    });
    expect(JSON.parse(saidBy('function/create'))).toMatchObject({ name: 'order_state', meta: { class: 'read' } });
  });

  test('reaches a person, and says why', () => {
    expect(saidBy('session/create')).toMatch(/01632 960 142.*"live":\{"state":"requested"\}/s);
    expect(saidBy('meta_json')).toMatch(/by: 'classifier'.*detected: 'person'/s);
  });

  test('holds the conversations that it shows', () => {
    expect(saidBy('docent test').match(/^1 conversation: 1 held, 0 failed in /gm)).toHaveLength(2);
    const keys = [
      ...textOf('team')
        .split('## Test it')[1]!
        .matchAll(/^\| `(\w+)` +\| /gm),
    ].map(([, key]) => key);
    expect(keys).toEqual(['agent', 'cites', 'answer', 'state', 'labels', 'variables', 'tools']);
  });
});

describe.skipIf(skipped)('the five steps of the README', () => {
  let server: BuiltServer;
  let said: string[];

  beforeAll(async () => {
    server = await startBuiltServer();
    // The demo stands in for the reader's site.
    const script = steps.join('printf "\\n=====\\n"\n').replace('https://www.example.com/', `${server.base}/demo/`);
    said = (await run(script, server)).split('\n=====\n');
  });

  afterAll(() => server?.stop());

  test('print what the README shows at the first start', () => {
    const [shown = ''] = blocksOf(readme, 'text');
    expect(shown).toMatch(/^ {2}\[1\] /m);
    expect(server.output()).toContain(`\n${shown.replaceAll('127.0.0.1:8080', `127.0.0.1:${server.port}`)}\n`);
    expect(server.output()).toMatch(/^The demo is at .*\/demo\/$/m);
  });

  test('create a chatbot, ingest a page and get an answer', () => {
    const [created, learned, asked] = said;
    expect(said).toHaveLength(3);
    expect(created).toMatch(
      /^[0-9a-f]{32}\n<script async src=".*\/embed\.js" data-chatbot="[0-9a-f]{32}" data-settings><\/script>\n$/,
    );
    expect(learned).toMatch(/^learned \d+ pages in /m);
    expect(asked).toMatch(/^How long you have: You have 45 days [^]*\[1\]$/m);
    expect(asked).toMatch(/^\{"status":"ok"\}$/m);
  });
});

test.each(starts)('%s: the server starts', async (line) => {
  const env = Object.fromEntries([...line.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]));
  const server = await startBuiltServer({ ...env, DEMO: '0' });
  expect(await server.stop()).toBe(0);
});

test('a local and a hosted chat model, an embedding model and an upstream have start lines', () => {
  const named = ['LLM_MODEL=', 'LLM_API_KEY=', 'EMBED_MODEL=', 'UPSTREAM_URL='];
  expect(named.filter((name) => !starts.some((line) => line.includes(name)))).toEqual([]);
});

describe.skipIf(skipped)('the lines for backup and restore', () => {
  test('restore a chatbot into an empty folder', async () => {
    const [backup, restore] = blocksOf(textOf('production'), 'sh').filter((block) => block.includes('tar '));
    const folder = await mkdtemp(join(tmpdir(), 'docent-backup-'));
    const dataDir = join(folder, 'data');
    await Promise.all([mkdir(dataDir), mkdir(join(folder, 'backups'))]);
    const asReader = (block = ''): string =>
      block
        .replace(/^sudo systemctl .*\n/gm, '')
        .replaceAll('sudo ', '')
        .replaceAll('/var/lib/docent', dataDir)
        .replaceAll('/var/backups', join(folder, 'backups'));
    const env = { DATA_DIR: dataDir, DEMO: '0' };
    try {
      const first = await startBuiltServer(env);
      await run('docent chatbot add Keep --public', { port: first.port, dataDir });
      await first.stop();
      await run(asReader(backup), { port: first.port, dataDir });
      await rm(dataDir, { recursive: true });
      await mkdir(dataDir);
      await run(asReader(restore), { port: first.port, dataDir });
      const second = await startBuiltServer(env);
      const listed = await run('docent chatbot list', { port: second.port, dataDir });
      await second.stop();
      expect(listed).toMatch(/^[0-9a-f]{32} +Keep +owner@localhost +public/m);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

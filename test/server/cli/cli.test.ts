import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt } from '../../../server/dev/build.mjs';
import { runCommand } from '../../../server/cli/run.ts';
import { openLowdbStore } from '../../../server/store/lowdb/lowdb.ts';
import type { Store } from '../../../server/store/store.ts';
import { startChild, type Child } from '../child.ts';

/** The built program's commands, as an operator types them. */

let folder: string;
beforeAll(async () => {
  await ensureBuilt();
  folder = await mkdtemp(join(tmpdir(), 'docent-cli-'));
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

interface CommandResult {
  code: number | null;
  out: string;
  err: string;
}

function startCommand(dir: string, words: string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, ['dist/server/main.js', ...words], {
    env: { PATH: process.env['PATH'], DATA_DIR: dir, ...env },
  });
  const said = { out: '', err: '' };
  child.stdout.on('data', (piece) => (said.out += String(piece)));
  child.stderr.on('data', (piece) => (said.err += String(piece)));
  const ended = once(child, 'close').then(([code]): CommandResult => ({ code: code as number | null, ...said }));
  return { child, ended };
}

const docent = (dir: string, ...words: string[]): Promise<CommandResult> => startCommand(dir, words).ended;

/** The same without a process of its own, which a refused command does not need. */
async function runInProcess(dir: string, ...words: string[]): Promise<CommandResult> {
  const said = { out: '', err: '' };
  const terminal = { out: (text: string) => (said.out += text), err: (text: string) => (said.err += text) };
  return { code: await runCommand(words, { DATA_DIR: dir }, terminal), ...said };
}

/** A command that is expected to do what it says; its standard output. */
async function done(dir: string, ...words: string[]): Promise<string> {
  const { code, out, err } = await docent(dir, ...words);
  expect({ code, err }).toMatchObject({ code: 0 });
  return out;
}

const newKey = async (dir: string, email: string, name: string): Promise<string> =>
  (await done(dir, 'key', 'add', email, '--name', name)).trim();

/** The cells of a listing's lines, without its head. */
async function listed(dir: string, what: 'user' | 'key'): Promise<string[][]> {
  const [, ...lines] = (await done(dir, what, 'list')).trim().split('\n');
  return lines.map((line) => line.split(/ {2,}/));
}

const statusOf = async (server: Child, key: string, path = '/chatbot/0'): Promise<number> =>
  (await fetch(`${server.base}/api/v1${path}`, { headers: { Authorization: `Bearer ${key}` } })).status;

const withServer = async (dir: string, act: (server: Child) => Promise<void>): Promise<void> => {
  const server = await startChild({ DATA_DIR: dir, API_KEY: 'the-key-of-the-tests' });
  try {
    await act(server);
  } finally {
    await server.kill();
  }
};

const withStore = async (dir: string, act: (store: Store) => Promise<void>): Promise<void> => {
  const store = await openLowdbStore({ dir, clock: Date.now });
  try {
    await act(store);
  } finally {
    await store.close();
  }
};

async function filesBelow(dir: string): Promise<string> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return (await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8')))).join('\n');
}

describe('the program', () => {
  it('shows its commands and its version, and touches nothing', async () => {
    const dir = join(folder, 'untouched');
    const help = await done(dir, 'help');
    const titles = [
      'chatbot add',
      'chatbot update',
      'chatbot remove',
      'chatbot list',
      'ask',
      'learn',
      'user add',
      'user list',
      'user remove',
    ];
    for (const command of [...titles, 'key add', 'key list', 'key revoke', 'help', '--version'])
      expect(help).toContain(`docent ${command}`);
    expect(await runInProcess(dir, '--help')).toEqual({ code: 0, out: help, err: '' });
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    expect(await done(dir, '--version')).toBe(`${version}\n`);
    expect(existsSync(dir)).toBe(false);
  });

  it.each([
    ['help chatbot add', /^docent chatbot add NAME \[--public\] \[--site URL\]\n[^]*--max-pages/],
    ['chatbot add --help', /^docent chatbot add NAME/],
    ['help key remove', /^docent key revoke KEY…\n/],
    ['help key', /^docent key add .*\ndocent key list .*\ndocent key revoke .*\n$/],
  ])('docent %s: shows what there is to know of it', async (words, shown) => {
    const { code, out, err } = await runInProcess(join(folder, 'untouched'), ...words.split(' '));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(shown);
  });

  it.each([
    ['start', "unknown command 'start'"],
    ['chatbt add Help', "unknown command 'chatbt add'; did you mean 'docent chatbot add'?"],
    ['chatbot ad Help', "unknown command 'chatbot ad'; did you mean 'docent chatbot add'?"],
    ['user delete a@b', `unknown command 'user delete'; "docent help user" lists the commands`],
    ['user remov a@b', "unknown command 'user remov'; did you mean 'docent user remove'?"],
    ['lern Help http://a.test/', "unknown command 'lern'; did you mean 'docent learn'?"],
    ['hlp', "unknown command 'hlp'; did you mean 'docent help'?"],
    ['help lern', "unknown command 'lern'; did you mean 'docent learn'?"],
    ['revoke dk_secret', "unknown command 'revoke'; did you mean 'docent key revoke'?"],
    ['user', `unknown command 'user'; "docent help user" lists the commands`],
    ['user add', "'user add' is missing a word; it is: docent user add EMAIL"],
    ['user add a@b c@d', "'user add' does not take 'c@d'"],
    ['user list all', "'user list' does not take 'all'"],
    ['user add a@b --name n', "Unknown option '--name'; it is: docent user add EMAIL"],
    ['key add a@b', "'key add' needs --name; it is: docent key add EMAIL --name NAME"],
    ['key add --name n', "'key add' is missing a word"],
    ['key revoke', "'key revoke' is missing a word"],
    ['key list --all', "Unknown option '--all'"],
    ['__proto__', "unknown command '__proto__'"],
    ['--verson', "unknown option '--verson'"],
    ['learn Help', "'learn' is missing a word; it is: docent learn CHATBOT URL [--site]"],
    ['learn Help http://a.test/ more', "'learn' does not take 'more'"],
    ['learn Help http://a.test/ --name n', "Unknown option '--name'"],
    ['chatbot add', "'chatbot add' is missing a word"],
    ['chatbot update Help', "'chatbot update' needs --visibility"],
    ['chatbot remove', "'chatbot remove' is missing a word; it is: docent chatbot remove CHATBOT"],
    ['chatbot add Help --site', "Option '--site <value>' argument missing"],
    ['ask Help', "'ask' is missing a word; it is: docent ask CHATBOT QUESTION"],
  ])('docent %s: says in a line what is wrong, and ends with 2', async (words, sentence) => {
    const dir = join(folder, 'untouched');
    const { code, out, err } = await runInProcess(dir, ...words.split(' '));
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^docent: .*\n$/);
    expect(err).toContain(sentence);
    expect(err).not.toContain('secret');
    expect(existsSync(dir)).toBe(false);
  });

  it('exits with 2 at an unknown command, and starts nothing', async () => {
    const dir = join(folder, 'untouched');
    expect(await docent(dir, 'start')).toMatchObject({ code: 2, out: '' });
    expect(existsSync(dir)).toBe(false);
  });

  it('says which setting is wrong', async () => {
    const { code, err } = await startCommand(folder, ['user', 'list'], { PORT: 'http' }).ended;
    expect(code).toBe(1);
    expect(err).toContain('PORT must be');
  });
});

/** The same commands do the same, whoever has the folder. */
describe.each(['without a server', 'with a running server'])('%s', (how) => {
  let dir: string;
  let server: Child | undefined;
  beforeAll(async () => {
    dir = await mkdtemp(join(folder, 'data-'));
    if (how.startsWith('with ')) server = await startChild({ DATA_DIR: dir, API_KEY: 'the-key-of-the-tests' });
  });
  afterAll(() => server?.kill());

  it('adds an address once, in whatever case, and lists it', async () => {
    await done(dir, 'user', 'add', 'Ann@Example.com');
    const again = await docent(dir, 'user', 'add', 'ann@example.COM');
    expect(again).toEqual({ code: 1, out: '', err: 'docent: there is a user ann@example.com already\n' });
    const users = await listed(dir, 'user');
    expect(users.map(([email]) => email)).toEqual(['owner@localhost', 'ann@example.com']);
    expect(users[1]?.[1]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });

  it.each(['ann', 'a@b@c', 'a b@c', '@c', 'a@', '', 'a@b\n', 'a\u0000@b', `${'a'.repeat(250)}@b.cd`])(
    'no user is called %j',
    async (email) => {
      const { code, out, err } = await runInProcess(dir, 'user', 'add', email);
      expect({ code, out }).toEqual({ code: 1, out: '' });
      // No command line holds a NUL; in the JSON of a request it is refused before the address is read.
      expect(err).toMatch(/^docent: email must|EMAIL must be/);
    },
  );

  it('prints a key once, alone on standard output, and stores its hash', async () => {
    const { code, out } = await docent(dir, 'key', 'add', 'ANN@example.com', '--name', 'her laptop');
    expect(code).toBe(0);
    expect(out).toMatch(/^dk_[\w-]{32}\n$/);
    expect(await filesBelow(dir)).not.toContain(out.trim());
    const [row] = await listed(dir, 'key');
    expect(row).toEqual([`${out.slice(0, 7)}…`, 'her laptop', 'ann@example.com', expect.stringMatching(/Z$/), 'never']);
  });

  it.each(['', ' ', 'dk_laptop', 'red\u001b[31m', 'n'.repeat(201)])('no key is called %j', async (name) => {
    const { code, out, err } = await runInProcess(dir, 'key', 'add', 'ann@example.com', `--name=${name}`);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('the name must');
  });

  it('refuses a key for an unknown user', async () => {
    const { code, out, err } = await docent(dir, 'key', 'add', 'bob@example.com', '--name', 'n');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('docent user add bob@example.com');
  });

  it('revokes keys by prefix, by name, and by the whole key', async () => {
    const [byHint, byName, whole, kept] = [
      await newKey(dir, 'ann@example.com', 'one'),
      await newKey(dir, 'ann@example.com', 'two'),
      await newKey(dir, 'owner@localhost', 'three'),
      await newKey(dir, 'owner@localhost', 'kept'),
    ];
    const [shown = ''] = (await listed(dir, 'key')).find(([, name]) => name === 'one') ?? [];
    expect(shown).toBe(`${byHint.slice(0, 7)}…`);
    const out = await done(dir, 'key', 'remove', shown, 'TWO ', whole, whole);
    expect(out.split('\n')).toEqual([
      `revoked ${byHint.slice(0, 7)}… (one, ann@example.com)`,
      `revoked ${byName.slice(0, 7)}… (two, ann@example.com)`,
      `revoked ${whole.slice(0, 7)}… (three, owner@localhost)`,
      '',
    ]);
    const names = (await listed(dir, 'key')).map(([, name]) => name);
    expect(names).not.toEqual(expect.arrayContaining(['one']));
    expect(names).toContain('kept');
    await done(dir, 'key', 'revoke', kept.slice(0, 7));
  });

  it('revokes nothing where a word fits two keys, or none', async () => {
    const keys = [await newKey(dir, 'ann@example.com', 'twin'), await newKey(dir, 'owner@localhost', 'twin')];
    const unclear = await docent(dir, 'key', 'revoke', keys[0]!.slice(0, 7), 'twin');
    expect(unclear).toMatchObject({ code: 1, out: '' });
    expect(unclear.err).toContain('"twin" could be any of 2 keys');
    for (const key of keys) expect(unclear.err).toContain(`${key.slice(0, 7)}…`);
    for (const key of keys) expect(unclear.err).not.toContain(key);

    const unknown = 'dk_this-is-a-key-of-some-other-server';
    const none = await docent(dir, 'key', 'revoke', 'twin', unknown);
    expect(none).toMatchObject({ code: 1, out: '' });
    const alone = await docent(dir, 'key', 'revoke', unknown);
    expect(alone.err).toContain('there is no key "dk_this"');
    expect(alone.err).not.toContain(unknown);
    expect((await listed(dir, 'key')).filter(([, name]) => name === 'twin')).toHaveLength(2);
  });
});

describe('the first characters of a key', () => {
  it('are enough where they are no other key of the list, and else it says which keys they are', async () => {
    const dir = join(folder, 'hints');
    await withStore(dir, async (store) => {
      // Keys of older versions have no hint.
      for (const [at, hint] of ['dk_abcd', 'dk_abef', 'dk_zzzz', ''].entries())
        await store.addKey({
          hash: String(at).repeat(64),
          user: store.owner.user.uuid,
          name: hint ? `key ${at}` : 'old',
          hint,
          created_at: '2026-01-01T00:00:00Z',
          last_used_at: '',
        });
    });
    const [other] = (await listed(dir, 'key')).find(([, name]) => name === 'old') ?? [];
    expect(await done(dir, 'key', 'revoke', other!)).toContain('(old, owner@localhost)');
    expect((await docent(dir, 'key', 'revoke', 'dk_ab')).err).toMatch(/2 keys: dk_abcd… .*dk_abef… /);
    expect((await docent(dir, 'key', 'revoke', 'dk_')).err).toContain('there is no key');
    expect(await done(dir, 'key', 'revoke', 'dk_abe...', 'dk_z')).toMatch(/dk_abef….*\n.*dk_zzzz…/);
    expect(await listed(dir, 'key')).toHaveLength(1);
  });
});

describe('a running server', () => {
  it('takes a new key at once, notes its use, and refuses it as soon as it is revoked', async () => {
    const dir = join(folder, 'running');
    await withServer(dir, async (server) => {
      await done(dir, 'user', 'add', 'ann@example.com');
      const key = await newKey(dir, 'ann@example.com', 'laptop');
      expect(await statusOf(server, key)).toBe(404);
      expect((await listed(dir, 'key'))[0]?.[4]).toMatch(/^\d{4}-.*Z$/);
      await done(dir, 'key', 'revoke', 'laptop');
      expect(await statusOf(server, key)).toBe(401);
    });
  });

  it('accepts keys added, and rejects keys revoked, before it started', async () => {
    const dir = join(folder, 'before');
    const [kept, ended] = [await newKey(dir, 'owner@localhost', 'kept'), await newKey(dir, 'owner@localhost', 'ended')];
    await done(dir, 'key', 'revoke', 'ended');
    await withServer(dir, async (server) => {
      expect(await statusOf(server, kept)).toBe(404);
      expect(await statusOf(server, ended)).toBe(401);
    });
  });

  it('writes no key into its log, nor does an argument stay where others see it', async () => {
    const dir = join(folder, 'quiet');
    const port = { HOST: '127.0.0.1', PORT: '0', DEMO: '0' };
    const server = startCommand(dir, [], { ...port, API_KEY: 'the-key-of-the-tests' });
    let log = '';
    server.child.stdout.on('data', (piece) => (log += String(piece)));
    while (!log.includes('listening')) await wait(20);
    const key = await newKey(dir, 'owner@localhost', 'secret name');
    await done(dir, 'key', 'revoke', key);
    server.child.kill('SIGTERM');
    const { out, err, code } = await server.ended;
    expect(code).toBe(0);
    expect(out).toContain('"path":"/control/key/add"');
    expect(out + err).not.toContain(key.slice(0, 7));
    expect(out + err).not.toContain('secret name');
    expect(existsSync(join(dir, 'docent.sock'))).toBe(false);
  });

  it('opens a socket with mode 0600, and replaces the one of a killed server', async () => {
    const dir = join(folder, 'killed');
    const modes = async () => [await stat(join(dir, 'docent.sock')), await stat(dir)].map(({ mode }) => mode & 0o777);
    await withServer(dir, async () => expect(await modes()).toEqual([0o600, 0o700]));
    expect(existsSync(join(dir, 'docent.sock'))).toBe(true);
    expect(await listed(dir, 'user')).toHaveLength(1);
    await withServer(dir, async () => {
      expect(await modes()).toEqual([0o600, 0o700]);
      expect(await listed(dir, 'user')).toHaveLength(1);
      expect((await readdir(dir)).filter((name) => name.startsWith('sock-'))).toEqual([]);
    });
  });

  it('is reached in a folder whose name is longer than the address of a socket may be', async () => {
    const dir = join(folder, 'l'.repeat(90), 'o'.repeat(90));
    await withServer(dir, async (server) => {
      expect(await statusOf(server, await newKey(dir, 'owner@localhost', 'far'))).toBe(404);
    });
  });

  it('answers commands that come together, and adds one user once', async () => {
    const dir = join(folder, 'together');
    await withServer(dir, async () => {
      const emails = ['a@x', 'b@x', 'c@x', 'a@x'];
      const codes = await Promise.all(emails.map((email) => docent(dir, 'user', 'add', email)));
      expect(codes.map(({ code }) => code).toSorted()).toEqual([0, 0, 0, 1]);
      expect(await listed(dir, 'user')).toHaveLength(4);
    });
  });

  it('shuts down although an idle connection is open', async () => {
    const dir = join(folder, 'silent');
    const server = startCommand(dir, [], { PORT: '0', DEMO: '0', API_KEY: 'the-key-of-the-tests' });
    while (!existsSync(join(dir, 'docent.sock'))) await wait(20);
    const socket = connect(join(dir, 'docent.sock')).on('error', () => {});
    await once(socket, 'connect');
    await wait(100);
    server.child.kill('SIGTERM');
    expect((await server.ended).code).toBe(0);
    // Below the 30 seconds that a drain may take.
  }, 25_000);
});

describe('a command', () => {
  it('waits for a server that has the folder and does not listen yet, or for its end', async () => {
    const dir = join(folder, 'starting');
    let waiting: Promise<CommandResult> | undefined;
    await withStore(dir, async () => {
      waiting = docent(dir, 'user', 'list');
      await wait(800);
    });
    expect(await waiting).toMatchObject({ code: 0, err: '' });
    await withStore(dir, async () => {
      const refused = await docent(dir, 'user', 'list');
      expect(refused).toMatchObject({ code: 1, out: '' });
      expect(refused.err).toContain(`in use by process ${process.pid}`);
    });
  });

  it('says when it has created a data folder, since DATA_DIR may be missing', async () => {
    const dir = join(folder, 'forgotten');
    expect((await docent(dir, 'key', 'list')).err).toContain(`${dir} is a new data folder`);
    expect((await docent(dir, 'key', 'list')).err).toBe('');
  });

  it('hides its arguments from the list of processes, and says that a server broke off', async () => {
    const dir = await mkdtemp(join(folder, 'deaf-'));
    const deaf: Server = createServer().listen(join(dir, 'docent.sock'));
    await once(deaf, 'listening');
    const { child, ended } = startCommand(dir, ['key', 'revoke', 'dk_an-argument-that-is-a-secret']);
    const [socket] = await once(deaf, 'connection');
    if (existsSync('/proc/self/cmdline'))
      expect(await readFile(`/proc/${child.pid}/cmdline`, 'utf8')).not.toContain('secret');
    socket.destroy();
    const { code, err } = await ended;
    expect(code).toBe(1);
    expect(err).toMatch(/^docent: .*\n$/);
    deaf.close();
  });
});

describe('the commands guide', () => {
  it('names the commands as the program does', async () => {
    const help = await done(folder, '--help');
    // A table escapes the sign between its cells.
    const guide = (await readFile('server/docs/commands.md', 'utf8')).replaceAll('\\|', '|');
    const commands = [...help.matchAll(/^(docent (?:[a-z]+ )+.*?) {2}/gm)].map(([, command = '']) => command);
    expect(commands).toHaveLength(21);
    for (const command of commands) expect(guide).toContain(`\`${command.trim()}\``);
  });
});

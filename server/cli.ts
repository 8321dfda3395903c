import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { version } from '../package.json';
import { createAdmin, type Admin, type KeyLine } from './admin.ts';
import { readConfig } from './config.ts';
import { NobodyListens, remoteAdmin } from './socket.ts';
import { FolderInUse } from './store/lock.ts';
import { openLowdbStore } from './store/lowdb.ts';

/** The commands that are not "start the server". */

interface Terminal {
  out(text: string): void;
  err(text: string): void;
}

interface Command {
  takes: string;
  about: string;
  /** How many words may follow the command's own two. */
  least: number;
  most: number;
  named?: true;
  act(admin: Admin, words: string[], name: string, terminal: Terminal): Promise<void>;
}

const COMMANDS: Record<string, Command> = {
  'user add': {
    takes: 'EMAIL',
    about: 'add a user, who has chatbots of their own',
    least: 1,
    most: 1,
    async act(admin, [email = ''], _, { out }) {
      out(`added ${await admin.addUser(email)}\n`);
    },
  },
  'user list': {
    takes: '',
    about: 'list the users',
    least: 0,
    most: 0,
    async act(admin, _words, _name, { out }) {
      const users = await admin.users();
      out(table([['EMAIL', 'CREATED'], ...users.map(({ email, created_at }) => [email, created_at])]));
    },
  },
  'key add': {
    takes: 'EMAIL --name NAME',
    about: 'make an API key for a user; it is shown this once',
    least: 1,
    most: 1,
    named: true,
    async act(admin, [email = ''], name, { out, err }) {
      out(`${await admin.addKey(email, name)}\n`);
      err('Keep it: only its hash is stored, and it is not shown again.\n');
    },
  },
  'key list': {
    takes: '',
    about: 'list the keys by their first characters',
    least: 0,
    most: 0,
    async act(admin, _words, _name, { out }) {
      const rows = (await admin.keys()).map(rowOf);
      out(table([['KEY', 'NAME', 'USER', 'CREATED', 'LAST USED'], ...rows]));
    },
  },
  'key revoke': {
    takes: 'KEY…',
    about: 'end keys at once, each told by its first characters or its name',
    least: 1,
    most: Infinity,
    async act(admin, words, _, { out }) {
      const keys = await admin.revokeKeys(...words);
      out(keys.map(({ hint, name, email }) => `revoked ${hint}… (${name}, ${email})\n`).join(''));
    },
  },
};

/** Resolves with the exit code: 0 done, 1 it could not be done, 2 there is no such command. */
export async function runCommand(words: string[], env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  const read = readWords(words);
  if (typeof read === 'string') {
    terminal.err(`docent: ${read}\n\n${usage()}`);
    return 2;
  }
  if ('shown' in read) {
    terminal.out(read.shown);
    return 0;
  }
  const { command, operands, name } = read;
  try {
    const { dataDir } = readConfig(env);
    await withAdmin(dataDir, terminal, (admin) => command.act(admin, operands, name, terminal));
    return 0;
  } catch (error) {
    terminal.err(`docent: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

const OPTIONS = {
  name: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

/** What is to be done, or what is to be shown, or a sentence about what is wrong. */
function readWords(
  words: string[],
): { command: Command; operands: string[]; name: string } | { shown: string } | string {
  try {
    const { values, positionals } = parseArgs({ args: words, options: OPTIONS, allowPositionals: true });
    if (values.help) return { shown: usage() };
    if (values.version) return { shown: `${version}\n` };
    const [one = '', two = '', ...operands] = positionals;
    const title = `${one} ${two}`.trim();
    const command = Object.hasOwn(COMMANDS, title) ? COMMANDS[title] : undefined;
    if (!command) return `there is no command "${title}"`;
    const fits = operands.length >= command.least && operands.length <= command.most;
    if (!fits || (values.name !== undefined) !== (command.named ?? false)) return `it is: ${line(title, command)}`;
    return { command, operands, name: values.name ?? '' };
  } catch (error) {
    return (error as Error).message;
  }
}

const line = (title: string, { takes }: Command): string => `docent ${title} ${takes}`.trim();

export function usage(): string {
  const commands = Object.entries(COMMANDS).map(([title, command]) => [line(title, command), command.about]);
  const rows = [['docent', 'start the server'], ...commands, ['docent --help', 'show this'], ['docent --version', '']];
  return `${table(rows)}\nSettings are environment variables. DATA_DIR says whose users and keys these are.\n`;
}

/** How long a server that has the folder may take until it listens to commands. */
const STARTING_MS = 3000;

/** By the server that has the folder, or else by having the folder ourselves. */
async function withAdmin(dir: string, terminal: Terminal, act: (admin: Admin) => Promise<void>): Promise<void> {
  for (const end = Date.now() + STARTING_MS; ; await wait(50)) {
    try {
      return await act(remoteAdmin(dir));
    } catch (error) {
      if (!(error instanceof NobodyListens)) throw error;
    }
    try {
      return await withOwnStore(dir, terminal, act);
    } catch (error) {
      if (!(error instanceof FolderInUse) || Date.now() > end) throw error;
    }
  }
}

async function withOwnStore(dir: string, { err }: Terminal, act: (admin: Admin) => Promise<void>): Promise<void> {
  const isNew = !existsSync(join(dir, 'store.json'));
  const store = await openLowdbStore({ dir, clock: Date.now });
  // Where DATA_DIR was forgotten, the keys of a new folder open nothing.
  if (isNew) err(`docent: ${dir} is a new data folder, made now\n`);
  try {
    await act(createAdmin({ store, clock: Date.now }));
  } finally {
    await store.close();
  }
}

const rowOf = ({ hint, name, email, created_at, last_used_at }: KeyLine): string[] => [
  `${hint}…`,
  name,
  email,
  created_at,
  last_used_at || 'never',
];

/** Columns as wide as their widest word, two spaces apart. */
function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => [...(row[at] ?? '')].length)));
  const pad = (word: string, at: number): string => word + ' '.repeat((widths[at] ?? 0) - [...word].length + 2);
  return rows.map((row) => `${row.map(pad).join('').trimEnd()}\n`).join('');
}

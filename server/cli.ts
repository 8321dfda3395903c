import { parseArgs } from 'node:util';
import { version } from '../package.json';
import { plain, table, type Command, type Options, type Terminal } from './commands/command.ts';
import { keyCommands } from './commands/keys.ts';
import { learnCommand } from './commands/learn.ts';
import { withVerbs } from './commands/reach.ts';
import { readConfig } from './config.ts';

/** The commands that are not "start the server". */
const COMMANDS: Record<string, Command> = { learn: learnCommand, ...keyCommands };

/**
 * Resolves with the exit code: 0 done, 1 it could not be done, 2 there is no such command, 130 it was stopped by Ctrl-C.
 */
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
  const { command, operands, options } = read;
  try {
    const config = readConfig(env);
    return (await withVerbs(config, terminal, (verbs) => command.act(verbs, operands, options, terminal))) ?? 0;
  } catch (error) {
    terminal.err(`docent: ${plain(error instanceof Error ? error.message : String(error))}\n`);
    return 1;
  }
}

const OPTIONS = {
  name: { type: 'string' },
  site: { type: 'boolean' },
  'max-pages': { type: 'string' },
  include: { type: 'string', multiple: true },
  exclude: { type: 'string', multiple: true },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

/** What is to be done, or what is to be shown, or a sentence about what is wrong. */
function readWords(
  words: string[],
): { command: Command; operands: string[]; options: Options } | { shown: string } | string {
  try {
    const { values, positionals } = parseArgs({ args: words, options: OPTIONS, allowPositionals: true });
    const { help, version: asked, ...options } = values;
    if (help) return { shown: usage() };
    if (asked) return { shown: `${version}\n` };
    const title = [1, 2]
      .map((count) => positionals.slice(0, count).join(' '))
      .find((one) => Object.hasOwn(COMMANDS, one));
    const command = COMMANDS[title ?? ''];
    if (title === undefined || !command) return `there is no command "${positionals.slice(0, 2).join(' ')}"`;
    const operands = positionals.slice(title.split(' ').length);
    return fits(command, operands, options) ? { command, operands, options } : `it is: ${line(title, command)}`;
  } catch (error) {
    return (error as Error).message;
  }
}

function fits({ least, most, needs = [], may = [] }: Command, operands: string[], options: Options): boolean {
  const given = Object.keys(options) as (keyof Options)[];
  const known = given.every((name) => needs.includes(name) || may.includes(name));
  return operands.length >= least && operands.length <= most && known && needs.every((name) => given.includes(name));
}

const line = (title: string, { takes }: Command): string => `docent ${title} ${takes}`.trim();

export function usage(): string {
  const commands = Object.entries(COMMANDS).map(([title, command]) => [line(title, command), command.about]);
  const rows = [['docent', 'start the server'], ...commands, ['docent --help', 'show this'], ['docent --version', '']];
  return `${table(rows)}\n${MORE}`;
}

const MORE = `--site may go with --max-pages N (200), --include P and --exclude P, as often as needed: the beginning of a path, or a
pattern in which * is anything.
Settings are environment variables. DATA_DIR says whose users, keys and chatbots these are.
`;

import { parseArgs } from 'node:util';
import { version } from '../../package.json';
import { chatbotCommands } from './chatbots.ts';
import { plain, table, type Command, type Options, type Terminal } from './command.ts';
import { keyCommands } from './keys.ts';
import { learnCommand } from './learn.ts';
import { withClient } from './connect.ts';
import { misspeltVariables, readConfig } from '../config.ts';
import { meantWord } from '../schema/nearest-word.ts';

/** The commands that are not "start the server". */
const COMMANDS: Record<string, Command> = { ...chatbotCommands, learn: learnCommand, ...keyCommands };

const ALIASES: Record<string, string> = { 'key remove': 'key revoke' };

/**
 * Resolves with the exit code: 0 done, 1 it could not be done, 2 the command line is wrong, 130 it was stopped by Ctrl-C.
 */
export async function runCommand(words: string[], env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  const read = readWords(words);
  if ('wrong' in read) {
    terminal.err(`docent: ${plain(read.wrong)}\n`);
    return 2;
  }
  if ('output' in read) {
    terminal.out(read.output);
    return 0;
  }
  for (const sentence of misspeltVariables(env)) terminal.err(`docent: ${sentence}\n`);
  const { command, operands, options } = read;
  try {
    const config = readConfig(env);
    return (await withClient(config, terminal, (client) => command.act(client, operands, options, terminal))) ?? 0;
  } catch (error) {
    terminal.err(`docent: ${plain(error instanceof Error ? error.message : String(error))}\n`);
    return 1;
  }
}

type Read = { command: Command; operands: string[]; options: Options } | { output: string } | { wrong: string };

function readWords(words: string[]): Read {
  const [first = ''] = words;
  if (first === '--version') return { output: `${version}\n` };
  if (first === '--help' || first === '-h') return { output: usage() };
  if (first === 'help') return helpOn(words.slice(1));
  if (first.startsWith('-')) return { wrong: `unknown option '${first}'; "docent help" lists the commands` };
  const title = titleOf(words);
  if (title === undefined) return { wrong: unknown(words) };
  return readOperands(title, words.slice(title.split(' ').length));
}

/** The command that the words begin with. */
function titleOf(words: string[]): string | undefined {
  const titles = [1, 2].map((count) => words.slice(0, count).join(' ')).map((title) => ALIASES[title] ?? title);
  return titles.find((title) => Object.hasOwn(COMMANDS, title));
}

function readOperands(title: string, words: string[]): Read {
  const command = COMMANDS[title]!;
  const wrong = (what: string): Read => ({ wrong: `${what}; it is: ${line(title, command)}` });
  try {
    const help = { type: 'boolean', short: 'h' } as const;
    const read = parseArgs({ args: words, options: { ...command.options, help }, allowPositionals: true });
    const { help: isHelp, ...given } = read.values;
    if (isHelp) return { output: manual(title, command) };
    const { least, most, needs = [] } = command;
    const operands = read.positionals;
    const missing = needs.find((name) => !Object.hasOwn(given, name));
    if (operands.length < least) return wrong(`'${title}' is missing a word`);
    if (operands.length > most) return wrong(`'${title}' does not take '${operands[most]}'`);
    return missing ? wrong(`'${title}' needs --${missing}`) : { command, operands, options: given as Options };
  } catch (error) {
    // Node's sentence goes on with advice about `--`.
    return wrong((error as Error).message.split(/[.] /)[0]!);
  }
}

function helpOn(words: string[]): Read {
  if (words.length === 0) return { output: usage() };
  const title = titleOf(words);
  if (title !== undefined) return { output: manual(title, COMMANDS[title]!) };
  const group = Object.entries(COMMANDS).filter(([one]) => one.startsWith(`${words[0]} `));
  if (words.length > 1 || group.length === 0) return { wrong: unknown(words) };
  return { output: table(group.map(([one, command]) => [line(one, command), command.about])) };
}

/** What was typed may be a key: no more of it is repeated than a command may have. */
function unknown(words: string[]): string {
  const titles = [...Object.keys(COMMANDS), ...Object.keys(ALIASES), 'help'];
  const groups = titles.filter((title) => title.includes(' ')).map((title) => title.split(' ')[0]!);
  const [first = '', second] = words;
  const group = [meantWord(first, groups), first].find((one) => one !== undefined && groups.includes(one));
  const typed = group !== undefined && second !== undefined && !second.startsWith('-') ? `${first} ${second}` : first;
  const verbs = titles.filter((title) => title.endsWith(` ${first}`));
  const meant = meantWord(typed, titles) ?? meantWord(first, titles) ?? (verbs.length === 1 ? verbs[0] : undefined);
  if (meant !== undefined) return `unknown command '${typed}'; did you mean 'docent ${meant}'?`;
  return `unknown command '${typed}'; "docent help${group === undefined ? '' : ` ${group}`}" lists the commands`;
}

const line = (title: string, { takes }: Command): string => `docent ${title} ${takes}`.trim();

const manual = (title: string, command: Command): string =>
  `${line(title, command)}\n\n${command.about}\n${command.more ? `\n${command.more}` : ''}`;

function usage(): string {
  const commands = Object.entries(COMMANDS).map(([title, command]) => [line(title, command), command.about]);
  const help = ['docent help [COMMAND]', 'show this, or more about a command'];
  return `${table([['docent', 'start the server'], ...commands, help, ['docent --version', 'show the version']])}\n${MORE}`;
}

const MORE = 'Settings are environment variables. DATA_DIR says whose users, keys and chatbots these are.\n';

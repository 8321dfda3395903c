import { parseArgs } from 'node:util';
import { version } from '../../package.json';
import { archiveCommands } from './archive.ts';
import { chatbotCommands } from './chatbots.ts';
import { sanitizeText, table, type Command, type CommandOptions, type LateCommand, type Terminal } from './command.ts';
import { conversationCommands } from './conversations.ts';
import { doctorCommand } from './doctor.ts';
import { keyCommands } from './keys.ts';
import { learnCommand } from './learn.ts';
import { loginCommand, passkeyCommands, signInCommands } from './login.ts';
import { withClient } from './connect.ts';
import { testCommand } from './test.ts';
import { misspeltVariables, readConfig } from '../config.ts';
import { nearestWord } from '../schema/nearest-word.ts';

/** The commands that are not "start the server". */
const COMMANDS: Record<string, AnyCommand> = {
  ...chatbotCommands,
  learn: learnCommand,
  test: testCommand,
  login: loginCommand,
  ...signInCommands,
  ...passkeyCommands,
  ...keyCommands,
  ...conversationCommands,
  ...archiveCommands,
  doctor: doctorCommand,
};
type AnyCommand = Command | LateCommand;

const ALIASES: Record<string, string> = { 'key remove': 'key revoke' };

/**
 * Resolves with the exit code: 0 done, 1 it could not be done or a value is not accepted, 2 the words and options do not fit a command, 130 it was stopped by Ctrl-C.
 */
export async function runCommand(words: string[], env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  const read = parseWords(words);
  if ('wrong' in read) {
    terminal.err(`docent: ${sanitizeText(read.wrong)}\n`);
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
    if ('actLate' in command)
      return await command.actLate(
        (act) => withClient(config, terminal, act, { sessionsInMemory: true }),
        operands,
        options,
        terminal,
        env,
      );
    return (await withClient(config, terminal, (client) => command.act(client, operands, options, terminal))) ?? 0;
  } catch (error) {
    terminal.err(`docent: ${sanitizeText(error instanceof Error ? error.message : String(error))}\n`);
    return 1;
  }
}

type ParsedWords =
  { command: AnyCommand; operands: string[]; options: CommandOptions } | { output: string } | { wrong: string };

function parseWords(words: string[]): ParsedWords {
  const [first = ''] = words;
  if (first === '--version') return { output: `${version}\n` };
  if (first === '--help' || first === '-h') return { output: usage() };
  if (first === 'help') return helpOn(words.slice(1));
  if (first.startsWith('-')) return { wrong: `unknown option '${first}'; "docent help" lists the commands` };
  const title = commandTitle(words);
  if (title === undefined) return { wrong: unknownCommand(words) };
  return parseOperands(title, words.slice(title.split(' ').length));
}

/** The command that the words begin with. */
function commandTitle(words: string[]): string | undefined {
  const titles = [1, 2].map((count) => words.slice(0, count).join(' ')).map((title) => ALIASES[title] ?? title);
  return titles.find((title) => Object.hasOwn(COMMANDS, title));
}

function parseOperands(title: string, words: string[]): ParsedWords {
  const command = COMMANDS[title]!;
  const wrong = (what: string): ParsedWords => ({ wrong: `${what}; it is: ${usageLine(title, command)}` });
  try {
    const help = { type: 'boolean', short: 'h' } as const;
    const read = parseArgs({ args: words, options: { ...command.options, help }, allowPositionals: true });
    const { help: isHelp, ...given } = read.values;
    if (isHelp) return { output: helpText(title, command) };
    const { minWords, maxWords, needsOneOf = [] } = command;
    const operands = read.positionals;
    const isMissing = needsOneOf.length > 0 && !needsOneOf.some((name) => Object.hasOwn(given, name));
    if (operands.length < minWords) return wrong(`'${title}' is missing a word`);
    if (operands.length > maxWords) return wrong(`'${title}' does not take '${operands[maxWords]}'`);
    if (isMissing) return wrong(`'${title}' needs ${needsOneOf.map((name) => `--${name}`).join(' or ')}`);
    return { command, operands, options: given as CommandOptions };
  } catch (error) {
    const { message } = error as Error;
    const [, ambiguous] = /^Option '(.*?)' argument is ambiguous/.exec(message) ?? [];
    if (ambiguous !== undefined) return wrong(`the value of '${ambiguous}' must not begin with '-'`);
    // Node's sentence goes on with advice about `--`.
    return wrong(message.split(/[.] /)[0]!);
  }
}

function helpOn(words: string[]): ParsedWords {
  if (words.length === 0) return { output: usage() };
  const title = commandTitle(words);
  if (title !== undefined) return { output: helpText(title, COMMANDS[title]!) };
  const group = Object.entries(COMMANDS).filter(([one]) => one.startsWith(`${words[0]} `));
  if (words.length > 1 || group.length === 0) return { wrong: unknownCommand(words) };
  return { output: table(group.map(([one, command]) => [usageLine(one, command), command.summary])) };
}

/** Repeats at most two words: a later one may be a key. */
function unknownCommand(words: string[]): string {
  const titles = [...Object.keys(COMMANDS), ...Object.keys(ALIASES), 'help'];
  const groups = titles.filter((title) => title.includes(' ')).map((title) => title.split(' ')[0]!);
  const [first = '', second] = words;
  const group = [nearestWord(first, groups), first].find((one) => one !== undefined && groups.includes(one));
  const typed = group !== undefined && second !== undefined && !second.startsWith('-') ? `${first} ${second}` : first;
  const verbs = titles.filter((title) => title.endsWith(` ${first}`));
  const meant = nearestWord(typed, titles) ?? nearestWord(first, titles) ?? (verbs.length === 1 ? verbs[0] : undefined);
  if (meant !== undefined) return `unknown command '${typed}'; did you mean 'docent ${meant}'?`;
  return `unknown command '${typed}'; "docent help${group === undefined ? '' : ` ${group}`}" lists the commands`;
}

const usageLine = (title: string, { synopsis }: AnyCommand): string => `docent ${title} ${synopsis}`.trim();

const helpText = (title: string, command: AnyCommand): string =>
  `${usageLine(title, command)}\n\n${command.summary}\n${command.details ? `\n${command.details}` : ''}`;

function usage(): string {
  const commands = Object.entries(COMMANDS).map(([title, command]) => [usageLine(title, command), command.summary]);
  const help = ['docent help [COMMAND]', 'show this, or more about a command'];
  return `${table([['docent', 'start the server'], ...commands, help, ['docent --version', 'show the version']])}\n${USAGE_NOTE}`;
}

const USAGE_NOTE = 'Settings are environment variables. DATA_DIR says whose users, keys and chatbots these are.\n';

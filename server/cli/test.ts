import { access, constants, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { findChatbot } from '../control/find-by-name.ts';
import type { Client } from '../control/client.ts';
import type { ConversationFile } from '../conversations/format.ts';
import type { Answers, Door, Judged } from '../conversations/run.ts';
import type { Chatbot } from '../schema/records.ts';
import {
  EXIT_INTERRUPTED,
  pluralize,
  sanitizeText,
  type CommandOptions,
  type LateCommand,
  type Terminal,
} from './command.ts';
import { clearBar } from './progress.ts';

const [EXIT_FAILED, EXIT_NOT_RUN] = [1, 2];

export const testCommand: LateCommand = {
  synopsis: 'FILE|FOLDER [--chatbot NAME] [--server URL] [--junit FILE] [--call-writes]',
  summary: 'hold the conversations of YAML files with a chatbot, and say what is not as expected',
  details: `The chatbot is the one of --chatbot, or that the file names, or the only one there is. The conversations are deleted again.
Functions of the class write are not called, and count as called and done; with --call-writes they are called.
With --server it asks a server at that address, with the key in DOCENT_API_KEY; without, the data folder's own.
--junit writes the result as JUnit XML, too. The guide "Team" has the format of the files.
Exit code: 0 all holds, 1 something does not, 2 it could not be run: a file, the server or the chatbot, 130 stopped by Ctrl-C.
`,
  minWords: 1,
  maxWords: 1,
  options: {
    chatbot: { type: 'string' },
    server: { type: 'string' },
    junit: { type: 'string' },
    'call-writes': { type: 'boolean' },
  },
  actLate: (...given) =>
    actLate(...given).catch((error: unknown) => {
      const [, , , terminal] = given;
      terminal.err(`docent: ${sanitizeText(error instanceof Error ? error.message : String(error))}\n`);
      return EXIT_NOT_RUN;
    }),
};

const actLate: LateCommand['actLate'] = async (withClient, [path = ''], options, terminal, env) => {
  // Loaded here: no other command reads YAML.
  const { readConversationFiles } = await import('../conversations/files.ts');
  const files = await readConversationFiles(path);
  const { server, junit } = options;
  if (junit !== undefined) await checkWritable(junit);
  if (server === undefined) return withClient((client) => hold(files, localDoor(client, options), options, terminal));
  const key = env['DOCENT_API_KEY'];
  if (!key) throw new Error('--server needs a key of that server in DOCENT_API_KEY');
  return hold(files, await remoteDoor(readServer(server), key, options), options, terminal);
};

type OpenDoor = (file: ConversationFile) => Promise<Door>;

async function hold(files: ConversationFile[], door: OpenDoor, options: CommandOptions, terminal: Terminal) {
  const [{ answersOf, countUnsent, isFailed, runConversations }, { describeFailure }] = await Promise.all([
    import('../conversations/run.ts'),
    import('../conversations/report.ts'),
  ]);
  const began = performance.now();
  const stop = new AbortController();
  const ignore = terminal.onInterrupt?.(() => stop.abort());
  const total = files.reduce((sum, { conversations }) => sum + conversations.length, 0);
  const bar = terminal.columns?.() === undefined ? undefined : (done: number) => terminal.out(counter(done, total));
  const callsWrites = options['call-writes'];
  const options_ = { door, callsWrites, signal: stop.signal, ...(bar && { onProgress: bar }) };
  const judged = await runConversations(files, options_).finally(() => {
    ignore?.();
    if (bar) terminal.out(clearBar);
  });
  const failed = judged.filter(isFailed);
  terminal.out(failed.map((one) => `${sanitizeText(describeFailure(one))}\n`).join(''));
  const answers = answersOf(judged);
  const seconds = (performance.now() - began) / 1000;
  terminal.out(`${summary(judged, failed.length, total, seconds)}${withoutModel(answers)}\n${fallbacks(answers)}`);
  const unsent = countUnsent(judged);
  if (unsent > 0)
    terminal.out(`${pluralize(unsent, 'call')} of functions that write, not sent: --call-writes sends them\n`);
  if (options.junit !== undefined) await writeJunit(options.junit, judged);
  if (stop.signal.aborted) return EXIT_INTERRUPTED;
  return failed.length > 0 ? EXIT_FAILED : 0;
}

const counter = (done: number, total: number): string => `${clearBar}${done} of ${pluralize(total, 'conversation')}`;

function summary(judged: Judged[], failed: number, total: number, seconds: number): string {
  const left = total - judged.length;
  const counts = [`${judged.length - failed} held`, `${failed} failed`, ...(left > 0 ? [`${left} not asked`] : [])];
  return `${pluralize(total, 'conversation')}: ${counts.join(', ')} in ${seconds.toFixed(1)} s`;
}

const withoutModel = ({ total, byModel }: Answers): string => (total > 0 && byModel === 0 ? ', without a model' : '');

/** Tests that hold for a model may fail for its quotes, and the other way round. */
function fallbacks({ total, fallbacks: reasons }: Answers): string {
  if (reasons.size === 0) return '';
  const count = [...reasons.values()].reduce((sum, one) => sum + one, 0);
  const named = [...reasons.keys()].map((reason) => (reason === 'quota' ? 'credits are spent' : reason));
  return `quotes in place of the model's answer: ${count} of ${total} (${named.join(', ')})\n`;
}

/** Rejects before anything is asked, not after the last conversation. */
async function checkWritable(path: string): Promise<void> {
  const refused = (why: string) => (error?: unknown) => {
    throw new Error(`--junit ${path} cannot be written: ${why}`, { cause: error });
  };
  const known = await stat(path).catch(() => undefined);
  if (known?.isDirectory()) refused('it is a folder')();
  const folder = await stat(dirname(path)).catch(refused('there is no such folder'));
  if (!folder.isDirectory()) refused(`${dirname(path)} is no folder`)();
  await access(known ? path : dirname(path), constants.W_OK).catch(refused('this user may not write there'));
}

async function writeJunit(path: string, judged: Judged[]): Promise<void> {
  const { junitXml } = await import('../conversations/junit.ts');
  await writeFile(path, junitXml(judged));
}

/** The chatbot of a file, by the command line, by the file, or because there is no other. */
function nameOf(file: ConversationFile, { chatbot }: CommandOptions, all: { uuid: string; name: string }[]): string {
  const named = chatbot ?? file.chatbot;
  if (named !== undefined) return named;
  const [only, second] = all;
  if (only && !second) return only.uuid;
  const list = all.slice(0, 10).map(({ name }) => name);
  throw new Error(`${file.name} names no chatbot; say which with --chatbot: ${list.join(', ') || 'there is none yet'}`);
}

const localDoor =
  (client: Client, options: CommandOptions): OpenDoor =>
  async (file) => {
    const { chatbot, call } = await client.api(nameOf(file, options, await client.chatbots()));
    return { call, chatbot: await call<Chatbot>('GET', `/api/v1/chatbot/${chatbot.uuid}`) };
  };

async function remoteDoor(server: string, key: string, options: CommandOptions): Promise<OpenDoor> {
  const { callOverHttp } = await import('../conversations/over-http.ts');
  const call = callOverHttp(server, key);
  const chatbots = await call<Chatbot[]>('GET', '/api/v1/chatbots');
  return async (file) => ({ call, chatbot: findChatbot(nameOf(file, options, chatbots), chatbots) });
}

function readServer(address: string): string {
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return address;
  throw new Error('--server must be an http or https address, such as https://chat.example.com');
}

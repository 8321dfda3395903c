import type { Readable, Writable } from 'node:stream';
import type { Client } from '../control/client.ts';

/** The exit status of a command that SIGINT ended, as shells have it: 128 and the signal's number. */
export const EXIT_INTERRUPTED = 130;

/** The terminal that a command runs in. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** How wide standard output is; undefined where it is no terminal. */
  columns?(): number | undefined;
  /** Whether standard error is a terminal. */
  showsProgress?(): boolean;
  /** For archives: what `-` stands for. */
  stdin?: Readable;
  stdout?: Writable;
  /** Calls `act` at the first Ctrl-C, in place of ending; from then on, and after what is returned is called, it ends. */
  onInterrupt?(act: () => void): () => void;
}

/** The options of all commands. */
export interface CommandOptions {
  name?: string | undefined;
  /** With `learn` a switch, with `chatbot add` an address. */
  site?: string | boolean | undefined;
  public?: boolean | undefined;
  visibility?: string | undefined;
  'keep-days'?: string | undefined;
  'with-chatbots'?: boolean | undefined;
  'max-pages'?: string | undefined;
  include?: string[] | undefined;
  exclude?: string[] | undefined;
  chatbot?: string | undefined;
  server?: string | undefined;
  junit?: string | undefined;
  'call-writes'?: boolean | undefined;
  explain?: boolean | undefined;
  replace?: boolean | undefined;
  'dry-run'?: boolean | undefined;
}

/** As `parseArgs` of node:util takes them. */
type OptionTable = Partial<Record<keyof CommandOptions, { type: 'string' | 'boolean'; multiple?: boolean }>>;

/** The client is connected before, to the data folder or to the server that has it, and closed after. */
type WithClient = <T>(act: (client: Client) => Promise<T>) => Promise<T>;

export interface Command {
  synopsis: string;
  summary: string;
  /** What `docent help COMMAND` shows below these two, each line ended. */
  details?: string;
  /** How many words may follow the command's own. */
  minWords: number;
  maxWords: number;
  options?: OptionTable;
  /** Options of which it needs one. */
  needsOneOf?: readonly (keyof CommandOptions)[];
  /** Resolves with the exit code where that is not 0. */
  act(client: Client, words: string[], options: CommandOptions, terminal: Terminal): Promise<number | void>;
}

/** A command that needs the data folder late or not at all, and of which no session is stored. */
export interface LateCommand extends Omit<Command, 'act'> {
  actLate(
    withClient: WithClient,
    words: string[],
    options: CommandOptions,
    terminal: Terminal,
    env: NodeJS.ProcessEnv,
  ): Promise<number>;
}

/** Replaces control characters but line feeds: names and pages must not send escape sequences to the terminal. */
export const sanitizeText = (text: string): string => text.replace(/[^\P{C}\n]/gu, '\ufffd');

/** Replaces line feeds too, for a cell of a table. */
export const sanitizeLine = (text: string): string => text.replace(/\p{C}/gu, '\ufffd');

export const pluralize = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Columns as wide as their widest word, two spaces apart. */
export function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => [...(row[at] ?? '')].length)));
  const pad = (word: string, at: number): string => word + ' '.repeat((widths[at] ?? 0) - [...word].length + 2);
  return rows.map((row) => `${row.map(pad).join('').trimEnd()}\n`).join('');
}

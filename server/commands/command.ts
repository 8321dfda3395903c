import type { Verbs } from '../socket.ts';

/** Where a command is typed and read. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** How wide standard output is; undefined where it is no terminal. */
  columns?(): number | undefined;
  /** Calls `act` at the first Ctrl-C, in place of ending; from then on, and after what is returned is called, it ends. */
  onInterrupt?(act: () => void): () => void;
}

/** What stands behind `--` on a command line. */
export interface Options {
  name?: string | undefined;
  site?: boolean | undefined;
  'max-pages'?: string | undefined;
  include?: string[] | undefined;
  exclude?: string[] | undefined;
}

export interface Command {
  takes: string;
  about: string;
  /** How many words may follow the command's own. */
  least: number;
  most: number;
  /** Those it cannot do without, and those it may be given. */
  needs?: readonly (keyof Options)[];
  may?: readonly (keyof Options)[];
  /** Resolves with the exit code where that is not 0. */
  act(verbs: Verbs, words: string[], options: Options, terminal: Terminal): Promise<number | void>;
}

/** What others named must not steer the terminal. */
export const plain = (text: string): string => text.replace(/[^\P{C}\n]/gu, '\ufffd');

/** Columns as wide as their widest word, two spaces apart. */
export function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => [...(row[at] ?? '')].length)));
  const pad = (word: string, at: number): string => word + ' '.repeat((widths[at] ?? 0) - [...word].length + 2);
  return rows.map((row) => `${row.map(pad).join('').trimEnd()}\n`).join('');
}

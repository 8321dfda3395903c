import type { Align } from './node.ts';

/** What a line of Markdown may be, by its own characters. */

export const HEADING = /^ {0,3}(#{1,6})(?=\s|$)/;
export const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})/;
export const CLOSING_FENCE = /^ {0,3}(`{3,}|~{3,})\s*$/;
export const RULE = /^ {0,3}([*_-])\s*(?:\1\s*){2,}$/;
export const SETEXT = /^ {0,3}(=+|-+)\s*$/;
export const QUOTE = /^ {0,3}> ?/;
export const ITEM = /^( {0,3}([*+-]|(\d{1,9})([.)])))( +|$)/;
/** Cells that make the row above them the head of a table. */
export const DASHES = /^:?-+:?$/;

/** The start of a line that may yet be anything, as it is signs so far; or whose end says what it is, a fence's or a heading's. */
export const WAITS = /^(?:[\s\-=|:*_+#>`~\d.)]*$|[\s>*+\-\d.)]*(?:`{3}|~{3}|#{1,6}\s))/;

export const isBlank = (line: string): boolean => !line.trim();
export const indentOf = (line: string): number => line.search(/\S|$/);

/** Tabs before and among the signs at the start of a line, as the columns they stand for. */
export function expandTabs(line: string): string {
  const start = /^[\s>*+\-\d.)]*/.exec(line)![0];
  let wide = '';
  for (const char of start) wide += char === '\t' ? ' '.repeat(4 - (wide.length % 4)) : char;
  return wide + line.slice(start.length);
}

/** The cells of a row; a pipe after a backslash is text. */
export function cellsOf(row: string): string[] {
  const bare = row.trim().replace(/^\||(?<!\\)\|$/g, '');
  return bare.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

const ALIGNS = ['', 'left', 'right', 'center'] as const;

export const alignOf = (dashes: string): Align => ALIGNS[+dashes.startsWith(':') + 2 * +dashes.endsWith(':')]!;

import type { Align } from './block.ts';

/** What a line of Markdown may be, by its own characters. */

export const HEADING = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
export const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})/;
export const CLOSING_FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*$/;
export const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
export const SETEXT = /^ {0,3}(=+|-+)[ \t]*$/;
export const QUOTE = /^ {0,3}> ?/;
export const ITEM = /^( {0,3})([*+-]|(\d{1,9})([.)]))( +(?=\S)|$| +$)/;
export const ROW_OF_DASHES = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
export const DEFINITION =
  /^ {0,3}\[((?:[^[\]\\]|\\.)+)\]:[ \t]*(?:<([^<>\n]*)>|([^\s<]\S*))(?:[ \t]+("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\)))?[ \t]*$/;

export const isBlank = (line: string): boolean => !/\S/.test(line);
export const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Tabs before and among the signs at the start of a line, as the columns they stand for. */
export function expandTabs(line: string): string {
  if (!line.includes('\t')) return line;
  const start = /^[ \t>*+\-\d.)]*/.exec(line)![0];
  let wide = '';
  for (const char of start) wide += char === '\t' ? ' '.repeat(4 - (wide.length % 4)) : char;
  return wide + line.slice(start.length);
}

/** Without the blank lines at its end. */
export function trimBlankEnd(text: string): string {
  const end = text.trimEnd().length;
  const line = text.indexOf('\n', end);
  return line < 0 ? text : text.slice(0, line);
}

/** The cells of a row; a pipe after a backslash is text. */
export function cellsOf(row: string): string[] {
  const bare = row
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return bare.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

export const alignOf = (dashes: string): Align =>
  dashes.endsWith(':') ? (dashes.startsWith(':') ? 'center' : 'right') : dashes.startsWith(':') ? 'left' : '';

/** What a line of Markdown may be, by its own characters. */

export const HEADING = /^ {0,3}(#{1,6})(?=\s|$)(.*)/;
/** Its indent, its signs, the language. */
export const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})\s*(\S*)/;
export const THEMATIC_BREAK = /^ {0,3}([*_-])\s*(?:\1\s*){2,}$/;
export const SETEXT = /^ {0,3}(=+|-+)\s*$/;
export const BLOCKQUOTE = /^ {0,3}> ?/;
/** Its bullet, or its number and the sign after it. Of five spaces and more one belongs to it, the rest is code. */
export const LIST_ITEM = /^ {0,3}(?:([*+-])|(\d{1,9})([.)]))(?: {1,4}(?=\S)| )/;
/** A cell that makes one of the row above it the head of a column. */
export const DELIMITER_CELL = /^(:)?-+(:)?$/;

/**
 * The start of a line that may yet be anything, as it is signs so far; or whose end says what it is: a fence's, a heading's, a
 * definition's, one that may have the box of a task.
 */
export const UNDECIDED = /^(?:[\s\-=|:*_+#>`~\d.)]*$|[\s>*+\-\d.)]*(?:```|~~~|#+\s|\[[^\]]*(?:\](?::.*|\s*))?$))/;

export const isBlank = (line: string): boolean => !line.trim();
export const indentWidth = (line: string): number => line.search(/\S|$/);

const TAB = /^([\s>*+\-\d.)]{0,99}?)\t/;

/** Tabs before and among the signs at the start of a line, as the columns they stand for. */
export function expandTabs(line: string): string {
  let wide = line;
  while (TAB.test(wide)) wide = wide.replace(TAB, (_, before: string) => before.padEnd((before.length | 3) + 1));
  return wide;
}

/** The cells of a row; a pipe after a backslash is text. */
export function splitCells(row: string): string[] {
  const bare = row.trim().replace(/^\||(?<!\\)\|$/g, '');
  return bare.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** Patterns of Markdown's block structure, each for one line. */

export const HEADING = /^ {0,3}(#{1,6})(?=\s|$)(.*)/;
/** Groups: indent, fence, language. */
export const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})\s*(\S*)/;
export const THEMATIC_BREAK = /^ {0,3}([*_-])\s*(?:\1\s*){2,}$/;
export const SETEXT = /^ {0,3}(=+|-+)\s*$/;
export const BLOCKQUOTE = /^ {0,3}> ?/;
/** Groups: bullet, or number and delimiter. Of five or more spaces one belongs to the item, the rest is indented code. */
export const LIST_ITEM = /^ {0,3}(?:([*+-])|(\d{1,9})([.)]))(?: {1,4}(?=\S)| )/;
/** A cell of a table's delimiter row. Groups: left colon, right colon. */
export const DELIMITER_CELL = /^(:)?-+(:)?$/;

/**
 * The start of a line whose kind is undecided: punctuation only so far, or a fence, heading, definition or task, which are decided by
 * the line's end.
 */
export const UNDECIDED = /^(?:[\s\-=|:*_+#>`~\d.)]*$|[\s>*+\-\d.)]*(?:```|~~~|#+\s|\[[^\]]*(?:\](?::.*|\s*))?$))/;

export const isBlank = (line: string): boolean => !line.trim();
export const indentWidth = (line: string): number => line.search(/\S|$/);

const TAB = /^([\s>*+\-\d.)]{0,99}?)\t/;

/** Expands tabs at the start of a line to tab stops of four columns. */
export function expandTabs(line: string): string {
  let wide = line;
  while (TAB.test(wide)) wide = wide.replace(TAB, (_, before: string) => before.padEnd((before.length | 3) + 1));
  return wide;
}

/** Splits a table row into cells; an escaped pipe is text. */
export function splitCells(row: string): string[] {
  const bare = row.trim().replace(/^\||(?<!\\)\|$/g, '');
  return bare.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

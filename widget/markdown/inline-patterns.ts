import { ESCAPE } from './entity.ts';

/** Longest distance of two matching delimiters, in UTF-16 code units: bounds what is parsed again per piece. */
export const MAX_DISTANCE = 999;

const TITLE = /("(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|\((?:[^()\\]|\\[^])*\))/.source;
const ANGLED = /<(?:[^<>\n\\]|\\.)*>/.source;

/** An address, with parentheses in pairs. */
const ADDRESS = /(?!<)(?:[^ \n()\\]|\\[^]|\((?:[^ \n()\\]|\\[^])*\))*/.source;
const LABEL = /\[([^[\]]*)\]/.source;

/** Inline tokens; the first alternative that matches. */
export const TOKEN = new RegExp(
  [
    // Code span: backticks, content.
    /(`{1,20})(?!`)([^]{1,600}?)(?<!`)\1(?!`)/.source,
    // End of a bracket: `](address "title")`, `][label]`.
    `\\](?:\\(\\s*(${ANGLED}|${ADDRESS})(?:[ \\n]+${TITLE})?\\s*\\)|${LABEL})?`,
    // Line break, hard or soft. A cell of a table has no other than `<br>`.
    /((?: {2,}|\\)\n|<br ?\/?>)| *\n/.source,
    ESCAPE.source,
    // Autolink in angle brackets, then a bare address.
    /<([a-z][a-z\d+.-]+:[!-;=?-~]*|[\w.+-]+@[\w.-]+)>/.source,
    /((?<!<)(?:(?:https?|ftp):\/\/|www\.)[\w-](?:\([^\s<()]*\)|[^\s<)&]|&(?!\w+;(?![^\s<]))|\)(?=[^\s<]*\w))*(?<![?!.,:;*_~'"])|[a-z\d]+(?:[._+-][a-z\d]+)*@(?:[a-z\d-]+\.)+[a-z\d]+(?![\w-]))/
      .source,
    // Start of a bracket.
    /(!?\[)/.source,
    // Delimiter run of emphasis.
    /(\*{1,20}|_{1,20}|(?<!~)~~?(?!~))/.source,
    // Text, a word at a time, since a bare address may begin at each.
    /[^\s\\`&<*_~[\]!(|]+(?: (?![ \n]))?|`{1,20}|[^]/.source,
  ].join('|'),
  'iy',
);

/** A token that may become another one when more text comes. */
export const UNFINISHED =
  /(?:[*_~]{1,19}|[\\!]|&#?\w*|<(?:br )?[!-;=?-~]*|`[^]{0,644}|(?:\[[\d.]*|!\[[^\]]*)(?:\](?:\([^)]*)?)?|\](?:\(\s*(?:<.*|\S*)(?:\s+(?:["'(][^]*)?)?|\[[^[\]]*)?|(?<=\n)\|.*|(?:\w+:\/\/|www\.)_[^\s<]*)$/iy;

/** A link reference definition. */
export const DEFINITION = new RegExp(
  `^ {0,3}\\[(?!\\s*\\])([^[\\]]+)\\]:\\s*(${ANGLED}|[^\\s<]\\S*)(?:\\s+${TITLE})?\\s*$`,
);

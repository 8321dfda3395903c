import { ESCAPE } from './entity.ts';

/** How far a sign may stand from its partner, in UTF-16 units. More would be read again and again. */
export const MAX_DISTANCE = 999;

const TITLE = /("(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|\((?:[^()\\]|\\[^])*\))/.source;
const ANGLED = /<(?:[^<>\n\\]|\\.)*>/.source;

/** An address, with parentheses in pairs. */
const ADDRESS = /(?!<)(?:[^ \n()\\]|\\[^]|\((?:[^ \n()\\]|\\[^])*\))*/.source;
const LABEL = /\[([^[\]]*)\]/.source;

/** What a text is made of; the first that fits. */
export const TOKEN = new RegExp(
  [
    // Code: its signs, what is between.
    /(`{1,20})(?!`)([^]{1,300}?)(?<!`)\1(?!`)/.source,
    // The end of a text in brackets: `](address "title")`, `][label]`.
    `\\](?:\\(\\s*(${ANGLED}|${ADDRESS})(?:[ \\n]+${TITLE})?\\s*\\)|${LABEL})?`,
    // The end of a line.
    /( {2,}|\\)\n| *\n/.source,
    ESCAPE.source,
    // An address.
    /<([a-z][a-z\d+.-]+:[!-;=?-~]*|[\w.+-]+@[\w.-]+)>/.source,
    /((?<!<)(?:(?:https?|ftp):\/\/|www\.)[\w-](?:\([^\s<()]*\)|[^\s<)&]|&(?!\w+;(?![^\s<]))|\)(?=[^\s<]*\w))*(?<![?!.,:;*_~'"])|[a-z\d]+(?:[._+-][a-z\d]+)*@(?:[a-z\d-]+\.)+[a-z\d]+(?![\w-]))/
      .source,
    // The start of a text in brackets.
    /(!?\[)/.source,
    // Signs of emphasis.
    /(\*{1,20}|_{1,20}|(?<!~)~~?(?!~))/.source,
    // Words; an address may begin with each.
    /[^\s\\`&<*_~[\]!(|]+(?: (?![ \n]))?|`{1,20}|[^]/.source,
  ].join('|'),
  'iy',
);

/** What may become another thing when more text comes. */
export const UNFINISHED =
  /(?:[*_~]{1,19}|[\\!]|&#?\w*|<[!-;=?-~]*|`[^]{0,344}|(?:\[[\d.]*|!\[[^\]]*)(?:\](?:\([^)]*)?)?|\](?:\(\s*(?:<.*|\S*)(?:\s+(?:["'(][^]*)?)?|\[[^[\]]*)?|(?<=\n)\|.*|(?:\w+:\/\/|www\.)_[^\s<]*)$/iy;

/** A line that is a definition. */
export const DEFINITION = new RegExp(
  `^ {0,3}\\[(?!\\s*\\])([^[\\]]+)\\]:\\s*(${ANGLED}|[^\\s<]\\S*)(?:\\s+${TITLE})?\\s*$`,
);

/** How far a sign may stand from its partner: the opening of a link or of code, in UTF-16 units. More would be read again and again. */
export const FAR = 2000;

const TITLE = `("(?:[^"\\\\]|\\\\[^])*"|'(?:[^'\\\\]|\\\\[^])*'|\\((?:[^()\\\\]|\\\\[^])*\\))`;
const ANGLED = '<((?:[^<>\\n\\\\]|\\\\.)*)>';

/** An address with parentheses in pairs, three deep. */
let bare = '';
for (let deep = 0; deep < 4; deep++)
  bare = `(?:[^\\x00-\\x20()\\\\]|\\\\[^\\x00-\\x20]|\\\\(?=\\s)${bare && `|\\(${bare}\\)`})*`;

const SPACE = '[ \\t\\n]';

/** After the text of a link: `(address "title")`. */
export const TARGET = new RegExp(`\\(${SPACE}*(?:${ANGLED}|((?!<)${bare}))(?:${SPACE}+${TITLE})?${SPACE}*\\)`, 'y');

/** After the text of a link: `[label]`. */
export const LABEL = /\[((?:[^[\]\\]|\\[^])*)\]/y;

export const DEFINITION = new RegExp(
  `\\[(?!\\s*\\])((?:[^[\\]\\\\]|\\\\[^])+)\\]:${SPACE}*(?:${ANGLED}|([^\\s<]\\S*))(?:${SPACE}+${TITLE})?[ \\t]*(?:\\n|$)`,
  'y',
);

/** What may be missing at the end of something. */
const ENDINGS = ['', ']', ']:x', ':x', '>', '"', "'", ')', '))', ')))'].flatMap((end) =>
  [end, `${end})`].flatMap((whole) => [whole, `x${whole}`]),
);

/** A match at `at` that is not too long. */
export function find(pattern: RegExp, text: string, at = 0): RegExpExecArray | null {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  return found && found[0].length <= FAR ? found : null;
}

/** Whether more text may make all that is there a match. */
export const mayBecome = (pattern: RegExp, text: string): boolean =>
  text.length < FAR && ENDINGS.some((end) => find(pattern, text + end)?.[0].length === text.length + end.length);

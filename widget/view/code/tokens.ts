/** Pieces of code that have a colour; the rest has that of the text. */
export type TokenKind = 'comment' | 'string' | 'number' | 'keyword';

export interface Token {
  kind: TokenKind;
  /** Offsets in the code, in UTF-16 units. */
  start: number;
  end: number;
}

const C_LIKE =
  'break case continue default do else enum false for if null return static struct switch this true void while new try catch finally throw class public private protected const import';
const KEYWORDS: Record<string, string> = {
  javascript: `${C_LIKE} async await export extends from function in instanceof interface let of type typeof undefined var yield delete super`,
  python:
    'and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return True try while with yield match case',
  java: `${C_LIKE} abstract boolean byte char double extends final float implements instanceof int interface long package short super throws var record`,
  c: `${C_LIKE} auto bool char delete double extern float int long namespace nullptr operator short signed sizeof template typedef typename union unsigned using virtual include define override`,
  csharp: `${C_LIKE} abstract as async await base bool decimal double foreach get in int interface internal is namespace object out override readonly ref sealed set string using var virtual long`,
  go: 'break case chan const continue default defer else fallthrough false for func go goto if import interface map nil package range return select struct switch true type var string int error bool',
  rust: 'as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while',
  php: `${C_LIKE} array as echo elseif endif extends fn foreach function global implements include interface namespace require trait use php`,
  sql: 'select from where insert into values update set delete create table alter drop index join left right inner outer on as and or not null is in like between group by order having limit offset union distinct primary key foreign references default count case when then else end with',
  shell:
    'if then else elif fi for while until do done case esac in function return export local echo cd exit set unset source sudo',
};

/** Other names of the languages, as they stand after a fence. */
const NAMES: Record<string, string> = {
  js: 'javascript',
  jsx: 'javascript',
  ts: 'javascript',
  tsx: 'javascript',
  typescript: 'javascript',
  json: 'javascript',
  py: 'python',
  cpp: 'c',
  'c++': 'c',
  h: 'c',
  cs: 'csharp',
  'c#': 'csharp',
  golang: 'go',
  rs: 'rust',
  bash: 'shell',
  sh: 'shell',
  zsh: 'shell',
  console: 'shell',
  mysql: 'sql',
  postgresql: 'sql',
  postgres: 'sql',
  sqlite: 'sql',
};

const STRING = String.raw`"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?`;
const COMMENTS: Record<string, string> = {
  python: '#.*',
  shell: String.raw`(?<=^|\s)#.*`,
  sql: String.raw`--.*|/\*[^]*?(?:\*/|(?![^]))`,
  php: String.raw`#.*|//.*|/\*[^]*?(?:\*/|(?![^]))`,
};
const STRINGS: Record<string, string> = {
  python: String.raw`"""[^]*?(?:"""|(?![^]))|'''[^]*?(?:'''|(?![^]))|${STRING}`,
  javascript: String.raw`${STRING}|` + '`(?:\\\\.|[^`\\\\])*`?',
  go: String.raw`${STRING}|` + '`[^`]*`?',
  // A single quote may begin a lifetime.
  rust: String.raw`"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\\n])'`,
};
const C_COMMENTS = String.raw`//.*|/\*[^]*?(?:\*/|(?![^]))`;
const NUMBER = String.raw`\b(?:0x[\da-f_]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)\b`;

/** The tokens of code in one of ten languages, by the name after its fence; none where the language is another. */
export function tokensOf(code: string, name: string): Token[] {
  const lower = name.toLowerCase();
  const language = Object.hasOwn(NAMES, lower) ? NAMES[lower]! : lower;
  if (!Object.hasOwn(KEYWORDS, language)) return [];
  const words = KEYWORDS[language]!.replaceAll(' ', '|');
  const pattern = new RegExp(
    `(?<comment>${COMMENTS[language] ?? C_COMMENTS})|(?<string>${STRINGS[language] ?? STRING})` +
      `|(?<number>${NUMBER})|(?<keyword>\\b(?:${words})\\b)`,
    language === 'sql' ? 'gim' : 'gm',
  );
  return Array.from(code.matchAll(pattern), ({ index: start, 0: text, groups }) => ({
    kind: Object.entries(groups!).find(([, found]) => found !== undefined)![0] as TokenKind,
    start,
    end: start + text.length,
  }));
}

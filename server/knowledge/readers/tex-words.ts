/** Where a formula may begin. An escaped sign or a line break begins none. */
const OPENING = /\\[^]|\$\$?/g;
const CLOSINGS: Record<string, string> = { '\\(': '\\)', '\\[': '\\]', $$: '$$', $: '$' };
/** UTF-16 units. A `$` whose end is further away is a price or a mistake. */
const MAX_FORMULA_LENGTH = 2000;
/** Commands whose arguments are not printed, with the arguments. */
const SILENT =
  /\\(?:label|ref|eqref|pageref|autoref|cref|Cref|cite[a-zA-Z]{0,10}|nocite|usepackage|documentclass|includegraphics|bibliography|bibliographystyle|vspace|hspace|input|include|begin|end|setlength|addtolength|setcounter|pagestyle|thispagestyle|index|graphicspath|color)\*?(?:\[[^\]]{0,200}\]){0,2}(?:\{[^{}]{0,500}\}){1,2}/g;
const COMMAND_DEFINITION = /\\(?:re)?newcommand\*?\{?\\[a-zA-Z]{1,40}\}?(?:\[[^\]]{0,20}\]){0,2}\{[^{}]{0,500}\}/g;
const NAMED: Record<string, string> = {
  ldots: '…',
  dots: '…',
  textbackslash: '\\',
  ss: 'ß',
  ae: 'æ',
  AE: 'Æ',
  oe: 'œ',
  OE: 'Œ',
  o: 'ø',
  O: 'Ø',
  aa: 'å',
  AA: 'Å',
  l: 'ł',
  L: 'Ł',
  LaTeX: 'LaTeX',
  TeX: 'TeX',
  copyright: '©',
  pounds: '£',
  euro: '€',
  S: '§',
};
const ACCENTS: Record<string, string> = {
  "'": '\u0301',
  '`': '\u0300',
  '^': '\u0302',
  '"': '\u0308',
  '~': '\u0303',
  '=': '\u0304',
  '.': '\u0307',
  u: '\u0306',
  v: '\u030c',
  H: '\u030b',
  c: '\u0327',
  k: '\u0328',
  r: '\u030a',
};
const ACCENT = /\\(?:(['`^"~=.])\s?\{?\\?([a-zA-Z])\}?|([uvHckr])\{([a-zA-Z])\})/g;
/** Escaped characters are moved to this private-use range while braces are removed. */
const ASIDE = 0xe000;

/** The text that LaTeX prints, without commands; formulas stay as source. */
export function plainTex(source: string): string {
  let words = '';
  let from = 0;
  for (const [start, end] of formulasOf(source)) {
    words += wordsOf(source.slice(from, start)) + source.slice(start, end);
    from = end;
  }
  return (words + wordsOf(source.slice(from))).replace(/\s+/g, ' ').trim();
}

function* formulasOf(source: string): Generator<[start: number, end: number]> {
  // Position of the next closing of each kind, so that the search stays linear.
  const nexts = new Map<string, number>();
  const openings = new RegExp(OPENING);
  for (let match; (match = openings.exec(source));) {
    const closing = CLOSINGS[match[0]];
    if (!closing) continue;
    const inner = openings.lastIndex;
    let next = nexts.get(closing) ?? -1;
    if (next < inner) {
      next = source.indexOf(closing, inner);
      nexts.set(closing, next < 0 ? Infinity : next);
    }
    if (next <= inner || next - inner > MAX_FORMULA_LENGTH) continue;
    openings.lastIndex = next + closing.length;
    yield [match.index, openings.lastIndex];
  }
}

const wordsOf = (text: string): string =>
  text
    .replace(COMMAND_DEFINITION, ' ')
    .replace(/\\href\{[^{}]{0,2000}\}/g, '')
    .replace(/\\begin\{[a-zA-Z]{1,30}\*?\}\[[^\]]{0,200}\]/g, ' ')
    .replace(SILENT, '')
    .replace(ACCENT, (_, sign: string, letter: string, name: string, other: string) =>
      ((letter ?? other) + ACCENTS[sign ?? name]!).normalize('NFC'),
    )
    .replace(/\\\\(?:\[[^\]]{0,50}\])?/g, ' ')
    .replace(/\\([&%$#_{}])/g, (_, sign: string) => String.fromCharCode(ASIDE + sign.charCodeAt(0)))
    .replace(/\\([a-zA-Z]{1,40})\*?[ \t]*(?:\[[^\]]{0,200}\])?/g, (_, name: string) => NAMED[name] ?? '')
    .replace(/\\[,;:! ]/g, ' ')
    .replace(/[{}]/g, '')
    .replace(/``|''/g, '"')
    .replace(/---/g, '—')
    .replace(/--/g, '–')
    .replace(/~/g, ' ')
    .replace(/[\ue000-\ue07f]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - ASIDE));

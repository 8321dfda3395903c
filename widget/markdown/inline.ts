import { resolve, type Item } from './emphasis.ts';
import { ESCAPE, unescape, unescaped } from './entity.ts';

/** What stands in a line of text. */
export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'break' }
  | { kind: 'strong' | 'em' | 's'; children: Inline[] }
  | { kind: 'link'; href: string; title: string; children: Inline[] }
  | { kind: 'image'; src: string; title: string; alt: string }
  /** `[1]` or `[1.2]`: the place of a citation. */
  | { kind: 'marker'; key: string };

export interface Definition {
  href: string;
  title: string;
}

export type Definitions = Map<string, Definition>;

interface Bracket {
  at: number;
  /** Where its content starts in the text. */
  from: number;
  isImage: boolean;
  isActive: boolean;
}

const PLAIN = /[^\\`<&\n*_~[\]!hHwW]+/y;
const CODE_RUN = /`+/y;
const AUTOLINK = /<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[\w.!#$%&'*+/=?^`{|}~-]+@[\w-]+(?:\.[\w-]+)*)>/y;
const BARE_LINK = /(?:https?:\/\/|www\.)[\w-]+(?:\.[\w-]+)*[^\s<]*/iy;
const DESTINATION =
  /\(\s*(?:<((?:[^<>\n\\]|\\.)*)>|((?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*\))*))(?:\s+("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\)))?\s*\)/y;
const LABEL = /\[((?:[^[\]\\]|\\.)*)\]/y;
const MARKER = /^\d+(?:\.\d+)*$/;

export const normalLabel = (label: string): string => label.trim().replace(/\s+/g, ' ').toLowerCase();

function plain(nodes: Inline[]): string {
  const parts = nodes.map((node) => {
    if ('text' in node) return node.text;
    if (node.kind === 'image') return node.alt;
    if (node.kind === 'marker') return `[${node.key}]`;
    return 'children' in node ? plain(node.children) : '\n';
  });
  return parts.join('');
}

/** Without the signs at its end. (A loop: a pattern that ends in `$` reads long runs again and again.) */
function trimEndOf(text: string, signs: string): string {
  let end = text.length;
  while (end > 0 && signs.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}

/** The end of an unfinished text without the start of what is no construct yet. */
function calm(text: string): string {
  const whole = text
    .replace(/!?\[([^[\]\n]*)(?:\]\([^()\s]*)?$/, (_, label: string) => (/^[\d.]*$/.test(label) ? '' : label))
    .replace(/<[A-Za-z][^\s<>]*$/, '');
  return trimEndOf(whole, '*_~`\\ ');
}

/** The character before a place, whole; a space where there is none. */
const before = (text: string, at: number): string => Array.from(text.slice(Math.max(0, at - 2), at)).at(-1) ?? ' ';

function parse(source: string, definitions: Definitions, isUnfinished: boolean): Inline[] {
  let here = 0;
  const items: Item[] = [];
  const brackets: Bracket[] = [];
  /** Backtick runs that have no partner further on, by length. */
  const lonely = new Set<number>();

  function match(pattern: RegExp, at = here): RegExpExecArray | null {
    pattern.lastIndex = at;
    return pattern.exec(source);
  }

  function push(node: Item, length: number): void {
    items.push(node);
    here += length;
  }

  function say(text: string, length = text.length): void {
    push({ kind: 'text', text }, length);
  }

  function step(char: string): void {
    if (char === '\\' || char === '&') readEscape(char);
    else if (char === '`') readCode();
    else if (char === '<') readAngle();
    else if (char === '\n') readNewline();
    else if (char === '*' || char === '_' || char === '~') readRun(char);
    else if (char === '[') openBracket(false);
    else if (char === '!' && source[here + 1] === '[') openBracket(true);
    else if (char === ']') closeBracket();
    else readWords();
  }

  function readWords(): void {
    if (/[hw]/i.test(source[here]!) && readBareLink()) return;
    const word = match(PLAIN)?.[0] ?? source[here]!;
    say(word);
  }

  function readEscape(char: string): void {
    const found = match(ESCAPE);
    if (source[here + 1] === '\n' && char === '\\') push({ kind: 'break' }, 2);
    else if (found) say(unescaped(...(found as unknown as [string])), found[0].length);
    else say(char);
  }

  function readCode(): void {
    const ticks = match(CODE_RUN)![0];
    const from = here + ticks.length;
    const end = lonely.has(ticks.length) ? -1 : closingTicks(ticks, from);
    if (end < 0 && !isUnfinished) return say(ticks);
    const inside = source.slice(from, end < 0 ? undefined : end).replaceAll('\n', ' ');
    const isPadded = /^ .* $/.test(inside) && inside.trim() !== '';
    push({ kind: 'code', text: isPadded ? inside.slice(1, -1) : inside }, 0);
    here = end < 0 ? source.length : end + ticks.length;
  }

  function closingTicks(ticks: string, from: number): number {
    for (const run of source.slice(from).matchAll(/`+/g)) if (run[0] === ticks) return from + run.index;
    lonely.add(ticks.length);
    return -1;
  }

  function readAngle(): void {
    const found = match(AUTOLINK);
    if (!found) return say('<');
    const address = found[1]!;
    addLink(/^[a-z][a-z\d+.-]*:/i.test(address) ? address : `mailto:${address}`, address, found[0].length);
  }

  function addLink(href: string, text: string, length: number): void {
    push({ kind: 'link', href, title: '', children: [{ kind: 'text', text }] }, length);
  }

  /** An address written as it is, without what ends the sentence around it. */
  function readBareLink(): boolean {
    const isStart = /[\s*_~(]/.test(before(source, here));
    const found = isStart && brackets.length === 0 ? match(BARE_LINK) : null;
    if (!found) return false;
    let written = trimEndOf(found[0], '?!.,:;*_~\'"');
    while (written.endsWith(')') && written.split(')').length > written.split('(').length)
      written = written.slice(0, -1);
    addLink(/^www/i.test(written) ? `http://${written}` : written, written, written.length);
    return true;
  }

  function readNewline(): void {
    const last = items.at(-1);
    const isHard = last?.kind === 'text' && last.text.endsWith('  ');
    if (last?.kind === 'text') last.text = trimEndOf(last.text, ' ');
    if (isHard) push({ kind: 'break' }, 1);
    else say('\n');
  }

  function readRun(char: string): void {
    let end = here;
    while (source[end] === char) end++;
    const count = end - here;
    const left = before(source, here);
    const right = String.fromCodePoint(source.codePointAt(end) ?? 32);
    const isEdge = (side: string): boolean => /[\s\p{P}\p{S}]/u.test(side);
    const isLeft = !/\s/.test(right) && (!isEdge(right) || isEdge(left));
    const isRight = !/\s/.test(left) && (!isEdge(left) || isEdge(right));
    // Inside a word `_` is a letter. (On a flank, an edge that is no space is punctuation.)
    const isWord = char === '_' && isLeft && isRight;
    const canOpen = isLeft && (!isWord || isEdge(left));
    const canClose = isRight && (!isWord || isEdge(right));
    if (char === '~' && count > 2) return say('~'.repeat(count));
    push({ kind: 'run', char, count, length: count, canOpen, canClose }, count);
  }

  function openBracket(isImage: boolean): void {
    const sign = isImage ? '![' : '[';
    brackets.push({ at: items.length, from: here + sign.length, isImage, isActive: true });
    say(sign);
  }

  function closeBracket(): void {
    const bracket = brackets.pop();
    if (!bracket?.isActive) return say(']');
    const label = source.slice(bracket.from, here);
    const target = targetOf(label);
    if (target) return enclose(bracket, target.definition, target.end);
    if (!MARKER.test(label) || bracket.isImage) return say(']');
    items.length = bracket.at;
    push({ kind: 'marker', key: label }, 1);
  }

  /** Where a closed bracket leads: `(address "title")`, `[label]`, or its own text as the label. */
  function targetOf(label: string): { definition: Definition; end: number } | undefined {
    const inline = match(DESTINATION, here + 1);
    if (inline) {
      const definition = {
        href: unescape(inline[1] ?? inline[2] ?? ''),
        title: unescape(inline[3]?.slice(1, -1) ?? ''),
      };
      return { definition, end: here + 1 + inline[0].length };
    }
    const second = match(LABEL, here + 1);
    const definition = definitions.get(normalLabel(second?.[1] || label));
    return definition && { definition, end: here + 1 + (second?.[0].length ?? 0) };
  }

  function enclose({ at, isImage }: Bracket, { href, title }: Definition, end: number): void {
    const children = resolve(items.splice(at).slice(1), false);
    if (isImage) items.push({ kind: 'image', src: href, title, alt: plain(children) });
    else items.push({ kind: 'link', href, title, children });
    here = end;
    // A link holds no link.
    if (!isImage) for (const outer of brackets) outer.isActive &&= outer.isImage;
  }

  while (here < source.length) step(source[here]!);
  return resolve(items, isUnfinished);
}

/** `isUnfinished`: more of this text may come, so what is only begun is shown as if it were whole. */
export function parseInline(text: string, definitions: Definitions, isUnfinished = false): Inline[] {
  return parse(isUnfinished ? calm(text) : text, definitions, isUnfinished);
}

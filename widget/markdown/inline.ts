import { resolve, type Item } from './emphasis.ts';
import { ENTITY, entity, unescape } from './entity.ts';

/** What stands in a line of text. */
export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'break' }
  | { kind: 'strong' | 'emphasis' | 'strike'; children: Inline[] }
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
const PUNCTUATION = /[\p{P}\p{S}]/u;

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
function before(text: string, at: number): string {
  const isPair = /[\udc00-\udfff]/.test(text[at - 1] ?? '');
  return text.slice(Math.max(0, at - (isPair ? 2 : 1)), at) || ' ';
}

class Parser {
  readonly #text: string;
  readonly #definitions: Definitions;
  readonly #isUnfinished: boolean;
  #at = 0;
  readonly #items: Item[] = [];
  readonly #brackets: Bracket[] = [];
  /** Backtick runs that have no partner further on, by length. */
  readonly #lonely = new Set<number>();

  constructor(text: string, definitions: Definitions, isUnfinished: boolean) {
    this.#text = text;
    this.#definitions = definitions;
    this.#isUnfinished = isUnfinished;
  }

  parse(): Inline[] {
    while (this.#at < this.#text.length) this.#step(this.#text[this.#at]!);
    return resolve(this.#items, this.#isUnfinished);
  }

  #match(pattern: RegExp, at = this.#at): RegExpExecArray | null {
    pattern.lastIndex = at;
    return pattern.exec(this.#text);
  }

  #push(node: Item, length: number): void {
    this.#items.push(node);
    this.#at += length;
  }

  #say(text: string, length = text.length): void {
    this.#push({ kind: 'text', text }, length);
  }

  #step(char: string): void {
    if (char === '\\') this.#backslash();
    else if (char === '`') this.#code();
    else if (char === '<') this.#angle();
    else if (char === '&') this.#entity();
    else if (char === '\n') this.#newline();
    else if (char === '*' || char === '_' || char === '~') this.#run(char);
    else if (char === '[') this.#open(false);
    else if (char === '!' && this.#text[this.#at + 1] === '[') this.#open(true);
    else if (char === ']') this.#close();
    else this.#words();
  }

  #words(): void {
    if (/[hw]/i.test(this.#text[this.#at]!) && this.#bareLink()) return;
    const word = this.#match(PLAIN)?.[0] ?? this.#text[this.#at]!;
    this.#say(word);
  }

  #backslash(): void {
    const next = this.#text[this.#at + 1] ?? '';
    if (next === '\n') this.#push({ kind: 'break' }, 2);
    else if (/[!-/:-@[-`{-~]/.test(next)) this.#say(next, 2);
    else this.#say('\\');
  }

  #code(): void {
    const ticks = this.#match(CODE_RUN)![0];
    const from = this.#at + ticks.length;
    const end = this.#lonely.has(ticks.length) ? -1 : this.#closingTicks(ticks, from);
    if (end < 0 && !this.#isUnfinished) return this.#say(ticks);
    const inside = this.#text.slice(from, end < 0 ? undefined : end).replaceAll('\n', ' ');
    const isPadded = /^ .* $/.test(inside) && inside.trim() !== '';
    this.#push({ kind: 'code', text: isPadded ? inside.slice(1, -1) : inside }, 0);
    this.#at = end < 0 ? this.#text.length : end + ticks.length;
  }

  #closingTicks(ticks: string, from: number): number {
    for (const run of this.#text.slice(from).matchAll(/`+/g)) if (run[0] === ticks) return from + run.index;
    this.#lonely.add(ticks.length);
    return -1;
  }

  #angle(): void {
    const found = this.#match(AUTOLINK);
    if (!found) return this.#say('<');
    const address = found[1]!;
    this.#link(/^[a-z][a-z\d+.-]*:/i.test(address) ? address : `mailto:${address}`, address, found[0].length);
  }

  #link(href: string, text: string, length: number): void {
    this.#push({ kind: 'link', href, title: '', children: [{ kind: 'text', text }] }, length);
  }

  /** An address written as it is, without what ends the sentence around it. */
  #bareLink(): boolean {
    const isStart = /[\s*_~(]/.test(before(this.#text, this.#at));
    const found = isStart && this.#brackets.length === 0 ? this.#match(BARE_LINK) : null;
    if (!found) return false;
    let written = trimEndOf(found[0], '?!.,:;*_~\'"');
    while (written.endsWith(')') && written.split(')').length > written.split('(').length)
      written = written.slice(0, -1);
    this.#link(/^www/i.test(written) ? `http://${written}` : written, written, written.length);
    return true;
  }

  #entity(): void {
    const found = this.#match(ENTITY);
    this.#say(found ? entity(found) : '&', found?.[0].length ?? 1);
  }

  #newline(): void {
    const last = this.#items.at(-1);
    const isHard = last?.kind === 'text' && last.text.endsWith('  ');
    if (last?.kind === 'text') last.text = trimEndOf(last.text, ' ');
    if (isHard) this.#push({ kind: 'break' }, 1);
    else this.#say('\n');
  }

  #run(char: string): void {
    let end = this.#at;
    while (this.#text[end] === char) end++;
    const count = end - this.#at;
    const left = before(this.#text, this.#at);
    const right = String.fromCodePoint(this.#text.codePointAt(end) ?? 32);
    const isSpace = (side: string): boolean => /\s/.test(side);
    const isMark = (side: string): boolean => PUNCTUATION.test(side);
    const isLeft = !isSpace(right) && (!isMark(right) || isSpace(left) || isMark(left));
    const isRight = !isSpace(left) && (!isMark(left) || isSpace(right) || isMark(right));
    const isWord = char === '_';
    const canOpen = isLeft && (!isWord || !isRight || isMark(left));
    const canClose = isRight && (!isWord || !isLeft || isMark(right));
    if (char === '~' && count > 2) return this.#say('~'.repeat(count));
    this.#push({ kind: 'run', char, count, length: count, canOpen, canClose }, count);
  }

  #open(isImage: boolean): void {
    const sign = isImage ? '![' : '[';
    this.#brackets.push({ at: this.#items.length, from: this.#at + sign.length, isImage, isActive: true });
    this.#say(sign);
  }

  #close(): void {
    const bracket = this.#brackets.pop();
    if (!bracket?.isActive) return this.#say(']');
    const label = this.#text.slice(bracket.from, this.#at);
    const target = this.#target(label);
    if (target) return this.#enclose(bracket, target.definition, target.end);
    if (!MARKER.test(label) || bracket.isImage) return this.#say(']');
    this.#items.length = bracket.at;
    this.#push({ kind: 'marker', key: label }, 1);
  }

  /** Where a closed bracket leads: `(address "title")`, `[label]`, or its own text as the label. */
  #target(label: string): { definition: Definition; end: number } | undefined {
    const inline = this.#match(DESTINATION, this.#at + 1);
    if (inline) {
      const definition = {
        href: unescape(inline[1] ?? inline[2] ?? ''),
        title: unescape(inline[3]?.slice(1, -1) ?? ''),
      };
      return { definition, end: this.#at + 1 + inline[0].length };
    }
    const second = this.#match(LABEL, this.#at + 1);
    const definition = this.#definitions.get(normalLabel(second?.[1] || label));
    return definition && { definition, end: this.#at + 1 + (second?.[0].length ?? 0) };
  }

  #enclose({ at, isImage }: Bracket, { href, title }: Definition, end: number): void {
    const children = resolve(this.#items.splice(at).slice(1), false);
    if (isImage) this.#items.push({ kind: 'image', src: href, title, alt: plain(children) });
    else this.#items.push({ kind: 'link', href, title, children });
    this.#at = end;
    // A link holds no link.
    if (!isImage) for (const outer of this.#brackets) outer.isActive &&= outer.isImage;
  }
}

/** `isUnfinished`: more of this text may come, so what is only begun is shown as if it were whole. */
export function parseInline(text: string, definitions: Definitions, isUnfinished = false): Inline[] {
  return new Parser(isUnfinished ? calm(text) : text, definitions, isUnfinished).parse();
}

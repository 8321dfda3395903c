import { ESCAPE, unescape, unescaped } from './entity.ts';
import { addText, createNode, type Node } from './node.ts';
import { FAR, find, LABEL, mayBecome, TARGET } from './pattern.ts';

export type Definitions = Map<string, Partial<Node>>;

/** Reads the text of one leaf at a time, as it comes, into that node's children. */
export interface Reader {
  start(node: Node): void;
  feed(text: string): void;
  /** No more of this leaf comes: what has no partner is text. */
  end(): void;
}

/** What is open: a bracket, or a run of signs that may open emphasis: its `mark` is the sign, its `level` how many are not used up. */
interface Open extends Node {
  /** Its place in the text of the leaf. */
  at: number;
  /** Signs in the run. */
  size: number;
  canClose: boolean;
}

/** More openers at once than anyone means: all are then text. */
const MOST_OPEN = 32;
/** What waits for its end is not shown meanwhile: code within a line, with its signs, is no longer than this. */
const LONGEST_CODE = 345;
/** Signs in a run; more are another one. */
const LONGEST_RUN = 20;

// `h`, `w` and `f` where no address begins are words; so are most of them.
const WORDS = /(?:[^\\`<&\n*_~[\]!@hwf]|[hwf](?![tw]|$)){1,999}/iy;
const RUN = /([*_~`])\1{0,19}/y;
const CODE = /(`{1,20})(?!`)([^]{1,300}?)(?<!`)\1(?!`)/y;
const AUTOLINK = /<([a-z][a-z\d+.-]{1,31}:[^\s<>]*|[\w.!#$%&'*+/=?^`{|}~-]+@[\w-]+(?:\.[\w-]+)*)>/iy;
const BARE_LINK = /(?:(?:https?|ftp):\/\/|www\.)[\w-][^\s<]*/iy;
const DOMAIN = /@[\w-]+(?:\.[\w-]+)+/y;

/** What may become more when more text comes, by its first character; it ends where the text does. */
const BEGUN = /&#?\w{0,8}$|<[^\s<>]{0,1998}$|[hwf][\w:/.]{0,8}$|@[\w.-]{0,1998}$|[\\!]$/iy;
const MARKER = /^\d+(?:\.\d+)*$/;

export const normalLabel = (label: string): string => label.trim().replace(/\s+/g, ' ').toLowerCase();

/** The address and the title of a link, as written. */
export const linkOf = (href: string, title?: string): Partial<Node> => ({
  href: unescape(href),
  title: title && unescape(title.slice(1, -1)),
});

/** A run closes an opener of its own sign, by the rule of three: `*foo**bar*` is one emphasis, not two. */
const isPair = ({ mark, level, size, canClose }: Open, char: string, length: number, canOpen: boolean): boolean =>
  mark === char &&
  (char === '~' ? level === length : !(canClose || canOpen) || (size + length) % 3 !== 0 || size % 3 === 0);

const kindOf = (char: string, count: number): 's' | 'strong' | 'em' =>
  char === '~' ? 's' : count > 1 ? 'strong' : 'em';

function codeOf(written: string): Node {
  const inside = written.replaceAll('\n', ' ');
  const code = createNode('code');
  addText(code, /^ .*[^ ].* $/.test(inside) ? inside.slice(1, -1) : inside);
  return code;
}

/** An address as it was written, without what ends the sentence around it. */
function bareOf(written: string): string {
  let bare = written.replace(/&\w+;$/, '');
  const isOpen = (): boolean => bare.endsWith(')') && bare.split(')').length > bare.split('(').length;
  while ('?!.,:;*_~\'"'.includes(bare.at(-1)!) || isOpen()) bare = bare.slice(0, -1);
  return bare;
}

/**
 * Reads each character once, but for two cases: what stands after a bracket that turns out to be none, which is never further
 * away than `FAR`, and the end of the text so far, where it may be the start of something.
 */
export function createReader(definitions: Definitions): Reader {
  /** The text from `base` on: what was read is dropped, but for what an open bracket may need. */
  let source = '';
  let base = 0;
  let here = 0;
  let isLast = false;
  /** Each is the last child of the one before; the first is the leaf itself. */
  let open: Open[] = [];
  /** The text that more text joins. */
  let text: Node | undefined;
  /** Places of brackets that are known to be text. */
  const literal = new Set<number>();

  const top = (): Node => open.at(-1)!;
  const match = (pattern: RegExp, at = here): RegExpExecArray | null => find(pattern, source, at);
  const isBracket = ({ kind }: Node): boolean => kind === 'bracket';

  function push(node: Node, length: number): true {
    top().children.push(node);
    text = undefined;
    here += length;
    return true;
  }

  function say(words: string, length = words.length): true {
    text = addText(top(), words, text);
    here += length;
    return true;
  }

  /** True where more text may change what ends at `end`. */
  const isOpenEnd = (end: number): boolean => !isLast && end >= source.length;
  const isBegun = (): boolean => !isLast && match(BEGUN) !== null;

  /** Reads what stands here; false where more text decides what it is. */
  function step(char: string): boolean {
    if (char === '\n') return readNewline();
    if (char === ']') return closeBracket();
    const bracket = match(/!?\[/y);
    if (bracket) return openBracket(bracket[0]);
    const run = match(RUN);
    if (run) return readRun(char, run[0]);
    const words = match(WORDS);
    if (words) return say(words[0]);
    const isRead = /[hwf]/i.test(char) ? readBareLink(char) : char === '@' ? readMail() : readSign(char);
    return isRead ?? (!isBegun() && say(char));
  }

  function readSign(char: string): true | undefined {
    const address = char === '<' && match(AUTOLINK)?.[1];
    if (address) return addLink(/^[^@]*:/.test(address) ? '' : 'mailto:', address, address.length + 2);
    if (char === '\\' && source[here + 1] === '\n') return push(createNode('br'), 2);
    const found = match(ESCAPE);
    return found ? say(unescaped(...(found as unknown as [string])), found[0].length) : undefined;
  }

  function readNewline(): true {
    const isHard = match(/(?<= {2})/y);
    trim();
    return isHard ? push(createNode('br'), 1) : say('\n');
  }

  /** Takes the spaces from the end. */
  function trim(): void {
    if (text) cut(text.text.trimEnd());
  }

  function cut(words: string): void {
    text!.text = words;
    if (words) return;
    top().children.pop();
    text = undefined;
  }

  function readRun(char: string, run: string): boolean {
    const { length } = run;
    const end = here + length;
    if (length < LONGEST_RUN && isOpenEnd(end)) return false;
    if (char === '`') return readCode(run);
    if (char === '~' && length > 2) return say(run);
    const [left, right] = [match(/(?<=^|[\s\p{P}\p{S}])/uy), match(/(?=$|[\s\p{P}\p{S}])/uy, end)];
    const isLeft = !match(/(?=$|\s)/y, end) && (!right || left);
    const isRight = !match(/(?<=^|\s)/y) && (!left || right);
    // Inside a word `_` is a letter. (On a flank, an edge that is no space is punctuation.)
    const isWord = char === '_' && isLeft && isRight;
    const canOpen = Boolean(isLeft && (!isWord || left));
    const canClose = Boolean(isRight && (!isWord || right));
    if (canOpen && isFull()) return true;
    const level = canClose ? close(char, length, canOpen) : length;
    if (!level || !canOpen) return say(char.repeat(level), length);
    return add(kindOf(char, level), { mark: char, level, size: length, canClose }, length);
  }

  function add(kind: Node['kind'], own: Partial<Open>, length: number): true {
    const node = createNode(kind, { ...own, at: base + here } as Partial<Node>) as Open;
    push(node, length);
    open.push(node);
    return true;
  }

  /** Makes room where too much is open. True when reading goes on elsewhere. */
  function isFull(): boolean {
    const isOver = open.length > MOST_OPEN;
    if (giveUp(isOver)) return true;
    if (isOver) flatten(1);
    return false;
  }

  /** Closes what a run of signs closes; gives how many of them are left. */
  function close(char: string, length: number, canOpen: boolean): number {
    let count = length;
    while (count) {
      const depth = open.findLastIndex((one) => isBracket(one) || isPair(one, char, length, canOpen));
      const opener = open[depth];
      if (!opener || isBracket(opener)) break;
      flatten(depth + 1);
      const use = char === '~' ? count : Math.min(2, opener.level, count);
      count -= use;
      opener.level -= use;
      opener.version++;
      opener.kind = kindOf(char, opener.level || use);
      if (opener.level) opener.children = [createNode(kindOf(char, use), { children: opener.children })];
      else open.pop();
    }
    return count;
  }

  /** Takes what is open from `depth` on for text; what is in it stays where it is. */
  function flatten(depth: number): void {
    for (const node of open.splice(depth)) {
      node.version++;
      node.kind = 'plain';
      node.text = node.mark.repeat(node.level);
    }
    text = undefined;
  }

  function readCode(run: string): boolean {
    const [all, , inside] = match(CODE) ?? [];
    if (all ? isOpenEnd(here + all.length) : !isLast && source.length - here < LONGEST_CODE) return false;
    return all ? push(codeOf(inside!), all.length) : say(run);
  }

  function addLink(scheme: string, written: string, length = written.length): true {
    const link = createNode('link', { href: scheme + written });
    addText(link, written);
    return push(link, length);
  }

  function readBareLink(char: string): boolean | undefined {
    if (open.some(isBracket) || !match(/(?<=^|[\s*_~(])/y)) return say(char);
    const found = match(BARE_LINK)?.[0];
    if (!found) return undefined;
    return !isOpenEnd(here + found.length) && addLink(/^w/i.test(found) ? 'http://' : '', bareOf(found));
  }

  /** The name before the sign is text by now: it is taken back. */
  function readMail(): boolean | undefined {
    const name = open.some(isBracket) ? undefined : /[\w.+-]+$/.exec(text?.text.slice(-64) ?? '')?.[0];
    if (!name) return say('@');
    if (isBegun()) return false;
    const domain = match(DOMAIN)?.[0];
    if (!domain || /[-_]$/.test(domain)) return say('@');
    cut(text!.text.slice(0, -name.length));
    return addLink('mailto:', name + domain, domain.length);
  }

  function openBracket(mark: string): true {
    if (literal.has(base + here)) return say(mark);
    return isFull() || add('bracket', { mark, level: 1 }, mark.length);
  }

  function closeBracket(): boolean {
    if (giveUp()) return true;
    const depth = open.findLastIndex(isBracket);
    if (depth < 0 || literal.has(base + here)) return say(']');
    const { mark, at } = open[depth]!;
    const target = literal.has(at) ? undefined : targetOf(mark, source.slice(at - base + mark.length, here));
    if (target === false) return false;
    if (target) return enclose(depth, ...target);
    literal.add(at).add(base + here);
    return goBack(depth);
  }

  /** Where a closed bracket leads: `(address "title")`, `[label]`, or its own text as the label. False: more text decides. */
  function targetOf(mark: string, label: string): [Partial<Node>, number] | undefined | false {
    const after = here + 1;
    const [all, angled, bare, title] = match(TARGET, after) ?? [];
    if (all) return [linkOf(angled ?? bare!, title), all.length];
    const [second = '', other] = match(LABEL, after) ?? [];
    const rest = source.slice(after);
    if (!isLast && !second && (!rest || mayBecome(TARGET, rest) || mayBecome(LABEL, rest))) return false;
    const definition = definitions.get(normalLabel(other || label));
    if (!definition && !mark[1] && MARKER.test(label)) return [{ kind: 'marker' }, 0];
    return definition && [definition, second.length];
  }

  function enclose(depth: number, own: Partial<Node>, length: number): true {
    flatten(depth + 1);
    const node = open.pop()!;
    node.version++;
    Object.assign(node, { kind: node.mark[1] ? 'image' : 'link' }, own);
    // A link holds no link: the brackets around it are text.
    if (node.kind === 'link') for (const outer of open) if (outer.mark === '[') literal.add(outer.at);
    here += length + 1;
    return true;
  }

  /** The bracket at `depth` is text: all after it is read again. */
  function goBack(depth: number): true {
    here = open[depth]!.at - base;
    open.length = depth;
    top().children.pop();
    text = undefined;
    return true;
  }

  /** Brackets whose partner would be too far away, or all, are text. True when one was found. */
  function giveUp(isAll = false): boolean {
    const first = open.findIndex(isBracket);
    if (first < 0 || (!isAll && base + here - open[first]!.at <= FAR)) return false;
    for (const node of isAll ? open : [open[first]!]) if (isBracket(node)) literal.add(node.at);
    return goBack(first);
  }

  function read(): void {
    do while (here < source.length && step(source[here]!));
    while (giveUp(isLast));
  }

  /** Drops what will not be looked at again, now and then. */
  function forget(): void {
    const before = Math.min(here, ...open.filter(isBracket).map(({ at }) => at - base)) - 2;
    if (before < 2 * FAR) return;
    source = source.slice(before);
    base += before;
    here -= before;
  }

  return {
    start(node) {
      source = '';
      base = here = 0;
      isLast = false;
      text = undefined;
      literal.clear();
      open = [node as Open];
    },
    feed(more) {
      source += more;
      read();
      for (const node of open) node.version++;
      forget();
    },
    end() {
      isLast = true;
      read();
      trim();
      flatten(1);
    },
  };
}

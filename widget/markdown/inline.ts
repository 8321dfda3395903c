import { ESCAPE, unescape, unescaped } from './entity.ts';
import { addText, createNode, plainOf, type Node, type NodeKind } from './node.ts';
import { FAR, LABEL, match as matchOf, mayBecome, TARGET } from './pattern.ts';

export type Definitions = Map<string, Partial<Node>>;

/** Reads the text of one leaf at a time, as it comes, into that node's children. */
export interface Reader {
  start(node: Node): void;
  feed(text: string): void;
  /** No more of this leaf comes: what has no partner is text. */
  end(): void;
}

/** What is open: a run of signs that may open emphasis, or a bracket. The first is the leaf itself. */
interface Frame {
  /** Where what follows goes: the last child of the frame before. */
  node: Node;
  char: string;
  /** Signs of a run that are not used up. */
  count: number;
  length: number;
  canClose: boolean;
  /** Its place in the text of the leaf. */
  at: number;
  /** A bracket around a link makes none. */
  isActive: boolean;
}

/** More openers at once than anyone means: the first is then text. */
const MOST_OPEN = 32;
const LONGEST_RUN = 20;

// `h`, `w` and `f` where no address begins are words; so are most of them.
const WORDS = /(?:[^\\`<&\n*_~[\]!@hwf]|[hwf](?![tw]|$))+/iy;
const RUN = /\*{1,99}|_{1,99}|~{1,99}|`{1,99}/y;
const AUTOLINK =
  /<([a-z][a-z\d+.-]{1,31}:[^\s<>]{0,1900}|[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,9})>/iy;
const BARE_LINK = /(?:(?:https?|ftp):\/\/|www\.)[\w-]{1,99}(?:\.[\w-]{1,99}){0,9}[^\s<]{0,1000}/iy;
const DOMAIN = /@[\w-]{1,63}(?:\.[\w-]{1,63}){1,9}/y;

/** What may become more when more text comes, by its first character; it ends where the text does. */
const BEGUN = /&#?\w{0,8}$|<[^\s<>]{0,1990}$|[hwf][\w:/.]{0,8}$|@[\w.-]{0,700}$|[\\!]$/iy;
const MARKER = /^\d+(?:\.\d+)*$/;

export const normalLabel = (label: string): string => label.trim().replace(/\s+/g, ' ').toLowerCase();

/** Without the signs at its end. (A loop: a pattern that ends in `$` reads long runs again and again.) */
export function trimEndOf(text: string, signs: string): string {
  let end = text.length;
  while (end > 0 && signs.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}

function matches(opener: Frame, char: string, length: number, canOpen: boolean): boolean {
  if (opener.char !== char) return false;
  if (char === '~') return opener.count === length;
  // The rule of three: `*foo**bar*` is one emphasis, not two.
  return !(opener.canClose || canOpen) || (opener.length + length) % 3 !== 0 || opener.length % 3 === 0;
}

const kindOf = (char: string, count: number): NodeKind => (char === '~' ? 's' : count > 1 ? 'strong' : 'em');

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
  let frames: Frame[] = [];
  /** Shows the end that is not read yet. */
  let tail: Node | undefined;
  /** The text that more text joins. */
  let text: Node | undefined;
  /** Places of brackets that are known to be text. */
  const literal = new Set<number>();

  const top = (): Node => frames.at(-1)!.node;

  const match = (pattern: RegExp, at = here): RegExpExecArray | null => matchOf(pattern, source, at);

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

  /** Reads what stands here; false where more text decides what it is. */
  function step(char: string): boolean {
    if (char === '\n') return readNewline();
    if (char === '[') return openBracket('[');
    if (char === ']') return closeBracket();
    if (/[*_~`]/.test(char)) return readRun(char);
    if (char === '!' && source[here + 1] === '[') return openBracket('![');
    WORDS.lastIndex = here;
    if (WORDS.test(source)) return say(source.slice(here, WORDS.lastIndex));
    const isRead = /[hwf]/i.test(char) ? readBareLink() : char === '@' ? readMail() : readSign(char);
    return isRead ?? (isBegun() ? false : say(char));
  }

  const isBegun = (): boolean => isOpenEnd(here + (match(BEGUN)?.[0].length ?? -Infinity));

  function readSign(char: string): boolean | undefined {
    if (char === '<') return readAngle();
    if (char === '\\' && source[here + 1] === '\n') return push(createNode('br'), 2);
    const found = match(ESCAPE);
    return found ? say(unescaped(...(found as unknown as [string])), found[0].length) : undefined;
  }

  function readNewline(): true {
    const isHard = source.slice(Math.max(0, here - 2), here) === '  ';
    trim();
    return isHard ? push(createNode('br'), 1) : say('\n');
  }

  function trim(): void {
    if (!text) return;
    text.text = trimEndOf(text.text, ' \t');
    dropEmpty();
  }

  function dropEmpty(): void {
    if (text!.text) return;
    top().children.pop();
    text = undefined;
  }

  function readRun(char: string): boolean {
    if (giveUp()) return true;
    const { length } = match(RUN)![0];
    const end = here + length;
    if (length < 99 && isOpenEnd(end)) return false;
    if (char === '`') return readCode(end, length);
    if (length > (char === '~' ? 2 : LONGEST_RUN)) return say(char.repeat(length));
    const left = Array.from(source.slice(Math.max(0, here - 2), here)).at(-1) ?? ' ';
    const right = String.fromCodePoint(source.codePointAt(end) ?? 32);
    const isEdge = (side: string): boolean => /[\s\p{P}\p{S}]/u.test(side);
    const isLeft = !/\s/.test(right) && (!isEdge(right) || isEdge(left));
    const isRight = !/\s/.test(left) && (!isEdge(left) || isEdge(right));
    // Inside a word `_` is a letter. (On a flank, an edge that is no space is punctuation.)
    const isWord = char === '_' && isLeft && isRight;
    const canOpen = isLeft && (!isWord || isEdge(left));
    const canClose = isRight && (!isWord || isEdge(right));
    if (canOpen && isFull()) return true;
    const at = base + here;
    const count = canClose ? close(char, length, canOpen) : length;
    here = end;
    if (count && canOpen) open(kindOf(char, count), { char, count, length, canClose, at });
    else if (count) say(char.repeat(count), 0);
    return true;
  }

  function open(kind: NodeKind, own: Omit<Frame, 'node' | 'isActive'>, level = 0): void {
    const node = createNode(kind, { level });
    push(node, 0);
    frames.push({ ...own, node, isActive: true });
  }

  /** Makes room where too much is open: the first opener is text. True when reading goes on elsewhere. */
  function isFull(): boolean {
    if (frames.length <= MOST_OPEN) return false;
    const { node, char, count } = frames[1]!;
    // All brackets at once: one by one, what stands after them would be read again for each.
    if (char === '[') return giveUp(true);
    const { children } = frames[0]!.node;
    frames.splice(1, 1);
    children.pop();
    for (const child of [createNode('text', { text: char.repeat(count) }), ...node.children]) children.push(child);
    return false;
  }

  /** Closes what a run of signs closes; gives how many of them are left. */
  function close(char: string, length: number, canOpen: boolean): number {
    let count = length;
    while (count) {
      let depth = frames.length - 1;
      while (depth && frames[depth]!.char !== '[' && !matches(frames[depth]!, char, length, canOpen)) depth--;
      const opener = frames[depth]!;
      if (!depth || opener.char === '[') break;
      flatten(depth + 1);
      const { node } = opener;
      const use = char === '~' ? count : Math.min(2, opener.count, count);
      count -= use;
      opener.count -= use;
      node.version++;
      node.kind = kindOf(char, opener.count || use);
      if (opener.count) node.children = [createNode(kindOf(char, use), { children: node.children })];
      else frames.pop();
      text = undefined;
    }
    return count;
  }

  /** Takes the frames from `depth` on for text; what is in them stays where it is. */
  function flatten(depth: number): void {
    for (const { node, char, count } of frames.splice(depth)) {
      node.version++;
      node.kind = 'plain';
      node.text = char.repeat(count);
    }
    text = undefined;
  }

  function readCode(from: number, length: number): boolean {
    const within = source.slice(from, from + FAR);
    for (const { 0: run, index } of within.matchAll(/`+/g)) {
      const end = from + index + length;
      if (run.length !== length) continue;
      if (isOpenEnd(end)) return false;
      return push(createNode('codespan', { text: codeOf(within.slice(0, index)) }), end - here);
    }
    return !isLast && within.length < FAR ? false : say('`'.repeat(length));
  }

  function codeOf(written: string): string {
    const inside = written.replaceAll('\n', ' ');
    return /^ .* $/.test(inside) && inside.trim() ? inside.slice(1, -1) : inside;
  }

  function readAngle(): true | undefined {
    const found = match(AUTOLINK);
    if (!found) return undefined;
    const address = found[1]!;
    return addLink(/^[a-z][a-z\d+.-]*:/i.test(address) ? '' : 'mailto:', address, found[0].length);
  }

  function addLink(scheme: string, written: string, length = written.length): true {
    const link = createNode('link', { href: scheme + written });
    addText(link, written);
    return push(link, length);
  }

  const hasBracket = (): boolean => frames.some(({ char }) => char === '[');

  /** An address written as it is, without what ends the sentence around it. */
  function readBareLink(): boolean | undefined {
    const isStart = !here || /[\s*_~(]/.test(source[here - 1]!);
    const found = isStart && !hasBracket() ? match(BARE_LINK) : null;
    if (!isStart || hasBracket()) return say(source[here]!);
    if (!found) return undefined;
    if (isOpenEnd(here + found[0].length)) return false;
    let written = found[0];
    for (let before = ''; before !== written;) {
      before = written;
      written = trimEndOf(written, '?!.,:;*_~\'"').replace(/&\w+$/, (entity) =>
        found[0][written.length] === ';' ? '' : entity,
      );
      if (written.endsWith(')') && written.split(')').length > written.split('(').length)
        written = written.slice(0, -1);
    }
    return addLink(/^w/i.test(written) ? 'http://' : '', written);
  }

  /** The name before the sign is text by now: it is taken back. */
  function readMail(): boolean | undefined {
    const name = hasBracket() || !text ? null : /[\w.+-]+$/.exec(text.text.slice(-64));
    const found = name && match(DOMAIN);
    if (!name) return say('@');
    if (!found) return undefined;
    if (isBegun()) return false;
    if (/[-_]$/.test(found[0])) return say('@');
    text!.text = text!.text.slice(0, -name[0].length);
    dropEmpty();
    return addLink('mailto:', name[0] + found[0], found[0].length);
  }

  function openBracket(sign: string): boolean {
    const at = base + here;
    if (giveUp()) return true;
    if (literal.has(at)) return say(sign);
    if (isFull()) return true;
    here += sign.length;
    open('bracket', { char: '[', count: 0, length: sign.length, canClose: false, at }, sign.length - 1);
    return true;
  }

  function closeBracket(): boolean {
    if (giveUp()) return true;
    const depth = frames.findLastIndex(({ char }) => char === '[');
    if (depth < 0 || literal.has(base + here)) return say(']');
    const { node, at, length, isActive } = frames[depth]!;
    const label = source.slice(at - base + length, here);
    if (isActive) {
      const target = targetOf(label);
      if (target) return enclose(depth, ...target);
      if (target === false) return false;
      if (MARKER.test(label) && !node.level) return enclose(depth, { kind: 'marker', text: label, children: [] }, 1);
    }
    literal.add(at).add(base + here);
    return goBack(depth);
  }

  /** Where a closed bracket leads: `(address "title")`, `[label]`, or its own text as the label. False: more text decides. */
  function targetOf(label: string): [Partial<Node>, number] | undefined | false {
    const after = here + 1;
    const inline = match(TARGET, after);
    if (inline) {
      const href = unescape(inline[1] ?? inline[2]!);
      return [{ href, title: unescape(inline[3]?.slice(1, -1) ?? '') }, inline[0].length + 1];
    }
    const second = match(LABEL, after);
    const sign = source[after];
    const pattern = sign === '(' ? TARGET : LABEL;
    if (isOpenEnd(after) || (!isLast && !second && /[([]/.test(sign ?? '') && mayBecome(pattern, source.slice(after))))
      return false;
    const definition = definitions.get(normalLabel(second?.[1] || label));
    return definition && [definition, (second?.[0].length ?? 0) + 1];
  }

  function enclose(depth: number, own: Partial<Node>, length: number): true {
    flatten(depth + 1);
    const { node } = frames.pop()!;
    const isImage = node.level > 0;
    Object.assign(node, isImage ? { kind: 'image', text: plainOf(node), children: [] } : { kind: 'link' }, own);
    node.version++;
    text = undefined;
    here += length;
    // A link holds no link.
    if (node.kind === 'link') for (const outer of frames) outer.isActive &&= outer.node.level > 0;
    return true;
  }

  /** The bracket at `depth` is text: all after it is read again. */
  function goBack(depth: number): true {
    here = frames[depth]!.at - base;
    frames.length = depth;
    top().children.pop();
    text = undefined;
    return true;
  }

  /** Brackets whose partner would be too far away, or all, are text. True when one was found. */
  function giveUp(isAll = false): boolean {
    const first = frames.findIndex(({ char }) => char === '[');
    if (first < 0 || (!isAll && base + here - frames[first]!.at <= FAR)) return false;
    for (const { at, char } of isAll ? frames : [frames[first]!]) if (char === '[') literal.add(at);
    return goBack(first);
  }

  function read(): void {
    if (tail) top().children.pop();
    tail = undefined;
    do while (here < source.length && step(source[here]!));
    while (giveUp(isLast));
  }

  /** Shows what is not read yet where it looks the same whatever it becomes. */
  function showTail(): void {
    const rest = source.slice(here);
    const code = /^(`+)([^]+?)`*$/.exec(rest);
    const isWord = /^[a-z@]/i.test(rest);
    if (!isWord && (!code || code[2]![0] === '`')) return;
    tail = code ? createNode('codespan', { text: codeOf(code[2]!) }) : createNode('text', { text: rest });
    top().children.push(tail);
  }

  return {
    start(node) {
      source = '';
      base = here = 0;
      isLast = false;
      tail = text = undefined;
      literal.clear();
      frames = [{ node, char: '', count: 0, length: 0, canClose: false, at: 0, isActive: false }];
    },
    feed(more) {
      source += more;
      read();
      showTail();
      for (const { node } of frames) node.version++;
      const cut = Math.min(here, (frames.find(({ char }) => char === '[')?.at ?? Infinity) - base) - 2;
      if (cut < 2 * FAR) return;
      source = source.slice(cut);
      base += cut;
      here -= cut;
    },
    end() {
      isLast = true;
      read();
      trim();
      flatten(1);
    },
  };
}

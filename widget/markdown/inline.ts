import { unescape, unescaped } from './entity.ts';
import { addText, createNode, type Node } from './node.ts';
import { UNFINISHED, MAX_DISTANCE, TOKEN } from './inline-patterns.ts';

export type Definitions = Map<string, Partial<Node>>;

/** A part of a text that more text may yet change. */
interface InlinePart extends Node {
  at: number;
  /** Where it stands for the measure of `FAR`: characters, and `SIGN_WIDTH` for each part before it. */
  place: number;
  /** A run of signs, or a bracket: what comes may be in it. */
  canOpen?: boolean;
  canClose?: boolean;
  /** The run that closes it, as long as what is left of that is open: both are then read again. */
  closer?: InlinePart | undefined;
  /** Signs in the run; its text are those that have no partner yet. */
  size?: number;
  /** Of a closer, the place of the first of the pairs before it that are to be read again with it. */
  from?: number | undefined;
}

/** More openers at once than anyone means: the first are text. */
const MAX_OPENERS = 16;

/** A part is as much work to read again as so many characters. */
const SIGN_WIDTH = 20;

export const normalizeLabel = (label: string): string => label.trim().replace(/\s+/g, ' ').toLowerCase();

/** The address and the title of a link, as written. */
export const parseLink = (href: string, title?: string): Partial<Node> => ({
  href: unescape(href.replace(/^<(.*)>$/, '$1')),
  title: title && unescape(title.slice(1, -1)),
});

const createText = (text: string): Node => createNode('text', { text });

/** What stands beside a run of signs: 0 for space, 1 for punctuation (most of what takes two units is an emoji), 2 for a word. */
const charClass = (char = ' '): number => (/\s/.test(char) ? 0 : /[\p{P}\p{S}\p{Cs}]/u.test(char) ? 1 : 2);

/** A run closes an opener of its own sign, by the rule of three: `*foo**bar*` is one emphasis, not two. */
const isPair = (opener: InlinePart, closer: InlinePart): boolean | undefined =>
  closer.canClose &&
  closer.text[0] === opener.text[0] &&
  closer.place - opener.place <= MAX_DISTANCE &&
  (!(opener.canClose || closer.canOpen) || (opener.size! + closer.size!) % 3 !== 0 || opener.size! % 3 === 0);

const emphasisKind = (signs: string): 's' | 'strong' | 'em' => (signs[0] === '~' ? 's' : signs[1] ? 'strong' : 'em');

/** Of what is open, only the last few, and not too far away, may get a partner. */
function pushOpener(openers: InlinePart[], part: InlinePart): void {
  openers.push(part);
  while (openers.length > MAX_OPENERS || part.place - openers[0]!.place > MAX_DISTANCE)
    openers.shift()!.canOpen = false;
}

/** Puts what stands between two runs of signs into emphasis. Signs without a partner stay what they are. */
function pairSigns(parts: InlinePart[]): InlinePart[] {
  const openers: InlinePart[] = [];
  for (let at = 0; at < parts.length; at++) {
    const closer = parts[at]!;
    const depth = openers.findLastIndex((one) => isPair(one, closer));
    const opener = openers[depth];
    if (opener) {
      const from = parts.indexOf(opener) + 1;
      const signs = opener.text.slice(0, opener.text[1] && closer.text[1] ? 2 : 1);
      for (const part of [opener, closer]) part.text = part.text.slice(signs.length);
      closer.from = opener.from ?? opener.place;
      // Pairs that hang together are read again together: no more of them than are near.
      closer.canOpen &&= closer.text !== '' && closer.place - closer.from <= MAX_DISTANCE;
      const children = parts.splice(from, at - from);
      opener.canOpen = opener.text !== '';
      opener.closer = closer.canOpen ? closer : undefined;
      openers.length = opener.text ? depth + 1 : depth;
      parts.splice(from, 0, createNode(emphasisKind(signs), { children }) as InlinePart);
      // The closer once more: it may close another.
      at = from;
    } else if (closer.canOpen) {
      if (closer.text) pushOpener(openers, closer);
      // Across a bracket that may become a link nothing makes a pair.
      else openers.length = 0;
    }
  }
  return parts;
}

/** Reads more text of a leaf into its children; gives the leaf. */
export function parseInline(leaf: Node, text: string, definitions: Definitions, isLast = false): Node {
  for (const piece of text.match(/[^]{1,999}/g) ?? []) {
    leaf.source += piece;
    parseSource(leaf, definitions, false);
  }
  if (isLast) parseSource(leaf, definitions, true);
  return leaf;
}

/** Reads what may mean something else by now; what is read once and for all are the `done` first children. */
function parseSource(leaf: Node, definitions: Definitions, isLast: boolean): void {
  const source = isLast ? leaf.source.trimEnd() : leaf.source;
  const parts: InlinePart[] = [];
  const brackets: InlinePart[] = [];
  let here = 1;
  let width = 0;

  function push(kind: Node['kind'], own: Partial<InlinePart> = {}): InlinePart {
    const part = Object.assign(createNode(kind, own), { at: here, place: here + width });
    parts.push(part);
    width += SIGN_WIDTH;
    return part;
  }

  /** Ends a text in brackets; gives how much of what ends it belongs to it. */
  function closeBracket([end, , , address, title, label]: RegExpExecArray): number {
    const bracket = brackets.pop();
    if (bracket?.canOpen && here + width - bracket.place <= MAX_DISTANCE) {
      const { at, text } = bracket;
      const written = source.slice(at + text.length, here);
      const found = end[1] === '(' ? parseLink(address!, title) : definitions.get(normalizeLabel(label || written));
      if (found || (text === '[' && /^\d+(?:\.\d+)*$/.test(written))) {
        const kind = found ? (text === '[' ? 'link' : 'image') : 'marker';
        const children = pairSigns(parts.splice(parts.indexOf(bracket) + 1));
        Object.assign(bracket, { kind, text: '', canOpen: false, children }, found);
        // A link holds no link: the brackets around it are text.
        if (kind === 'link') for (const outer of brackets) outer.canOpen = outer.text !== '[';
        return found ? end.length : 1;
      }
    }
    if (bracket) bracket.canOpen = false;
    addText(parts, ']', here);
    return 1;
  }

  while (here < source.length) {
    // Nothing is looked at further than so.
    const rest = source.slice(here - 1, here + MAX_DISTANCE);
    TOKEN.lastIndex = UNFINISHED.lastIndex = 1;
    const found = TOKEN.exec(rest)!;
    const [all, , code, , , , hard, sign, entity, closed, bare, bracket, run] = found;
    let { length } = all;
    const isUnfinished = !isLast && rest.length < MAX_DISTANCE;
    if (isUnfinished && !code && all[1] !== '(' && UNFINISHED.test(rest)) break;
    const link = closed ?? bare;
    if (code) {
      const inside = code.replaceAll('\n', ' ').replace(/^ (.*[^ ].*) $/, '$1');
      push('code', { children: [createText(inside)] });
    } else if (all[0] === ']') length = closeBracket(found);
    else if (hard) push('br');
    else if (link) {
      const scheme = /^www\./i.test(link) ? 'http://' : /^[^@]*:/.test(link) ? '' : 'mailto:';
      push('link', { href: scheme + link, children: [createText(link)] });
    } else if (bracket) pushOpener(brackets, push('sign', { text: bracket, canOpen: true }));
    else if (run) {
      const [before, after] = [charClass(rest[0]), charClass(rest[length + 1])];
      const isWord = run[0] !== '_';
      const canOpen = after > 0 && after >= before && (isWord || before < 2);
      const canClose = before > 0 && before >= after && (isWord || after < 2);
      if (canOpen || canClose) push('sign', { text: run, size: length, canOpen, canClose });
      else addText(parts, run, here);
    } else addText(parts, all.endsWith('\n') ? '\n' : unescaped(all, sign, entity), here);
    here += length;
    // A bare address may go on: what stands behind it may be a part of it.
    if (bare && isUnfinished && /^[^\s<]*$/.test(source.slice(here))) break;
  }

  // A run finds no partner farther away; behind a text in brackets its address and title may be as long again.
  const isNear = ({ canOpen, place, size }: InlinePart): boolean | undefined =>
    canOpen && source.length + width - place <= (isLast ? 0 : size ? MAX_DISTANCE : 2 * MAX_DISTANCE);
  const isOpen = (part: InlinePart): boolean | undefined => {
    let last = part;
    while (last.closer) last = last.closer;
    return isNear(last);
  };
  const last = parts.at(-1);
  for (const bracket of brackets) if (isNear(bracket)) bracket.text = '';
  const next = pairSigns(parts).findIndex((one) => isOpen(one) || (one === last && one.kind !== 'sign'));
  // What is open holds all that comes after it.
  for (const one of parts.filter((part) => isOpen(part) && part.text).reverse())
    Object.assign(one, { kind: emphasisKind(one.text), text: '', children: parts.splice(parts.indexOf(one) + 1) });
  leaf.children.splice(leaf.done, Infinity, ...parts);
  leaf.done += next < 0 ? parts.length : next;
  leaf.source = source.slice((parts[next]?.at ?? here) - 1);
}

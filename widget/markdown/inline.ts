import { unescape, unescaped } from './entity.ts';
import { addText, createNode, type Node } from './node.ts';
import { UNFINISHED, MAX_DISTANCE, TOKEN } from './inline-patterns.ts';

export type Definitions = Map<string, Partial<Node>>;

/** An inline node with what is needed to parse it again when more text comes. */
interface InlinePart extends Node {
  at: number;
  /** Position for `MAX_DISTANCE`: characters before it, and `SIGN_WIDTH` for each part before it. */
  place: number;
  /** A delimiter run or bracket that may open. */
  canOpen?: boolean;
  canClose?: boolean;
  /** The run that closes it, while that can still open: both are then parsed again. */
  closer?: InlinePart | undefined;
  /** Length of the run; `text` has its unmatched characters. */
  size?: number;
  /** Of a closer: place of the first pair that is parsed again with it. */
  from?: number | undefined;
}

/** Most open delimiters at once; the oldest become text. */
const MAX_OPENERS = 16;

/** Cost of parsing a part again, in characters. */
const SIGN_WIDTH = 20;

export const normalizeLabel = (label: string): string => label.trim().replace(/\s+/g, ' ').toLowerCase();

/** Resolves a link's address and title from their source. */
export const parseLink = (href: string, title?: string): Partial<Node> => ({
  href: unescape(href.replace(/^<(.*)>$/, '$1')),
  title: title && unescape(title.slice(1, -1)),
});

const createText = (text: string): Node => createNode('text', { text });

/** Class of the character beside a delimiter run: 0 space, 1 punctuation (surrogates count: most are emoji), 2 word. */
const charClass = (char = ' '): number => (/\s/.test(char) ? 0 : /[\p{P}\p{S}\p{Cs}]/u.test(char) ? 1 : 2);

/** Whether a run closes an opener of the same character; CommonMark's rule of three: `*foo**bar*` is one emphasis. */
const isPair = (opener: InlinePart, closer: InlinePart): boolean | undefined =>
  closer.canClose &&
  closer.text[0] === opener.text[0] &&
  closer.place - opener.place <= MAX_DISTANCE &&
  (!(opener.canClose || closer.canOpen) || (opener.size! + closer.size!) % 3 !== 0 || opener.size! % 3 === 0);

const emphasisKind = (signs: string): 's' | 'strong' | 'em' => (signs[0] === '~' ? 's' : signs[1] ? 'strong' : 'em');

/** Adds an opener; drops those beyond `MAX_OPENERS` or `MAX_DISTANCE`. */
function pushOpener(openers: InlinePart[], part: InlinePart): void {
  openers.push(part);
  while (openers.length > MAX_OPENERS || part.place - openers[0]!.place > MAX_DISTANCE)
    openers.shift()!.canOpen = false;
}

/** Matches delimiter runs and wraps the parts between them in emphasis. Unmatched runs stay text. */
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
      // Chained pairs are parsed again together, within MAX_DISTANCE.
      closer.canOpen &&= closer.text !== '' && closer.place - closer.from <= MAX_DISTANCE;
      const children = parts.splice(from, at - from);
      opener.canOpen = opener.text !== '';
      opener.closer = closer.canOpen ? closer : undefined;
      openers.length = opener.text ? depth + 1 : depth;
      parts.splice(from, 0, createNode(emphasisKind(signs), { children }) as InlinePart);
      // Visit the closer again: it may close another opener.
      at = from;
    } else if (closer.canOpen) {
      if (closer.text) pushOpener(openers, closer);
      // No emphasis across a bracket that may become a link.
      else openers.length = 0;
    }
  }
  return parts;
}

/** Parses more inline text of a leaf into its children; returns the leaf. */
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

  /** Closes the last bracket; returns the length of source that belongs to its end. */
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
        // Links do not nest: enclosing brackets are text.
        if (kind === 'link') for (const outer of brackets) outer.canOpen = outer.text !== '[';
        return found ? end.length : 1;
      }
    }
    if (bracket) bracket.canOpen = false;
    addText(parts, ']', here);
    return 1;
  }

  while (here < source.length) {
    // Bounds the look-ahead of the token patterns.
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
    // A bare address at the end may continue in the next piece.
    if (bare && isUnfinished && /^[^\s<]*$/.test(source.slice(here))) break;
  }

  // A bracket's address and title may be as long again as its text.
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
  // An open run is shown as emphasis around all that follows it.
  for (const one of parts.filter((part) => isOpen(part) && part.text).reverse())
    Object.assign(one, { kind: emphasisKind(one.text), text: '', children: parts.splice(parts.indexOf(one) + 1) });
  leaf.children.splice(leaf.done, Infinity, ...parts);
  leaf.done += next < 0 ? parts.length : next;
  leaf.source = source.slice((parts[next]?.at ?? here) - 1);
}

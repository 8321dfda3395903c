import { unescape, unescaped } from './entity.ts';
import { addText, createNode, type Node } from './node.ts';
import { BEGUN, FAR, TOKEN } from './pattern.ts';

export type Definitions = Map<string, Partial<Node>>;

/** A part of a text that more text may yet change. */
interface Part extends Node {
  at: number;
  /** A run of signs, or a bracket: what comes may be in it. */
  canOpen?: boolean;
  canClose?: boolean;
  /** Signs in the run; its text are those that have no partner yet. */
  size?: number;
}

/** More openers at once than anyone means: the first are text. */
const MOST_OPEN = 16;

export const normalLabel = (label: string): string => label.trim().replace(/\s+/g, ' ').toLowerCase();

/** The address and the title of a link, as written. */
export const linkOf = (href: string, title?: string): Partial<Node> => ({
  href: unescape(href),
  title: title && unescape(title.slice(1, -1)),
});

const textOf = (text: string): Node => createNode('text', { text });

/** What stands beside a run of signs: 0 for space, 1 for punctuation (most of what takes two units is an emoji), 2 for a word. */
const besideOf = (char = ' '): number => (/\s/.test(char) ? 0 : /[\p{P}\p{S}\p{Cs}]/u.test(char) ? 1 : 2);

/** A run closes an opener of its own sign, by the rule of three: `*foo**bar*` is one emphasis, not two. */
const isPair = (opener: Part, closer: Part): boolean =>
  closer.text[0] === opener.text[0] &&
  closer.at - opener.at <= FAR &&
  (!(opener.canClose || closer.canOpen) || (opener.size! + closer.size!) % 3 !== 0 || opener.size! % 3 === 0);

const kindOf = (signs: string): 's' | 'strong' | 'em' => (signs[0] === '~' ? 's' : signs[1] ? 'strong' : 'em');

/** Of what is open, only the last few, and not too far away, may get a partner. */
function open(parts: Part[], openers: number[], place: number): void {
  openers.push(place);
  while (openers.length > MOST_OPEN || parts[place]!.at - parts[openers[0]!]!.at > FAR)
    parts[openers.shift()!]!.canOpen = false;
}

/** Puts what stands between two runs of signs into emphasis. Signs without a partner stay what they are. */
function pair(parts: Part[]): Part[] {
  const openers: number[] = [];
  for (let at = 0; at < parts.length; at++) {
    const closer = parts[at]!;
    const depth = closer.canClose && closer.text ? openers.findLastIndex((from) => isPair(parts[from]!, closer)) : -1;
    const from = openers[depth]!;
    const opener = parts[from];
    if (opener) {
      const signs = opener.text.slice(0, opener.text[1] && closer.text[1] ? 2 : 1);
      const children = parts.splice(from + 1, at - from - 1);
      for (const part of [opener, closer]) part.text = part.text.slice(signs.length);
      closer.canOpen &&= closer.text !== '';
      // What is left of the closer is read again from the opener on.
      opener.canOpen = closer.canOpen || opener.text !== '';
      parts.splice(from + 1, 0, createNode(kindOf(signs), { children }) as Part);
      openers.length = opener.text ? depth + 1 : depth;
      // The closer once more: it may close another.
      at = from + 1;
    } else if (closer.canOpen && closer.text) open(parts, openers, at);
    // Across a bracket that may become a link nothing makes a pair.
    else if (closer.canOpen && closer.kind === 'sign') openers.length = 0;
  }
  return parts;
}

/**
 * Reads the text of a leaf into its children, and gives what of it is to be read again when more has come, after the character
 * before it. What is read once and for all are the `done` first children.
 */
export function readText(leaf: Node, source: string, isLast: boolean, definitions: Definitions): string {
  const parts: Part[] = [];
  /** Where among the parts the open brackets are. */
  const brackets: number[] = [];
  let here = 1;

  const push = (kind: Node['kind'], own: Partial<Part> = {}): void =>
    void parts.push({ ...createNode(kind, own), at: here });

  /** Ends a text in brackets; gives how much of what ends it belongs to it. */
  function closeBracket(end: string, label: string | undefined, target: Partial<Node> | undefined): number {
    const at = brackets.pop();
    const bracket = parts[at!];
    if (bracket?.canOpen && here - bracket.at <= FAR) {
      const isImage = bracket.text[1];
      const written = source.slice(bracket.at + bracket.text.length, here);
      const found = target ?? definitions.get(normalLabel(label || written));
      if (found || (!isImage && /^\d+(?:\.\d+)*$/.test(written))) {
        const kind = found ? (isImage ? 'image' : 'link') : 'marker';
        Object.assign(bracket, { kind, text: '', canOpen: false, children: pair(parts.splice(at! + 1)) }, found);
        // A link holds no link: the brackets around it are text.
        if (kind === 'link') for (const outer of brackets) parts[outer]!.canOpen = parts[outer]!.text === '![';
        return found ? end.length : 1;
      }
    }
    if (bracket) bracket.canOpen = false;
    addText(parts, ']', here);
    return 1;
  }

  while (here < source.length) {
    // Nothing is looked at further than so.
    const rest = source.slice(here - 1, here + FAR);
    TOKEN.lastIndex = BEGUN.lastIndex = 1;
    const [all, , code, angled, bare, title, label, hard, sign, entity, closed, address, bracket, run] =
      TOKEN.exec(rest)!;
    let { length } = all;
    if (!isLast && !code && all[1] !== '(' && rest.length < FAR && BEGUN.test(rest)) break;
    if (code) {
      const inside = code.replaceAll('\n', ' ').replace(/^ (.*[^ ].*) $/, '$1');
      push('code', { children: [textOf(inside)] });
    } else if (all[0] === ']')
      length = closeBracket(all, label, all[1] === '(' ? linkOf(angled ?? bare!, title) : undefined);
    else if (hard) push('br');
    else if (closed || address) {
      const written = (closed ?? address)!;
      const scheme = /^www\./i.test(written) ? 'http://' : /^[^@]*:/.test(written) ? '' : 'mailto:';
      // A bare one may go on.
      const canOpen = !closed && /^[^\s<]*$/.test(rest.slice(length + 1));
      push('link', { href: scheme + written, children: [textOf(written)], canOpen });
    } else if (bracket) {
      push('sign', { text: bracket, canOpen: true });
      open(parts, brackets, parts.length - 1);
    } else if (run) {
      const [before, after] = [besideOf(rest[0]), besideOf(rest[length + 1])];
      const isWord = run[0] !== '_';
      const canOpen = after > 0 && after >= before && (isWord || before < 2);
      const canClose = before > 0 && before >= after && (isWord || after < 2);
      if (canOpen || canClose) push('sign', { text: run, size: length, canOpen, canClose });
      else addText(parts, run, here);
    } else addText(parts, all.endsWith('\n') ? '\n' : unescaped(all, sign, entity), here);
    here += length;
  }

  const isOpen = ({ canOpen, at }: Part): boolean | undefined => !isLast && canOpen && source.length - at <= 3 * FAR;
  const last = parts.at(-1);
  for (const at of brackets) if (isOpen(parts[at]!)) parts[at]!.text = '';
  pair(parts);
  const next = parts.find((one) => isOpen(one) || (!isLast && one === last && one.kind !== 'sign'));
  const done = next ? parts.indexOf(next) : parts.length;
  // What is open holds all that comes after it.
  for (const one of parts.filter((part) => isOpen(part) && part.text).reverse()) {
    Object.assign(one, { kind: kindOf(one.text), text: '', children: parts.splice(parts.indexOf(one) + 1) });
  }
  leaf.children.splice(leaf.done, Infinity, ...parts);
  leaf.done += done;
  return source.slice((next?.at ?? here) - 1);
}

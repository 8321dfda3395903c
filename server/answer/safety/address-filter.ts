import { CodeReader } from './code.ts';
import type { TextFilter } from './guard.ts';
import { hostAt, isListed, pageIn } from './host-at.ts';
import type { AllowedAddresses } from './hosts.ts';

/** What may begin an address, or be cut within its beginning: other pieces pass as they are. */
const SUSPECT = /[\]<]|:\/\/|www\.|(?:^|[^a-z])(?:ht{0,2}|https?|w{1,3})$|:\/?$/i;
/** What begins an address: the destination of a link or a definition, a tag or autolink, an address in the text. */
const TRIGGER = /\]\(|\]:|<(?=[a-z/!])|(?:(?<![a-z\d+.-])https?)?:\/\/|(?<![a-z\d])www\./gi;
/** An end of the text that more text may make the beginning of an address. */
const PARTIAL = /(?:\]|<|(?:^|[^a-z])(ht{0,2}|https?|w{1,3}))$|(?:https?)?:\/?$/i;

/** UTF-16 units, up to which it is waited for the end of a destination or a tag. */
const MAX_DESTINATION = 1000;
const MAX_TAG = 400;

/** Behind `](` or `]:`: spaces, and what Markdown reads as the destination. */
const DESTINATION = /^(\s*)(<[^>\n]*(?:>[^\s)]*)?|(?:[^\s()]|\([^\s()]*\))*(?=[\s)]|$)|[^\s)]*)/;

/** Stands for an address or a tag that was taken out: what stands on both sides of it must not become another address. */
const ELLIPSIS = '…';

/** Until where what follows a refused address is dropped. */
type Dropping = 'address' | 'link' | 'line';

/** Shown text of the line, among which the bracket of an image is looked for. */
const MAX_LINE = 1000;

/**
 * Takes addresses out of a model's text that lead elsewhere than allowed: links, definitions, autolinks and bare addresses by
 * the whole address, images by the host, in code too, and HTML elsewhere. Text and alternative text stay. A destination in which the host is
 * hidden by escapes or entities is refused as a whole. Mail addresses in the text stay.
 */
export function createAddressFilter(addresses: AllowedAddresses): TextFilter {
  let heldBack = '';
  let dropping: Dropping | undefined;
  /** Open parentheses of the link that is dropped. */
  let depth = 0;
  /** What stood behind `]` was taken out: what follows must not become its destination. */
  let isBehindBracket = false;
  /** The shown part of the line. */
  let line = '';
  const code = new CodeReader();

  function shown(text: string): string {
    const end = text.lastIndexOf('\n');
    code.read(text);
    line = (end < 0 ? line + text : text.slice(end + 1)).slice(-MAX_LINE);
    return text;
  }

  function process(text: string, isLast: boolean): string {
    let out = '';
    let at = 0;
    for (;;) {
      if (dropping) {
        at = dropFrom(text, at);
        if (dropping) break;
      }
      if (isBehindBracket && at < text.length) {
        if (text[at] === '(' || text[at] === ':') out += shown(' ');
        isBehindBracket = false;
      }
      TRIGGER.lastIndex = at;
      const found = TRIGGER.exec(text);
      if (!found) break;
      const start = found.index;
      out += shown(text.slice(at, start));
      const step = next(text, start, found[0], isLast);
      if (step === undefined) {
        heldBack = text.slice(start);
        return out;
      }
      out += shown(step.show);
      at = step.end;
      dropping = step.drop;
      isBehindBracket = step.isBehindBracket === true;
      depth = step.drop === 'link' ? 1 : 0;
    }
    const rest = text.slice(at);
    const partial = isLast || dropping ? undefined : PARTIAL.exec(rest);
    const held = partial
      ? partial.index + (partial[1] === undefined ? 0 : partial[0].length - partial[1].length)
      : rest.length;
    heldBack = rest.slice(held);
    return out + (dropping ? '' : shown(rest.slice(0, held)));
  }

  /** The offset behind what is dropped. */
  function dropFrom(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      const sign = text[at]!;
      if (dropping === 'address' && /[\s<>"`)\]|]/.test(sign)) return stopDropping(at);
      if (sign === '\n') return stopDropping(at);
      if (dropping !== 'link') continue;
      if (sign === '(') depth += 1;
      if (sign === ')' && --depth === 0) {
        isBehindBracket = true;
        return stopDropping(at + 1);
      }
    }
    return text.length;
  }

  function stopDropping(at: number): number {
    dropping = undefined;
    return at;
  }

  interface Step {
    show: string;
    end: number;
    drop?: Dropping | undefined;
    isBehindBracket?: true;
  }

  /** What becomes of the address that begins at `start`; undefined where more text decides it. */
  function next(text: string, start: number, trigger: string, isLast: boolean): Step | undefined {
    if (trigger === '<') return tagAt(text, start, isLast);
    if (trigger === '](' || trigger === ']:') return destinationAt(text, start, trigger, isLast);
    const end = start + trigger.length;
    const allowed = hostAt(addresses, text, end, isLast, false);
    if (allowed === undefined) return undefined;
    const isWeb = /^(?:https?:\/\/|www\.)$/i.test(trigger);
    const length = isWeb && allowed ? addressAt(text, start, end + allowed.length, isLast) : 0;
    if (length === undefined) return undefined;
    if (length === 0) return { show: ELLIPSIS, end, drop: 'address' };
    return { show: text.slice(start, start + length), end: start + length };
  }

  /** UTF-16 units of the allowed address of an allowed host, which ends at `hostEnd`; 0 for another page of it. */
  function addressAt(text: string, start: number, hostEnd: number, isLast: boolean): number | undefined {
    if (isListed(addresses, text.slice(start, hostEnd))) return hostEnd - start;
    const [token = ''] = /^[^\s<>"`|]*/.exec(text.slice(start, start + MAX_DESTINATION)) ?? [];
    if (start + token.length === text.length && !isLast && token.length < MAX_DESTINATION) return undefined;
    const [address = ''] = /^[^[\]【】]*/.exec(token) ?? [];
    // Without a marker between them, what follows would be a part of the address.
    const behind = token.slice(address.length).replace(/[[【][^\]】]*[\]】]/g, '');
    return /^(?!\]).*[\p{L}\p{N}]/u.test(behind) ? 0 : pageIn(addresses, address);
  }

  /** Behind `](` or `]:`. */
  function destinationAt(text: string, start: number, trigger: string, isLast: boolean): Step | undefined {
    const open = start + trigger.length;
    const [, space = '', destination = ''] = DESTINATION.exec(text.slice(open, open + MAX_DESTINATION)) ?? [];
    const from = open + space.length;
    const end = from + destination.length;
    const refused: Step =
      trigger === '](' ? { show: ']', end: open, drop: 'link' } : { show: ']', end: from, drop: 'line' };
    if (end - open >= MAX_DESTINATION) return refused;
    const bare = destination.replace(/^<([^<>]*)>$/, '$1');
    const scheme = /^(?:https?:\/\/|www\.)/i.exec(bare)?.[0];
    if (scheme !== undefined) {
      const host = from + destination.indexOf(bare) + scheme.length;
      const allowed = hostAt(addresses, text, host, isLast, true);
      if (allowed === undefined) return undefined;
      if (allowed === false) return refused;
      const hostEnd = host + allowed.length;
      if (isImage() || isListed(addresses, allowed)) return { show: text.slice(start, hostEnd), end: hostEnd };
      const length = linkLength(text, host - scheme.length, isLast);
      if (length === undefined) return undefined;
      const linkEnd = host - scheme.length + length;
      return length > 0 ? { show: text.slice(start, linkEnd), end: linkEnd } : refused;
    }
    const isWhole = isLast || end < text.length;
    if (!isWhole) return undefined;
    const kept: Step = { show: trigger, end: open };
    if (/^tel:[\d+() -]*$/i.test(bare)) return kept;
    const [, domain] = /^mailto:[\w.+-]+@([\w.-]+)$/i.exec(bare) ?? [];
    // What is left is relative, unless an escape, an entity, or a bracket or marker that is dropped later makes it something else.
    const isSafe = domain === undefined ? !/[:\\&<>[\]【】]|^[/]{2}/.test(bare) : addresses.hasMail(domain);
    if (isSafe && domain === undefined && /^[^#]/.test(bare) && !code.isFenced && !isImage()) {
      const isSentence = trigger === ']:' && isSentenceFrom(text, end, isLast);
      if (isSentence === undefined) return undefined;
      if (isSentence) return kept;
      const page = addresses.pageAt(bare);
      if (page !== undefined) return { show: text.slice(start, from) + destination.replace(bare, () => page), end };
      return trigger === '](' ? unlinked(bare, start, refused) : { show: ']', end: open, isBehindBracket: true };
    }
    if (isSafe) return kept;
    return trigger === ']:' ? colonAt(bare, open, refused) : refused;
  }

  /** A link to no page: a mere word stays, as what stands in parentheses, and in code. */
  function unlinked(bare: string, start: number, refused: Step): Step {
    if (!/^[\p{L}\p{M}\p{N}_,-]*$/u.test(bare)) return refused;
    const isCode = (line.match(/`/g)?.length ?? 0) % 2 === 1;
    return isCode ? { show: '](', end: start + 2 } : { show: ']', end: start + 1, isBehindBracket: true };
  }

  /** Whether what looks like a definition up to `end` is none: undefined where more text decides it. */
  function isSentenceFrom(text: string, end: number, isLast: boolean): boolean | undefined {
    if (!/^[\s>*+\-\d.)]*\[[^[]*$|^[^[]*$/.test(line)) return true;
    const behind = text.slice(end, end + MAX_DESTINATION);
    if (/^[^\S\n]*$/.test(behind) && !isLast && behind.length < MAX_DESTINATION) return undefined;
    return /^[^\S\n]+[^\s"'([【]/.test(behind);
  }

  /** UTF-16 units of a destination that is a page; 0 for another, undefined where it may go on. */
  function linkLength(text: string, from: number, isLast: boolean): number | undefined {
    const rest = text.slice(from, from + MAX_DESTINATION);
    const [address = ''] = /^(?:[^\s()<>]|\([^\s()<>]*\))*/.exec(rest) ?? [];
    const isOpen = /^[^\s()<>]*(?:\([^\s()<>]*\)?[^\s()<>]*)*$/.test(rest);
    if (isOpen && !isLast && rest.length < MAX_DESTINATION) return undefined;
    return addresses.hasPage(address.replaceAll('&amp;', '&')) ? address.length : 0;
  }

  /** Whether the bracket that closes here is that of an image. */
  function isImage(): boolean {
    let depth = 1;
    for (let at = line.length - 1; at >= 0; at--) {
      if (line[at] === ']') depth += 1;
      if (line[at] === '[' && --depth === 0) return line[at - 1] === '!' && line[at - 2] !== '\\';
    }
    return false;
  }

  /**
   * A colon behind brackets that is more often one of a sentence (`[1]: 24:00`, `[Note]: Hint: …`) than of a definition. Without
   * the colon there is no definition: so it goes where no host can be in what follows.
   */
  function colonAt(bare: string, end: number, refused: Step): Step {
    if (/^\d/.test(bare)) return { show: ']:', end };
    const hasHost = /[/\\<>]|&(?:#|[a-z\d]+;)/i.test(bare) && !/^\[\p{L}/u.test(bare);
    return hasHost ? refused : { show: ']', end, isBehindBracket: true };
  }

  /** An autolink or an HTML tag. */
  function tagAt(text: string, start: number, isLast: boolean): Step | undefined {
    const isInCode = code.isFenced || code.isInSpan(text.slice(start), isLast || text.length - start > MAX_TAG);
    if (isInCode === undefined) return undefined;
    if (isInCode) return { show: '<', end: start + 1 };
    const following = text.slice(start, start + MAX_TAG);
    const [tag = ''] = /^<[^<>]*>?/.exec(following) ?? [];
    // Browsers read a tag on behind another `<`.
    const [opened = ''] = /^<[^>]*>?/.exec(following) ?? [];
    const isWhole = tag.endsWith('>');
    const isLong = !opened.endsWith('>') && opened.length >= MAX_TAG;
    if (!opened.endsWith('>') && !isLong && !isLast) return undefined;
    const end = start + tag.length;
    if (isWhole && isAutolink(tag)) {
      const [, address = ''] = /^<(?:https?:\/\/)(.*)>$/i.exec(tag) ?? [];
      const [, domain = ''] = /^<mailto:[\w.+-]+@([\w.-]+)>$/i.exec(tag) ?? [];
      const allowed = address && hostAt(addresses, address, 0, true, false);
      const isAllowed = address
        ? allowed && (isListed(addresses, allowed) || addresses.hasPage(`http://${address}`))
        : domain !== '' && addresses.hasMail(domain);
      return { show: isAllowed ? tag : ELLIPSIS, end };
    }
    const isPlain = !/=|&|\/\//.test(opened) || /^<[\w.+-]+@[\w.-]+>$/.test(tag);
    if (isWhole && !isPlain && hasForeignAddress(tag)) return { show: ELLIPSIS, end };
    // Without its `<`, or with a space behind it, it is no tag. Addresses in it are looked at like any others.
    if (!isPlain && !isWhole) return { show: ELLIPSIS, end: start + 1 };
    return { show: isLong ? '< ' : '<', end: start + 1 };
  }

  const isAutolink = (tag: string): boolean => /^<[a-z][a-z\d+.-]{1,31}:[^\s<>]*>$/i.test(tag);

  /** Whether a tag has a value that is no plain text, relative address or address of an allowed host. */
  function hasForeignAddress(tag: string): boolean {
    const written = Array.from(tag.matchAll(/=\s*("[^"]*"|'[^']*'|[^\s>]*)/g), ([, value = '']) => value);
    // The tag goes on behind the `>` within such a value.
    if (written.some((value) => /^(["'])(?!.*\1$)/s.test(value))) return true;
    const followed = Array.from(
      tag.matchAll(/(?:href|action|ping)\s*=\s*["']?([^\s"'>]*)/gi),
      ([, value = '']) => value,
    );
    if (followed.some((value) => !/^(?:#|https?:|$)/i.test(value) && !addresses.pageAt(value))) return true;
    const values = written.map((value) => value.replace(/^["']|["']$/g, ''));
    const isForeign = (address: string): boolean => {
      const allowed = hostAt(addresses, address, 0, true, false);
      if (!allowed || isListed(addresses, allowed)) return !allowed;
      return !/^<img\s/i.test(tag) && pageIn(addresses, `http://${/^[^\s"'<>]*/.exec(address)![0]}`) === 0;
    };
    if (
      tag
        .split(/https?:\/\//i)
        .slice(1)
        .some(isForeign)
    )
      return true;
    return values.some((value) => {
      const host = /^\s*(?:https?:)\/\/(.*)$/is.exec(value)?.[1];
      if (host === undefined) return /[:\\&[\]【】]|\/\//.test(value);
      return isForeign(host) || /:\/\/|[\\&]/.test(host);
    });
  }

  return {
    pass: (piece) =>
      heldBack === '' && !dropping && !isBehindBracket && !SUSPECT.test(piece)
        ? shown(piece)
        : process(heldBack + piece, false),
    rest: () => (heldBack === '' ? '' : process(heldBack, true)),
  };
}

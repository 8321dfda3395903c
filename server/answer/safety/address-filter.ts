import type { TextFilter } from './guard.ts';
import type { AllowedHosts } from './hosts.ts';

/** What may begin an address, or be cut within its beginning: other pieces pass as they are. */
const SUSPECT = /[\]<]|:\/\/|www\.|(?:^|[^a-z])(?:ht{0,2}|https?|w{1,3})$|:\/?$/i;
/** What begins an address: the destination of a link or a definition, a tag or autolink, an address in the text. */
const TRIGGER = /\]\(|\]:|<(?=[a-z/!])|(?:(?<![a-z\d+.-])https?)?:\/\/|(?<![a-z\d])www\./gi;
/** An end of the text that more text may make the beginning of an address. */
const PARTIAL = /(?:\]|<|(?:^|[^a-z])(ht{0,2}|https?|w{1,3}))$|(?:https?)?:\/?$/i;

/** UTF-16 units, up to which it is waited for the end of a host, of a destination or a tag. */
const MAX_HOST = 260;
const MAX_DESTINATION = 1000;
const MAX_TAG = 400;

/** Stands for an address or a tag that was taken out: what stands on both sides of it must not become another address. */
const ELLIPSIS = '…';

/** Until where what follows a refused address is dropped. */
type Dropping = 'address' | 'link' | 'line';

/**
 * Takes addresses out of a model's text that lead to other hosts than the allowed ones: links, images, definitions, autolinks,
 * HTML and bare addresses, in code too. Text and alternative text stay. A destination in which the host is hidden by escapes
 * or entities is refused as a whole. Mail addresses in the text stay.
 */
export function createAddressFilter(hosts: AllowedHosts): TextFilter {
  let heldBack = '';
  let dropping: Dropping | undefined;
  /** Open parentheses of the link that is dropped. */
  let depth = 0;
  /** What stood behind `]` was taken out: what follows must not become its destination. */
  let isBehindBracket = false;

  function process(text: string, isLast: boolean): string {
    let out = '';
    let at = 0;
    for (;;) {
      if (dropping) {
        at = dropFrom(text, at);
        if (dropping) break;
      }
      if (isBehindBracket && at < text.length) {
        if (text[at] === '(' || text[at] === ':') out += ' ';
        isBehindBracket = false;
      }
      TRIGGER.lastIndex = at;
      const found = TRIGGER.exec(text);
      if (!found) break;
      const start = found.index;
      const step = next(text, start, found[0], isLast);
      if (step === undefined) {
        heldBack = text.slice(start);
        return out + text.slice(at, start);
      }
      out += text.slice(at, start) + step.show;
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
    return out + (dropping ? '' : rest.slice(0, held));
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
    const allowed = isAllowedFrom(text, end, isLast, false);
    if (allowed === undefined) return undefined;
    const isWeb = /^(?:https?:\/\/|www\.)$/i.test(trigger);
    if (isWeb && allowed) return { show: trigger, end };
    return { show: ELLIPSIS, end, drop: 'address' };
  }

  /** Whether the host that begins here is allowed; undefined where it may go on. */
  function isAllowedFrom(text: string, from: number, isLast: boolean, inLink: boolean): boolean | undefined {
    const [token = ''] = /^[^\s/?#<>"`]*/.exec(text.slice(from, from + MAX_HOST)) ?? [];
    if (token.length >= MAX_HOST) return false;
    if (from + token.length === text.length && !isLast) return undefined;
    const authority = (inLink ? token.replace(/\).*$/s, '') : token).replace(/[\p{P}\p{S}]+$/u, (signs) =>
      signs.startsWith(']') && token.startsWith('[') ? ']' : '',
    );
    // Anything else, such as a user name, an escape or an entity, can hide another host.
    if (!/^(?:[\p{L}\p{N}._-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/iu.test(authority)) return false;
    return hosts.has(authority) || hosts.has(`www.${authority}`);
  }

  /** Behind `](` or `]:`. */
  function destinationAt(text: string, start: number, trigger: string, isLast: boolean): Step | undefined {
    const open = start + trigger.length;
    const [, space = '', destination = ''] =
      /^(\s*)(<[^>\n]*(?:>[^\s)]*)?|[^\s)]*)/.exec(text.slice(open, open + MAX_DESTINATION)) ?? [];
    const from = open + space.length;
    const end = from + destination.length;
    const refused: Step =
      trigger === '](' ? { show: ']', end: open, drop: 'link' } : { show: ']', end: from, drop: 'line' };
    if (end - open >= MAX_DESTINATION) return refused;
    const bare = destination.replace(/^<([^<>]*)>$/, '$1');
    const scheme = /^(?:https?:\/\/|www\.)/i.exec(bare)?.[0];
    if (scheme !== undefined) {
      const host = from + destination.indexOf(bare) + scheme.length;
      const allowed = isAllowedFrom(text, host, isLast, true);
      if (allowed === undefined) return undefined;
      return allowed ? { show: text.slice(start, host), end: host } : refused;
    }
    const isWhole = isLast || end < text.length;
    if (!isWhole) return undefined;
    const kept: Step = { show: trigger, end: open };
    if (/^tel:[\d+() -]*$/i.test(bare)) return kept;
    const [, domain] = /^mailto:[\w.+-]+@([\w.-]+)$/i.exec(bare) ?? [];
    // What is left is relative, unless an escape, an entity, or a bracket or marker that is dropped later makes it something else.
    const isSafe = domain === undefined ? !/[:\\&<>[\]【】]|^[/]{2}/.test(bare) : hosts.hasMail(domain);
    if (isSafe) return kept;
    return trigger === ']:' ? colonAt(bare, open, refused) : refused;
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
      const isAllowed = address ? isAllowedFrom(address, 0, true, false) : domain !== '' && hosts.hasMail(domain);
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
    const values = written.map((value) => value.replace(/^["']|["']$/g, ''));
    const isForeign = (address: string): boolean => isAllowedFrom(address, 0, true, false) !== true;
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
        ? piece
        : process(heldBack + piece, false),
    rest: () => (heldBack === '' ? '' : process(heldBack, true)),
  };
}

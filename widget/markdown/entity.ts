/** Entities by name: the ones that models write. Any other is text. */
const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: '\u00a0' };

/** A sign after a backslash, or an entity: by number, as `65` or `x41`, or by name. */
export const ESCAPE = /\\([!-/:-@[-`{-~])|&(?:#(x[\da-f]{1,6}|\d{1,7})|(\w{2,6}));/iy;

/** The character that a match of `ESCAPE` stands for. */
export function unescaped(written: string, sign?: string, number?: string, name?: string): string {
  if (!number) return sign ?? NAMED[name!] ?? written;
  // No character has a number above; what is shown for one does not matter, as long as something is.
  return String.fromCodePoint(+`0${number}` % 0x110000 || 0xfffd);
}

const EVERY = new RegExp(ESCAPE, 'gi');

/** Backslashes and entities of an address, a title or a label, resolved. */
export const unescape = (text: string): string => text.replace(EVERY, unescaped);

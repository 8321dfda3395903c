/** Entities by name: the ones that models write. */
const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: '\u00a0' };

/** A sign after a backslash, or an entity: by number, as `65` or `x41`, or by name. */
export const ESCAPE = /\\([!-/:-@[-`{-~])|&(?:#(x[\da-f]{1,6}|\d{1,7})|(amp|lt|gt|quot|nbsp));/iy;

/** The character that a match of `ESCAPE` stands for. */
export function unescaped(_: string, sign?: string, number?: string, name?: string): string {
  const point = Number(`0${number ?? ''}`);
  const character = String.fromCodePoint(point > 0x10ffff ? 0 : point).toWellFormed();
  return sign ?? (name ? NAMED[name.toLowerCase()]! : character.replace('\0', '\ufffd'));
}

const EVERY = new RegExp(ESCAPE, 'gi');

/** Backslashes and entities of an address, a title or a label, resolved. */
export const unescape = (text: string): string => text.replace(EVERY, unescaped);

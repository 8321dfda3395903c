/** Entities by name: the ones that models write. Any other is text. */
const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: '\u00a0', auml: 'ä', ouml: 'ö' };

/** A sign after a backslash, or an entity: by number, as `#65` or `#x41`, or by name. */
export const ESCAPE = /\\([!-/:-@[-`{-~])|&(#\w{1,7}|\w{2,6});/g;

/** The character that a match of `ESCAPE` stands for. */
export function unescaped(written: string, sign?: string, entity?: string): string {
  const number = Number(entity?.replace('#', '0'));
  // No character has a number above; what is shown for one does not matter, as long as something is.
  return sign ?? NAMED[entity!] ?? (number >= 0 ? String.fromCodePoint(number % 0x110000 || 0xfffd) : written);
}

/** Backslashes and entities of an address, a title or a label, resolved. */
export const unescape = (text: string): string => text.replace(ESCAPE, unescaped);

/** Entities by name: the ones that models write, each name with its character. */
const NAMED =
  'amp& lt< gt> quot" apos\' nbsp\u00a0 copy© reg® trade™ euro€ deg° times× hellip… ndash– mdash— lsquo‘ rsquo’ ldquo“ rdquo” larr← rarr→ bull• auml\u00e4 ouml\u00f6 uuml\u00fc szlig\u00df Auml\u00c4 Ouml\u00d6 Uuml\u00dc eacute\u00e9';

/** A sign after a backslash, or an entity: by number, as `65` or `x41`, or by name. */
export const ESCAPE = new RegExp(
  `\\\\([!-/:-@[-\`{-~])|&(?:#([xX][\\da-fA-F]{1,6}|\\d{1,7})|(${NAMED.replace(/.( |$)/g, '|').slice(0, -1)}));`,
  'y',
);

/** The character that a match of `ESCAPE` stands for. */
export function unescaped(_: string, sign?: string, number?: string, name?: string): string {
  if (sign) return sign;
  if (name) return NAMED[NAMED.search(`\\b${name}\\W`) + name.length]!;
  const point = Number(`0${number}`);
  return String.fromCodePoint(point > 0x10ffff ? 0 : point)
    .toWellFormed()
    .replace('\0', '\ufffd');
}

const EVERY = new RegExp(ESCAPE, 'g');

/** Backslashes and entities of an address, a title or a label, resolved. */
export const unescape = (text: string): string => text.replace(EVERY, unescaped);

/** Entities by name: the ones that models write. */
const NAMED: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: '\u00a0',
};

export const ENTITY = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(amp|lt|gt|quot|nbsp));/y;

/** The character that a match of `ENTITY` stands for. */
export function entity([, decimal, hex, name]: RegExpExecArray): string {
  if (name) return NAMED[name] ?? '';
  const point = decimal ? Number(decimal) : parseInt(hex ?? '', 16);
  return point === 0 || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)
    ? '\ufffd'
    : String.fromCodePoint(point);
}

/** Backslashes and entities of an address, a title or a label, resolved. */
export const unescape = (text: string): string =>
  text.replace(/\\([!-/:-@[-`{-~])|&[#\w]+;/g, (written, escaped?: string) => {
    ENTITY.lastIndex = 0;
    const found = escaped ? null : ENTITY.exec(written);
    return escaped ?? (found ? entity(found) : written);
  });

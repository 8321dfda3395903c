/** Named entities that models write; others stay text. */
const NAMED: Record<string, string> = Object.fromEntries(
  Array.from(
    'amp&lt<gt>quot"nbsp\u00a0aumläoumlöuumlüszligßcopy©euro€hellip…ndash–mdash—'.matchAll(/(\w+)(\W)/g),
    ([, name, sign]) => [name, sign],
  ),
);

/** A backslash escape, or an entity: numeric, `&#65;` or `&#x41;`, or named. */
export const ESCAPE = /\\([!-/:-@[-`{-~])|&(#\w{1,7}|\w{2,6});/g;

/** The character that a match of `ESCAPE` stands for. */
export function unescaped(written: string, sign?: string, entity?: string): string {
  const number = Number(entity?.replace('#', '0'));
  // 0x110000 and above is no code point: any character will do, so long as fromCodePoint does not throw.
  return sign ?? NAMED[entity!] ?? (number >= 0 ? String.fromCodePoint(number % 0x110000 || 0xfffd) : written);
}

/** Resolves escapes and entities in an address, a title or a language. */
export const unescape = (text: string): string => text.replace(ESCAPE, unescaped);

/** UTF-16 units of a header's value that is recognized in a reply, and of a part of one: shorter ones stand there by chance. */
const [MIN_VALUE, MIN_PART] = [6, 8];
/** These say what is sent, and are no secrets. */
const PUBLIC_HEADERS = new Set(['accept', 'accept-charset', 'accept-language', 'content-type', 'user-agent']);
const HIDDEN = '****';

/**
 * The text of a reply without the values of the headers that the function was called with: its server may repeat them, and
 * the model, the record and the visitor would get them. A value of several words or parameters is hidden in its parts too,
 * also where it is written with the escapes of JSON or of addresses.
 */
export function withoutHeaderValues(text: string, headers: Readonly<Record<string, string>>): string {
  const secrets = Object.entries(headers).flatMap(([name, value]) => (PUBLIC_HEADERS.has(name) ? [] : partsOf(value)));
  if (secrets.length === 0) return text;
  const longestFirst = [...new Set(secrets)].toSorted((a, b) => b.length - a.length);
  return text.replace(new RegExp(longestFirst.map(escapedInAnyWay).join('|'), 'gi'), HIDDEN);
}

const partsOf = (value: string): string[] => [
  ...(value.trim().length < MIN_VALUE ? [] : [value.trim()]),
  ...value.split(/[\s;,="]+/).filter((part) => part.length >= MIN_PART),
];

/** Backslashes side by side are one place, in which any number of them may stand: a choice for each would take years to try. */
const escapedInAnyWay = (value: string): string =>
  (value.match(/\\+|[^\\]/g) ?? []).map((sign) => (sign.startsWith('\\') ? BACKSLASHES : escapedSign(sign))).join('');
const BACKSLASHES = '(?:(?<!\\\\)\\\\+(?:u005c)?|(?:%5c)+)';

function escapedSign(sign: string): string {
  const hex = sign.charCodeAt(0).toString(16).padStart(2, '0');
  const plain = sign.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&');
  return `\\\\{0,3}(?:${plain}|u00${hex}|%${hex}${sign === ' ' ? '|\\+' : ''})`;
}

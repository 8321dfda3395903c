import { fill, namesIn, type Values } from '../../agents/variables.ts';
import type { ToolFunction } from '../../schema/records.ts';
import { defaultTemplates } from './arguments.ts';

/** UTF-16 units of a header's value that is recognized in a reply, and of a part of one: shorter ones stand there by chance. */
const [MIN_VALUE, MIN_PART] = [6, 8];
const HIDDEN = '****';
/** An escape may be escaped again: an address in JSON in an address. */
const MAX_DECODINGS = 3;
/** Backslashes, which escape what follows, a Latin-1 character of JSON behind them, or one of an address, in UTF-8 or alone. */
const ESCAPE = /\\+(?:u00([\da-f]{2}))?|%c([23])%([89ab][\da-f])|%([\da-f]{2})/gi;
/** Units of secrets compared with a reply. What begins like a secret at every other place is told no further. */
const MAX_COMPARED = 20_000_000;

/** A text without escapes; `starts` has the place in the original of each unit, and the original's length at the end. */
interface Decoded {
  text: string;
  starts: Uint32Array;
}

/** Whose values the variables of a header have. */
interface Variables {
  /** The static ones: the owner's own. */
  hidden: ReadonlySet<string>;
  /** Collected from what the visitor wrote. */
  collected: ReadonlySet<string>;
}

/**
 * What can be a secret in the headers of a function: nothing in those that say what is sent; all in those whose name tells of
 * a secret, but what the visitor wrote; in others what is the owner's and looks made by chance.
 */
export function secretsIn(
  headers: Readonly<Record<string, string>>,
  values: Values,
  { hidden, collected }: Variables,
): string[] {
  return Object.entries(headers).flatMap(([header, template]) => {
    const name = header.toLowerCase();
    if (PUBLIC_HEADERS.has(name)) return [];
    const isSecret = SECRET_NAMES.test(name);
    if (!isSecret && PUBLIC_NAMES.test(name)) return [];
    const mayBe = (variable: string): boolean => hidden.has(variable) || (isSecret && !collected.has(variable));
    const text = fill(template, values, (value, variable) => (mayBe(variable) ? String(value) : BREAK));
    const parts = text.split(BREAK).flatMap(partsOf);
    return isSecret ? parts : parts.filter(looksRandom);
  });
}

/**
 * What can be a secret of the static variables in the address and the defaults of a function: all where the name of the
 * variable, of the query parameter or of the argument tells of a secret, and else what looks made by chance.
 */
export function staticSecretsIn(
  one: Pick<ToolFunction, 'external_url' | 'parameters'>,
  values: Values,
  hidden: ReadonlySet<string>,
): string[] {
  const [path = '', ...query] = one.external_url.split(/[?&#]/);
  const inQuery = query.map((part): [string, string] => [part.split('=', 1)[0]!, part]);
  const templates: [name: string, template: string][] = [['', path], ...inQuery, ...defaultTemplates(one)];
  return templates.flatMap(([name, template]) =>
    namesIn(template)
      .filter((variable) => hidden.has(variable) && Object.hasOwn(values, variable))
      .flatMap((variable) => {
        const parts = partsOf(String(values[variable]));
        return SECRET_NAMES.test(`${name} ${variable}`.toLowerCase()) ? parts : parts.filter(looksRandom);
      }),
  );
}

/** No value of a header has it. */
const BREAK = '\n';

const PUBLIC_HEADERS = new Set([
  'user-agent',
  'origin',
  'referer',
  'prefer',
  'cache-control',
  'pragma',
  'date',
  'from',
  'range',
  'traceparent',
  'tracestate',
  'idempotency-key',
  'x-request-id',
  'x-correlation-id',
  'x-requested-with',
]);
const PUBLIC_NAMES = /^(?:accept|content|if|sec|x-forwarded)-|^accept$|-version$/;
const SECRET_NAMES = /auth(?!ors?(?:-|$))|token|key|secret|pass|cookie|session|sign|credential|jwt|csrf|xsrf|otp/;

/** One word of letters and digits in turns, whatever stands between them, or of very many: no name, number, date or version. */
function looksRandom(part: string): boolean {
  if (/\s/.test(part)) return false;
  const signs = part.replace(/[^A-Za-z0-9]/g, '').replace(/[A-Z](?=[a-z])/g, 'a');
  const runs = signs.match(/[a-z]+|[A-Z]+|\d+/g) ?? [];
  return (part.length >= MIN_PART && runs.length > 2) || /[A-Za-z0-9]{20}/.test(part);
}

/** The value, and what it is made of: words and parameters, without their names. */
const partsOf = (value: string): string[] => [
  ...(value.trim().length < MIN_VALUE ? [] : [value.trim()]),
  ...value
    .split(/[\s;,"&]+/)
    .map((part) => part.replace(/^[\w.-]+=(?=[^=])/, ''))
    .filter((part) => part.length >= MIN_PART),
];

/**
 * The text of a reply without these: its server may repeat what it was called with, and the model, the record and the
 * visitor would get it. Hidden also where it is written with the escapes of JSON or of addresses, whatever their case.
 */
export function withoutSecrets(text: string, hidden: readonly string[]): string {
  const secrets = byStartOf(hidden);
  if (secrets.size === 0) return text;
  const { text: decoded, starts } = decode(text);
  const comparable = fold(decoded);
  let shown = '';
  let end = 0;
  let compared = 0;
  const standsAt = (at: number) => (secret: string) => {
    compared += secret.length;
    return comparable.startsWith(secret, at);
  };
  for (let at = 0; at + MIN_VALUE <= comparable.length; at += 1) {
    const secret = secrets.get(comparable.slice(at, at + MIN_VALUE))?.find(standsAt(at));
    if (compared > MAX_COMPARED) return shown + text.slice(end, starts[at]) + HIDDEN;
    if (secret === undefined) continue;
    shown += text.slice(end, starts[at]) + HIDDEN;
    end = starts[at + secret.length]!;
    at += secret.length - 1;
  }
  return shown + text.slice(end);
}

/** What is hidden by its first units, so that each place of a reply is looked up once however many there are; the longest first. */
function byStartOf(hidden: readonly string[]): Map<string, string[]> {
  const secrets = new Set(hidden.map((value) => fold(decode(value).text)));
  const byStart = new Map<string, string[]>();
  for (const secret of [...secrets].toSorted((a, b) => b.length - a.length)) {
    if (secret.length < MIN_VALUE) continue;
    const start = secret.slice(0, MIN_VALUE);
    const alike = byStart.get(start);
    if (alike) alike.push(secret);
    else byStart.set(start, [secret]);
  }
  return byStart;
}

/** Without regard to case, as many servers compare; in a form a space is a plus sign. */
const fold = (text: string): string =>
  text.replace(/[A-ZÀ-ÖØ-Þ]+/g, (letters) => letters.toLowerCase()).replaceAll('+', ' ');

function decode(text: string): Decoded {
  let decoded: Decoded = { text, starts: Uint32Array.from({ length: text.length + 1 }, (_, at) => at) };
  for (let count = 0; count < MAX_DECODINGS; count += 1) {
    const before = decoded.text.length;
    decoded = decodeOnce(decoded);
    if (decoded.text.length === before) break;
  }
  return decoded;
}

/** Backslashes go: how many of them stand before a sign depends on how often it was escaped. They belong to the sign. */
function decodeOnce({ text, starts }: Decoded): Decoded {
  const places = new Uint32Array(text.length + 1);
  let decoded = '';
  let end = 0;
  let start: number | undefined;
  const take = (signs: string, at: number): void => {
    if (signs === '') return;
    for (let index = 0; index < signs.length; index += 1) places[decoded.length + index] = starts[at + index]!;
    places[decoded.length] = start ?? starts[at]!;
    decoded += signs;
    start = undefined;
  };
  for (const { 0: escape, 1: inJson, 2: high, 3: low, 4: inAddress, index } of text.matchAll(ESCAPE)) {
    take(text.slice(end, index), end);
    const code = inJson ?? inAddress;
    if (high && low) take(String.fromCharCode(((Number(high) & 3) << 6) | (parseInt(low, 16) & 63)), index);
    else if (code) take(String.fromCharCode(parseInt(code, 16)), index);
    else start ??= starts[index];
    end = index + escape.length;
  }
  take(text.slice(end), end);
  places[decoded.length] = starts[text.length]!;
  return { text: decoded, starts: places };
}

import { placeOf, type Place } from './place.ts';

/** Which page an address names, and in which version: addresses of one key are the same page. */
export interface PageVersion {
  /** The address without scheme and version; '' where there is no address. */
  key: string;
  /** '' for a file. */
  host: string;
  place: Place | undefined;
  isPrint: boolean;
  rank: Rank;
  /** Of the version or the date, most significant first. */
  numbers: number[];
  /** It names a month or a day, as the notes of an event do; a year alone names an issue. */
  isOccasion: boolean;
}

/** What has no number is the current version, as what is called stable is. */
const UNRELEASED = 0;
const NUMBERED = 1;
const CURRENT = 2;
const STABLE = 3;
type Rank = typeof UNRELEASED | typeof NUMBERED | typeof CURRENT | typeof STABLE;

const ENDING = /(?:\/index)?\.(?:html?|xhtml|php|aspx?|md|txt|pdf|docx?)$/i;
const PRINT = /[/\-_.](?:print(?:able)?|amp)(?=\/|$)/gi;
const PRINT_PARAMETER =
  /^(?:(?:print|printable|amp)(?:=(?:1|true|yes|on)?)?|(?:view|format|mode|layout|output)=print(?:able)?)$/i;
const DATE = /[/\-_]((?:19|20)\d\d)(?:[/\-_](0[1-9]|1[0-2])(?:[/\-_](0[1-9]|[12]\d|3[01]))?)?(?=[/\-_]|$)/;
const LABELS: [RegExp, Rank][] = [
  [/\/stable(?=\/)/i, STABLE],
  [/\/(?:latest|current)(?=\/)/i, CURRENT],
  [/\/(?:main|master|trunk|dev|devel|next|nightly|unstable|alpha|beta)(?=\/)/i, UNRELEASED],
];
/** `/2.0`, `/3.x`, `/v1`, `guide-v2`; a number without dots is a version below `/docs` and the like, elsewhere a thing's own. */
const VERSIONS = [
  /[/\-_](?:v|version[-_]?|release[-_]?)(\d{1,4}(?:\.\d{1,4})*)(?:\.[x*])?(?=\/|$)/i,
  /\/(\d{1,4}(?:\.\d{1,4})+|\d{1,4}(?:\.\d{1,4})*(?=\.[x*]))(?:\.[x*])?(?=\/|$)/i,
  /(?<=\/(?:docs?|documentation|manual|guide|reference|api|help|versions?|releases?))\/(\d{1,3})(?=\/)/i,
];
/** `in 2.0`, `v1`, `Version 3`, `of 2026`. */
const NAMED =
  /(?<![\p{L}\p{N}.])(?:(?:v|\p{L}*vers\p{L}* |release )(\d+(?:\.\d+)*)|(\d+(?:\.\d+)+)|((?:19|20)\d\d))(?![\p{L}\p{N}])/giu;
/** UTF-16 units of a question that are searched for versions. */
const NAMED_LENGTH = 1000;

/** `address`: of a page, or the name of a file. Never throws. */
export function versionOf(address: string): PageVersion {
  const [start = '', host = ''] = /^\w+:\/\/([^/?#]*)/.exec(address) ?? [];
  const [path = '', query = ''] = address.slice(start.length).replace(/#.*/s, '').split('?', 2);
  const others = query.split('&').filter((one) => one !== '' && !PRINT_PARAMETER.test(one));
  const page = path.replace(ENDING, '').replace(PRINT, '');
  const isPrint = page !== path.replace(ENDING, '') || others.join('&') !== query;
  const { rest, ...version } = undated(page);
  const name = `${host}${rest.replace(/\/+$/, '')}`;
  return { key: [name, ...others].join('?').toLowerCase(), host, place: placeOf(address), isPrint, ...version };
}

function undated(path: string): Pick<PageVersion, 'rank' | 'numbers' | 'isOccasion'> & { rest: string } {
  const without = (pattern: RegExp) => path.replace(pattern, '');
  const label = LABELS.find(([word]) => word.test(path));
  if (label) return { rank: label[1], numbers: [], isOccasion: false, rest: without(label[0]) };
  const date = DATE.exec(path);
  if (date) {
    const numbers = date.slice(1).filter(Boolean).map(Number);
    return { rank: NUMBERED, numbers, isOccasion: numbers.length > 1, rest: without(DATE) };
  }
  const pattern = VERSIONS.find((one) => one.test(path));
  if (!pattern) return { rank: CURRENT, numbers: [], isOccasion: false, rest: path };
  return { rank: NUMBERED, numbers: numbersOf(pattern.exec(path)![1]!), isOccasion: false, rest: without(pattern) };
}

/** The versions that a question names, as numbers. */
export const namedIn = (question: string): number[][] =>
  Array.from(question.slice(0, NAMED_LENGTH).matchAll(NAMED), (found) => numbersOf(found[1] ?? found[2] ?? found[3]!));

/** The heading of a release among notes: `2.0`, `v2`, `Version 2.0 (May 2026)`; another one, such as `2.0 Engines`, is a section's. */
const RELEASE =
  /^\[?(?:(?:v|\p{L}*vers\p{L}* |release )(\d{1,4}(?:\.\d{1,4})*)|(\d{1,4}(?:\.\d{1,4})+))\]?(?:\P{L}*(?:\p{L}+ )?(?:19|20)\d\d\b.*)?$/iu;

/** Whether headings are those of the notes of a release that the question does not name: what they tell may have changed since. */
export function isOfOtherRelease(headings: readonly string[], named: readonly number[][]): boolean {
  const releases = headings.flatMap((heading) => {
    const [, marked, bare] = RELEASE.exec(heading.trim()) ?? [];
    const numbers = marked ?? bare;
    return numbers === undefined ? [] : [numbersOf(numbers)];
  });
  return releases.length > 0 && !releases.some((numbers) => isNamedAmong(numbers, named));
}

const isNamedAmong = (numbers: readonly number[], named: readonly number[][]): boolean =>
  named.some((one) => one.every((n, at) => n === numbers[at]));

/** Below 0 where the first is to be told before the second: it is named in the question, is to be read on a screen, or is newer. */
export function byVersion(a: PageVersion, b: PageVersion, named: readonly number[][]): number {
  const isNamed = ({ numbers }: PageVersion) => Number(isNamedAmong(numbers, named));
  return (
    isNamed(b) - isNamed(a) ||
    Number(a.isPrint) - Number(b.isPrint) ||
    b.rank - a.rank ||
    compareNumbers(b.numbers, a.numbers)
  );
}

/** Whether two addresses are releases of one page, and not the same one. */
export function isOtherVersion(address: string, other: string): boolean {
  if (address === other) return false;
  const [a, b] = [versionOf(address), versionOf(other)];
  return a.key === b.key && !a.isOccasion && !b.isOccasion && byVersion({ ...a, isPrint: b.isPrint }, b, []) !== 0;
}

function compareNumbers(a: number[], b: number[]): number {
  const at = a.findIndex((n, place) => n !== b[place]);
  return at < 0 ? a.length - b.length : a[at]! - (b[at] ?? -1);
}

const numbersOf = (version: string): number[] => version.split('.').map(Number);

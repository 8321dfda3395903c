import { objectIn } from './json.ts';
import type { DataSource, Site } from './records.ts';

/** What a status of a source means to its owner: a word, a tone, and what to do where something is wrong. */
export interface StatusWords {
  word: string;
  tone: 'good' | 'busy' | 'bad';
  advice: string;
}

const FAILURES: Record<string, string> = {
  'no text':
    'The page has no text of its own. If a script writes it, add the text as a file or as questions and answers.',
  download: 'The address could not be fetched. Check that it opens in a browser, then fetch it again.',
  'not found': 'The address answers “not found”. Correct it on your site, or delete this source.',
  'content type': 'What the address serves is no page that can be read.',
  robots: 'The site’s robots.txt does not allow it to be fetched.',
  'blocked address': 'The address is of a private network. An operator can allow it with FETCH_ALLOW.',
  damaged: 'The stored record cannot be read. Delete the source and add it again.',
};

/** Of an upload, which has no address. */
const FILE_FAILURES: Record<string, string> = {
  'no text': 'The file has no text, as a scan has none. Add the text as another file or as questions and answers.',
  'content type': 'The file is damaged, or of a kind that cannot be read.',
};

export function statusWords({
  status,
  type,
  meta_json,
}: Pick<DataSource, 'status' | 'type' | 'meta_json'>): StatusWords {
  if (status === 'success') return { word: 'Ready', tone: 'good', advice: '' };
  if (status === 'await') return { word: 'Waiting', tone: 'busy', advice: '' };
  if (status === 'chunking' || status === 'embedding') return { word: 'Reading', tone: 'busy', advice: '' };
  const reason = /^error:(.*)$/.exec(status)?.[1] ?? '';
  return {
    word: 'Failed',
    tone: 'bad',
    advice: (type === 'upload' && FILE_FAILURES[reason]) || (FAILURES[reason] ?? reasonIn(meta_json)),
  };
}

function reasonIn(metaJson: string): string {
  const { reason } = objectIn(metaJson);
  return typeof reason === 'string' && reason ? `It could not be read: ${reason}.` : 'It could not be read.';
}

/** Why the first page of a site could not be fetched; `status` as the API has it. */
export const siteFailure = (status: string): string =>
  FAILURES[/^error:(.*)$/.exec(status)?.[1] ?? ''] ?? 'It could not be read.';

/** What of a site is not read, and why; '' where all of it is. */
export const siteBounds = ({ folder, limit_reached, max_pages }: Site): string =>
  [
    folder !== '/' && `Only pages under ${folder} are read.`,
    limit_reached > 0 && `It has more than ${count(max_pages, 'page')}: raise the limit in Sources.`,
  ]
    .filter(Boolean)
    .join(' ');

export const TYPES: Record<DataSource['type'], string> = { link: 'Page', upload: 'File', qa: 'Question and answer' };

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** `2 hours ago`; the day, from a month on. `iso`: a time as /api/v1 writes it. */
export function ago(iso: string, now = Date.now()): string {
  const ms = Date.parse(iso) - now;
  if (Number.isNaN(ms)) return '';
  if (Math.abs(ms) > 30 * 86_400_000) return new Date(iso).toLocaleDateString('en', { dateStyle: 'medium' });
  const [unit, length] = UNITS.find(([, size]) => Math.abs(ms) >= size) ?? ['minute', 60_000];
  return relative.format(Math.round(ms / length), unit);
}

/** `1 page`, `12 pages`. */
export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString('en')} ${number === 1 ? one : many}`;

/** `Firefox on Linux`, as far as a browser's own name tells it. */
export function browserName(userAgent: string): string {
  const name = /(Edg|OPR|Firefox|Chrome|Safari)\//.exec(userAgent.replace(/Chrome(?=.*(?:Edg|OPR)\/)/, ''))?.[1];
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(userAgent)?.[1];
  const named = { Edg: 'Edge', OPR: 'Opera' }[name ?? ''] ?? name ?? 'A browser';
  return system ? `${named} on ${system.replace('Mac OS X', 'macOS')}` : named;
}

/** The lines of a field, without those that are empty. */
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

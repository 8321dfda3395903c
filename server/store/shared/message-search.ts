import { objectIn } from '../../schema/json.ts';
import { isObject } from '../../schema/validate.ts';
import type { Outcome } from '../../types.ts';
import { outcomeIn } from '../outcomes.ts';
import type { LiveState, StoredMessage } from './session-records.ts';

/** What `findMessages` looks for: a message passes all that is given. */
export interface MessageFilter {
  /** Words of the question or the answer, each whole or its beginning, without case and accents; characters of scripts without spaces that stand together. */
  text?: string;
  outcome?: Outcome;
  rated?: 'up' | 'down';
  /** Of its session. */
  state?: LiveState;
  /** Name of a tag that a background agent gave. */
  label?: string;
  /** Uuid of the agent that answered. */
  agent?: string;
  /** A part of the page's name (see `pageName`) where the visitor asked, in upper or lower case. */
  page?: string;
  /** Days of the question in UTC, `YYYY-MM-DD`, both included. */
  from?: string;
  to?: string;
}

export interface FindOptions {
  /** `next` of the page before, or the uuid of a session: goes on behind its messages. */
  after?: string | undefined;
  /** Messages at most. */
  limit: number;
  /** Only the newest of those that one session has; false by default. */
  onePerSession?: boolean;
}

export interface FoundMessages {
  messages: FoundMessage[];
  /** Where the next page begins; '' behind the last. There may be one although this page has fewer than `limit`, or none. */
  next: string;
}

export interface FoundMessage {
  session: string;
  uuid: string;
  query: string;
  created_at: string;
  /** '' where none is noted. */
  outcome: Outcome | '';
  /** 0 without one. */
  rating: -1 | 0 | 1;
  /** As it was called then; both are '' where none answered. */
  agent: { uuid: string; name: string };
  /** The name of the page where it was asked; '' where none is noted. */
  page: string;
}

/** What both engines keep of a finished message, to find it by. */
export interface MessageEntry extends Omit<FoundMessage, 'session'> {
  labels: string[];
  /** Each word of question and answer once, with a space before it. */
  words: string;
}

/** Characters of a text whose words count, of a word, and of all words of a message. */
const [MAX_TEXT, MAX_WORD, MAX_WORDS] = [200_000, 60, 250_000];

export function entryOf(message: StoredMessage): MessageEntry {
  const { query, response, labels } = message;
  const { session: _, ...found } = foundOf(message);
  return {
    ...found,
    labels: labels.map(({ name }) => plain(name)),
    words: joined(new Set([...wordsIn(query), ...wordsIn(response)])),
  };
}

/** Up to as many characters as PostgreSQL stores, whatever they are. */
function joined(words: Set<string>): string {
  const all: string[] = [];
  let length = 0;
  for (const word of words) {
    if ((length += word.length) > MAX_WORDS) break;
    all.push(` ${word}`);
  }
  return all.join('');
}

export function foundOf({ session, uuid, query, created_at, meta_json, feedback_json }: StoredMessage): FoundMessage {
  const meta = objectIn(meta_json);
  const agent = meta['active_agent'];
  const { rating } = objectIn(feedback_json);
  return {
    session,
    uuid,
    query,
    created_at: plain(created_at),
    outcome: outcomeIn(meta_json) ?? '',
    rating: rating === 1 || rating === -1 ? rating : 0,
    agent: { uuid: textIn(agent, 'uuid'), name: textIn(agent, 'name') },
    page: textIn(meta, 'page'),
  };
}

/** Whether `findMessages` finds it, once it passes. */
export const isFound = ({ finish_reason }: StoredMessage): boolean =>
  finish_reason !== '' && finish_reason !== 'interrupted';

const textIn = (value: unknown, key: string): string => {
  const text = isObject(value) ? value[key] : undefined;
  return typeof text === 'string' ? plain(text) : '';
};

/** Without what PostgreSQL stores in no text: NUL, and halves of surrogate pairs. */
const plain = (text: string): string => text.replace(/[\0\p{Cs}]/gu, '');

/** Scripts whose words stand together: each two characters are a word. */
const UNSPACED = '\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}';
const WORD = new RegExp(`[${UNSPACED}]+|(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+`, 'gu');
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u');
/** Accents and points; the signs of other scripts are vowels, which tell words apart. */
const ACCENT = /(?=\p{M})[\p{sc=Inherited}\p{sc=Hebrew}\p{sc=Arabic}]|[\u200c\u200d]/gu;
/** Letters that Unicode does not decompose, and the sigma of the end of a word. */
const LETTERS: Record<string, string> = { ß: 'ss', ı: 'i', đ: 'd', ł: 'l', ø: 'o', æ: 'ae', œ: 'oe', ς: 'σ' };

/** The words of a text in lower case, without accents. */
export const wordsIn = (text: string): string[] => split(text, true);

/** Of a text that is sought: each begins a word of what has it. */
export const soughtIn = (text: string): string[] => [...new Set(split(text, false))];

/** `withEnds`: the last character of those that stand together is a word too, so that all begin one. */
function split(text: string, withEnds: boolean): string[] {
  const lower = text.slice(0, MAX_TEXT).toLowerCase();
  if (/^[\0-\x7f]*$/.test(lower)) return (lower.match(/[a-z0-9]+/g) ?? []).map((word) => word.slice(0, MAX_WORD));
  const words: string[] = [];
  for (const [run] of withoutAccents(lower).matchAll(WORD)) {
    if (!IS_UNSPACED.test(run)) {
      words.push(run.slice(0, MAX_WORD).replace(/\p{Cs}$/u, ''));
      continue;
    }
    const characters = [...run];
    const count = withEnds || characters.length === 1 ? characters.length : characters.length - 1;
    for (let at = 0; at < count; at++) words.push(`${characters[at]}${characters[at + 1] ?? ''}`);
  }
  return words;
}

const withoutAccents = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(ACCENT, '')
    .toLowerCase()
    .replace(/[ßıđłøæœς]/g, (letter) => LETTERS[letter]!);

/** A filter with its words made ready. */
export interface ReadyFilter extends Omit<MessageFilter, 'text' | 'page'> {
  /** Absent without a text; an empty list finds nothing. */
  words?: string[];
  /** In lower case. */
  page?: string;
}

export function readyFilter({ text, page, label, agent, ...filter }: MessageFilter): ReadyFilter {
  return {
    ...filter,
    ...(label !== undefined && { label: plain(label) }),
    ...(agent !== undefined && { agent: plain(agent) }),
    ...(text !== undefined && { words: soughtIn(text) }),
    ...(page !== undefined && { page: plain(page).toLowerCase() }),
  };
}

/** `state` aside, which is the session's. */
export function passes(entry: MessageEntry, filter: ReadyFilter): boolean {
  const { words, outcome, rated, label, agent, page, from, to } = filter;
  const day = entry.created_at.slice(0, 10);
  return (
    (outcome === undefined || entry.outcome === outcome) &&
    (rated === undefined || entry.rating === RATINGS[rated]) &&
    (label === undefined || entry.labels.includes(label)) &&
    (agent === undefined || entry.agent.uuid === agent) &&
    (page === undefined || entry.page.toLowerCase().includes(page)) &&
    (from === undefined || day >= from) &&
    (to === undefined || day <= to) &&
    (words === undefined || (words.length > 0 && words.every((word) => entry.words.includes(` ${word}`))))
  );
}

export const RATINGS = { up: 1, down: -1 } as const;

/** The parts of a cursor: the place of a session, and of a message in it; undefined where it is none. */
export function readCursor(cursor: string): [session: string, message: string] | undefined {
  const [, session, message] = /^(\d{1,19})\.(\d{1,19})$/.exec(cursor) ?? [];
  return session !== undefined && message !== undefined ? [session, message] : undefined;
}

import { withoutAccents } from '../../knowledge/text/accents.ts';
import { sentencesOf } from '../../knowledge/text/sentences.ts';
import type { Detectors } from './choose.ts';
import { isGibberish } from './gibberish.ts';
import { Detector } from './linear.ts';
import { isFlood } from './spam-signs.ts';

/** UTF-16 units of a message that are looked at. */
const MAX_MESSAGE_CHARS = 2000;
const MAX_MESSAGE_SENTENCES = 20;
/** How much more clearly one sentence has to be spam than a whole message: what is cut out of a chat sounds like it. */
const ALOOF = 0.4;

/** Where a sentence ends that a small letter follows: many visitors write no other. */
const UNCAPPED = /(?<=\p{L}{3}[.…])\s+(?=\p{Ll})/u;

/** UTF-16 units of a message that may be a wish for a person and nothing else. */
const MAX_WISH_CHARS = 300;
const TELLING = /\p{L}[\p{L}\p{M}]*/gu;
/** Letters of scripts that put no space between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

const JSON_FILE = { with: { type: 'json' } } as const;

let wishes: ReturnType<typeof readWishes> | undefined;

/** One detector for both uses: its weights are megabytes. */
const loadWishes = (): ReturnType<typeof readWishes> => (wishes ??= readWishes());

async function readWishes() {
  const { default: person } = await import('./trained/person.json', JSON_FILE);
  return { detector: new Detector(person), phrases: person.phrases };
}

let loaded: Promise<Detectors> | undefined;

/** The trained detectors, read when they are first needed. */
export const loadDetectors = (): Promise<Detectors> => (loaded ??= load());

async function load(): Promise<Detectors> {
  const [{ detector: wish }, spam, letters] = await Promise.all([
    loadWishes(),
    import('./trained/spam.json', JSON_FILE),
    import('./trained/letters.json', JSON_FILE),
  ]);
  const bulk = new Detector(spam.default);
  return {
    person: (message) => highest(wish, message),
    spam: (message) => {
      const text = message.slice(0, MAX_MESSAGE_CHARS);
      return isFlood(text) || isGibberish(letters.default, text) ? 1 : highest(bulk, text, ALOOF);
    },
  };
}

/** Whether a message is a clear wish for a person. */
type WishDetector = (message: string) => boolean;

let wishLoaded: Promise<WishDetector> | undefined;

/** For chatbots without an agent for it: a message without any word for a person or for talking costs next to nothing. */
export const loadWishDetector = (): Promise<WishDetector> => (wishLoaded ??= loadWish());

async function loadWish(): Promise<WishDetector> {
  const { detector, phrases } = await loadWishes();
  const telling = new Set(`${phrases.p}|${phrases.v}`.split('|').map(longestWord));
  const mayWish = (message: string): boolean => {
    for (const [word] of withoutAccents(message.toLowerCase()).matchAll(TELLING)) if (telling.has(word)) return true;
    return UNSPACED.test(message);
  };
  return (message) => message.length <= MAX_WISH_CHARS && mayWish(message) && highest(detector, message) >= 0;
}

const longestWord = (phrase: string): string =>
  (phrase.match(TELLING) ?? []).reduce((longest, word) => (word.length > longest.length ? word : longest), '');

/**
 * Of the whole and of each of its sentences, less `aloof`, as the rest of a message does not take back what one of them
 * says.
 */
function highest(detector: Detector, message: string, aloof = 0): number {
  const text = message.slice(0, MAX_MESSAGE_CHARS);
  const sentences = sentencesOf(text).flatMap(({ start, end }) => text.slice(start, end).split(UNCAPPED));
  const parts = sentences.length > 1 ? sentences.slice(0, MAX_MESSAGE_SENTENCES) : [];
  return Math.min(1, Math.max(-1, detector.valueOf(text), ...parts.map((part) => detector.valueOf(part) - aloof)));
}

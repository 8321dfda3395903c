import type { LanguageCode } from '../../knowledge/text/languages.ts';
import { withoutName } from './known/introductions.ts';
import { KINDS, type Sort, type TalkKind } from './known/known.ts';
import { endsOf, phrasesOf, speakersByWord, TALK_LANGUAGES, writtenOut, type Phrases } from './lexicon.ts';
import { wordsIn } from './words.ts';

/** What a message is in each language that it may be written in, likeliest first; never empty. */
export type SmallTalk = ReadonlyMap<LanguageCode, TalkKind>;

/** UTF-16 units, and words, of a message that is looked at: a longer one says something. */
const MAX_TALK_LENGTH = 120;
const MAX_TALK_WORDS = 40;
/** Letters of a word in which two that are swapped are put right: shorter ones would become other words. */
const MIN_SWAPPED = 4;
const SPEAKING = /[\p{L}\p{N}]/u;
/** Signs by which digits or letters would be more than small talk: addresses, prices, codes. */
const OTHER_SIGNS = /[@/\\#=+%$€£¥<>{}[\]|~^]/;
const [WAVE, FOLDED_HANDS, FACE] = [/👋/u, /🙏/u, /\p{Extended_Pictographic}|[:;=][-^]?[)(*]/u];

/**
 * Whether a message is small talk and nothing else: a greeting, thanks, a goodbye, the visitor's name, a remark on the
 * answers, or a question about the chatbot itself. All of its words but that name are known as such in one language;
 * `name`, the chatbot's, may stand among them.
 */
export function readSmallTalk(message: string, name: string): SmallTalk | undefined {
  const text = message.trim();
  if (text.length === 0 || text.length > MAX_TALK_LENGTH) return undefined;
  if (!SPEAKING.test(text)) return withoutWords(text);
  const read = readWords(text, name);
  const introduced = read ? undefined : withoutName(text);
  return introduced === undefined ? read : readWords(introduced, name);
}

function readWords(text: string, name: string): SmallTalk | undefined {
  const known = speakersByWord();
  const own = wordsIn(name);
  const words: string[] = [];
  let speakers = -1;
  for (const written of wordsIn(text)) {
    const isNamed = own.includes(written);
    const meant = isNamed || known.has(written) ? written : swappedBack(written, known);
    if (meant === undefined || words.push(meant) > MAX_TALK_WORDS) return undefined;
    if (!isNamed) speakers &= known.get(meant) ?? 0;
  }
  if (words.length === 0) return inAll('ready');
  if (speakers === 0 || OTHER_SIGNS.test(text.replaceAll('<3', ''))) return undefined;
  const read = (language: LanguageCode): TalkKind | undefined => {
    const reading = { phrases: phrasesOf(language), name: own, dead: [] };
    const sorts = sortsOf(writtenOut(words, language), 0, reading);
    return sorts && kindOf(sorts);
  };
  if ((speakers & ALL) === ALL) {
    const kind = read(TALK_LANGUAGES[0]!);
    return kind && inAll(kind);
  }
  const readings = new Map<LanguageCode, TalkKind>();
  for (const [bit, language] of TALK_LANGUAGES.entries()) {
    const kind = speakers & (1 << bit) ? read(language) : undefined;
    if (kind) readings.set(language, kind);
  }
  return readings.size > 0 ? readings : undefined;
}

/** Emoji and emoticons; question marks alone ask to be asked back. */
function withoutWords(text: string): SmallTalk | undefined {
  if (/^[?？؟!.…\s]*[?？؟][?？؟!.…\s]*$/u.test(text)) return inAll('ready');
  if (!FACE.test(text)) return undefined;
  return inAll(WAVE.test(text) ? 'greeting' : FOLDED_HANDS.test(text) ? 'thanks' : 'ready');
}

/** A bit for each language: a word that all of them have is the same in all. */
const ALL = (1 << TALK_LANGUAGES.length) - 1;

const inAll = (kind: TalkKind): SmallTalk => new Map(TALK_LANGUAGES.map((language) => [language, kind]));

/** The known word of which two letters side by side were swapped. */
function swappedBack(word: string, known: ReadonlyMap<string, unknown>): string | undefined {
  if (word.length < MIN_SWAPPED || !/^[a-z]+$/.test(word)) return undefined;
  for (let at = 0; at + 1 < word.length; at++) {
    const other = word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2);
    if (known.has(other)) return other;
  }
  return undefined;
}

/** The most telling kind; undefined for filler alone. */
function kindOf(sorts: Sort[]): TalkKind | undefined {
  if (sorts.includes('model') || (sorts.includes('robot') && sorts.includes('human'))) return 'either';
  const kind = KINDS.find((one) => sorts.includes(one));
  return kind === 'ready' && sorts.includes('address') ? undefined : kind;
}

interface Reading {
  phrases: Phrases;
  /** The words of the chatbot's name. */
  name: string[];
  /** Places from which on the words are known to be no phrases. */
  dead: boolean[];
}

/** The sorts of the phrases that all words from `at` on are made of: the longest first, the most telling of equal ones. */
function sortsOf(words: string[], at: number, reading: Reading): Sort[] | undefined {
  if (at === words.length) return [];
  if (reading.dead[at]) return undefined;
  const { phrases, name } = reading;
  const ways: { end: number; sort: Sort }[] = [];
  for (const phrase of phrases.get(words[at]!) ?? []) {
    for (const end of endsOf(phrase, words, at)) ways.push({ end, sort: phrase.sort });
  }
  if (name.length > 0 && name.every((word, of) => words[at + of] === word)) {
    ways.push({ end: at + name.length, sort: 'address' });
  }
  for (const { end, sort } of ways.toSorted((one, other) => other.end - one.end)) {
    const rest = sortsOf(words, end, reading);
    if (rest) return [sort, ...rest];
  }
  reading.dead[at] = true;
  return undefined;
}

import { loadWishDetector } from '../../agents/routing/detectors.ts';
import type { Found } from '../../knowledge/search/found.ts';
import { detectLanguage, languageOfTag } from '../../knowledge/text/detect-language.ts';
import type { LanguageCode } from '../../knowledge/text/languages.ts';
import { readSmallTalk, type SmallTalk } from './detect.ts';
import type { TalkKind } from './known/known.ts';
import { TALK_LANGUAGES } from './lexicon.ts';
import { wordsIn } from './words.ts';

/** A message that needs no source. */
export interface Talk {
  /** What it is in each language that it may be written in; `person`: a wish for one, in any language. */
  says: SmallTalk | 'person';
  /** Whether another sentence is such talk too. */
  isLike(sentence: string): boolean;
}

interface TalkOptions {
  /** The chatbot's name. */
  name: string;
  /** The answer before this message; a yes or a no may be the reply to what it asks. */
  lastAnswer?: string | undefined;
  /** A human-escalation agent takes wishes for a person. */
  canPass: boolean;
}

const ASKS = /[?？؟;]\P{L}*$/u;

/** Whether a message is small talk; and where no agent takes such wishes, whether it is one for a person. */
export async function readTalk(message: string, { name, lastAnswer, canPass }: TalkOptions): Promise<Talk | undefined> {
  const says = readSmallTalk(message, name);
  if (says) return isReply(says, lastAnswer) ? undefined : { says, isLike: (other) => areLike(says, other, name) };
  if (canPass) return undefined;
  const isWish = await loadWishDetector();
  return isWish(message) ? { says: 'person', isLike: isWish } : undefined;
}

const isReply = (says: SmallTalk, lastAnswer = ''): boolean =>
  says.values().next().value === 'ready' && ASKS.test(lastAnswer);

function areLike(says: SmallTalk, sentence: string, name: string): boolean {
  const other = readSmallTalk(sentence, name);
  return Array.from(other ?? []).some(([language, kind]) => says.get(language) === kind);
}

interface Visitor {
  /** Their messages before, oldest first. */
  earlier: readonly string[];
  /** As in `QueryLanguage.replyLanguage`. */
  acceptedLanguages?: readonly string[] | undefined;
  /** What was found for the message. */
  found: readonly Pick<Found, 'text'>[];
}

/** What small talk is, and the language to reply in: one that the visitor is known to speak, where that is possible. */
export function readIn(says: SmallTalk, visitor: Visitor): { kind: TalkKind; language: LanguageCode } {
  const language = languagesOf(visitor).find((one) => says.has(one)) ?? [...says.keys()][0] ?? 'en';
  return { kind: says.get(language) ?? 'ready', language };
}

/**
 * Whether a single word of small talk is one of another language than visitor and site speak: for them it may be the name
 * of a thing, as `tack` is to a saddler.
 */
export const isForeignWord = (message: string, says: SmallTalk, visitor: Visitor): boolean =>
  says.size < TALK_LANGUAGES.length &&
  wordsIn(message).length === 1 &&
  !languagesOf(visitor).some((one) => says.has(one));

/** Likeliest first. */
function languagesOf({ earlier, acceptedLanguages = [], found }: Visitor): LanguageCode[] {
  const written = earlier.toReversed().map((message) => detectLanguage(message));
  const site = detectLanguage(found.map(({ text }) => text.slice(0, MAX_PASSAGE)).join('\n'), MAX_PASSAGES);
  return [...written, ...acceptedLanguages.slice(0, MAX_TAGS).map(languageOfTag), site].filter(
    (one) => one !== undefined,
  );
}

/** UTF-16 units of each passage, and of all, that tell the site's language; language tags of a browser. */
const [MAX_PASSAGE, MAX_PASSAGES, MAX_TAGS] = [120, 1000, 10];

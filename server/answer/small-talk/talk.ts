import { yesOrNo } from '../../agents/collect/yes-no.ts';
import { loadWishDetector } from '../../agents/routing/detectors.ts';
import type { Found } from '../../knowledge/search/found.ts';
import { detectLanguage, languageOfTag } from '../../knowledge/text/detect-language.ts';
import type { LanguageCode } from '../../knowledge/text/languages.ts';
import { sentencesOf } from '../../knowledge/text/sentences.ts';
import { readSmallTalk, type SmallTalk } from './detect.ts';
import type { TalkKind } from './known/known.ts';
import { TALK_LANGUAGES } from './lexicon.ts';
import { isOwnGreeting } from './reply.ts';
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
  /** A model answers the rest: it knows what was said before, and makes use of a name. */
  hasModel?: boolean;
}

/** Whether a message is small talk; and where no agent takes such wishes, whether it is one for a person. */
export async function readTalk(message: string, options: TalkOptions): Promise<Talk | undefined> {
  const { name, lastAnswer, canPass, hasModel = false } = options;
  const says = readSmallTalk(message, name);
  if (says && hasModel && [...says.values()].every((kind) => FOR_MODEL.has(kind))) return undefined;
  if (says)
    return isReply(message, says, lastAnswer) ? undefined : { says, isLike: (other) => areLike(says, other, name) };
  if (canPass) return undefined;
  const isWish = await loadWishDetector();
  return isWish(message) ? { says: 'person', isLike: isWish } : undefined;
}

const FOR_MODEL: ReadonlySet<TalkKind> = new Set(['complaint', 'name']);

const isReply = (message: string, says: SmallTalk, lastAnswer = ''): boolean =>
  (hasReady(says) || saysYesOrNo(message, says)) && asks(lastAnswer) && !isOwnGreeting(lastAnswer);

const hasReady = (says: SmallTalk): boolean => [...says.values()].includes('ready');

const BETWEEN = /[,;.!?…、。，！？–—-]+/u;
const LAST_WORD = /[\p{L}\p{M}]+(?=\P{L}*$)/u;

/** Whether a yes or a no stands at the beginning, after a comma or at the end: `yes, thank you`, `merci non`. */
function saysYesOrNo(message: string, says: SmallTalk): boolean {
  if (message.split(BETWEEN).some((part) => yesOrNo(part) !== undefined)) return true;
  const last = LAST_WORD.exec(message)?.[0] ?? '';
  if (yesOrNo(last) === undefined) return false;
  // What is a no in one language may be another word in the message's.
  return Array.from(readSmallTalk(last, '') ?? []).some(([language, kind]) => kind === 'ready' && says.has(language));
}

/** A question at the end of a sentence, in Greek with a semicolon. */
const ASKS = /[?？؟][^\p{L}\p{N}]*$|\p{Script=Greek}[;\u037e]/u;
/** UTF-16 units at the end of an answer, and sentences in them, among which a question is looked for. */
const [MAX_END, MAX_LAST] = [1000, 2];

function asks(answer: string): boolean {
  const end = answer.slice(-MAX_END);
  return sentencesOf(end)
    .slice(-MAX_LAST)
    .some((sentence) => ASKS.test(end.slice(sentence.start, sentence.end)));
}

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
  /** As in `Query`: nothing is found for most small talk. */
  siteLanguages: readonly LanguageCode[];
}

/** What small talk is, and the language to reply in: one that the visitor is known to speak, where that is possible. */
export function readIn(says: SmallTalk, visitor: Visitor): { kind: TalkKind; language: LanguageCode } {
  const language = languagesOf(visitor).find((one) => says.has(one)) ?? [...says.keys()][0] ?? 'en';
  return { kind: says.get(language) ?? 'ready', language };
}

/** Whether the pages may tell of it: which languages are spoken, or a test. */
export const mayBeOfSite = (says: SmallTalk): boolean =>
  [...says.values()].some((kind) => kind === 'languages' || kind === 'trial');

/**
 * Whether a single word of small talk is one of another language than visitor and site speak: for them it may be the name
 * of a thing, as `tack` is to a saddler.
 */
export const isForeignWord = (message: string, says: SmallTalk, visitor: Visitor): boolean =>
  says.size < TALK_LANGUAGES.length &&
  wordsIn(message).length === 1 &&
  !languagesOf(visitor).some((one) => says.has(one));

/** Likeliest first. */
export function languagesOf({ earlier, acceptedLanguages = [], found, siteLanguages }: Visitor): LanguageCode[] {
  const written = earlier.toReversed().map((message) => detectLanguage(message));
  const site = detectLanguage(found.map(({ text }) => text.slice(0, MAX_PASSAGE)).join('\n'), MAX_PASSAGES);
  return [...written, ...acceptedLanguages.slice(0, MAX_TAGS).map(languageOfTag), site, ...siteLanguages].filter(
    (one) => one !== undefined,
  );
}

/** UTF-16 units of each passage, and of all, that tell the site's language; language tags of a browser. */
const [MAX_PASSAGE, MAX_PASSAGES, MAX_TAGS] = [120, 1000, 10];

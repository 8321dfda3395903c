import { languageOf, isStopWord } from '../../text/language.ts';
import { sentencesOf } from '../../text/sentences.ts';
import { hasVerb } from './fragments.ts';
import { GREETING, SHORTENED, THANKS } from './politeness.ts';

/** UTF-16 units from which on a line may have been wrapped by a program; shorter ones end a paragraph. */
const MIN_WRAPPED_LINE = 50;
/** Pictures stand where a full stop would. */
const PICTURES = /(?:(?![©®™])\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\uFE0F|\u200D)*)+/u;
/** Who writes all in lower case ends sentences all the same; thanks behind a question without a mark are a sentence. */
const CHAT_END = new RegExp(
  `(?<=(?:\\p{L}{2}|\\p{N}{3})[.!]+)(?<!(?<!\\p{L})(?:${SHORTENED})[.])\\s+(?=\\p{Ll})|\\s+(?=(?:${THANKS})(?!\\p{L}))`,
  'iu',
);
const THANKING = new RegExp(`^\\P{L}*(?:${THANKS})(?!\\p{L})`, 'iu');
/** A word with a capital within a sentence. */
const CAPITAL = /(?<=[\p{Ll}\p{N}][^\p{L}\s]?)\s+(?=\p{Lu}(?:\p{Ll}|['’]))|(?<=[\p{Ll}\p{N}])\s+(?=I\s)/gu;
/** What stands with a capital where a sentence begins and seldom elsewhere. */
const SENTENCE_START =
  /^(?:(?:we|it|this|that|they|he|she|there|you)(?:['’]\p{L}+)?|my|our|(?:last|next) (?:time|week|month|year|summer|winter)|yesterday|nobody|everyone|everybody|someone|somebody|also|please|asking|have a|take|hope|hoping|looking|would|could|any|sorry|best|kind|regards|yours|i(?:['’]m| am) (?:asking|writing|calling|only|just|not|a|an|in|from|new)|i(?:['’]ve| was| ask| hope| tried| looked| searched| would be| would like)|ich|wir|mein\p{L}*|wäre|liebe|when i|when my|je|nous|c['’]est)\s+\p{L}/iu;
/** A statement about the writer or what is theirs. */
export const STATEMENT =
  /^\P{L}*(?:i|i['’]m|i['’]ve|we|we['’]ve|my|our|this|it|it['’]s|that|ich|wir|mein\p{L}{0,2}|je|j['’]\p{L}+|nous|ik|wij)(?!\p{L})/iu;
/** Who writes, within a sentence. */
export const WRITER = /\s(?:i|me|my|we|us|our|ich|mir|mich|wir|uns|moi|nous|mi|nos|noi|ik|mij|ons)(?!\p{L})/iu;
/** What leads from a story to a question, and a salutation that has a word questions begin with. */
const TURN =
  /^\P{L}*(?:to whom it may concern|any ?ways?|anyhow|basically|actually|moving on|jedenfalls|egal|bref|enfin|en fin|bueno|comunque|insomma|enfim|kortom)(?!\p{L})\P{L}*/iu;
/** A remark in brackets. */
const BRACKETS = /\s*[(（]([^()（）]*)[)）]/gu;
/** UTF-16 units, and words with a capital, of a sentence that is searched for the end of another. */
const [MAX_RUN_ON, MAX_CAPITALS] = [400, 12];
/** Nothing ends so that stands on its own: “how much is a ticket to”. */
export const OPEN_END =
  /\s(?:a|an|the|my|your|our|this|that|these|to|of|in|on|at|by|for|from|with|about|into|is|are|was|do|does|or|and|der|die|das|den|dem|ein|eine|einen|zu|von|mit|nach|für|le|la|les|un|une|de|du|des|à|el|los|las|una|il|lo|gli|di|o|os|as|het|een|van)$/iu;
const MIN_TAIL_WORDS = 3;
const HAN_AFTER_LATIN = /(?<=(?:\p{Script=Latin}+[\s,]+){2}\p{Script=Latin}+)(?=\p{Script=Han})/u;
/** A line such as “Dear all,”. */
const SALUTATION = /^\P{L}*(?:[\p{L}\p{M}'’.]+\s+){0,5}[\p{L}\p{M}'’.]+\s*[,،，:：]$/u;
/** What a program puts below a mail. */
const SENT_WITH =
  /^(?:sent (?:from|with|via) |get outlook |(?:gesendet|verzonden|enviado|envoyé|inviato|wysłane|skickat) (?:von|mit|vanaf|van|met|desde|do|de|depuis|da|z|från) )/iu;
const THAI = /\p{Script=Thai}/u;
const THAI_CLAUSE = /(?<=\p{Script=Thai}\p{M}*["”)]?)\s+|\s+(?=["“(]?\p{Script=Thai})/u;
const THAI_COURTESY = /สวัสดี|หวัดดี|ขอบคุณ|ขอบพระคุณ|รบกวน|เรียน\s|(?:ค่ะ|คะ|ครับ)(?=\s|$)/u;
const LATIN_RUN = /\p{Script=Latin}+(?:\s+\p{Script=Latin}+){2}/u;
/** UTF-16 units from which on Thai tells something beside its question. */
const MAX_THAI_QUESTION = 100;
/** What asks within or at the end of a sentence. */
export const MARK = /[?？؟]|\p{Script=Greek}[\p{M}\s]*[;\u037e]/u;
/** `;` is Greek for a question mark, and Chinese puts no space behind a sentence. */
const UNSPACED_END =
  /(?<=\p{Script=Greek}[;\u037e])\s|(?<=[?!](?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]))/u;

/** The sentences that say something, without salutations and signatures. `isForeign`: clearly in a language that no page is in. */
export function sentencesIn(message: string, isForeign: (sentence: string) => boolean): string[] {
  const sentences = splitMessage(message, isForeign);
  const closing = sentences.findLastIndex((sentence) => SALUTATION.test(sentence) && !/[:：]$/.test(sentence));
  const isSigned =
    closing > 0 &&
    sentences.slice(0, closing).some((one) => !SALUTATION.test(one)) &&
    !sentences.slice(closing).some((one) => MARK.test(one));
  return (isSigned ? sentences.slice(0, closing) : sentences).filter(
    (one) => !SALUTATION.test(one) && !SENT_WITH.test(one),
  );
}

function splitMessage(message: string, isForeign: (sentence: string) => boolean): string[] {
  return paragraphsOf(message).flatMap((text) =>
    sentencesOf(text)
      .flatMap(({ start, end }) => text.slice(start, end).split(UNSPACED_END))
      .flatMap((sentence) => sentence.split(PICTURES))
      .flatMap(apartFromRemarks)
      .flatMap((sentence) => sentence.split(CHAT_END))
      .flatMap((sentence) => sentence.split(HAN_AFTER_LATIN))
      .flatMap(inThai)
      .flatMap((sentence) => atCapital(sentence, isForeign))
      .map((sentence) => sentence.replace(TURN, ''))
      .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence)),
  );
}

/** “Is it warm (I get cold easily)?” has two sentences; “Do you take cards (Visa)?” has one. */
function apartFromRemarks(sentence: string): string[] {
  const remarks: string[] = [];
  const others = sentence.replace(BRACKETS, (whole, remark: string) => {
    const isRemark = remark.split(/\s+/).length >= MIN_TAIL_WORDS && (STATEMENT.test(remark) || WRITER.test(remark));
    if (isRemark) remarks.push(remark);
    return isRemark ? '' : whole;
  });
  return [others, ...remarks];
}

/** A question without a mark may run on into the next sentence: one that begins as few clauses do, or in another language. */
function atCapital(sentence: string, isForeign: (sentence: string) => boolean): string[] {
  if (sentence.length > MAX_RUN_ON || MARK.test(sentence)) return [sentence];
  const isCourteous = GREETING.test(sentence) || THANKING.test(sentence);
  for (const { index } of Array.from(sentence.matchAll(CAPITAL)).slice(0, MAX_CAPITALS)) {
    const [before, tail] = [sentence.slice(0, index), sentence.slice(index).trim()];
    if (tail.split(/\s+/).length < MIN_TAIL_WORDS) continue;
    // German nouns have a capital too.
    const changesLanguage = !isCourteous && isForeign(tail) && !isForeign(before);
    const begins = SENTENCE_START.test(tail) || (beginsSentence(tail) && !OPEN_END.test(before));
    if (begins || changesLanguage) return [before, tail];
  }
  return [sentence];
}

/** “The page does not say”, and no name: “The Lark violin”. Other languages write more words with a capital. */
function beginsSentence(text: string): boolean {
  const [first = ''] = text.toLowerCase().split(/[^\p{L}]+/u, 1);
  return first !== 'i' && languageOf(text) === 'en' && isStopWord(first) && hasVerb(text);
}

/** Thai ends no sentence with a mark. A space divides the clauses of a message that is no single question. */
function inThai(sentence: string): string[] {
  if (!THAI.test(sentence)) return [sentence];
  const isMessage = sentence.length > MAX_THAI_QUESTION || THAI_COURTESY.test(sentence) || LATIN_RUN.test(sentence);
  return isMessage ? sentence.split(THAI_CLAUSE) : [sentence];
}

/** Joins lines that were wrapped by a mail program; a short line ends a paragraph. */
function paragraphsOf(message: string): string[] {
  const paragraphs: string[] = [];
  let open = false;
  for (const line of message.split('\n')) {
    const text = line.trim();
    if (open && text !== '' && !SENT_WITH.test(text) && !SALUTATION.test(text))
      paragraphs.push(`${paragraphs.pop()} ${text}`);
    else if (text !== '') paragraphs.push(text);
    open = text.length >= MIN_WRAPPED_LINE;
  }
  return paragraphs;
}

import type { Found } from '../../knowledge/search/found.ts';
import type { Query } from '../../knowledge/search/query.ts';
import type { LanguageCode } from '../../knowledge/text/languages.ts';
import { detectLanguage } from '../../knowledge/text/detect-language.ts';

/**
 * The least confidence of an answer, by language: where questions have words that pages lack, or words have many forms, all
 * answers of a language score lower. Calibrated on XQuAD: of questions that a site of 240 paragraphs answers, 95 % are
 * answered; of questions about another subject, 95 to 99 % are refused. English on 1,000 paragraphs of SQuAD: 96 % answered,
 * and 81 % refused once the article is removed. Languages that are not in the data have the value of a related one.
 */
const MIN_CONFIDENCE: Record<LanguageCode, number> = {
  en: 0.26,
  es: 0.21,
  fr: 0.21,
  it: 0.21,
  pt: 0.21,
  ro: 0.18,
  nl: 0.18,
  sv: 0.18,
  da: 0.18,
  vi: 0.2,
  th: 0.2,
  zh: 0.045,
  ja: 0.045,
  ko: 0.06,
  nb: 0.18,
  de: 0.13,
  ar: 0.13,
  bg: 0.13,
  cs: 0.13,
  el: 0.13,
  fi: 0.13,
  he: 0.13,
  hi: 0.13,
  hu: 0.13,
  pl: 0.13,
  ru: 0.13,
  tr: 0.13,
  uk: 0.13,
};

/** The least share of a root that says the same as the word of the question. */
export const SYNONYM = 0.5;

/** The shares of `minConfidence` and `minHeld` from which on the closest quote is shown, as one that may not answer. */
export const UNSURE_CONFIDENCE = 0.4;
export const UNSURE_HELD = 0.45;
/**
 * Confidence is a product of two shares of the question: the least of each is a root of it. How far the best passage is ahead of the
 * next tells as much as what it has words for: logistic regression gives both the same weights on small sites made of SQuAD's
 * articles and on three of plain pages. On half of SQuAD's articles 93 of 100 sure answers are right, and 79 of 100 unsure ones;
 * with the article gone 3 of 100 questions get a sure answer (`npm run bench -- retrieval`).
 */
const [MIN_HELD, LEAD] = [2.1, 0.78];
/** What counts where there is no next one. */
const USUAL_LEAD = 0.808;

/**
 * 0 to 1: the least share of the question that a passage has words for, where its quote counts as the answer. `lead`: how far its
 * score is above the next.
 */
export const minHeld = (query: Query, found: Found[], lead = USUAL_LEAD): number =>
  (MIN_HELD - LEAD * lead) * Math.sqrt(minConfidence(query, found));

/** Below it, nothing is told as an answer. */
export function minConfidence({ question }: Query, found: Found[]): number {
  const language = detectLanguage(question) ?? detectLanguage(found[0]?.text ?? '') ?? 'en';
  return MIN_CONFIDENCE[language];
}

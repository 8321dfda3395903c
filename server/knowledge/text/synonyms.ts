import type { Language } from './language.ts';
import { isStemmerLoaded } from './stems.ts';
import { THESAURUS } from './thesaurus/english.ts';
import { COMMON_GERMAN, GERMAN } from './thesaurus/german.ts';
import { rootOf } from './tokenizer.ts';

/** Turns of phrase, and the one word that a page may have for them. */
const PHRASES: [RegExp, string][] = [
  [/\bhow (?:many|much|large|big|long|wide|deep|high)\b.{0,60}\b(?:can|may|could|allowed)\b/i, 'maximum'],
  [/\b(?:send|sent|bring|give|take|ship|mail|post|hand)(?:ing)?\b.{0,40}\bback\b/i, 'return'],
  [/\bmoney back\b/i, 'refund'],
  [/\bpick(?:ing)?\b.{0,30}\bup\b/i, 'collect'],
  [
    /\bget(?:ting)? in touch\b|\b(?:reach|speak to|talk to|write to) (?:you|someone|somebody|a person|anyone)\b/i,
    'contact',
  ],
  [/\bsign(?:ing)? up\b/i, 'register'],
  [/\b(?:log|sign)(?:ging|ing)? in\b/i, 'login'],
];

/** Questions about delivery times, whose own words (“arrive”) would match other pages (“if it arrives damaged”). */
const DELIVERY_TIME =
  /\b(?:when|how (?:long|soon|fast|quick(?:ly)?))\b[^?.!]{0,40}\b(?:it|parcels?|packages?|orders?|deliver(?:y|ies)|shipments?|purchase|goods)\b[^?.!]{0,30}\b(?:arrives?|comes?|get here|be here|be delivered|turn up|reach (?:me|us))\b/i;

/**
 * Whether the place itself is open at this hour, which pages tell by their hours: “opened” on a page is what was founded. Of a part
 * of it, such as a pool, other sentences tell.
 */
export const OPEN_NOW =
  /\b(?:is|are) ((?:you|it|(?:the|your) (?:[\p{L}'’-]+ )?(?:shop|store|office|branch|showroom|library|museum|gallery|restaurant|clinic|practice|surgery|garage|studio|centre|center|place)) )(?:still |already )?open (?:right now|now|today|tonight|tomorrow|currently|at the moment)\b/iu;

/** What a page has behind the first word alone: Telephone: 555 0100. */
const DETAIL = /\b((?:tele)?phone|mobile|cell|fax|e-?mail) (?:numbers?|no\.|address(?:es)?)(?!\p{L})/giu;

/** Replaces such parts by the words that pages use. */
export const inPlainWords = (question: string): string =>
  question.replace(DELIVERY_TIME, 'delivery times').replace(OPEN_NOW, '$1opening hours').replace(DETAIL, '$1');

/** A quick check: each pattern contains one of these words. */
const TURNS = /\b(?:back|up|in|touch|to|reach|how)\b/i;

/**
 * Common words, which lower confidence only a little where no passage has them; other missing words lower it fully.
 */
const COMMON = `
  able accept access actually add allow alone already always answer anybody anyone anything anywhere apply ask
  available back bad become begin best better big bit bother bring buy call case certain change cheap check choose
  close come common complete consider contain cost create day deadline deal decide describe detail difference
  different easy effect end enough especially everybody everyone everything everywhere example exist expect expensive
  explain extra fact fancy fast feel find finish first follow forget form found full general getting go going good
  great group grow guess happen hear help high hold hope idea important include increase information instead involve
  item keep kind large last late lead learn leave left less let level limit list little live long look lose lot main
  make maximum maybe mean method mind minimum month move name near need new next nobody normal nothing number offer
  often old open option order original part pay people person pick place plan play point policy possible probably
  problem procedure process provide purpose put question quick quite reach real reason receive refer regular require
  result rid right rule run same say see seem sell send set short show side similar simple situation size small
  somebody someone something sometimes somewhere sort spend start state stay step stop story stuff support suppose
  sure system take talk term thing till time today together tomorrow total trouble true try turn type understand until
  usual usually value various wait walk way week went whether wish wonder word work world worth write wrong year
  yesterday`;

/** What is known of the words of a language, by root. */
class Lexicon {
  readonly #synonyms = new Map<string, string[]>();
  readonly #common: Set<string>;

  constructor(language: Language, groups: string[][], common: string) {
    this.#common = new Set(
      common
        .trim()
        .split(/\s+/)
        .map((word) => rootOf(word, language)),
    );
    for (const group of groups) {
      const roots = [...new Set(group.map((word) => rootOf(word, language)))];
      for (const root of roots) {
        this.#synonyms.set(root, [...this.synonymsOf(root), ...roots.filter((other) => other !== root)]);
      }
    }
  }

  synonymsOf(root: string): readonly string[] {
    return this.#synonyms.get(root) ?? [];
  }

  isCommon(root: string): boolean {
    return this.#common.has(root);
  }
}

const english = new Lexicon('en', THESAURUS, COMMON);
/** Made at first use, since its roots need the stemmer. */
let german: Lexicon | undefined;

function lexiconOf(language: Language): Lexicon | undefined {
  if (language === 'de' && isStemmerLoaded('de')) german ??= new Lexicon('de', GERMAN, COMMON_GERMAN);
  return language === 'de' ? german : language === 'en' ? english : undefined;
}

/** The roots of other words for the same thing; none in languages without a thesaurus. */
export const synonymsOf = (root: string, language: Language = 'en'): readonly string[] =>
  lexiconOf(language)?.synonymsOf(root) ?? [];

/** An English word is in any language of the site: a title, a brand. */
export const isCommon = (root: string, language: Language = 'en'): boolean =>
  english.isCommon(root) || lexiconOf(language)?.isCommon(root) === true;

/** The words that a question's phrases imply. */
export const impliedBy = (question: string): string[] =>
  TURNS.test(question) ? PHRASES.filter(([phrase]) => phrase.test(question)).map(([, word]) => word) : [];

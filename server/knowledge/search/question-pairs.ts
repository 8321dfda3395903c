import { withoutAccents } from '../text/accents.ts';
import type { Query } from './query.ts';
import type { Pair } from './types.ts';

/** Where the answer of a question is: the index of its passage in the source; the owner's are the first. */
interface Answer {
  source: string;
  at: number;
  isOwners: boolean;
}

/**
 * Questions that the owner or a page has answered, looked up without regard to case, punctuation and accents. A question that
 * several passages of pages answer is asked of each page: none of them is the answer.
 */
export class QuestionPairs {
  /** By key, oldest first. */
  readonly #answers = new Map<string, Answer[]>();
  readonly #keys = new Map<string, Set<string>>();

  put(source: string, at: number, { question, isOwners }: Pair): void {
    const key = keyOf(question);
    this.#answers.set(key, [...(this.#answers.get(key) ?? []), { source, at, isOwners }]);
    this.#keys.set(source, (this.#keys.get(source) ?? new Set()).add(key));
  }

  remove(source: string): void {
    for (const key of this.#keys.get(source) ?? []) {
      const left = this.#answers.get(key)!.filter((one) => one.source !== source);
      if (left.length > 0) this.#answers.set(key, left);
      else this.#answers.delete(key);
    }
    this.#keys.delete(source);
  }

  /** The answer of the first of these questions that has one; of several of the owner's the newest. */
  find(questions: string[], scope: ReadonlySet<string> | undefined): Answer | undefined {
    if (this.#keys.size === 0) return undefined;
    for (const question of questions) {
      const answers = (this.#answers.get(keyOf(question)) ?? []).filter(({ source }) => !scope || scope.has(source));
      const owners = answers.findLast(({ isOwners }) => isOwners);
      if (owners ?? answers.length === 1) return owners ?? answers[0];
    }
    return undefined;
  }
}

/** Words without punctuation; a question without words (“?”, an emoji) is its own key. */
function keyOf(question: string): string {
  const lower = question.normalize('NFKC').toLowerCase();
  return withoutAccents(lower.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim()) || lower.replace(/\s+/g, '');
}

/** Whether a heading asks a question. */
const isQuestion = (heading: string): boolean => /[?？؟]\s*$/.test(heading);

/** Words that no index has and that make another question of the same words. */
const KINDS =
  /(?<!\p{L})(?:how (?:much|many|long|often|old|far|big|large|soon|fast)|who|whom|whose|when|where|why|how|not|no|never|without|wer|wen|wem|wann|wo|woher|wohin|warum|wieso|wie ?(?:viele?|lange|oft)|wie|nicht|keine?n?|nie|ohne|quién(?:es)?|cuándo|dónde|por qué|cómo|cuánt[oa]s?|sin|qui|quand|où|pourquoi|comment|combien|pas|sans|chi|quando|dove|perché|come|quant[oaie]|non|senza|quem|onde|como|não|sem|wie|wanneer|waar|waarom|hoe|hoeveel|niet|geen|kto|kiedy|gdzie|dlaczego|jak|ile|nie|bez|кто|когда|где|куда|почему|как|сколько|не|без)(?!\p{L})|n['’]t(?!\p{L})/giu;

/** The kind of a question, by its words for who, when, how much and not. */
export const kindOf = (question: string): string => (question.toLowerCase().match(KINDS) ?? []).toSorted().join(' ');

/** Hits that may answer the question in other words. */
export const PAIRS_COMPARED = 5;
/** UTF-16 units of an answer of a page that is quoted whole. */
export const MAX_PAGE_ANSWER = 900;
/** The least share of a root that is the same word, and the words of a question that is recognised in other words than its own. */
export const SAME_WORD = 0.9;
export const MIN_PAIR_WORDS = 2;

/** Whether another question has the words of this one, `roots`, forms and stop words aside, and asks for the same kind of thing. */
export function asksTheSame(other: string, roots: number[], { implied, termByRoot, question }: Query): boolean {
  const told = new Set<number>();
  for (const root of roots) {
    const found = termByRoot.get(root);
    if (!found || found.share < SAME_WORD || found.term >= implied) return false;
    told.add(found.term);
  }
  return told.size >= MIN_PAIR_WORDS && told.size === implied && kindOf(other) === kindOf(question);
}

/** Added to the score of a passage whose question has all words of this one and no others, and the least likeness that counts. */
const LIKE_QUESTION = 2;
const MIN_LIKENESS = 0.3;

/**
 * What a passage gains by how like this question the one is that it answers, `roots`: by the share of the words of each that the
 * other has.
 */
export function gainByLikeness(roots: ReadonlySet<number>, { terms, termByRoot, implied }: Query): number {
  const shares = new Float64Array(terms.length);
  let told = 0;
  for (const root of roots) {
    const { term = 0, share = 0 } = termByRoot.get(root) ?? {};
    shares[term] = Math.max(shares[term]!, share);
    told += share;
  }
  const own = terms.slice(0, implied);
  const asked = own.reduce((sum, { weight }, term) => sum + weight * shares[term]!, 0);
  const all = own.reduce((sum, { weight }) => sum + weight, 0);
  const likeness = (told / (roots.size || 1)) * Math.sqrt(asked / (all || 1));
  return likeness < MIN_LIKENESS ? 0 : LIKE_QUESTION * likeness;
}

/** The question that a passage answers: its owner's, or the heading that asks it, of whose passages it is the first. */
export function pairOf(own: string | undefined, heading = '', before: string | undefined): Pair | undefined {
  if (own !== undefined) return { question: own, isOwners: true };
  return isQuestion(heading) && heading !== before ? { question: heading, isOwners: false } : undefined;
}

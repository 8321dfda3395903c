import { withoutAccents } from '../text/accents.ts';

/** Questions that the owner has answered, looked up without regard to case, punctuation and accents. */
export class QuestionPairs {
  /** By key, the sources oldest first. */
  readonly #sources = new Map<string, Set<string>>();
  readonly #keys = new Map<string, string>();

  put(source: string, question: string): void {
    this.remove(source);
    const key = keyOf(question);
    this.#keys.set(source, key);
    this.#sources.set(key, (this.#sources.get(key) ?? new Set()).add(source));
  }

  remove(source: string): void {
    const key = this.#keys.get(source);
    if (key === undefined) return;
    this.#keys.delete(source);
    const sources = this.#sources.get(key)!;
    sources.delete(source);
    if (sources.size === 0) this.#sources.delete(key);
  }

  /** The source that answers the first of these questions that one answers; of several the newest. */
  find(questions: string[], scope: ReadonlySet<string> | undefined): string | undefined {
    if (this.#keys.size === 0) return undefined;
    for (const question of questions) {
      const sources = [...(this.#sources.get(keyOf(question)) ?? [])];
      const source = sources.findLast((one) => !scope || scope.has(one));
      if (source !== undefined) return source;
    }
    return undefined;
  }
}

/** Words without punctuation; a question without words (“?”, an emoji) is its own key. */
function keyOf(question: string): string {
  const lower = question.normalize('NFKC').toLowerCase();
  return withoutAccents(lower.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim()) || lower.replace(/\s+/g, '');
}

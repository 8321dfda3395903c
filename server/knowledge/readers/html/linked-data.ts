/** Questions with their answers that a page declares in JSON-LD: schema.org's FAQPage and QAPage. */
export interface DeclaredPair {
  question: string;
  /** HTML. */
  answer: string;
  /** It may have several answers, of which this is the best: that of a forum. */
  isPost: boolean;
}

/** UTF-16 units of all scripts of a page that are parsed; scripts, values and pairs that are read; how deep. */
const MAX_DATA_LENGTH = 512 * 1024;
const MAX_SCRIPTS = 20;
const MAX_VALUES = 20_000;
const MAX_PAIRS = 200;
const MAX_NESTING = 12;
const QUESTION_TYPE = /^(?:https?:\/\/schema\.org\/|schema:)?Question$/i;
/** UTF-16 units. */
const MAX_QUESTION_LENGTH = 300;
const MAX_ANSWER_LENGTH = 16 * 1024;

/** Collects the scripts of a page's data. */
export class LinkedData {
  readonly #scripts: string[][] = [];
  #length = 0;
  #isOpen = false;

  open(name: string, { type = '' }: Record<string, string>): void {
    this.#isOpen = name === 'script' && /^\s*application\/ld\+json\b/i.test(type) && this.#scripts.length < MAX_SCRIPTS;
    if (this.#isOpen) this.#scripts.push([]);
  }

  text(text: string): void {
    if (!this.#isOpen) return;
    this.#length += text.length;
    if (this.#length <= MAX_DATA_LENGTH) this.#scripts.at(-1)!.push(text);
    // A script that is cut off is no JSON.
    else this.#scripts.at(-1)!.length = 0;
  }

  close(): void {
    this.#isOpen = false;
  }

  /** Each question once. */
  pairs(): DeclaredPair[] {
    const found = new Map<string, DeclaredPair>();
    let left = MAX_VALUES;
    const visit = (value: unknown, depth: number): void => {
      if (typeof value !== 'object' || value === null || depth > MAX_NESTING || left-- <= 0) return;
      const pair = Array.isArray(value) ? undefined : pairOf(value as Record<string, unknown>);
      if (pair && found.size < MAX_PAIRS && !found.has(pair.question)) found.set(pair.question, pair);
      for (const child of Object.values(value)) visit(child, depth + 1);
    };
    for (const script of this.#scripts) visit(parsed(script.join('')), 0);
    return [...found.values()];
  }
}

/** Undefined where it is no JSON. */
function parsed(script: string): unknown {
  const json = script.replace(
    /^\s*(?:<!--|\/\*\s*<!\[CDATA\[\s*\*\/|\/\/\s*<!\[CDATA\[|<!\[CDATA\[)|(?:-->|\/\*\s*\]\]>\s*\*\/|\/\/\s*\]\]>|\]\]>)\s*$/g,
    '',
  );
  try {
    // Many sites write line breaks within strings, where JSON has none.
    return JSON.parse(json.replace(/[\0-\x1f]+/g, ' ')) as unknown;
  } catch {
    return undefined;
  }
}

function pairOf({
  '@type': type,
  name,
  text,
  acceptedAnswer,
  suggestedAnswer,
  answerCount,
}: Record<string, unknown>): DeclaredPair | undefined {
  if (![type].flat().some((one) => typeof one === 'string' && QUESTION_TYPE.test(one))) return undefined;
  const question = [name, text].find((one) => typeof one === 'string' && one.trim() !== '') as string | undefined;
  const accepted = [acceptedAnswer].flat().flatMap(answerIn);
  const [best] = [suggestedAnswer].flat().toSorted(byVotes).flatMap(answerIn);
  const answer = accepted.length > 0 ? accepted.join('<p>') : best;
  if (question === undefined || answer === undefined) return undefined;
  const isPost = suggestedAnswer !== undefined || answerCount !== undefined;
  return {
    question: question.slice(0, MAX_QUESTION_LENGTH),
    answer: unescaped(answer.slice(0, MAX_ANSWER_LENGTH)),
    isPost,
  };
}

/** Some sites escape the tags of an answer once more. */
const unescaped = (html: string): string =>
  /<[a-z]/i.test(html)
    ? html
    : html
        .replace(/&lt;/gi, '<')
        .replace(/&gt;/gi, '>')
        .replace(/&quot;/gi, '"');

const votesOf = (answer: unknown): number =>
  Number((answer as { upvoteCount?: unknown } | null | undefined)?.upvoteCount) || 0;
const byVotes = (a: unknown, b: unknown): number => votesOf(b) - votesOf(a);

function answerIn(value: unknown): string[] {
  if (typeof value === 'string') return value.trim() ? [value] : [];
  const text = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)['text'] : undefined;
  return typeof text === 'string' && text.trim() ? [text] : [];
}

import type { TextFilter } from './guard.ts';

/** Words in a row that an answer and the prompt may share. */
const MAX_SHARED = 11;
/** Words in a row from which on they are held back: fewer are shared by chance. */
const MIN_HELD = 5;
/** UTF-16 units that are held back: more than so many words have, so that signs between words cannot hold back the answer. */
const MAX_HELD = 4000;
/** UTF-16 units of a word. */
const MAX_WORD = 100;

/** Scripts without spaces count by sign. */
const WORDS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}\p{M}])+/gu;
/** What a prompt quotes, it wants to be said. */
const QUOTED = /"[^"\n]{1,500}"|“[^”\n]{1,500}”|«[^»\n]{1,500}»|„[^“”\n]{1,500}[“”]/g;
const SIGN = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]$/u;
const ELLIPSIS_FOR_PROMPT = '…';

/**
 * Takes the agent's own prompt out of a model's text: more than `MAX_SHARED` of its words in a row become an ellipsis. What the
 * prompt quotes may be said. Undefined where the prompt is too short to be recognized.
 */
export function createPromptFilter(prompt: string): TextFilter | undefined {
  const words = prompt
    .split(QUOTED)
    .flatMap((part) => [...Array.from(part.matchAll(WORDS), ([word]) => word.toLowerCase()), '']);
  if (words.length <= MAX_SHARED) return undefined;
  const places = new Map<string, number[]>();
  for (const [at, word] of words.entries()) {
    const known = places.get(word);
    if (known) known.push(at);
    else if (word !== '') places.set(word, [at]);
  }

  /** How many words in a row end at a place of the prompt, by that place. */
  let runs = new Map<number, number>();
  /** The longest run that the last word ends. */
  let longest = 0;
  let heldBack = '';
  /** The beginning of a word that may go on, and how much of it was shown. */
  let begun = '';
  let shown = 0;
  let isLeaking = false;

  function count(word: string): void {
    const next = new Map<number, number>();
    longest = 0;
    for (const at of places.get(word.slice(0, MAX_WORD).toLowerCase()) ?? []) {
      const run = (runs.get(at - 1) ?? 0) + 1;
      next.set(at, run);
      longest = Math.max(longest, run);
    }
    runs = next;
  }

  /** What is shown of a text that ends with the last word, or follows it. */
  function show(text: string): string {
    if (longest > MAX_SHARED) {
      const ellipsis = isLeaking ? '' : ELLIPSIS_FOR_PROMPT;
      isLeaking = true;
      heldBack = '';
      return ellipsis;
    }
    if (longest >= MIN_HELD && heldBack.length + text.length <= MAX_HELD) {
      heldBack += text;
      return '';
    }
    if (longest >= MIN_HELD) {
      runs = new Map();
      longest = 0;
    }
    isLeaking = false;
    const all = heldBack + text;
    heldBack = '';
    return all;
  }

  function process(piece: string, isLast: boolean): string {
    const text = begun + piece;
    let from = shown;
    let out = '';
    begun = '';
    shown = 0;
    for (const { 0: word, index } of text.matchAll(WORDS)) {
      const end = index + word.length;
      if (index > from) out += show(text.slice(from, index));
      from = Math.max(from, index);
      const mayGoOn = !isLast && end === text.length && !SIGN.test(word) && word.length < MAX_WORD;
      if (mayGoOn) {
        begun = word;
        // Shown at once, unless it may go on what is held back or dropped.
        if (longest < MIN_HELD - 1) {
          out += text.slice(from);
          shown = word.length;
        } else shown = from - index;
        return out;
      }
      count(word);
      out += show(text.slice(from, end));
      from = Math.max(from, end);
    }
    out += show(text.slice(from));
    if (!isLast) return out;
    const rest = heldBack;
    heldBack = '';
    return out + rest;
  }

  return { pass: (piece) => process(piece, false), rest: () => process('', true) };
}

/** The text as the filter leaves it. */
export function withoutPrompt(text: string, prompt: string): string {
  const filter = createPromptFilter(prompt);
  return filter ? filter.pass(text) + filter.rest() : text;
}

export const repeatsPrompt = (text: string, prompt: string): boolean => withoutPrompt(text, prompt) !== text;

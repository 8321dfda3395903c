import { sentencesOf } from '../../knowledge/text/sentences.ts';
import { isChatWord } from '../../knowledge/search/asking/politeness.ts';
import type { AgentVariable } from '../../schema/variables.ts';
import type { StoredAgent } from '../../store/store.ts';
import { declaredBy, isStatic, type Value, type Values } from '../variables.ts';
import { speaksOfPhone, type Candidate, type Kind } from './kinds.ts';
import { LINK, lowerWords, rootsOf, tellingWords, traitsOf } from './traits.ts';
import { isValueAlone, onlyValue } from './value-alone.ts';
import { corrects, yesOrNo } from './yes-no.ts';

/** UTF-16 units of a message, and of an answer from its end, that are read; of a value. */
const [MAX_QUERY, MAX_ANSWER, MAX_VALUE] = [2000, 1000, 254];

/**
 * The values that a message gives to variables, without a model: e-mail addresses, telephone numbers, numbers, references of
 * the form that a variable's example has, and a yes or a no to the question before. Undefined where it gives none. It leaves
 * out a value rather than guess which variable it is for. `needed`: the names of the variables that the answer before asked for.
 */
export function collect(
  agents: readonly StoredAgent[],
  query: string,
  answerBefore = '',
  needed: readonly string[] = [],
): Values | undefined {
  if (!agents.some(({ variables }) => variables.length > 0)) return undefined;
  const variables = [...declaredBy(agents).values()].filter((variable) => !isStatic(variable));
  const text = query.slice(0, MAX_QUERY);
  const [said, question] = [new Said(text), new Said(lastQuestion(answerBefore.slice(-MAX_ANSWER)))];
  const clear = [...valuesByForm(variables, said, question, new Set(needed))];
  const others = variables.filter(({ name }) => !clear.some(([known]) => known === name));
  const byForm = [...clear, ...valuesWithoutLetters(others, said, question, new Set(needed))];
  const answer = answerTo(question, variables, text);
  // “No, it is AB-1235” corrects what was said before.
  const found = answer && (answer[1] || byForm.length === 0) ? [...byForm, answer] : byForm;
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

/** What a message or a question says. */
class Said {
  readonly text: string;
  #words: readonly string[] | undefined;
  #roots: ReadonlySet<string> | undefined;

  constructor(text: string) {
    this.text = text;
  }

  get words(): readonly string[] {
    return (this.#words ??= lowerWords(this.text));
  }

  /** Of the words that say something. */
  get roots(): ReadonlySet<string> {
    this.#roots ??= new Set(tellingWords(this.text).flatMap(rootsOf));
    return this.#roots;
  }
}

/** The one yes-or-no variable that the question is about, with the reply. */
function answerTo(question: Said, variables: readonly AgentVariable[], text: string): [string, boolean] | undefined {
  const said = question.text === '' ? undefined : yesOrNo(text);
  if (said === undefined) return undefined;
  const [asked, another] = variables.filter((one) => one.type === 'boolean' && evidence(one, question) > 0);
  return asked && !another ? [asked.name, said] : undefined;
}

function* valuesByForm(
  variables: readonly AgentVariable[],
  said: Said,
  question: Said,
  needed: ReadonlySet<string>,
): Generator<[string, Value]> {
  const { text } = said;
  // Values of the clearer forms first: the digits of an address or of an order are no numbers.
  const kinds = new Map<string, { kind: Kind; variables: AgentVariable[] }>();
  for (const variable of variables) {
    const { kind } = traitsOf(variable);
    if (!kind) continue;
    const same = kinds.get(kind.name) ?? { kind, variables: [] };
    same.variables.push(variable);
    kinds.set(kind.name, same);
  }
  const taken: Candidate[] = [];
  for (const { kind, variables: same } of [...kinds.values()].toSorted(byClarity)) {
    const free = kind
      .find(text)
      .slice(0, MAX_VALUES)
      .filter((one) => !taken.some((other) => one.start < other.end && other.start < one.end));
    // The digits that no variable is known for may be a telephone number.
    if (!kind.needsEvidence) taken.push(...free);
    const isAddress = kind.name === 'email' || kind.name === 'phone';
    const ours = isAddress ? free.filter((one) => !isYours(text, one)) : free;
    const labelled = ours.map((value) => ({ ...value, label: isDigits(kind) ? labelOf(text, value) : [] }));
    const meant = isDigits(kind) ? labelled.filter((one) => !isNamedAsOther(one.label, same, variables)) : labelled;
    const named = kind.needsEvidence ? meant.filter(({ label }) => same.some((one) => isNamed(one, label))) : [];
    const able = named.length > 0 ? named : meant;
    const chosen = counting(text, able);
    if (!chosen || String(chosen.value).length > MAX_VALUE) continue;
    const variable = bestFor(same, kind, { said, question, needed }, chosen.label);
    if (!variable) continue;
    if (kind.needsEvidence) taken.push(...able);
    yield [variable.name, chosen.value];
  }
}

/**
 * Values in the form of an example with its letters left out, "order 50077" where that is BB-10234, get these letters: where the
 * name of the variable stands right before them, or the answer before asked for it and the message says nothing else.
 */
function* valuesWithoutLetters(
  variables: readonly AgentVariable[],
  said: Said,
  question: Said,
  needed: ReadonlySet<string>,
): Generator<[string, Value]> {
  for (const variable of variables) {
    const kind = traitsOf(variable).kind?.withoutLetters;
    if (!kind) continue;
    const { text } = said;
    const found = kind.find(text).slice(0, MAX_VALUES);
    const named = counting(
      text,
      found.filter((one) => isCalled(variable, labelOf(text, one)) && !counts(text, one)),
    );
    const isAsked = needed.has(variable.name) || evidence(variable, question) > 0;
    const alone = isAsked && isValueAlone(text, [variable]) ? onlyValue(text, found) : undefined;
    const chosen = named ?? alone;
    if (chosen) yield [variable.name, chosen.value];
  }
}

const ORDER = ['email', 'shape', 'phone', 'reference', 'number'];
const byClarity = (one: { kind: Kind }, other: { kind: Kind }): number => rank(one.kind) - rank(other.kind);
const rank = ({ name }: Kind): number => ORDER.findIndex((one) => name.startsWith(one));

/** The variable that message and question say most of; the first declared of equal ones, unless evidence is needed. */
function bestFor(
  same: AgentVariable[],
  kind: Kind,
  { said, question, needed }: { said: Said; question: Said; needed: ReadonlySet<string> },
  label: readonly string[],
): AgentVariable | undefined {
  const isNumberAsked = NUMBER_WORD.test(question.text);
  const scores = same.map((variable) => {
    const spoken = 2 * evidence(variable, said) + evidence(variable, question) + (needed.has(variable.name) ? 1 : 0);
    if (!kind.needsEvidence) return spoken;
    return (
      spoken + (isNamed(variable, label) ? 4 : 0) + (isNumberAsked && isNamed(variable, question.words, true) ? 2 : 0)
    );
  });
  const best = Math.max(...scores);
  if (kind.needsEvidence && (best === 0 || scores.filter((score) => score === best).length > 1)) return undefined;
  return same[scores.indexOf(best)];
}

const NUMBER_WORD =
  /(?<!\p{L})(?:number|num|no|nr|id|code|ref|reference|nummer|número|numéro|numero|номер)(?!\p{L})|\p{L}num[bm]er(?!\p{L})/iu;
/** UTF-16 units before a value that may name it; values of a kind that are looked at. */
const [MAX_LABEL, MAX_VALUES] = [60, 20];

/** The words right before a value, from the same part of a sentence, without those that link them to it. */
function labelOf(text: string, { start }: Candidate): string[] {
  const before = text
    .slice(Math.max(0, start - MAX_LABEL), start)
    .split(/[,;!?\n\d]|(?<!(?<!\p{L})(?:no|nr|núm|num|ref))\.\s/iu);
  const words = lowerWords(before.at(-1)!);
  while (words.length > 0 && LINK.test(words.at(-1)!)) words.pop();
  return words;
}

/** Whether the words end with the variable's name; whether they have it, with `anywhere`. */
const isNamed = (variable: AgentVariable, words: readonly string[], anywhere = false): boolean =>
  traitsOf(variable).names.some((name) => {
    const roots = new Set((anywhere ? words : words.slice(-name.length)).flatMap(rootsOf));
    return name.every((word) => rootsOf(word).some((root) => roots.has(root)));
  });

/** Whether the words end with the variable's name as it is: who "ordered 5000" gives no number of an order. */
const isCalled = (variable: AgentVariable, words: readonly string[]): boolean =>
  !/^(?:to|of)$/.test(words.at(-2) ?? '') &&
  traitsOf(variable).names.some((name) => name.join(' ') === words.slice(-name.length).join(' '));

/** Whether a value says how many there are of something: "order 5000 lamps". */
const counts = (text: string, { end }: Candidate): boolean => {
  const next = /^ (\p{L}+)/u.exec(text.slice(end))?.[1];
  return next !== undefined && tellingWords(next).length > 0 && !isChatWord(next.toLowerCase());
};

/** Digits look alike: the message may say that they are another variable's, which perhaps are written in another form. */
function isNamedAsOther(
  label: readonly string[],
  same: readonly AgentVariable[],
  variables: readonly AgentVariable[],
): boolean {
  const names = (variable: AgentVariable): boolean =>
    isNamed(variable, label) || (traitsOf(variable).kind?.name === 'phone' && speaksOfPhone(label.join(' ')));
  return !same.some(names) && variables.some((one) => !same.includes(one) && traitsOf(one).isReference && names(one));
}

const isDigits = ({ name, needsEvidence }: Kind): boolean => needsEvidence || name === 'phone';

const NEGATION =
  /(?<!\p{L})(?:not|isn['’]t|nicht|keine?|no|pas|non|não|niet|inte|ikke|nie|ne|nem|nu|değil|не|нет|ні|όχι|لا|לא|नहीं|không)\s+$|(?:不是|ではなく)$/iu;

/** Of several values the first, or the last of those that correct the one before; none that is taken back. */
function counting<C extends Candidate>(text: string, candidates: readonly C[]): C | undefined {
  const meant = candidates.filter(({ start }) => !NEGATION.test(text.slice(Math.max(0, start - 20), start)));
  let chosen = meant[0];
  for (const next of meant.slice(1)) if (corrects(text.slice(chosen!.end, next.start))) chosen = next;
  return chosen;
}

const YOURS =
  /(?<!\p{L})(?:your|ihre?|eure|deine|votre|vos|tu|su|vuestr[ao]|vostr[ao]|seu|sua|uw|jullie|din|deres|twój|wasz|ваш\p{L}*|твой)\s(?:\p{L}+[-\s]?){0,3}[:?\s]*$/iu;

/** Whether the visitor speaks of the site's own address. */
const isYours = (text: string, { start }: Candidate): boolean => YOURS.test(text.slice(Math.max(0, start - 40), start));

/** How many words of the variable's name and description the text has. */
function evidence(variable: AgentVariable, said: Said): number {
  if (said.text === '') return 0;
  const { roots } = said;
  let shared = 0;
  for (const root of new Set(traitsOf(variable).words.flatMap(rootsOf))) if (roots.has(root)) shared += 1;
  return shared;
}

/** '' where the answer asks nothing. */
function lastQuestion(answer: string): string {
  const sentences = sentencesOf(answer).map(({ start, end }) => answer.slice(start, end));
  return sentences.findLast((sentence) => /[?？؟]|;\s*$/u.test(sentence)) ?? '';
}

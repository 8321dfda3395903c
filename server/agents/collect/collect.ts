import { LRUCache } from 'lru-cache';
import { sentencesOf } from '../../knowledge/text/sentences.ts';
import { withoutAccents } from '../../knowledge/text/accents.ts';
import { detectLanguage } from '../../knowledge/text/detect-language.ts';
import { eachWord, isStopWord, rootOf } from '../../knowledge/text/tokenizer.ts';
import type { AgentVariable } from '../../schema/variables.ts';
import type { StoredAgent } from '../../store/store.ts';
import { declaredBy, isStatic, type Value, type Values } from '../variables.ts';
import { kindOf, referenceIn, speaksOfPhone, wordsOfName, type Candidate, type Kind } from './kinds.ts';
import { corrects, yesOrNo } from './yes-no.ts';

/** UTF-16 units of a message, and of an answer from its end, that are read; of a value. */
const [MAX_QUERY, MAX_ANSWER, MAX_VALUE] = [2000, 1000, 254];
/** Variables whose traits stay in memory; UTF-16 units of a description that are read. */
const [MAX_KNOWN, MAX_DESCRIPTION] = [1000, 1000];

/**
 * The values that a message gives to variables, without a model: e-mail addresses, telephone numbers, numbers, references of
 * the form that a variable's example has, and a yes or a no to the question before. Undefined where it gives none. It leaves
 * out a value rather than guess which variable it is for.
 */
export function collect(agents: readonly StoredAgent[], query: string, answerBefore = ''): Values | undefined {
  if (!agents.some(({ variables }) => variables.length > 0)) return undefined;
  const variables = [...declaredBy(agents).values()].filter((variable) => !isStatic(variable));
  const text = query.slice(0, MAX_QUERY);
  const [said, question] = [new Said(text), new Said(lastQuestion(answerBefore.slice(-MAX_ANSWER)))];
  const byForm = [...valuesByForm(variables, said, question)];
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

function* valuesByForm(variables: readonly AgentVariable[], said: Said, question: Said): Generator<[string, Value]> {
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
    const variable = bestFor(same, kind, said, question, chosen.label);
    if (!variable) continue;
    if (kind.needsEvidence) taken.push(...able);
    yield [variable.name, chosen.value];
  }
}

const ORDER = ['email', 'shape', 'phone', 'reference', 'number'];
const byClarity = (one: { kind: Kind }, other: { kind: Kind }): number => rank(one.kind) - rank(other.kind);
const rank = ({ name }: Kind): number => ORDER.findIndex((one) => name.startsWith(one));

/** The variable that message and question say most of; the first declared of equal ones, unless evidence is needed. */
function bestFor(
  same: AgentVariable[],
  kind: Kind,
  said: Said,
  question: Said,
  label: readonly string[],
): AgentVariable | undefined {
  const isNumberAsked = NUMBER_WORD.test(question.text);
  const scores = same.map((variable) => {
    const spoken = 2 * evidence(variable, said) + evidence(variable, question);
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
/** What stands between the name of a value and the value: “customer number is”, “customer no.:”. */
const LINK = /^(?:number|num|no|nr|id|code|ref|reference|nummer|is|are|was|ist|lautet|es|est|è|é|er|är|on)$/u;
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

/** Words of a variable that say nothing about which one it is. */
const FRAME = new Set([
  'number',
  'visitor',
  'customer',
  'user',
  'name',
  'value',
  'nummer',
  'besucher',
  'kunde',
  'cliente',
  'visiteur',
  'client',
]);

/** How many words of the variable's name and description the text has. */
function evidence(variable: AgentVariable, said: Said): number {
  if (said.text === '') return 0;
  const { roots } = said;
  let shared = 0;
  for (const root of new Set(traitsOf(variable).words.flatMap(rootsOf))) if (roots.has(root)) shared += 1;
  return shared;
}

interface Traits {
  kind: Kind | undefined;
  /** That say which variable it is. Not their roots, which are others once the stemmer of a language is loaded. */
  words: readonly string[];
  /** What a visitor may call it: the words of its name, and those of “customer number” in its description. */
  names: readonly (readonly string[])[];
  /** Its value is of many digits: a reference or a telephone number, rather than how many there are of something. */
  isReference: boolean;
}

/** By what a variable says of itself: each message needs the traits of all variables. */
const known = new LRUCache<string, Traits>({ max: MAX_KNOWN });

function traitsOf(variable: AgentVariable): Traits {
  const { name, type, example } = variable;
  const description = variable.description.slice(0, MAX_DESCRIPTION);
  const key = JSON.stringify([name, type, example.slice(0, MAX_DESCRIPTION), description]);
  const before = known.get(key);
  if (before) return before;
  const words = tellingWords(`${wordsOfName(name)} ${description}`);
  const kind = kindOf({ ...variable, description });
  const reference = referenceIn(description);
  const names = [wordsOfName(name), reference].map(namingWords).filter((one) => one.length > 0);
  const isReference = kind !== undefined && kind.name !== 'email' && (kind.name !== 'number' || reference !== '');
  const traits = { kind, words, names, isReference };
  known.set(key, traits);
  return traits;
}

function tellingWords(text: string): string[] {
  const language = (detectLanguage(text) ?? 'en') as Parameters<typeof isStopWord>[1];
  const words = new Set<string>();
  eachWord(text.toLowerCase(), (word) => {
    if (isStopWord(word) || isStopWord(word, language) || FRAME.has(word) || /^\d/.test(word)) return;
    words.add(word);
  });
  return [...words];
}

function lowerWords(text: string): string[] {
  const words: string[] = [];
  eachWord(text.toLowerCase(), (word) => words.push(word));
  return words;
}

const namingWords = (text: string): string[] =>
  lowerWords(text).filter((word) => !isStopWord(word) && !LINK.test(word) && !/^\d/.test(word));

const rootsOf = (word: string): string[] => [withoutAccents(word), withoutAccents(rootOf(word))];

/** '' where the answer asks nothing. */
function lastQuestion(answer: string): string {
  const sentences = sentencesOf(answer).map(({ start, end }) => answer.slice(start, end));
  return sentences.findLast((sentence) => /[?？؟]|;\s*$/u.test(sentence)) ?? '';
}

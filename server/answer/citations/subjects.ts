import type { LanguageCode } from '../../knowledge/text/languages.ts';
import { rootOf } from '../../knowledge/text/tokenizer.ts';
import { isUnknown, type NamesIn } from './names.ts';
import { clausesOf, contentOf, has, shareOf, type Word } from './wording.ts';

/** Whether a claim says of one name what its passage says of another. */

/** The share of what a claim says that a clause about somebody else must have, and by how much more than those about the same. */
const [MIN_SAID, MIN_MORE] = [0.6, 0.3];
/** The words of a clause among which a pronoun is its subject. */
const MAX_BEFORE_PRONOUN = 3;

const TITLES =
  /^(?:dr|prof|mr|mrs|ms|miss|sir|captain|herr|herrn|frau|mme|mlle|monsieur|madame|señor|señora|sr|sra|don|doña|signor|signora)$/;
const PRONOUNS =
  /^(?:he|she|they|it|his|her|their|its|who|which|er|sie|es|sein|seine[nmrs]?|ihr|ihre[nmrs]?|il|elle|ils|elles|son|sa|ses|leur|leurs|qui|él|ella|ellos|su|sus|quien|que|lui|lei|loro|suo|sua|che|hij|zij|ze|zijn|haar|ele|ela|eles|seu)$/;
/** Of these those that go with a noun; up to so many words before a name it is of that name. */
const POSSESSIVES =
  /^(?:his|her|their|its|sein|seine[nmrs]?|ihre?[nmrs]?|son|sa|ses|leurs?|su|sus|suo|sua|zijn|haar|seu)$/;
const MAX_OWNED = 3;
/** At the beginning of a clause, about the last name before. */
const RELATIVES = /^(?:who|whose|qui|quien|dont)$/;
/** Before who or what a clause is about, so that it is not about the one before. */
const DETERMINERS =
  /^(?:the|an?|our|der|die|das|den|dem|eine?[nmrs]?|unser(?:e[nmrs]?)?|le|la|les|l|une?|nos|notre|el|los|las|una|uno|il|lo|gli|i|het|een|os?|as?|uma?)$/;
const PREPOSITIONS =
  /^(?:in|at|of|to|from|with|for|near|on|under|after|before|via|an|bei|aus|mit|zu|zum|zur|nach|für|auf|im|am|à|au|aux|en|dans|chez|pour|avec|vers|du|sur|a|al|con|para|desde|hacia|per|nel|met|voor|naar|op|bij|em|no|na)$/;
/** Before who does it. */
const AGENTS = /^(?:by|von|vom|par|por|da|door|pelo|pela)$/;
/** Who speaks is the site itself. */
const OURSELVES = /^(?:we|i|you|us|wir|ich|nous|on|je|nosotros|noi|wij|we|nós)$/;
/** Endings of first words that are no names: of one that stands for many, is done or is an abstract. */
const NO_NAME = /(?:[^aious]s|ing|ed|ly|tion|ment|ness|ity)$/;
/** Behind what is more than one. */
const MANY =
  /^(?:are|were|have|do|sont|étaient|ont|son|eran|han|sono|erano|hanno|são|eram|têm|zijn|waren|hebben|worden)$/;
/** Words between what leads to a name and the name: “by the architect”. */
const MAX_BEFORE_NAME = 4;
const NOUNS_HAVE_CAPITALS = new Set<LanguageCode | undefined>(['de']);

/** A clause with its names, and those of the clauses before that it goes on about. */
interface Unit {
  words: Word[];
  own: Name[];
  before: Name[];
}

/** Words of a clause from `start` to before `end`. */
interface Name {
  start: number;
  end: number;
  texts: string[];
}

/**
 * `head`: roots of the title and the headings, whose names any sentence may be about. `known`: roots of what else a claim may
 * name.
 */
export function tellsOfOther(
  claim: Word[],
  passage: NamesIn,
  head: ReadonlySet<string>,
  known: ReadonlySet<string>,
): boolean {
  const { sentences, language } = passage;
  let units: Unit[] | undefined;
  return clausesOf(claim).some((clause, at, clauses) => {
    const subject = subjectOf(clause, language);
    // “Greta and Sven run the farm.”
    if (clauses[at - 1]?.at(-1)?.isCapital) return false;
    if (!subject || clause.slice(0, subject.start).some(({ isContent, text }) => isContent && !TITLES.test(text)))
      return false;
    if (PREPOSITIONS.test(clause[subject.start - 1]?.text ?? '')) return false;
    const words = clause.slice(subject.start, subject.end);
    if (words.some(({ text }) => head.has(rootOf(text)))) return false;
    const isStranger = words.every((_, place) => isUnknown(clause, subject.start + place, passage, known));
    if (isStranger ? !seemsName(clause, subject, language) : !isNameIn(words, sentences)) return false;
    units ??= unitsOf(sentences, language);
    return isToldOfOther(clause, subject, isStranger, units, passage);
  });
}

/** A single first word has a capital anyway: it is a name where the passage has it with a capital elsewhere. */
const isNameIn = ([word, ...others]: Word[], sentences: Word[][]): boolean =>
  others.length > 0 ||
  !word!.isFirst ||
  sentences.some((words) => words.some(({ text, isCapital, isFirst }) => text === word!.text && isCapital && !isFirst));

/** A name that the passage has not: by a single first word that no article, and nothing of many, goes with. */
function seemsName(clause: Word[], { start, end }: Name, language: LanguageCode | undefined): boolean {
  if (end - start > 1) return true;
  const next = clause[end];
  if (!next || next.isCapital) return false;
  // “Ada a fondé le musée.”
  const isVerb = language === 'fr' && next.text === 'a';
  if (!isVerb && (DETERMINERS.test(next.text) || PREPOSITIONS.test(next.text))) return false;
  if (language === 'de' ? next.text.endsWith('en') : MANY.test(next.text)) return false;
  return language !== 'en' || !NO_NAME.test(clause[start]!.text);
}

/** `isStranger`: the passage has not the name. */
function isToldOfOther(
  clause: Word[],
  subject: Name,
  isStranger: boolean,
  units: Unit[],
  { sentences, language }: NamesIn,
): boolean {
  const isAbout = ({ own, before }: Unit): boolean => [...before, ...own].some((name) => areSame(name, subject));
  if (!isStranger && !units.some(isAbout)) return false;
  const said = contentOf([...clause.slice(0, subject.start), ...clause.slice(subject.end)]).filter(
    ({ text }) => !TITLES.test(text),
  );
  if (said.length === 0) return false;
  const shares = units.map(({ words }) => shareOf(said, words));
  const most = Math.max(...shares);
  const own = Math.max(0, ...shares.filter((_, at) => isAbout(units[at]!)));
  if (most < MIN_SAID || most - own < MIN_MORE) return false;
  const isName = ({ words }: Unit, { start, end }: Name): boolean =>
    !isStranger || isNameIn(words.slice(start, end), sentences);
  return units.every(
    (unit, at) =>
      shares[at] !== most ||
      isAboutOther({ ...unit, own: unit.own.filter((name) => isName(unit, name)) }, clause, said, language),
  );
}

/** Whether the clause says it of a name that the claim has not. */
function isAboutOther(
  { words, own, before }: Unit,
  clause: Word[],
  said: Word[],
  language: LanguageCode | undefined,
): boolean {
  if (words.some(({ text }) => OURSELVES.test(text))) return false;
  const isOther = ({ texts }: Name): boolean => !clause.some(({ text }) => texts.includes(text));
  if (before.length > 0) return before.every(isOther);
  const isSaid = (word: Word): boolean => word.isContent && has(said, word);
  const [first, last] = [words.findIndex(isSaid), words.findLastIndex(isSaid)];
  return own.filter(isOther).some(({ start, end }) => {
    const leading = leadingTo(words, start);
    if (AGENTS.test(leading)) return true;
    if (PREPOSITIONS.test(leading)) return false;
    // “Die Werkstatt leitet Ada Brook.”
    const isLast = NOUNS_HAVE_CAPITALS.has(language) && start > last && end === words.length;
    return start < first || (isLast && shareOf(said, words) === 1);
  });
}

/** What leads to a name: the “by” of “by the architect Ada Brook”. */
function leadingTo(words: Word[], start: number): string {
  const before = words.slice(Math.max(0, start - MAX_BEFORE_NAME), start).filter(({ text }) => !TITLES.test(text));
  const at = before.findLastIndex(({ text }) => AGENTS.test(text) || PREPOSITIONS.test(text));
  const between = before.slice(at + 1);
  const isOfName = between.every(({ isContent, text }, place) => (isContent ? place > 0 : DETERMINERS.test(text)));
  return at >= 0 && isOfName ? before[at]!.text : (before.at(-1)?.text ?? '');
}

/** The clauses, a mere list of names with the clause after it. */
function unitsOf(sentences: Word[][], language: LanguageCode | undefined): Unit[] {
  const units: Unit[] = [];
  for (const sentence of sentences)
    for (const [at, words] of clausesOf(sentence).entries()) {
      const own = namesIn(words, language);
      const last = units.at(-1);
      const pronoun = words.slice(0, MAX_BEFORE_PRONOUN).findIndex(({ text }) => PRONOUNS.test(text));
      // “Her assistant Ada Brook wrote it.”
      const isOwner = POSSESSIVES.test(words[pronoun]?.text ?? '') && own[0] && own[0].start - pronoun <= MAX_OWNED;
      const goesOn = !isOwner && (pronoun >= 0 || (at > 0 && lacksSubject(words, own)));
      const named = last ? [...last.before, ...last.own] : [];
      const isRelative = RELATIVES.test(words[0]?.text ?? '');
      units.push({ words, own, before: goesOn ? (isRelative ? named.slice(-1) : named) : [] });
    }
  return units;
}

const lacksSubject = (words: Word[], own: Name[]): boolean =>
  own[0]?.start !== words.findIndex(({ isContent }) => isContent) &&
  !words.slice(0, 2).some(({ text }) => DETERMINERS.test(text));

/** In German also a single first word, which may be any noun. */
const subjectOf = (clause: Word[], language: LanguageCode | undefined): Name | undefined => {
  const [first] = clause;
  const name = namesIn(clause, language)[0];
  return name?.start !== 0 && first?.isCapital && first.isContent && !TITLES.test(first.text)
    ? { start: 0, end: 1, texts: [first.text] }
    : name;
};

/** Capitals side by side; in German at least two of them, or one behind a title. */
function namesIn(words: Word[], language: LanguageCode | undefined): Name[] {
  const names: Name[] = [];
  const isPart = (word: Word | undefined): boolean =>
    word !== undefined && word.isCapital && word.isContent && !TITLES.test(word.text);
  for (let start = 0; start < words.length; start++) {
    if (!isPart(words[start])) continue;
    let end = start + 1;
    while (isPart(words[end])) end++;
    const isCertain =
      !NOUNS_HAVE_CAPITALS.has(language) || end - start > 1 || TITLES.test(words[start - 1]?.text ?? '');
    if (isCertain) names.push({ start, end, texts: words.slice(start, end).map(({ text }) => text) });
    start = end;
  }
  return names;
}

/** “Ada Brook” is Brook, but neither Tom Brook. */
const areSame = (one: Name, other: Name): boolean =>
  one.texts.every((text) => other.texts.includes(text)) || other.texts.every((text) => one.texts.includes(text));

import { LRUCache } from 'lru-cache';
import type { AgentSettings } from '../../schema/records.ts';
import { withoutAccents } from '../../knowledge/text/accents.ts';
import { detectLanguage } from '../../knowledge/text/detect-language.ts';
import { synonymsOf } from '../../knowledge/text/synonyms.ts';
import { eachWord, isStopWord, rootOf } from '../../knowledge/text/tokenizer.ts';

/**
 * Tags by their criteria without a model: by the words that say what a tag is about. It prefers no tag to a wrong one.
 */

type Tag = AgentSettings['tags'][number];
type Language = NonNullable<Parameters<typeof isStopWord>[1]>;

/** UTF-16 units of a criterion and of a message that are read. */
const [MAX_CRITERIA, MAX_MESSAGE] = [1000, 2000];
/** Tags whose criteria stay read. */
const MAX_KNOWN = 1000;
/** Of an alternative with so many words or more, this share has to be in the message; of a shorter one all. */
const [LONG, SHARE] = [4, 0.75];

/** Words of criteria that do not say what a message is about: who writes, and that something is asked. */
const FRAME = new Set(
  `visitor visitors customer customers client clients user users person people someone message messages query queries
  question questions ask asks asked asking request requests requesting mention mentions mentioned talk talks talking say
  says tell tells want wants wanting need needs would like likes look looks looking write writes express expresses
  related relate relates concerning regarding topic topics subject matter include includes including example examples
  apply applies applied tag label general other others kind type sort way matters interested interest know
  besucher kunde kunden nutzer frage fragen fragt anfrage anfragen nachricht möchte will wünscht erwähnt spricht thema
  allgemein beispiel sonstiges geht
  cliente clientes visitante visitantes usuario usuarios pregunta preguntas pregunte mensaje quiere menciona tema general
  visiteur visiteurs client clients utilisateur demande demandes question questions message veut mentionne sujet
  visitatore cliente domanda domande chiede messaggio vuole argomento
  visitante cliente pergunta perguntas mensagem quer tema
  bezoeker klant klanten vraag vragen vraagt bericht wil onderwerp`
    .split(/\s+/)
    .map(withoutAccents),
);

/** Words that say nothing by themselves, left over where "a new or returning customer" is cut at its "or". */
const VAGUE = new Set(
  `new old first second last next same different good bad great nice big small long short possible available several first-time
  neu neue neuer neues neuen alt alte alter altes erste erster erstes letzte letzter nächste andere anderer gut gute möglich
  nuevo nueva nuevos nuevas viejo vieja primero primera último última otro otra bueno buena
  nouveau nouvelle nouveaux ancien ancienne premier première dernier dernière autre bon bonne
  nuovo nuova vecchio prima primo ultimo altro altra novo nova velho primeiro primeira outro outra nieuw nieuwe oud oude eerste laatste`
    .split(/\s+/)
    .map(withoutAccents),
);

/** From here on a sentence of a criterion says what is not meant. */
const EXCEPT =
  /(?<!\p{L})(?:except|excluding|unless|but|außer|aber|excepto|salvo|sauf|tranne|exceto|behalve|(?:not|nicht|no|pas|non|não|niet) (?:about|for|when|where|if|über|für|wenn|sobre|para|si|pour|su|per|over|voor|als))(?!\p{L})/iu;
/** What stands after it in the same part is denied. */
const NOT =
  /(?:(?<!\p{L})(?:not|no|never|without|nicht|nie|kein\p{L}*|ohne|nunca|sin|pas|jamais|sans|non|mai|senza|não|sem|niet|geen|zonder)|n['’]t)(?!\p{L})/giu;
/** Words after a “not” of a message that it denies: “was not yet fully emptied”; and UTF-16 units. */
const [DENIED, MAX_DENIED] = [3, 80];
const ENDS =
  /[,;:/|()\n“”"«»]|[.!?。！？؟]+(?:\s|$)|(?<!\p{L})(?:or|oder|ou|o|of|eller|lub|tai|veya|sau|или|або|nebo|vagy|και|ή|أو|או)(?!\p{L})/iu;
const SENTENCES = /[.!?。！？؟]+(?:\s+|$)|\n/u;

/** Groups of synonyms of which a word says too little by itself: an order that is late is no wish to buy. */
const UNCLEAR = new Set(
  ['buy', 'order', 'take', 'accept', 'call', 'ring', 'rate', 'charge', 'change', 'start', 'problem'].map((word) =>
    rootOf(word),
  ),
);

export function matchTags(tags: readonly Tag[], message: string): { name: string; color: string }[] {
  const text = message.slice(0, MAX_MESSAGE);
  const words = [...wordsOf(text), ...deniedIn(text)];
  const roots = new Map<Language, Set<string>>();
  const rootsIn = (language: Language): Set<string> => {
    const known = roots.get(language) ?? new Set(words.map((word) => root(word, language)));
    roots.set(language, known);
    return known;
  };
  const found = tags.map((tag) => {
    const { language, alternatives } = readTag(tag);
    const matched = alternatives.map((one) => rootsOf(one, language)).filter((one) => matches(one, rootsIn(language)));
    return { tag, matched };
  });
  // “Pause my membership” is about a pause.
  const saysMore = (one: ReadonlySet<string>, tag: Tag): boolean =>
    found.some((other) => other.tag !== tag && other.matched.some((more) => isPartOf(one, more)));
  return found
    .filter(({ tag, matched }) => matched.some((one) => !saysMore(one, tag)))
    .map(({ tag: { name, color } }) => ({ name, color }));
}

const isPartOf = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size < other.size && [...one].every((root) => other.has(root));

const rootsOf = (words: readonly string[], language: Language): Set<string> =>
  new Set(words.map((word) => root(word, language)));

function matches(alternative: ReadonlySet<string>, roots: ReadonlySet<string>): boolean {
  let found = 0;
  for (const one of alternative) if (roots.has(one) || clearSynonyms(one).some((other) => roots.has(other))) found += 1;
  return alternative.size > 0 && found >= (alternative.size < LONG ? alternative.size : alternative.size * SHARE);
}

const clearSynonyms = (word: string): readonly string[] => (UNCLEAR.has(word) ? [] : synonymsOf(word));

interface ReadTag {
  language: Language;
  /** Words that hold together: the name, and what stands between the commas and “or”s of the criteria. Not their roots,
   * which are others once the language's stemmer is loaded. */
  alternatives: readonly (readonly string[])[];
}

/** By name and criteria: each message needs all tags. */
const known = new LRUCache<string, ReadTag>({ max: MAX_KNOWN });

function readTag({ name, criteria }: Tag): ReadTag {
  const text = criteria.slice(0, MAX_CRITERIA);
  const key = JSON.stringify([name, text]);
  const before = known.get(key);
  if (before) return before;
  const language = (detectLanguage(`${name} ${text}`) ?? 'en') as Language;
  const meant = text.split(SENTENCES).map((sentence) => sentence.split(EXCEPT, 1)[0]!);
  const parts = meant
    .flatMap((sentence) => sentence.split(ENDS))
    .map((part) => {
      const [said, ...denied] = part.split(NOT);
      return [...distinctive(said!, language), ...distinctive(denied.join(' '), language).map(deny)];
    });
  const alternatives = [distinctive(name, language), ...parts];
  const read = {
    language,
    alternatives: alternatives.filter((words) => !words.every((word) => VAGUE.has(withoutAccents(word)))),
  };
  known.set(key, read);
  return read;
}

const distinctive = (text: string, language: Language): string[] =>
  wordsOf(text).filter((word) => !isStopWord(word) && !isStopWord(word, language) && !FRAME.has(withoutAccents(word)));

function wordsOf(text: string): string[] {
  const words: string[] = [];
  eachWord(text.toLowerCase(), (word) => words.push(word));
  return words;
}

const MARK = '!';
const deny = (word: string): string => `${MARK}${word}`;

/** The words that a message denies, marked. */
const deniedIn = (text: string): string[] =>
  Array.from(text.matchAll(NOT)).flatMap(({ 0: not, index }) => {
    const after = text.slice(index + not.length, index + not.length + MAX_DENIED).split(ENDS, 1)[0]!;
    return wordsOf(after).slice(0, DENIED).map(deny);
  });

const root = (word: string, language: Language): string =>
  word.startsWith(MARK) ? deny(root(word.slice(1), language)) : withoutAccents(rootOf(word, language));

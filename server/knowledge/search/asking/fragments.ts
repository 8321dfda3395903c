/** Forms of the verbs that questions are asked with. Those that are nouns or articles of another of the languages are left out. */
const VERBS = wordsIn(
  `is isn are aren was were do does did don can could may might must should shall will would have has had
  ist sind waren kann können könnte darf dürfen muss müssen soll sollen habe haben habt hat gibt wird werden
  est sont avez avons ai peut peux peuvent pouvez puis dois doit faut acceptez faites proposez vendez
  está están hay puedo puede pueden podemos tiene tienen tengo hacen aceptan venden
  c'è sono posso può possono avete possiamo accettate fate
  há são posso pode podem tem têm aceitam vendem fazem
  zijn kunnen mag heeft hebben hebt moet moeten
  är finns får måste har kan må
  jest są mogę można mają macie czy
  есть можно могу можете нужно
  var yok mı mi mu mü`,
);
/** Words that go on with a sentence: "and", and what stands before a noun. */
const JOINING = wordsIn(
  `and or but so also with without for in on to from
  und oder aber auch mit ohne für im am ab zum zur
  et ou mais aussi avec sans pour dans sur
  y o pero también con sin para en
  e ma anche con senza per nel
  mas também com sem em
  en of maar ook met zonder voor
  och eller men också med utan för og også uten
  i a ale też z bez dla na
  и а но или с без для на
  ve veya peki`,
);
const MAX_CHARS = 300;

function wordsIn(text: string): Set<string> {
  return new Set(read(text));
}

function read(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}]+(?:['’](?=è)è)?/gu) ?? [];
}

/**
 * Whether a text is a part of a sentence that another one began, in ten languages: "and for children?", "with a trailer",
 * "in red". "And do you sell wax?" is none.
 */
export function isFragment(text: string): boolean {
  const words = read(text.slice(0, MAX_CHARS));
  return JOINING.has(words[0] ?? '') && !words.some((word) => VERBS.has(word));
}

/** Whether a text has a verb that asks or tells by itself. */
export const hasVerb = (text: string): boolean => read(text.slice(0, MAX_CHARS)).some((word) => VERBS.has(word));

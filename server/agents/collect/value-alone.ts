import { isChatWord } from '../../knowledge/search/asking/politeness.ts';
import type { AgentVariable } from '../../schema/variables.ts';
import type { Candidate } from './kinds.ts';
import { FRAME, LINK, tellingWords, traitsOf } from './traits.ts';

/** UTF-16 units of a text in which values are looked for. */
const MAX_VALUE_CHARS = 2000;

/** What links a value to what is said: "with the number 50077", "my e-mail is". A few words of each language. */
const LABEL =
  /(?:[\s,]*(?<!\p{L})(?:with|under|for|at|by|on|of|mit|unter|für|bei|von|zu|avec|sous|pour|con|bajo|para|per|com|sob|met|onder|voor|med|under))?(?:\s+(?:the|my|der|dem|das|meiner?|meinem|le|la|mon|ma|el|mi|il|mio|mia|o|a|meu|minha|de|het|mijn|mit|min))?(?:\s+(?:e-?mail|mail|address|adresse|phone|number|no\.?|nr\.?|nummer|numéro|número|numero|id|code))*(?:\s+(?:is|ist|lautet|est|es|è|é))?[\s:#]*$/iu;

/** The text without values of these variables and what links them to it, in the forms that `collect` takes. */
export function withoutValues(whole: string, variables: Iterable<AgentVariable>): string {
  const text = whole.slice(0, MAX_VALUE_CHARS);
  const found = [...variables].flatMap((variable) => {
    const { kind } = traitsOf(variable);
    return kind ? [...kind.find(text), ...(kind.withoutLetters?.find(text) ?? [])] : [];
  });
  let rest = '';
  let end = 0;
  for (const value of found.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    if (value.start < end) continue;
    rest += text.slice(end, value.start).replace(LABEL, '');
    end = value.end;
  }
  return rest + text.slice(end);
}

/** Whether a message gives values of these variables, and says nothing else: "it is BB-10234, thanks". */
export function isValueAlone(message: string, variables: readonly AgentVariable[]): boolean {
  const rest = withoutValues(message, variables);
  if (rest === message.slice(0, MAX_VALUE_CHARS) || /[?？؟]/.test(message)) return false;
  const known = new Set(variables.flatMap((one) => [...traitsOf(one).words, ...traitsOf(one).names.flat()]));
  return tellingWords(rest).every(
    (word) => known.has(word) || FRAME.has(word) || LINK.test(word) || isChatWord(word) || word === 'number',
  );
}

/** The only one of the values where the text has no other digits. */
export const onlyValue = (text: string, [value, another]: readonly Candidate[]): Candidate | undefined =>
  value && !another && !/\d/.test(text.slice(0, value.start) + text.slice(value.end)) ? value : undefined;

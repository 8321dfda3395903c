import * as Type from 'typebox';
import { MAX_RULES, RuleConditions, type Rule } from '../../schema/routing.ts';
import { eachWord } from '../../knowledge/text/tokenizer.ts';
import { withoutAccents } from '../../knowledge/text/accents.ts';
import { invalid } from '../../schema/errors.ts';
import { validateWithin, isObject } from '../../schema/validate.ts';

/** The rules of an agent: what must be true of a session for this agent to answer, whatever its score. */

/** What a session is, for rules. */
export interface SessionFacts {
  /** Queries of the session, the present one counted. */
  queries: number;
  lastAgent?: string | undefined;
  /** Answers in a row of the agent that answered last; 0 before the first. */
  consecutive: number;
  variables: Readonly<Record<string, unknown>>;
}

const MAX_DEPTH = 4;
/** Of a group, and of all that an agent's rules hold. */
const MAX_MEMBERS = 20;
const MAX_CONDITIONS = 200;
const KINDS = ['all', 'any', ...Object.keys(RuleConditions)];

/** The rules that a caller sent. Throws a `Refusal` whose field is the place at fault, such as `rules[0].all[1].contains`. */
export function checkedRules(field: string, sent: unknown): Rule[] {
  const count = { conditions: 0 };
  return checkedMembers(field, sent, MAX_RULES, 1, count);
}

function checkedMembers(
  place: string,
  sent: unknown,
  most: number,
  depth: number,
  count: { conditions: number },
): Rule[] {
  if (!Array.isArray(sent)) throw invalid(place, `${place} must be a list`);
  if (sent.length > most) throw invalid(place, `${place} must be a list of at most ${most}`);
  return sent.map((one, at) => checkedRule(`${place}[${at}]`, one, depth, count));
}

function checkedRule(place: string, sent: unknown, depth: number, count: { conditions: number }): Rule {
  const keys = isObject(sent) ? Object.keys(sent).filter((key) => KINDS.includes(key)) : [];
  const [kind] = keys;
  if (!isObject(sent) || !kind || Object.keys(sent).length > 1) {
    throw invalid(place, `${place} must be an object with exactly one of ${KINDS.join(', ')}`);
  }
  if (++count.conditions > MAX_CONDITIONS) {
    throw invalid(place, `${place} is one too many: rules hold at most ${MAX_CONDITIONS} conditions and groups`);
  }
  if (kind === 'all' || kind === 'any') return checkedGroup(place, kind, sent[kind], depth, count);
  return checkedCondition(place, kind as keyof RuleConditions, sent);
}

function checkedGroup(
  place: string,
  kind: 'all' | 'any',
  sent: unknown,
  depth: number,
  count: { conditions: number },
): Rule {
  const field = `${place}.${kind}`;
  if (depth >= MAX_DEPTH) throw invalid(field, `${field} must not be a group: rules are at most ${MAX_DEPTH} deep`);
  const members = checkedMembers(field, sent, MAX_MEMBERS, depth + 1, count);
  if (members.length === 0) throw invalid(field, `${field} must not be empty`);
  return kind === 'all' ? { all: members } : { any: members };
}

function checkedCondition(place: string, kind: keyof RuleConditions, sent: Record<string, unknown>): Rule {
  const field = `${place}.${kind}`;
  const value = sent[kind];
  const nested = RuleConditions[kind];
  const rule =
    isObject(value) && 'properties' in nested
      ? { [kind]: validateWithin(field, nested as Type.TObject, value) }
      : validateWithin(place, Type.Object({ [kind]: nested }), sent);
  refuseEmpty(field, rule as Partial<RuleConditions>);
  return rule as Rule;
}

/** What every schema allows and no session could tell: a range without an end, a variable without a test. */
function refuseEmpty(field: string, { queries, consecutive, variable }: Partial<RuleConditions>): void {
  for (const range of [queries, consecutive]) {
    if (!range) continue;
    const { min, max } = range;
    if (min === undefined && max === undefined) throw invalid(field, `${field} must hold min, max or both`);
    if (min !== undefined && max !== undefined && min > max)
      throw invalid(`${field}.min`, `${field}.min must not be above max`);
  }
  if (variable && (variable.set === undefined) === (variable.equals === undefined)) {
    throw invalid(field, `${field} must hold either set or equals`);
  }
}

interface Team {
  /** Uuids of the agents that answer. */
  answering: ReadonlySet<string>;
  /** Names of variables that the chatbot's agents declare. */
  variables: ReadonlySet<string>;
}

/**
 * Throws a `Refusal` for a condition that names no agent that answers. Returns the places of names of variables that no
 * agent declares: such a variable has a value where a page or a program sends one.
 */
export function undeclaredIn(field: string, rules: readonly Rule[], { answering, variables }: Team): string[] {
  return rules.flatMap((rule, at) => {
    const place = `${field}[${at}]`;
    if ('all' in rule) return undeclaredIn(`${place}.all`, rule.all, { answering, variables });
    if ('any' in rule) return undeclaredIn(`${place}.any`, rule.any, { answering, variables });
    if ('last_agent' in rule && !answering.has(rule.last_agent))
      throw invalid(`${place}.last_agent`, `${place}.last_agent must be an agent of this chatbot that answers`);
    return 'variable' in rule && !variables.has(rule.variable.name) ? [`${place}.variable.name`] : [];
  });
}

/** The place of the first rule that is true, or -1. */
export function firstTrue(rules: readonly Rule[], query: string, facts: SessionFacts): number {
  const message = new Message(query);
  return rules.findIndex((rule) => isTrue(rule, message, facts));
}

/** Its words are read at most once, however many conditions are about them. */
class Message {
  readonly text: string;
  #words: string | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** As `foldedWords`. */
  get words(): string {
    return (this.#words ??= foldedWords(this.text));
  }
}

function isTrue(rule: Rule, message: Message, facts: SessionFacts): boolean {
  if ('all' in rule) return rule.all.every((one) => isTrue(one, message, facts));
  if ('any' in rule) return rule.any.some((one) => isTrue(one, message, facts));
  if ('queries' in rule) return isWithin(rule.queries, facts.queries);
  if ('consecutive' in rule) return isWithin(rule.consecutive, facts.consecutive);
  if ('last_agent' in rule) return facts.lastAgent === rule.last_agent;
  if ('variable' in rule) return isVariableTrue(rule.variable, facts.variables);
  return rule.contains.some((words) =>
    // The tokenizer gives Han in pairs.
    /^\p{Script=Han}$/u.test(words) ? message.text.includes(words) : message.words.includes(foldedWords(words)),
  );
}

const isWithin = ({ min = 0, max = Infinity }: RuleConditions['queries'], value: number): boolean =>
  value >= min && value <= max;

/** An empty string is no value. Values are compared as text, as visitors and forms send numbers as text. */
function isVariableTrue(
  { name, set, equals }: RuleConditions['variable'],
  variables: SessionFacts['variables'],
): boolean {
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
  const isSet = value !== undefined && value !== null && value !== '';
  return equals === undefined ? isSet === set : isSet && String(value) === String(equals);
}

/** The words of a text with a line break around each, so that one text within another is whole words side by side. */
function foldedWords(text: string): string {
  const words: string[] = [];
  // In lower case already, so that no word is divided at a capital.
  eachWord(text.toLowerCase(), (word) => words.push(withoutAccents(word)));
  return `\n${words.join('\n')}\n`;
}

import { declaredBy } from '../agents/variables.ts';
import type { Agent } from '../schema/records.ts';
import { nearestWord } from '../schema/nearest-word.ts';
import type { Conversation, Turn } from './format.ts';

/** The names that a turn may expect something of. */
export interface KnownNames {
  agents: string[];
  agentUuids: string[];
  labels: string[];
  variables: string[];
  functions: string[];
}

export const namesOf = (agents: readonly Agent[]): KnownNames => ({
  agents: agents.map(({ name }) => name),
  agentUuids: agents.map(({ uuid }) => uuid),
  labels: agents.flatMap(({ meta }) => (meta.tags ?? []).map(({ name }) => name)),
  variables: [...declaredBy(agents).keys()],
  functions: agents.flatMap(({ tool_functions }) => tool_functions.map(({ name }) => name)),
});

const STATES = ['none', 'requested'];

/** For each name of the turn that the chatbot does not have, a sentence that says so, with the nearest or those that it has. */
export function hintsFor(turn: Turn, { variables = {} }: Conversation, known: KnownNames): string[] {
  const given = [...known.variables, ...Object.keys(variables)];
  const hintsOf = (what: string, names: readonly string[], having: readonly string[]): string[] =>
    [...new Set(names)].filter((name) => !having.includes(name)).map((name) => hint(what, name, having));
  const agents = turn.agent === undefined || isAgent(turn.agent, known) ? [] : [turn.agent];
  const states = turn.state === undefined ? [] : [turn.state];
  return [
    ...hintsOf('agent', agents, known.agents),
    ...hintsOf('state', states, STATES),
    ...hintsOf('label', turn.labels ?? [], known.labels),
    ...hintsOf('variable', Object.keys(turn.variables ?? {}), given),
    ...hintsOf(
      'function',
      (turn.tools ?? []).map(({ name }) => name),
      known.functions,
    ),
  ];
}

/** The case of an agent's name does not count. */
const isAgent = (name: string, { agents, agentUuids }: KnownNames): boolean =>
  agentUuids.includes(name.replaceAll('-', '').toLowerCase()) ||
  agents.some((one) => one.toLowerCase() === name.toLowerCase());

const MAX_LISTED = 10;

function hint(what: string, name: string, known: readonly string[]): string {
  const near = nearestOf(name, known);
  const listed = [...new Set(known)].slice(0, MAX_LISTED).map((one) => `“${one}”`);
  const more = known.length > MAX_LISTED ? ', …' : '';
  const meant =
    near === undefined
      ? `there ${listed.length === 1 ? 'is' : 'are'} ${listed.join(', ')}${more}`
      : `did you mean “${near}”?`;
  return `the chatbot has no ${what} “${name}”${listed.length === 0 ? '' : `; ${meant}`}`;
}

/** Whatever the case. */
function nearestOf(name: string, known: readonly string[]): string | undefined {
  const folded = known.map((one) => one.toLowerCase());
  const wanted = name.toLowerCase();
  const near = folded.includes(wanted) ? wanted : nearestWord(wanted, folded);
  return known.find((one) => one.toLowerCase() === near);
}

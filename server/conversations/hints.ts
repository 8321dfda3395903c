import { declaredBy } from '../agents/variables.ts';
import type { Agent } from '../schema/records.ts';
import { nearestWord } from '../schema/nearest-word.ts';
import type { Conversation, Turn } from './format.ts';

/** The names that a turn may expect something of. */
export interface KnownNames {
  agents: string[];
  labels: string[];
  variables: string[];
}

export const namesOf = (agents: readonly Agent[]): KnownNames => ({
  agents: agents.flatMap(({ name, uuid }) => [name, uuid]),
  labels: agents.flatMap(({ meta }) => (meta.tags ?? []).map(({ name }) => name)),
  variables: [...declaredBy(agents).keys()],
});

/** For each name of the turn that the chatbot does not have, a sentence that says so, with the nearest that it has. */
export function hintsFor(turn: Turn, { variables = {} }: Conversation, known: KnownNames): string[] {
  const given = [...known.variables, ...Object.keys(variables)];
  return [
    ...(turn.agent === undefined ? [] : hint('agent', turn.agent, known.agents)),
    ...(turn.labels ?? []).flatMap((name) => hint('label', name, known.labels)),
    ...Object.keys(turn.variables ?? {}).flatMap((name) => hint('variable', name, given)),
  ];
}

function hint(what: string, name: string, known: readonly string[]): string[] {
  const folded = known.map((one) => one.toLowerCase());
  const at = folded.indexOf(name.toLowerCase());
  // The case of an agent's name does not count.
  if (
    known.includes(name) ||
    (what === 'agent' && (at >= 0 || folded.includes(name.replaceAll('-', '').toLowerCase())))
  )
    return [];
  const near = at >= 0 ? known[at] : nearestOf(name, known);
  return [`the chatbot has no ${what} “${name}”${near === undefined ? '' : `; did you mean “${near}”?`}`];
}

/** Whatever the case. */
function nearestOf(name: string, known: readonly string[]): string | undefined {
  const near = nearestWord(
    name.toLowerCase(),
    known.map((one) => one.toLowerCase()),
  );
  return known.find((one) => one.toLowerCase() === near);
}

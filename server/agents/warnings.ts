import { nearestWord } from '../schema/nearest-word.ts';
import type { ToolFunction } from '../schema/records.ts';
import type { StoredAgent } from '../store/store.ts';
import { calledName, classOf, examplesOf, META_KEYS } from './tool-functions.ts';
import { namesIn } from './variables.ts';

/** What is stored of agents and does not act as it may be meant. */

/** A field, and a sentence of plain ASCII. */
export type Warning = readonly [field: string, sentence: string];

/** Warnings that a reply shows. */
export const MAX_WARNINGS = 10;

/** `agents`: all of the chatbot. */
export function agentWarnings(agent: StoredAgent, agents: readonly StoredAgent[]): Warning[] {
  const { prompt, meta, human_escalation_settings: escalation } = agent;
  return undeclaredIn(agents, {
    prompt,
    default_message: meta.default_message,
    'human_escalation_settings.human_requested_message': escalation?.human_requested_message,
  });
}

interface FunctionScene {
  agent: StoredAgent;
  /** All of the chatbot. */
  agents: readonly StoredAgent[];
  /** The address guard refuses its `external_url`. */
  isBlocked: boolean;
}

export function functionWarnings(one: ToolFunction, { agent, agents, isBlocked }: FunctionScene): Warning[] {
  const { name, description, meta, external_url, headers, parameters } = one;
  const warnings: Warning[] = [];
  if (agent.type !== 'user-facing')
    warnings.push(['agent', `only user-facing agents call functions, not ${agent.type}`]);
  const called = calledName(name);
  if (called !== name) warnings.push(['name', `the model calls it ${called}`]);
  const isAlike = (other: ToolFunction): boolean =>
    other.uuid !== one.uuid && other.enabled === 1 && calledName(other.name) === called;
  if (one.enabled === 1 && agent.tool_functions.some(isAlike))
    warnings.push(['name', 'another function of the agent has it too: the model calls one of them by another name']);
  if (description.trim() === '') warnings.push(['description', 'is empty: the model picks functions by it']);
  if (isBlocked)
    warnings.push([
      'external_url',
      'is not public, and is not called unless FETCH_ALLOW of the server has its host:port',
    ]);
  for (const key of Object.keys(meta)) {
    const meant = nearestWord(key, META_KEYS);
    if (meant) warnings.push([`meta.${key}`, `does nothing; is meta.${meant} meant?`]);
  }
  if (examplesOf(one).length > 0 && classOf(one) !== 'read')
    warnings.push(['meta.examples', 'call functions of the class read only']);
  const templates = { external_url, headers: textsIn(headers), parameters: textsIn(parameters) };
  return [...warnings, ...undeclaredIn([agent, ...agents], templates)];
}

const textsIn = (value: object): string => Object.values(value).map(textIn).join('\n');

const textIn = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'object' && value !== null ? textsIn(value) : '';

/** Docent's own: the address of the visitor's page. */
const OWN_VARIABLES = ['page'];

/** Declared names that a name is compared with: a chatbot may have 10,000, and each comparison takes time. */
const MAX_COMPARED = 500;

/**
 * A page or a program may send a variable that no agent declares; most often its name is a typing error. One more than
 * `MAX_WARNINGS` at most.
 */
function undeclaredIn(agents: readonly StoredAgent[], templates: Record<string, string | undefined>): Warning[] {
  const names = agents.flatMap(({ variables }) => variables.map(({ name }) => name));
  const declared = new Set([...OWN_VARIABLES, ...names]);
  const compared = [...declared].slice(0, MAX_COMPARED);
  const written = (name: string): string => `{{${encodeURIComponent(name.toWellFormed())}}}`;
  const warnings: Warning[] = [];
  for (const [field, template = ''] of Object.entries(templates))
    for (const name of new Set(namesIn(template))) {
      if (declared.has(name)) continue;
      const near = nearestWord(name, compared);
      const question = near === undefined ? '' : `; is ${written(near)} meant?`;
      if (warnings.push([field, `no agent declares ${written(name)}${question}`]) > MAX_WARNINGS) return warnings;
    }
  return warnings;
}

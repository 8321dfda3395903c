import { invalid, Refusal } from '../schema/errors.ts';
import { newUuid, timestamp, view, type Clock } from '../schema/ids.ts';
import { AgentByType, AgentMeta, type Agent, type AgentType } from '../schema/records.ts';
import type { StoredAgent } from '../store/store.ts';
import { defaultSettings, ESCALATION_DEFAULTS, type SentSettings } from './settings.ts';
import { functionView } from './tool-functions.ts';

interface NewAgent {
  name: string;
  type: AgentType;
  description?: string;
  prompt?: string;
  settings?: SentSettings;
}

/** The record of a new agent: not enabled, with default settings where none are sent. */
export function newAgent(
  chatbot: string,
  { name, type, description = '', prompt = '', settings }: NewAgent,
  clock: Clock,
): StoredAgent {
  const now = timestamp(clock);
  return {
    uuid: newUuid(),
    name,
    prompt,
    description,
    type,
    created_at: now,
    modified_at: now,
    enabled: 0,
    meta: { ...defaultSettings(type), ...settings },
    data_source_uuids: [],
    ...(type === 'human-escalation' ? { human_escalation_settings: ESCALATION_DEFAULTS } : {}),
    tool_functions: [],
    variables: [],
    chatbot,
  };
}

/** The agent that every chatbot is created with, so that it can answer at once. */
export function defaultAgent(chatbot: string, clock: Clock): StoredAgent {
  const profile = { name: 'General Q&A', description: 'Answers the questions of visitors from the sources.' };
  return { ...newAgent(chatbot, { ...profile, type: 'user-facing' }, clock), enabled: 1 };
}

/** Each two agents are told apart by a model of their own: time and memory for the choice grow with the square. */
const MAX_AGENTS = 100;

/** Throws where a chatbot has `MAX_AGENTS`, or the human-escalation or spam-defense agent that it may have. */
export function refuseMore({ type }: Agent, others: Agent[]): void {
  if (others.length >= MAX_AGENTS)
    throw new Refusal('invalid_field', `a chatbot has ${MAX_AGENTS} agents at most: delete one that is not used`);
  if (SINGLE.has(type) && others.some((one) => one.type === type)) {
    throw invalid('type', `type ${type} is there already: a chatbot has one agent of this type at most`);
  }
}

/** Types of which a chatbot has one agent at most. */
const SINGLE = new Set<AgentType>(['human-escalation', 'spam-defense']);

/** What an agent says without a model, as its owner wrote it; undefined for one that answers from sources. */
export const cannedAnswer = ({ type, meta, human_escalation_settings }: StoredAgent): string | undefined =>
  ({
    'user-facing': undefined,
    background: undefined,
    'human-escalation': human_escalation_settings?.human_requested_message ?? '',
    'pre-canned': meta.default_message ?? '',
    'spam-defense': meta.default_message ?? '',
  })[type];

/** The sources that an agent answers from; undefined for all sources of its chatbot. */
export const sourcesFor = ({ meta, data_source_uuids }: StoredAgent): ReadonlySet<string> | undefined =>
  meta.use_all_sources === false ? new Set(data_source_uuids) : undefined;

/** The agent as the API returns it, with the keys of its type only. */
export function agentView(stored: StoredAgent): Agent {
  const agent = view<Agent>(AgentByType[stored.type], stored);
  const tool_functions = stored.tool_functions.map(functionView);
  return { ...agent, meta: view(AgentMeta[stored.type], stored.meta), tool_functions };
}

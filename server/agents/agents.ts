import { newUuid, timestamp, view, type Clock } from '../records.ts';
import { DEFAULT_MODEL } from '../model/catalogue.ts';
import { AgentByType, AgentMeta, type Agent } from '../schema.ts';
import type { StoredAgent } from '../store/store.ts';

/** The agent that every chatbot is created with (interface.txt, Agent). */
export function defaultAgent(chatbot: string, clock: Clock): StoredAgent {
  const now = timestamp(clock);
  return {
    uuid: newUuid(),
    name: 'General Q&A',
    prompt: '',
    description: 'Answers the questions of visitors from the sources.',
    type: 'user-facing',
    created_at: now,
    modified_at: now,
    enabled: 1,
    meta: { model: DEFAULT_MODEL, temperature: 0, bias: 0, stickness: 0, use_all_sources: true },
    data_source_uuids: [],
    tool_functions: [],
    variables: [],
    chatbot,
  };
}

/** Who answers: the first enabled user-facing agent. */
export const answeringAgent = (agents: StoredAgent[]): StoredAgent | undefined =>
  agents.find((agent) => agent.enabled === 1 && agent.type === 'user-facing');

/** The agent as its reply has it: the keys of its type, and no others. */
export function agentView(stored: StoredAgent): Agent {
  const agent = view<Agent>(AgentByType[stored.type], stored);
  return { ...agent, meta: view(AgentMeta[stored.type], stored.meta) };
}

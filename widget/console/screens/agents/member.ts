import type { Agent, AgentRouting, AgentType } from '../../agent-records.ts';

export const AGENT_TYPES: Record<AgentType, string> = {
  'user-facing': 'Answers from the sources',
  'pre-canned': 'Answers with a fixed text',
  'human-escalation': 'Answers a wish for a person',
  'spam-defense': 'Answers spam',
  background: 'Labels messages, never answers',
};

export interface Member {
  agent: Agent;
  routing: AgentRouting;
}

import type { Agent, AgentRouting, AgentType } from '../../agent-records.ts';

export const AGENT_TYPES: Record<AgentType, string> = {
  'user-facing': 'Answers from the sources',
  'pre-canned': 'Answers with a fixed text',
  'human-escalation': 'Notes a wish for a person, and calls nobody',
  'spam-defense': 'Answers spam',
  background: 'Labels messages, never answers',
};

export interface Member {
  agent: Agent;
  routing: AgentRouting;
}

import { demoTeam, type DemoAgent } from '../../demo/team.ts';
import { newAgent } from '../agents/agents.ts';
import type { SentSettings } from '../agents/settings.ts';
import type { Clock } from '../schema/ids.ts';
import type { StoredAgent } from '../store/store.ts';

/** The demo's team as records of a new chatbot, all enabled, in the order in which they stand. */
export const demoAgents = (chatbot: string, clock: Clock): StoredAgent[] =>
  demoTeam.map((agent) => demoAgent(chatbot, agent, clock));

function demoAgent(chatbot: string, agent: DemoAgent, clock: Clock): StoredAgent {
  const { name, type, description, prompt = '', examples = [] } = agent;
  const created = newAgent(chatbot, { name, type, description, prompt, settings: settingsOf(agent) }, clock);
  const { human_escalation_settings: escalation } = created;
  return {
    ...created,
    enabled: 1,
    ...(escalation && {
      human_escalation_settings: { ...escalation, human_requested_message: agent.message ?? '' },
    }),
    routing: { examples, rules: [] },
  };
}

/** Those that the type has: an agent's record holds no others. */
function settingsOf({ type, message, bias, tags }: DemoAgent): SentSettings {
  return {
    ...(bias === undefined ? {} : { bias }),
    ...(message === undefined || type === 'human-escalation' ? {} : { default_message: message }),
    ...(tags === undefined ? {} : { tags }),
  };
}

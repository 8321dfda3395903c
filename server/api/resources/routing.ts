import * as Type from 'typebox';
import type { Warning } from '../../agents/warnings.ts';
import { checkedRules, undeclaredIn } from '../../agents/routing/rules.ts';
import { replayRouting } from '../../answer/trace/replay.ts';
import { requireMatch, withEtag } from '../../http/precondition.ts';
import { invalid, notFound } from '../../schema/errors.ts';
import { nextModifiedAt } from '../../schema/ids.ts';
import { AgentRouting, RoutingReplay, RoutingTrial } from '../../schema/routing.ts';
import { validate, validateWithin } from '../../schema/validate.ts';
import type { StoredAgent } from '../../store/store.ts';
import { setWarnings } from '../requests/warnings.ts';
import { operation, ownedAgent, ownedChatbot, type ApiDeps, type Operation } from '../requests/operation.ts';

const Change = Type.Partial(AgentRouting);
const Examples = Type.Pick(Change, ['examples']);
const Within = Type.Object({ routing: Type.Optional(Type.Object({})) });
const NO_ROUTING: AgentRouting = { examples: [], rules: [] };

export const routing = ({ store, clock, router }: ApiDeps): Operation[] => [
  operation({
    id: 'getAgentRouting',
    right: 'edit',
    audit: 'none',
    method: 'GET',
    path: '/api/v1/agent/:uuid/routing',
    summary: 'Fetch the routing examples and rules of an agent',
    reply: AgentRouting,
    hasEtag: true,
    handle: async ({ user, uuid, ctx }) => withEtag(ctx, routingOf(await ownedAgent(store, user, uuid))),
  }),
  operation({
    id: 'updateAgentRouting',
    right: 'edit',
    audit: 'changes',
    method: 'POST',
    path: '/api/v1/agent/:uuid/routing',
    summary: 'Update the routing examples and rules of an agent',
    description:
      'What is sent replaces what was there; what is not sent stays. The field of a 422 is the place in a rule, such as `rules[0].all[1].contains`; `last_agent` must be an agent of the chatbot that answers. `X-Warnings` names variables that no agent declares.',
    body: Change,
    checkedByHandler: true,
    reply: AgentRouting,
    hasEtag: true,
    takesIfMatch: true,
    async handle({ user, uuid, body, ctx }) {
      const own = await ownedAgent(store, user, uuid);
      const { change, warnings } = readRouting(body, own, await store.agents(own.chatbot));
      const changed = await store.updateAgent(uuid, (agent) => {
        requireMatch(ctx, routingOf(agent));
        return {
          ...agent,
          routing: withRouting(agent, change),
          modified_at: nextModifiedAt(agent.modified_at, clock),
        };
      });
      if (!changed?.routing) throw notFound('agent');
      setWarnings(ctx, warnings);
      return withEtag(ctx, changed.routing);
    },
  }),
  operation({
    id: 'traceRouting',
    right: 'edit',
    audit: 'reads',
    method: 'POST',
    path: '/api/v1/chatbot/:uuid/agents/replay',
    summary: 'Try other settings of bias and stickness on the newest messages',
    description:
      'Chooses the agent of the newest 1,000 messages anew, by the present settings and by those sent, as it is chosen for a visitor; changes nothing, and asks no model. The messages before one are those of its session, with the agents that answered them then.',
    body: RoutingTrial,
    reply: RoutingReplay,
    async handle({ user, uuid, body }) {
      await ownedChatbot(store, user, uuid);
      const agents = await store.agents(uuid);
      for (const [at, one] of body.agents.entries())
        if (!agents.some((agent) => agent.uuid === one.uuid))
          throw invalid(`agents[${at}].uuid`, `agents[${at}].uuid must be an agent of this chatbot`);
      return replayRouting({ store, router }, uuid, agents, body.agents);
    },
  }),
];

/**
 * What the body of an operation sets of the routing of `agent`, one of the team. Throws a `Refusal` that names the place at fault.
 */
function readRouting(body: unknown, agent: Pick<StoredAgent, 'type'>, team: readonly StoredAgent[]): RoutingChange {
  const { rules } = Object(body) as { rules?: unknown };
  return checked('rules', validate(Examples, body), rules, agent, team);
}

/** The same of `routing` in the body of an agent's update. */
export function readRoutingWithin(
  routing: unknown,
  agent: Pick<StoredAgent, 'type'>,
  team: readonly StoredAgent[],
): RoutingChange | undefined {
  // All of it, as the fields that its schema does not name are nested without end as well.
  const { routing: sent } = validate(Within, { routing });
  if (sent === undefined) return undefined;
  const examples = validateWithin('routing', Examples, sent);
  return checked('routing.rules', examples, (sent as { rules?: unknown }).rules, agent, team);
}

interface RoutingChange {
  change: Partial<AgentRouting>;
  warnings: Warning[];
}

function checked(
  place: string,
  examples: Partial<AgentRouting>,
  sent: unknown,
  { type }: Pick<StoredAgent, 'type'>,
  team: readonly StoredAgent[],
): RoutingChange {
  const rules = sent === undefined || sent === null ? undefined : checkedRules(place, sent);
  const undeclared = undeclaredIn(place, rules ?? [], teamOf(team));
  const warnings = undeclared.map((one): Warning => [one, 'no agent declares it']);
  return {
    change: { ...examples, ...(rules && { rules }) },
    warnings: type === 'background' ? [['agent', 'a background agent never answers'], ...warnings] : warnings,
  };
}

export const withRouting = ({ routing: before }: StoredAgent, change: Partial<AgentRouting>): AgentRouting => ({
  ...NO_ROUTING,
  ...before,
  ...change,
});

const routingOf = ({ routing: kept }: StoredAgent): AgentRouting => kept ?? NO_ROUTING;

const teamOf = (agents: readonly StoredAgent[]) => ({
  answering: new Set(agents.flatMap(({ uuid, type }) => (type === 'background' ? [] : [uuid]))),
  variables: new Set(agents.flatMap(({ variables }) => variables.map(({ name }) => name))),
});

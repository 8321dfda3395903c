import * as Type from 'typebox';
import { checkedRules, undeclaredIn } from '../../agents/routing/rules.ts';
import { replayRouting } from '../../answer/trace/replay.ts';
import { invalid, notFound } from '../../schema/errors.ts';
import { nextModifiedAt } from '../../schema/ids.ts';
import { AgentRouting, RoutingReplay, RoutingTrial } from '../../schema/routing.ts';
import { isObject, validate } from '../../schema/validate.ts';
import type { StoredAgent } from '../../store/store.ts';
import { setWarnings } from '../requests/warnings.ts';
import { operation, ownedAgent, ownedChatbot, type ApiDeps, type Operation } from '../requests/operation.ts';

const RoutingChange = Type.Partial(AgentRouting);
const Examples = Type.Pick(RoutingChange, ['examples']);
const NO_ROUTING: AgentRouting = { examples: [], rules: [] };

export const routing = ({ store, clock, router }: ApiDeps): Operation[] => [
  operation({
    id: 'getAgentRouting',
    right: 'edit',
    method: 'GET',
    path: '/api/v1/agent/:uuid/routing',
    summary: 'Fetch the routing examples and rules of an agent',
    reply: AgentRouting,
    handle: async ({ user, uuid }) => (await ownedAgent(store, user, uuid)).routing ?? NO_ROUTING,
  }),
  operation({
    id: 'updateAgentRouting',
    right: 'edit',
    method: 'POST',
    path: '/api/v1/agent/:uuid/routing',
    summary: 'Update the routing examples and rules of an agent',
    description:
      'What is sent replaces what was there; what is not sent stays. The field of a 422 is the place in a rule, such as `rules[0].all[1].contains`; `last_agent` must be an agent of the chatbot that answers. `X-Warnings` names variables that no agent declares.',
    body: RoutingChange,
    checkedByHandler: true,
    reply: AgentRouting,
    async handle({ user, uuid, body, ctx }) {
      const { chatbot, type } = await ownedAgent(store, user, uuid);
      const change: Partial<AgentRouting> = validate(Examples, body);
      const { rules } = isObject(body) ? body : {};
      if (rules !== undefined && rules !== null) change.rules = checkedRules('rules', rules);
      const undeclared = undeclaredIn('rules', change.rules ?? [], teamOf(await store.agents(chatbot)));
      const changed = await store.updateAgent(uuid, (agent) => ({
        ...agent,
        routing: { ...NO_ROUTING, ...agent.routing, ...change },
        modified_at: nextModifiedAt(agent.modified_at, clock),
      }));
      if (!changed?.routing) throw notFound('agent');
      setWarnings(ctx, [
        ...(type === 'background' ? [['agent', 'a background agent never answers'] as const] : []),
        ...undeclared.map((place) => [place, 'no agent declares it'] as const),
      ]);
      return changed.routing;
    },
  }),
  operation({
    id: 'traceRouting',
    right: 'edit',
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

const teamOf = (agents: readonly StoredAgent[]) => ({
  answering: new Set(agents.flatMap(({ uuid, type }) => (type === 'background' ? [] : [uuid]))),
  variables: new Set(agents.flatMap(({ variables }) => variables.map(({ name }) => name))),
});

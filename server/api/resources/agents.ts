import * as Type from 'typebox';
import { agentView, newAgent, refuseMore } from '../../agents/agents.ts';
import { agentWarnings } from '../../agents/warnings.ts';
import { requireMatch, withEtag } from '../../http/precondition.ts';
import { notFound } from '../../schema/errors.ts';
import { nextModifiedAt, type Clock } from '../../schema/ids.ts';
import { Agent, Success } from '../../schema/records.ts';
import type { StoredAgent } from '../../store/store.ts';
import { AgentChange, NewAgent, readAgentChange, readNewAgent, type AgentChanges } from '../requests/agent-body.ts';
import { ignoredFields } from '../requests/ignored-fields.ts';
import { operation, ownedAgent, ownedChatbot, type Operation, type ApiDeps } from '../requests/operation.ts';
import { PageQuery, paginate } from '../requests/paging.ts';
import { setWarnings } from '../requests/warnings.ts';
import { readRoutingWithin, withRouting } from './routing.ts';
import { readSourceUuids } from './sources/tags.ts';

export const agents = ({ store, clock }: ApiDeps): Operation[] => [
  operation({
    id: 'listAgents',
    right: 'edit',
    audit: 'none',
    method: 'GET',
    path: '/api/v1/chatbot/:uuid/agents',
    summary: 'List the agents of a chatbot',
    query: PageQuery,
    reply: Type.Array(Agent),
    async handle({ user, uuid, ctx }) {
      await ownedChatbot(store, user, uuid);
      return paginate(await store.agents(uuid), ctx.query).map(agentView);
    },
  }),
  operation({
    id: 'createAgent',
    right: 'edit',
    audit: 'changes',
    creates: true,
    method: 'POST',
    path: '/api/v1/chatbot/:uuid/agent/create',
    summary: 'Create an agent',
    description:
      'It is not enabled: update it with `enabled`. Settings may stand at the top level or in `meta`; those of other types are ignored. A second `human-escalation` or `spam-defense` agent is 422, and so is the 101st of a chatbot.',
    body: NewAgent,
    checkedByHandler: true,
    reply: Agent,
    async handle({ user, uuid, body, ctx, record }) {
      await ownedChatbot(store, user, uuid);
      const agent = await record.make(store.agent, async (own) => {
        const created = { ...newAgent(uuid, readNewAgent(body), clock), uuid: own };
        return (await store.createAgent(created, (others) => refuseMore(created, others))) ? created : undefined;
      });
      if (!agent) throw notFound('chatbot');
      const warnings = agentWarnings(agent, await store.agents(uuid));
      setWarnings(ctx, [...ignoredFields(NewAgent, agentView(agent), body), ...warnings]);
      return agentView(agent);
    },
  }),
  operation({
    id: 'getAgent',
    right: 'edit',
    audit: 'none',
    method: 'GET',
    path: '/api/v1/agent/:uuid',
    summary: 'Fetch an agent',
    reply: Agent,
    hasEtag: true,
    handle: async ({ user, uuid, ctx }) => withEtag(ctx, agentView(await ownedAgent(store, user, uuid))),
  }),
  operation({
    id: 'updateAgent',
    right: 'edit',
    audit: 'changes',
    method: 'POST',
    path: '/api/v1/agent/:uuid/update',
    summary: 'Update an agent',
    description:
      'Settings may stand at the top level or in `meta`; those of other types are ignored. `variables`, `tags` and `data_source_uuids` are replaced whole. `routing` is as `POST …/routing` takes it: all of the request is stored, or nothing.',
    body: AgentChange,
    checkedByHandler: true,
    reply: Agent,
    hasEtag: true,
    takesIfMatch: true,
    async handle({ user, uuid, body, ctx }) {
      const before = await ownedAgent(store, user, uuid);
      const changes = readAgentChange(before, body);
      const sources = changes.sources && (await readSourceUuids(store, before.chatbot, changes.sources));
      const { routing: sent } = Object(body) as { routing?: unknown };
      const { variables = before.variables } = changes.fields;
      const team = (await store.agents(before.chatbot)).map((one) => (one.uuid === uuid ? { ...one, variables } : one));
      const routing = readRoutingWithin(sent, before, team);
      const changed = await store.updateAgent(uuid, (agent) => {
        requireMatch(ctx, agentView(agent));
        return {
          ...withChanges(agent, changes, sources, clock),
          ...(routing && { routing: withRouting(agent, routing.change) }),
        };
      });
      if (!changed) throw notFound('agent');
      const warnings = agentWarnings(changed, await store.agents(changed.chatbot));
      const ignored = ignoredFields(AgentChange, agentView(before), body);
      setWarnings(ctx, [...ignored, ...warnings, ...(routing?.warnings ?? [])]);
      return withEtag(ctx, agentView(changed));
    },
  }),
  operation({
    id: 'deleteAgent',
    right: 'edit',
    audit: 'changes',
    method: 'DELETE',
    path: '/api/v1/agent/:uuid/delete',
    summary: 'Delete an agent with its tool functions',
    reply: Success,
    async handle({ user, uuid }) {
      await ownedAgent(store, user, uuid);
      if (!(await store.deleteAgent(uuid))) throw notFound('agent');
      return { success: true };
    },
  }),
];

function withChanges(
  agent: StoredAgent,
  { fields, settings, escalation }: AgentChanges,
  sources: string[] | undefined,
  clock: Clock,
): StoredAgent {
  const { human_escalation_settings: before } = agent;
  return {
    ...agent,
    ...fields,
    meta: { ...agent.meta, ...settings },
    ...(before ? { human_escalation_settings: { ...before, ...escalation } } : {}),
    ...(sources ? { data_source_uuids: sources } : {}),
    modified_at: nextModifiedAt(agent.modified_at, clock),
  };
}

import type { RouterContext } from '@koa/router';
import * as Type from 'typebox';
import type { Static } from 'typebox';
import { agentView } from '../../agents/agents.ts';
import {
  functionView,
  newFunction,
  refuseToMoveHeaders,
  refuseUncallable,
  withFunctions,
  withStoredValues,
  type FunctionFields,
} from '../../agents/tool-functions.ts';
import { functionWarnings } from '../../agents/warnings.ts';
import { tryFunction } from '../../answer/trace/try-function.ts';
import { requireMatch } from '../../http/precondition.ts';
import { notFound } from '../../schema/errors.ts';
import { NewVariables } from '../../schema/fields.ts';
import { nextModifiedAt, type Clock } from '../../schema/ids.ts';
import { Fault, Success, ToolFunction } from '../../schema/records.ts';
import { FunctionTrial } from '../../schema/trace.ts';
import type { Store, StoredAgent } from '../../store/store.ts';
import { asFlag, Switch } from '../requests/bodies.ts';
import { countUse } from '../requests/count-use.ts';
import { setWarnings } from '../requests/warnings.ts';
import { mayReach, operation, ownedAgent, type Operation, type ApiDeps } from '../requests/operation.ts';
import type { Requester } from '../requests/rights.ts';

const { name, description, parameters, headers, external_url, method, meta } = ToolFunction.properties;
/** Some clients send this key of `meta` beside it. */
const allow_gpt_trainer_properties = Type.Unknown({ description: 'Stored in `meta` under the same name.' });
const optional = Type.Partial(
  Type.Object({ description, parameters, headers, method, enabled: Switch, meta, allow_gpt_trainer_properties }),
);
const NewFunction = Type.Object({ name, external_url, ...optional.properties });
const FunctionChange = Type.Partial(NewFunction);
const Trial = Type.Object({
  arguments: Type.Record(Type.String(), Type.Unknown(), {
    description: 'an object: the arguments, as a model would send them',
  }),
  variables: Type.Optional(NewVariables),
});

export const functions = (deps: ApiDeps): Operation[] => {
  const { store, clock, caller, log } = deps;
  return [
    operation({
      id: 'createFunction',
      right: 'edit',
      audit: 'changes',
      creates: true,
      method: 'POST',
      path: '/api/v1/agent/:uuid/function/create',
      summary: 'Create a tool function of an agent',
      description: 'The model may call it while the agent answers: see [Tool functions](api.md#tool-functions).',
      body: NewFunction,
      reply: ToolFunction,
      async handle({ user, uuid, body, ctx, record }) {
        await ownedAgent(store, user, uuid);
        const find = async (own: string) => (await store.agent(uuid))?.tool_functions.find((one) => one.uuid === own);
        const toolFunction = await record.make(find, async (own) => {
          const created = { ...newFunction(body, readFields(body, { meta: {}, headers: {} }), clock), uuid: own };
          const add = (agent: StoredAgent) => {
            const others = agent.tool_functions.filter((one) => one.uuid !== own);
            return withFunctions(agent, [...others, created], clock);
          };
          return (await store.updateAgent(uuid, add)) && created;
        });
        const agent = toolFunction && (await store.agent(uuid));
        if (!agent) throw notFound('agent');
        await warn(deps, ctx, toolFunction, agent);
        return functionView(toolFunction);
      },
    }),
    operation({
      id: 'updateFunction',
      right: 'edit',
      audit: 'changes',
      method: 'POST',
      path: '/api/v1/function/:uuid/update',
      summary: 'Update a tool function',
      description:
        'Stored header values stay with the scheme, host and port they were sent for: another `external_url` origin needs `headers` with whole values.',
      body: FunctionChange,
      reply: ToolFunction,
      takesIfMatch: true,
      async handle({ user, uuid, body, ctx }) {
        const agent = await ownedAgentOf(store, user, uuid);
        const changed = await changeFunction(store, agent, uuid, clock, (one, before) => {
          requireMatch(ctx, agentView(before));
          return [{ ...one, ...readFields(body, one), modified_at: nextModifiedAt(one.modified_at, clock) }];
        });
        const toolFunction = changed.tool_functions.find((one) => one.uuid === uuid)!;
        await warn(deps, ctx, toolFunction, changed);
        return functionView(toolFunction);
      },
    }),
    operation({
      id: 'deleteFunction',
      right: 'edit',
      audit: 'changes',
      method: 'POST',
      path: '/api/v1/function/:uuid/delete',
      summary: 'Delete a tool function',
      reply: Success,
      async handle({ user, uuid }) {
        await changeFunction(store, await ownedAgentOf(store, user, uuid), uuid, clock, () => []);
        return { success: true };
      },
    }),
    operation({
      id: 'tryFunction',
      right: 'edit',
      audit: 'changes',
      method: 'POST',
      path: '/api/v1/function/:uuid/try',
      summary: 'Call a tool function, to see what it replies',
      description:
        'As an answer calls it: the same check of `arguments`, the same bounds and the same hiding of secrets. A function that acts does act. `variables` are values of a session. Nothing is stored. One user may try 20 times a minute; one time more is 429.',
      body: Trial,
      reply: FunctionTrial,
      others: { 429: Fault },
      async handle({ user, uuid, body, ctx }) {
        const { agent: own, one } = await ownedFunction(store, user, uuid);
        const others = (await store.agents(own.chatbot)).filter((agent) => agent.uuid !== own.uuid);
        const agents = [{ ...own, enabled: 1 as const }, ...others];
        const trial = await tryFunction(
          { caller, clock },
          {
            one,
            agents,
            sent: body.arguments,
            variables: body.variables ?? {},
            beforeCall: () => countUse(deps, { ctx, user, operation: 'tryFunction' }),
          },
        );
        const { outcome, status, ms } = trial;
        log.info({ function: uuid, user: user.uuid, outcome, status, ms }, 'tool function tried');
        return trial;
      },
    }),
  ];
};

async function warn(
  { store, caller }: ApiDeps,
  ctx: RouterContext,
  one: ToolFunction,
  agent: StoredAgent,
): Promise<void> {
  const [agents, isBlocked] = await Promise.all([
    store.agents(agent.chatbot),
    URL.canParse(one.external_url) && caller.isBlocked(new URL(one.external_url)),
  ]);
  setWarnings(ctx, functionWarnings(one, { agent, agents, isBlocked }));
}

/** What was sent, as it is stored; refuses what could not be called. `before` is what there was. */
function readFields(
  { enabled, allow_gpt_trainer_properties: allowed, ...fields }: Static<typeof FunctionChange>,
  before: Pick<ToolFunction, 'meta' | 'headers'> & { external_url?: string },
): Partial<FunctionFields> {
  const sent = {
    ...fields,
    ...(enabled === undefined ? {} : { enabled: asFlag(enabled) }),
    ...(allowed === undefined
      ? {}
      : { meta: { ...(fields.meta ?? before.meta), allow_gpt_trainer_properties: allowed } }),
  };
  refuseUncallable(sent);
  if (before.external_url !== undefined) refuseToMoveHeaders(before.external_url, before.headers, sent);
  return { ...sent, ...(sent.headers ? { headers: withStoredValues(sent.headers, before.headers) } : {}) };
}

/** The identifier of the agent whose function this is, if it is the caller's own. */
async function ownedAgentOf(store: Store, user: Requester, uuid: string): Promise<string> {
  const agent = await store.agentWithFunction(uuid);
  if (!agent || !(await mayReach(store, user, agent.chatbot))) throw notFound('tool function');
  return agent.uuid;
}

/** The function with its agent, if it is the caller's own. */
async function ownedFunction(store: Store, user: Requester, uuid: string) {
  const agent = await store.agent(await ownedAgentOf(store, user, uuid));
  const one = agent?.tool_functions.find((own) => own.uuid === uuid);
  if (!agent || !one) throw notFound('tool function');
  return { agent, one };
}

/** The function becomes what `change` returns: itself, changed, or nothing. */
async function changeFunction(
  store: Store,
  agent: string,
  uuid: string,
  clock: Clock,
  change: (one: ToolFunction, of: StoredAgent) => ToolFunction[],
): Promise<StoredAgent> {
  const changed = await store.updateAgent(agent, (before) => {
    if (!before.tool_functions.some((one) => one.uuid === uuid)) throw notFound('tool function');
    const functions = before.tool_functions.flatMap((one) => (one.uuid === uuid ? change(one, before) : [one]));
    return withFunctions(before, functions, clock);
  });
  if (!changed) throw notFound('tool function');
  return changed;
}

import { checkModels } from '../../answer/trace/check-models.ts';
import { Refusal } from '../../schema/errors.ts';
import { Fault } from '../../schema/records.ts';
import { ModelChecks, ServerModels } from '../../schema/models-file.ts';
import { countUse } from '../requests/count-use.ts';
import { operation, type ApiDeps, type Operation } from '../requests/operation.ts';
import type { Requester } from '../requests/rights.ts';

export const serverModels = (deps: ApiDeps): Operation[] => {
  const { store, serverModels: models, clock } = deps;
  function refuseOthers({ uuid }: Requester): void {
    if (uuid !== store.owner.user.uuid)
      throw new Refusal(
        'forbidden',
        'this is for the operator of the server: the user of API_KEY, or of the first start',
      );
  }
  return [
    operation({
      id: 'getServerModels',
      right: 'signed in',
      audit: 'none',
      method: 'GET',
      path: '/api/v1/server/models',
      summary: 'Fetch which model servers are used, for the operator',
      description: 'Never a key. Without a chat model answers are quoted from the sources.',
      reply: ServerModels,
      others: { 403: Fault },
      async handle({ user }) {
        refuseOthers(user);
        return { models: models.map(({ kind, model, host }) => ({ kind, model, host })) };
      },
    }),
    operation({
      id: 'testServerModels',
      right: 'signed in',
      audit: 'changes',
      method: 'POST',
      path: '/api/v1/server/models/test',
      summary: 'Call each model server once, and tell what is wrong, for the operator',
      description:
        'A short question and a short text are sent, which may cost a few tokens and no credits. A call takes 30 seconds at most. 20 times a minute; one time more is 429.',
      reply: ModelChecks,
      others: { 429: Fault },
      async handle({ user, ctx }) {
        refuseOthers(user);
        await countUse(deps, { ctx, user, operation: 'testServerModels' });
        return { checks: await checkModels(models, clock) };
      },
    }),
  ];
};

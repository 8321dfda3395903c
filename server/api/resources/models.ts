import * as Type from 'typebox';
import { operation, type Operation, type ApiDeps } from '../requests/operation.ts';

const Models = Type.Object({ models: Type.Array(Type.String()) }, { additionalProperties: false });
const ModelCosts = Type.Object(
  { model_costs: Type.Record(Type.String(), Type.Integer()) },
  { additionalProperties: false },
);

/** Before the agents: `/agent/:uuid` would take these paths for its own. */
export const models = ({ catalogue }: ApiDeps): Operation[] => [
  operation({
    id: 'listModels',
    right: 'signed in',
    audit: 'none',
    method: 'GET',
    path: '/api/v1/agent/models',
    summary: 'List the names of the models',
    reply: Models,
    handle: async () => ({ models: Object.keys(catalogue.costs) }),
  }),
  operation({
    id: 'listModelCosts',
    right: 'signed in',
    audit: 'none',
    method: 'GET',
    path: '/api/v1/agent/model-costs',
    summary: 'Fetch the cost of an answer for each model, in message credits',
    reply: ModelCosts,
    handle: async () => ({ model_costs: catalogue.costs }),
  }),
];

import * as Type from 'typebox';
import type { Static } from 'typebox';
import { Refusal } from './errors.ts';
import { literals, record } from './fields.ts';
import { isObject, unknownFields, validateWithin } from './validate.ts';

/** What the operator says of a model that agents may name. */
export const ModelEntry = Type.Object({
  /** Message credits of an answer; those of the interface's list, or else 1, where it is absent. */
  credits: Type.Optional(Type.Integer({ minimum: 0, maximum: 999_999 })),
  /** Tokens of a request and its answer together; those that the name ends with where it is absent. */
  context: Type.Optional(Type.Integer({ minimum: 512, maximum: 10_000_000 })),
  /** The name at the model server; `LLM_MODEL` where it is absent. */
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
});
export type ModelEntry = Type.Static<typeof ModelEntry>;

export const MODEL_NAME = /^[\w.:/-]{1,100}$/;

/** The entries of a `MODELS_FILE` by the name that agents use. Throws an Error whose message names the key at fault. */
export function parseModels(text: string): Record<string, ModelEntry> {
  const models = parseJson(text);
  if (!isObject(models) || Object.keys(models).length === 0)
    throw new Error('must be a JSON object with an entry for each model name');
  return Object.fromEntries(Object.entries(models).map(([name, entry]) => [name, readEntry(name, entry)]));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`must be JSON: ${(error as Error).message}`, { cause: error });
  }
}

function readEntry(name: string, entry: unknown): ModelEntry {
  if (!MODEL_NAME.test(name))
    throw new Error(`must have model names of 1 to 100 letters, digits and . : / _ -, not ${JSON.stringify(name)}`);
  const unknown = isObject(entry) ? unknownFields(ModelEntry, entry) : '';
  if (unknown) throw new Error(`must have no ${name}.${unknown}: a model has credits, context and name`);
  try {
    return validateWithin(name, ModelEntry, entry);
  } catch (error) {
    throw error instanceof Refusal ? new Error(`is wrong: ${error.message}`, { cause: error }) : error;
  }
}

/* The model servers that the operator has named. */

const model = {
  kind: literals('What it is for.', 'chat', 'embeddings'),
  model: Type.String({ description: 'Name of the model at its server.' }),
  host: Type.String({ description: 'Host of the server; empty for the embeddings of this process itself.' }),
};

export const ServerModel = record(model);
export type ServerModel = Static<typeof ServerModel>;

export const ModelCheck = record({
  ...model,
  is_fine: Type.Boolean({ description: 'Whether it answered one short call.' }),
  ms: Type.Integer({ minimum: 0, description: 'Milliseconds of the call.' }),
  problem: Type.String({ description: 'What is wrong; empty where nothing is.' }),
  advice: Type.String({ description: 'What to do about it; empty where nothing is wrong.' }),
});
export type ModelCheck = Static<typeof ModelCheck>;

export const ServerModels = record({ models: Type.Array(ServerModel, { description: 'None: answers are quoted.' }) });
export const ModelChecks = record({ checks: Type.Array(ModelCheck) });

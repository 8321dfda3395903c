import type { ModelEntry } from '../schema/models-file.ts';

/** Message credits by model, under the interface's neutral prefix. */
const CREDITS: Record<string, number> = {
  'llm-3.5-turbo': 1,
  'llm-3.5-turbo-16k': 8,
  'llm-4-0125-preview-8k': 35,
  'llm-4-1106-preview-1k': 5,
  'llm-4-1106-preview-2k': 10,
  'llm-4-1106-preview-4k': 20,
  'llm-4-1106-preview-16k': 60,
  'llm-4o-1k': 3,
  'llm-4o-2k': 5,
  'llm-4o-4k': 10,
  'llm-4o-8k': 20,
  'llm-4o-16k': 40,
  'llm-4o-mini-4k': 1,
  'llm-4o-mini-16k': 8,
};
const TABLE: Record<string, ModelEntry> = Object.fromEntries(
  Object.entries(CREDITS).map(([name, credits]) => [name, { credits }]),
);

export const DEFAULT_MODEL = 'llm-4o-mini-4k';

const NEUTRAL = 'llm-';

/** Tokens of a model whose name tells none, as those of the default model. */
const DEFAULT_CONTEXT = 4096;

/** Which models an agent may name, and what an answer by each costs. A name that is not there counts as the default model. */
export interface Catalogue {
  /** Message credits by name: each model under the neutral prefix, then each under the family's. */
  costs: Record<string, number>;
  /** Message credits of one answer. */
  credits(model: string): number;
  /** The name that usage counts the model by: under the neutral prefix, and of the default model for a name that the catalogue does not hold. */
  name(model: string): string;
  /** Tokens of a request and its answer together; Infinity where nothing is known of them. */
  context(model: string): number;
  /** Undefined where the operator named none. */
  nameAtServer(model: string): string | undefined;
}

interface CatalogueOptions {
  /** `gpt-` by default. */
  familyPrefix?: string;
  /** Replaces the default table. */
  models?: Record<string, ModelEntry> | undefined;
  /** A context that is not in `models` is taken from the name. False by default: one model may serve all names. */
  namesTellContext?: boolean;
}

export function createCatalogue({
  familyPrefix = 'gpt-',
  models = TABLE,
  namesTellContext = false,
}: CatalogueOptions = {}): Catalogue {
  const entries = new Map(Object.entries(models));
  const names = new Map(Object.keys(models).map((name) => [name, name]));
  for (const [name, entry] of Object.entries(models)) {
    const family = familyPrefix + name.slice(NEUTRAL.length);
    if (!name.startsWith(NEUTRAL) || entries.has(family)) continue;
    entries.set(family, entry);
    names.set(family, name);
  }
  const standard = entries.get(DEFAULT_MODEL);
  const costs = new Map(
    Array.from(entries, ([name, entry]) => [name, entry.credits ?? tableCredits(name, familyPrefix)]),
  );
  return {
    costs: Object.fromEntries(costs),
    credits: (model) => costs.get(model) ?? costs.get(DEFAULT_MODEL) ?? 1,
    name: (model) => names.get(model) ?? DEFAULT_MODEL,
    context: (model) =>
      namesTellContext
        ? (entries.get(model)?.context ?? sizeIn(model) ?? standard?.context ?? DEFAULT_CONTEXT)
        : Infinity,
    nameAtServer: (model) => (entries.get(model) ?? standard)?.name,
  };
}

/** 1 for a name that the interface's table does not hold. */
function tableCredits(model: string, familyPrefix: string): number {
  const name = model.startsWith(familyPrefix) ? NEUTRAL + model.slice(familyPrefix.length) : model;
  return TABLE[name]?.credits ?? 1;
}

/** Tokens that a name ends with: 16,384 for `…-16k`. */
function sizeIn(model: string): number | undefined {
  const [, thousands] = /-(\d{1,4})k$/i.exec(model) ?? [];
  return thousands && Number(thousands) > 0 ? Number(thousands) * 1024 : undefined;
}

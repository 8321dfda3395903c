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

export const DEFAULT_MODEL = 'llm-4o-mini-4k';

const NEUTRAL = 'llm-';

/** Which models an agent may name, and what an answer by each costs. */
export interface Catalogue {
  /** Message credits by name: each model under the neutral prefix, then each under the family's. */
  costs: Record<string, number>;
  /** Message credits of one answer; of the default model for a name that the catalogue does not hold. */
  credits(model: string): number;
}

interface CatalogueOptions {
  /** `gpt-` by default. */
  familyPrefix?: string;
  /** Replaces the default table. */
  credits?: Record<string, number> | undefined;
}

export function createCatalogue({ familyPrefix = 'gpt-', credits = CREDITS }: CatalogueOptions = {}): Catalogue {
  const costs = new Map(Object.entries(credits));
  for (const [name, cost] of Object.entries(credits)) {
    if (name.startsWith(NEUTRAL)) costs.set(familyPrefix + name.slice(NEUTRAL.length), cost);
  }
  return {
    costs: Object.fromEntries(costs),
    credits: (model) => costs.get(model) ?? costs.get(DEFAULT_MODEL) ?? 1,
  };
}

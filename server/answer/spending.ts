import type { Logger } from 'pino';
import type { Store, StoredChatbot } from '../store/store.ts';

/** What an answer has cost, in its `meta_json`. */
export interface Cost {
  credits: number;
  /** Its name in the catalogue; absent where no model answered. */
  model?: string;
  actual_token_distribution: { total_tokens: number };
}

/** The credits that one question may cost: reserved before a model is asked, spent or given back when its answer has ended. */
export interface Spending {
  /**
   * Reserves so many credits in all for this question: those reserved before count. False where the owner has not as many
   * left this month; what was reserved before stays. To be awaited before any call of a model.
   */
  reserve(credits: number): Promise<boolean>;
}

/** Adds an answer, whose question came `at`, to the usage of its owner. Never rejects: the store keeps what it could not write. */
export async function countUsage(
  store: Store,
  log: Logger,
  { chatbot: { uuid, owner }, ephemeral }: { chatbot: StoredChatbot; ephemeral?: true },
  at: string,
  cost: Cost,
): Promise<void> {
  const { credits, model = '', actual_token_distribution } = cost;
  const [messages, tokens] = [ephemeral ? 0 : 1, actual_token_distribution.total_tokens];
  // A message that is not stored is not counted. A chatbot of another server has no owner here.
  if (owner === '' || messages + credits + tokens === 0) return;
  try {
    await store.addUsage({ owner, chatbot: uuid, day: at.slice(0, 10), model, messages, credits, tokens });
  } catch (error) {
    log.warn({ chatbot: uuid, err: error }, 'the usage of an answer is not stored yet');
  }
}

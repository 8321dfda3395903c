import type { Logger } from 'pino';
import type { Refusal } from '../schema/errors.ts';
import { objectIn } from '../schema/json.ts';
import type { Store, StoredChatbot, StoredMessage } from '../store/store.ts';
import { isAway, repeatInBackground } from './runs/while-away.ts';

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
  /**
   * Whether no model may be asked beside the answer: the owner has no credits left for it, the reserved ones counted, or as
   * many messages as credits had such calls this month while their answers cost nothing.
   */
  isSpent(): Promise<boolean>;
}

interface Counted {
  chatbot: Pick<StoredChatbot, 'uuid' | 'owner'>;
  ephemeral?: true;
  confirmed?: { before: StoredMessage };
}

/** The cost in a stored `meta_json`; what is damaged in it counts as nothing. */
export function costIn(metaJson: string): Cost {
  const { credits, actual_token_distribution, model } = objectIn(metaJson);
  const { total_tokens } = Object(actual_token_distribution) as { total_tokens?: unknown };
  return {
    credits: typeof credits === 'number' ? credits : 0,
    ...(typeof model === 'string' ? { model } : {}),
    actual_token_distribution: { total_tokens: typeof total_tokens === 'number' ? total_tokens : 0 },
  };
}

const tokensOf = ({ actual_token_distribution }: Cost): number => actual_token_distribution.total_tokens;

/** Nothing was sent that may be counted already. */
const isUncounted = (error: unknown): boolean => isAway(error) && !(error as Refusal).mayBeStored;

export interface CountOptions {
  store: Store;
  log: Logger;
  /** The process ends: nothing is tried again. */
  isEnding(): boolean;
}

/**
 * Adds an answer, whose question came `at`, to the usage of its owner. Never rejects: what cannot be written, a store of files keeps; a
 * store that several processes share is tried again for half an hour, for which this does not wait.
 */
export async function countUsage(
  { store, log, isEnding }: CountOptions,
  { chatbot: { uuid, owner }, ephemeral, confirmed }: Counted,
  at: string,
  cost: Cost,
): Promise<void> {
  // Of an answer that goes on, the first part was counted when it ended.
  const before = confirmed && costIn(confirmed.before.meta_json);
  const { model = '' } = cost;
  const credits = Math.max(0, cost.credits - (before?.credits ?? 0));
  const tokens = Math.max(0, tokensOf(cost) - (before ? tokensOf(before) : 0));
  const messages = ephemeral || before ? 0 : 1;
  // A message that is not stored is not counted. A chatbot of another server has no owner here.
  if (owner === '' || messages + credits + tokens === 0) return;
  const add = () => store.addUsage({ owner, chatbot: uuid, day: at.slice(0, 10), model, messages, credits, tokens });
  const failed = (err: unknown): void => log.warn({ chatbot: uuid, err }, 'the usage of an answer is not stored yet');
  try {
    await add();
  } catch (error) {
    if (!store.answers || !isUncounted(error)) return failed(error);
    void repeatInBackground(add, isUncounted, isEnding).catch(failed);
  }
}

import type { Logger } from 'pino';
import { MemoryCredits, type CreditAccount, type Credits } from '../store/credits.ts';
import type { Store } from '../store/store.ts';
import type { Question, Respond } from './runs.ts';
import type { Spending } from './spending.ts';

interface BudgetOptions {
  store: Pick<Store, 'usage' | 'fact' | 'setFact' | 'credits'>;
  log: Logger;
  /** Credits of one owner in a calendar month, UTC. */
  monthly: number;
}

/**
 * Limits what models cost an owner in a calendar month. Checking and reserving is one step, so that questions at the same
 * moment never share the last credit.
 */
export class Budget {
  readonly #options: BudgetOptions;
  readonly #credits: Credits;
  /** Owners and months of which the log says that the credits are spent. */
  readonly #reported = new Set<string>();

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#credits = options.store.credits ?? new MemoryCredits(options.store);
  }

  /** `respond` with a `spending` for each question. */
  limit(respond: Respond): Respond {
    return (question, run) => {
      const at = run.message.created_at;
      const spending = new QuestionSpending(
        (credits) => this.#reserve(question, at, credits),
        () => this.#accountBeside(question, at),
      );
      const answer = respond({ ...question, spending }, run);
      answer.then(
        ({ meta }) => spending.settle(meta.credits),
        () => spending.settle(0),
      );
      return answer;
    };
  }

  async #reserve({ chatbot: { owner } }: Question, at: string, credits: number): Promise<CreditAccount | undefined> {
    const { monthly, log } = this.#options;
    const month = at.slice(0, 7);
    try {
      const account = await this.#credits.reserve(owner, month, credits, monthly);
      if (!account) await this.#report(owner, month);
      return account;
    } catch (error) {
      log.error({ err: error, user: owner }, 'the credits spent this month cannot be read; answers quote the sources');
      return undefined;
    }
  }

  /** Undefined where it is spent, or cannot be read. */
  #accountBeside({ chatbot: { owner } }: Question, at: string): Promise<CreditAccount | undefined> {
    return this.#credits.takeBeside(owner, at.slice(0, 7), this.#options.monthly).catch(() => undefined);
  }

  async #report(user: string, month: string): Promise<void> {
    const { store, log, monthly } = this.#options;
    if (this.#reported.has(`${user} ${month}`)) return;
    this.#reported.add(`${user} ${month}`);
    const name = `quota:${user}`;
    // Once a month, over restarts too.
    if ((await store.fact(name)) === month) return;
    log.warn(
      { user, month, credits: monthly },
      'MONTHLY_CREDITS of this user are spent; until the next month (UTC) answers quote the sources',
    );
    await store.setFact(name, month).catch((error: unknown) => log.warn({ err: error }, 'may be logged again'));
  }
}

class QuestionSpending implements Spending {
  readonly #take: (credits: number) => Promise<CreditAccount | undefined>;
  readonly #takeBeside: () => Promise<CreditAccount | undefined>;
  /** The one that counts this message as one with calls beside its answer; undefined where there may be none. */
  #beside: Promise<CreditAccount | undefined> | undefined;
  #wasRefused = false;
  #account: CreditAccount | undefined;
  #reserved = 0;
  #credits = 0;
  #isSettled = false;

  constructor(
    take: (credits: number) => Promise<CreditAccount | undefined>,
    takeBeside: () => Promise<CreditAccount | undefined>,
  ) {
    this.#take = take;
    this.#takeBeside = takeBeside;
  }

  async reserve(credits: number): Promise<boolean> {
    if (this.#isSettled) return false;
    const more = Math.max(0, credits - this.#reserved);
    const account = await this.#take(more);
    if (!account) {
      this.#wasRefused = true;
      return false;
    }
    if (this.#isSettled) {
      // The answer has ended meanwhile.
      account.settle(more, 0);
      return false;
    }
    this.#account = account;
    this.#reserved += more;
    return true;
  }

  async isSpent(): Promise<boolean> {
    // What this question has reserved, or cost, pays for the calls beside its answer too.
    const isPaid = (): boolean => this.#account !== undefined && (!this.#isSettled || this.#credits > 0);
    if (this.#wasRefused || isPaid()) return this.#wasRefused;
    const beside = await (this.#beside ??= this.#takeBeside());
    return this.#wasRefused || (beside === undefined && !isPaid());
  }

  settle(credits: number): void {
    this.#isSettled = true;
    this.#credits = credits;
    if (credits > 0) void this.#beside?.then((account) => account?.giveBackBeside());
    this.#account?.settle(this.#reserved, credits);
  }
}

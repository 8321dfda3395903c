import type { Logger } from 'pino';
import type { Store } from '../store/store.ts';
import type { Question, Respond } from './runs.ts';
import type { Spending } from './spending.ts';

interface BudgetOptions {
  store: Pick<Store, 'usage' | 'fact' | 'setFact'>;
  log: Logger;
  /** Credits of one owner in a calendar month, UTC. */
  monthly: number;
}

/** One owner in one month. */
interface Account {
  owner: string;
  month: string;
  spent: number;
  reserved: number;
  /** The log says that the credits are spent. */
  isReported: boolean;
}

/**
 * Limits what models cost an owner in a calendar month. Checking and reserving is one step without waiting, so that
 * questions at the same moment never share the last credit. Reserved credits are in memory alone: a restart gives them back.
 */
export class Budget {
  readonly #options: BudgetOptions;
  /** By owner and month; a few bytes each, and so never dropped. */
  readonly #accounts = new Map<string, Promise<Account>>();

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  /** `respond` with a `spending` for each question. */
  limit(respond: Respond): Respond {
    return (question, run) => {
      const at = run.message.created_at;
      const spending = new QuestionSpending(
        (credits) => this.#reserve(question, at, credits),
        () => this.#isSpent(question, at),
      );
      const answer = respond({ ...question, spending }, run);
      answer.then(
        ({ meta }) => spending.settle(meta.credits),
        () => spending.settle(0),
      );
      return answer;
    };
  }

  async #reserve({ chatbot: { owner } }: Question, at: string, credits: number): Promise<Account | undefined> {
    const { monthly, log } = this.#options;
    try {
      const account = await this.#account(owner, at.slice(0, 7));
      if (account.spent + account.reserved + credits <= monthly) {
        account.reserved += credits;
        return account;
      }
      if (!account.isReported) await this.#report(account);
    } catch (error) {
      log.error({ err: error, user: owner }, 'the credits spent this month cannot be read; answers quote the sources');
    }
    return undefined;
  }

  /** Counts as spent where it cannot be read. */
  async #isSpent({ chatbot: { owner } }: Question, at: string): Promise<boolean> {
    const account = await this.#account(owner, at.slice(0, 7)).catch(() => undefined);
    return !account || account.spent + account.reserved >= this.#options.monthly;
  }

  #account(owner: string, month: string): Promise<Account> {
    const key = `${owner} ${month}`;
    let account = this.#accounts.get(key);
    if (!account) {
      account = this.#read(owner, month);
      this.#accounts.set(key, account);
      account.catch(() => this.#accounts.delete(key));
    }
    return account;
  }

  async #read(owner: string, month: string): Promise<Account> {
    const usage = await this.#options.store.usage(owner, `${month}-01`, `${month}-31`);
    return { owner, month, spent: sumOf(usage), reserved: 0, isReported: false };
  }

  async #report(account: Account): Promise<void> {
    const { store, log, monthly } = this.#options;
    account.isReported = true;
    const { owner: user, month } = account;
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
  readonly #take: (credits: number) => Promise<Account | undefined>;
  readonly #isSpent: () => Promise<boolean>;
  #wasRefused = false;
  #account: Account | undefined;
  #reserved = 0;
  #isSettled = false;

  constructor(take: (credits: number) => Promise<Account | undefined>, isSpent: () => Promise<boolean>) {
    this.#take = take;
    this.#isSpent = isSpent;
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
      account.reserved -= more;
      return false;
    }
    this.#account = account;
    this.#reserved += more;
    return true;
  }

  async isSpent(): Promise<boolean> {
    const isSpent = await this.#isSpent();
    // What this question has reserved pays for the calls beside its answer too.
    return this.#wasRefused || (isSpent && !this.#account);
  }

  settle(credits: number): void {
    this.#isSettled = true;
    if (!this.#account) return;
    this.#account.reserved -= this.#reserved;
    this.#account.spent += credits;
  }
}

const sumOf = (usage: { credits: number }[]): number => usage.reduce((sum, { credits }) => sum + credits, 0);

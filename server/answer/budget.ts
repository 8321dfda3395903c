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
  /** Messages whose answers cost nothing, and for which a model may have been called all the same; from 0 after a restart. */
  beside: number;
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

  /** Undefined where it is spent, or cannot be read. Calls beside answers that cost nothing are for as many messages as there are credits. */
  async #accountBeside({ chatbot: { owner } }: Question, at: string): Promise<Account | undefined> {
    const { monthly } = this.#options;
    const account = await this.#account(owner, at.slice(0, 7)).catch(() => undefined);
    if (!account || account.spent + account.reserved >= monthly || account.beside >= monthly) return undefined;
    account.beside += 1;
    return account;
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
    return { owner, month, spent: sumOf(usage), reserved: 0, beside: 0, isReported: false };
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
  readonly #takeBeside: () => Promise<Account | undefined>;
  /** The one that counts this message as one with calls beside its answer; undefined where there may be none. */
  #beside: Promise<Account | undefined> | undefined;
  #wasRefused = false;
  #account: Account | undefined;
  #reserved = 0;
  #credits = 0;
  #isSettled = false;

  constructor(take: (credits: number) => Promise<Account | undefined>, takeBeside: () => Promise<Account | undefined>) {
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
      account.reserved -= more;
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
    if (credits > 0) void this.#beside?.then((account) => account && (account.beside -= 1));
    if (!this.#account) return;
    this.#account.reserved -= this.#reserved;
    this.#account.spent += credits;
  }
}

const sumOf = (usage: { credits: number }[]): number => usage.reduce((sum, { credits }) => sum + credits, 0);

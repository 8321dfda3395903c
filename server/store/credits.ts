/** What owners have spent and reserved in a calendar month. A month is `YYYY-MM`. */
export interface Credits {
  /** Reserves in one step, unless more than `limit` would be spent and reserved then. */
  reserve(owner: string, month: string, credits: number, limit: number): Promise<CreditAccount | undefined>;
  /**
   * Counts a message with calls of a model beside an answer that may cost nothing; not where no credit is left, nor where as
   * many messages are counted as there are credits.
   */
  takeBeside(owner: string, month: string, limit: number): Promise<CreditAccount | undefined>;
}

/** One owner in one month. */
export interface CreditAccount {
  /** Gives back what was reserved, of which so much was spent. */
  settle(reserved: number, spent: number): void;
  giveBackBeside(): void;
}

class MemoryAccount implements CreditAccount {
  spent: number;
  reserved = 0;
  beside = 0;

  constructor(spent: number) {
    this.spent = spent;
  }

  settle(reserved: number, spent: number): void {
    this.reserved -= reserved;
    this.spent += spent;
  }

  giveBackBeside(): void {
    this.beside -= 1;
  }
}

interface UsageOfMonth {
  /** As the store's. */
  usage(owner: string, from: string, to: string): Promise<{ credits: number }[]>;
}

/** For one process. What is reserved is in memory alone: a restart gives it back. */
export class MemoryCredits implements Credits {
  readonly #store: UsageOfMonth;
  /** By owner and month; a few bytes each, and so never dropped. */
  readonly #accounts = new Map<string, Promise<MemoryAccount>>();

  constructor(store: UsageOfMonth) {
    this.#store = store;
  }

  async reserve(owner: string, month: string, credits: number, limit: number): Promise<CreditAccount | undefined> {
    const account = await this.#account(owner, month);
    if (account.spent + account.reserved + credits > limit) return undefined;
    account.reserved += credits;
    return account;
  }

  async takeBeside(owner: string, month: string, limit: number): Promise<CreditAccount | undefined> {
    const account = await this.#account(owner, month);
    if (account.spent + account.reserved >= limit || account.beside >= limit) return undefined;
    account.beside += 1;
    return account;
  }

  #account(owner: string, month: string): Promise<MemoryAccount> {
    const key = `${owner} ${month}`;
    let account = this.#accounts.get(key);
    if (!account) {
      account = this.#read(owner, month);
      this.#accounts.set(key, account);
      account.catch(() => this.#accounts.delete(key));
    }
    return account;
  }

  async #read(owner: string, month: string): Promise<MemoryAccount> {
    const usage = await this.#store.usage(owner, `${month}-01`, `${month}-31`);
    return new MemoryAccount(usage.reduce((sum, { credits }) => sum + credits, 0));
  }
}

import { retry } from '../../../async/retry.ts';
import { Refusal } from '../../../schema/errors.ts';
import type { CreditAccount, Credits } from '../../credits.ts';
import { inTransaction, type Queries } from '../connection.ts';
import type { PostgresContext } from '../context.ts';

/** Milliseconds between attempts to store what was spent while the database is away. */
const SETTLE_DELAYS = [1000, 5000, 15_000, 60_000];

interface Account {
  spent: number;
  beside: number;
  /** By answers of all processes. */
  reserved: number;
}

/** Over all processes. What a process has reserved is given back when it ends, or is taken for dead. */
export function creditsOf({ sql, run, mutex, process }: PostgresContext): Credits {
  /** In turn with all that is done with the account. */
  const withAccount = <T>(owner: string, month: string, act: (tx: Queries, account: Account) => Promise<T>) =>
    run(() =>
      mutex.run(`credits ${owner} ${month}`, () =>
        inTransaction(sql, async (tx) => {
          const [row] = await tx<Omit<Account, 'reserved'>[]>`
            insert into credits as c (owner, month, spent)
            select ${owner}, ${month}, coalesce(sum(credits), 0) from usage
            where owner = ${owner} and day between ${`${month}-01`} and ${`${month}-31`}
            on conflict (owner, month) do update set spent = c.spent
            returning spent, beside`;
          // A statement of its own: it sees what was reserved before the row above was locked.
          const [sum] = await tx<{ reserved: number }[]>`
            select coalesce(sum(credits), 0) as reserved from reserved_credits
            where owner = ${owner} and month = ${month}`;
          return act(tx, { ...row!, ...sum! });
        }),
      ),
    );

  const later = (act: () => Promise<unknown>): void => {
    const isAway = (error: unknown): boolean => error instanceof Refusal;
    retry(act, isAway, SETTLE_DELAYS).catch(() => {});
  };

  const accountOf = (owner: string, month: string): CreditAccount => ({
    settle: (reserved, spent) =>
      later(() =>
        withAccount(owner, month, async (tx) => {
          await tx`update credits set spent = spent + ${spent} where owner = ${owner} and month = ${month}`;
          await tx`
            update reserved_credits set credits = credits - ${reserved}
            where owner = ${owner} and month = ${month} and process = ${process}`;
        }),
      ),
    giveBackBeside: () =>
      later(() =>
        withAccount(
          owner,
          month,
          (tx) => tx`update credits set beside = beside - 1 where owner = ${owner} and month = ${month}`,
        ),
      ),
  });

  return {
    reserve: (owner, month, credits, limit) =>
      withAccount(owner, month, async (tx, { spent, reserved }) => {
        if (spent + reserved + credits > limit) return undefined;
        await tx`
          insert into reserved_credits as r (owner, month, process, credits)
          values (${owner}, ${month}, ${process}, ${credits})
          on conflict (owner, month, process) do update set credits = r.credits + excluded.credits`;
        return accountOf(owner, month);
      }),
    takeBeside: (owner, month, limit) =>
      withAccount(owner, month, async (tx, { spent, reserved, beside }) => {
        if (spent + reserved >= limit || beside >= limit) return undefined;
        await tx`update credits set beside = beside + 1 where owner = ${owner} and month = ${month}`;
        return accountOf(owner, month);
      }),
  };
}

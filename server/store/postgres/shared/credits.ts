import { retry } from '../../../async/retry.ts';
import { Refusal } from '../../../schema/errors.ts';
import { newUuid } from '../../../schema/ids.ts';
import type { CreditAccount, Credits } from '../../credits.ts';
import type { StoreLog } from '../../log.ts';
import { inTransaction, type Queries, type Sql } from '../connection.ts';
import type { PostgresContext } from '../context.ts';

/** Milliseconds between attempts to store what was spent while the database is away. */
const SETTLE_DELAYS = [1000, 5000, 15_000, 60_000];

/** Added to what is spent, and taken from the others. */
interface Changes {
  spent?: number;
  reserved?: number;
  beside?: number;
}

interface Account {
  spent: number;
  beside: number;
  /** By answers of all processes. */
  reserved: number;
}

/** Over all processes. What a process has reserved is given back when it ends, or is taken for dead. */
export function creditsOf({ sql, run, mutex, process, inFlight }: PostgresContext, log?: StoreLog): Credits {
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

  /** Counts each settlement once, however often it is sent: a reply may be lost. One statement, so that nothing else is. */
  const settle = (owner: string, month: string, changes: Changes): void => {
    const id = newUuid();
    const { spent = 0, reserved = 0, beside = 0 } = changes;
    const act = () =>
      run(() =>
        mutex.run(
          `credits ${owner} ${month}`,
          () => sql`
            with settled as (insert into settlements (id) values (${id}) on conflict do nothing returning id),
            counted as (
              update credits set spent = spent + ${spent}, beside = greatest(0, beside - ${beside}::integer)
              where owner = ${owner} and month = ${month} and exists (select from settled))
            update reserved_credits set credits = greatest(0, credits - ${reserved})
            where owner = ${owner} and month = ${month} and process = ${process} and exists (select from settled)`,
        ),
      );
    const { closing: signal } = inFlight;
    retry(act, (error) => error instanceof Refusal, SETTLE_DELAYS, { signal }).catch((error: unknown) =>
      log?.warn(
        { err: error, user: owner, month, ...changes },
        'the credits of an answer are not counted until a process starts alone',
      ),
    );
  };

  const accountOf = (owner: string, month: string): CreditAccount => ({
    settle: (reserved, spent) => settle(owner, month, { reserved, spent }),
    giveBackBeside: () => settle(owner, month, { beside: 1 }),
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

/** Where no other process runs, what is spent is the sum of the usage again at the next reservation: what was not settled is in it. */
export const recountCredits = (sql: Sql): Promise<void> =>
  inTransaction(sql, async (tx) => {
    await tx`lock table processes in exclusive mode`;
    await tx`delete from credits where (select count(*) from processes) = 1`;
  });

/** By then nobody sends them again. */
export const forgetSettlements = (sql: Sql) => sql`delete from settlements where at < now() - interval '1 day'`;

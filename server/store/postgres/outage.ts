import postgres from 'postgres';
import type { Health } from '../../health/health.ts';
import { Refusal } from '../../schema/errors.ts';
import type { StoreLog } from '../log.ts';

/** Seconds after which a caller may try again. */
const RETRY_SECONDS = 5;
const HEALTH_KEY = 'database';

/** Of the driver and of the network: the server is not reached, or was lost on the way. */
const UNREACHABLE =
  /^(?:CONNECT_TIMEOUT|CONNECTION_(?:CLOSED|ENDED|DESTROYED)|E(?:CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN))$/;
/**
 * Of PostgreSQL (its manual's appendix A): connection exceptions, lack of resources, operator intervention, a server that only reads,
 * errors of the disk.
 */
const UNAVAILABLE = /^(?:08...|53...|57...|25006|58...)$/;

/** Of PostgreSQL: what says that the connection ends, which may be after a commit whose reply was not sent yet. */
const BROKEN_OFF = /^(?:08...|57P0[1245])$/;
/** Of the driver and of the network: nothing was sent. */
const UNSENT = /^(?:CONNECT_TIMEOUT|CONNECTION_ENDED|ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/;

/** Turns what a database throws that is away into a refusal, and reports it to `/readyz` until a statement succeeds. */
export class DatabaseWatch {
  readonly #health: Pick<Health, 'report' | 'clear'> | undefined;
  readonly #log: StoreLog | undefined;
  #isAway = false;

  constructor(health: Pick<Health, 'report' | 'clear'> | undefined, log: StoreLog | undefined) {
    this.#health = health;
    this.#log = log;
  }

  readonly run = async <T>(act: () => T | Promise<T>): Promise<T> => {
    try {
      const result = await act();
      this.#succeeded();
      return result;
    } catch (error) {
      const code = awayCode(error);
      if (code === undefined) throw error;
      this.#failed(code, error);
      throw new Refusal('unavailable', 'the database of the server does not answer; try again', {
        cause: error,
        retryAfter: RETRY_SECONDS,
        unstored: true,
        mayBeStored: mayBeStored(error),
      });
    }
  };

  #succeeded(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#health?.clear(HEALTH_KEY);
    this.#log?.warn({}, 'the database answers again');
  }

  #failed(code: string, error: unknown): void {
    const reason = `the database does not answer (${code})`;
    this.#health?.report(HEALTH_KEY, { status: 'failing', reason });
    if (!this.#isAway) this.#log?.warn({ err: error }, reason);
    this.#isAway = true;
  }
}

/** Whether a statement that failed because the database is away may have changed what is stored. */
function mayBeStored(error: unknown): boolean {
  const { code = '', syscall, query } = error as { code?: string; syscall?: string; query?: unknown };
  // One that waited for its connection has no text yet. A text says nothing: statements that were lost together share an error.
  const isUnsent = Object.hasOwn(error as object, 'query') && typeof query !== 'string';
  if (isUnsent || syscall === 'connect') return false;
  return error instanceof postgres.PostgresError ? BROKEN_OFF.test(code) : !UNSENT.test(code);
}

/** The code of an error that says that the database is away; undefined for any other error. */
export function awayCode(error: unknown): string | undefined {
  const { code = '' } = (error ?? {}) as { code?: string };
  const codes = error instanceof postgres.PostgresError ? UNAVAILABLE : UNREACHABLE;
  return codes.test(code) ? code : undefined;
}

/** For the person who starts the server; the address, which has a password, is not named. */
export const unreachable = (error: Error): Error =>
  new Error(`DATABASE_URL: the database does not answer: ${error.message || awayCode(error)}`, { cause: error });

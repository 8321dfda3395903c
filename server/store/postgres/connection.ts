import type { Socket } from 'node:net';
import postgres from 'postgres';

export type Sql = postgres.Sql;
/** A part of a query. */
export type Fragment = postgres.Fragment;
/** A connection of the pool, or a transaction on one. */
export type Queries = postgres.ISql<{}>;

export interface ConnectionOptions {
  /** `postgres://…`; a parameter of it is one of the connection: `search_path` names the schema of the tables. */
  url: string;
  /** Connections at most; 10 by default. */
  max?: number | undefined;
  /** The database refuses what would change it. */
  isReadOnly?: boolean;
  /** Opens the connections, `backoff` seconds after one that failed; the driver does by default. */
  network?: { open(address: Address): Socket; backoff(): number };
}

/** Of the driver's options, parsed. */
export interface Address {
  host: string[];
  port: number[];
  /** Of a Unix socket. */
  path?: string | false;
}

/** Milliseconds that a statement may take, and that a transaction may wait for its next one. */
const [STATEMENT_MS, IDLE_IN_TRANSACTION_MS] = [30_000, 30_000];
/** Seconds. */
const [CONNECT_TIMEOUT, IDLE_TIMEOUT] = [5, 60];
const MAX_CONNECTIONS = 10;
/**
 * Bytes from which on the driver writes at once. What is shorter it puts off, and where a connection is closed meanwhile, it sends
 * nothing on the next one in its place, until that has timed out several times. The first packet is longer, but under TLS, where a
 * short request comes before it: there, such a connection is still of no use until then.
 */
const AT_ONCE = 1024;
/** Seconds that queries may take when the pool is closed. */
export const END_TIMEOUT = 5;

/** A pool; it connects at the first query, and again after a lost connection. */
export const connect = ({ url, max = MAX_CONNECTIONS, isReadOnly = false, network }: ConnectionOptions): Sql =>
  postgres(url, {
    max,
    connect_timeout: CONNECT_TIMEOUT,
    idle_timeout: IDLE_TIMEOUT,
    ...(network && { socket: network.open, backoff: network.backoff }),
    onnotice: () => {},
    fetch_types: false,
    connection: {
      application_name: 'docent',
      statement_timeout: String(STATEMENT_MS).padEnd(AT_ONCE) as unknown as number,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      ...(isReadOnly && { default_transaction_read_only: true }),
    },
  });

const FOREIGN_KEY = '23503';
/** Of columns that name the process. */
const OF_PROCESS = /_(?:writer|learner|crawler|process)_fkey$/;

const isOrphaned = (error: unknown, ofProcess: boolean): boolean =>
  error instanceof postgres.PostgresError &&
  error.code === FOREIGN_KEY &&
  OF_PROCESS.test(error.constraint_name ?? '') === ofProcess;

/** What `act` gives; `otherwise` where the record that it belongs to was deleted meanwhile. */
export async function unlessOrphaned<T>(otherwise: T, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (isOrphaned(error, false)) return otherwise;
    throw error;
  }
}

/** What `act` gives; once more, after `begin`, where the others have taken this process for dead meanwhile. */
export async function unlessForgotten<T>(begin: () => Promise<unknown>, act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!isOrphaned(error, true)) throw error;
    await begin();
    return act();
  }
}

/** What `act` gives, once all that it has changed is stored; where it throws, nothing is. */
export const inTransaction = <T>(sql: Sql, act: (tx: Queries) => Promise<T>): Promise<T> =>
  sql.begin(act) as unknown as Promise<T>;

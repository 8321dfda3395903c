import { setTimeout as wait } from 'node:timers/promises';
import postgres from 'postgres';
import type { Health } from '../../health/health.ts';
import { Refusal } from '../../schema/errors.ts';
import type { StoreLog } from '../log.ts';
import type { Network } from './network.ts';

/** Seconds after which a caller may try again. */
const RETRY_SECONDS = 5;

/** Of the driver and of the network: the server is not reached, or was lost on the way. */
const UNREACHABLE =
  /^(?:CONNECT_TIMEOUT|CONNECTION_(?:CLOSED|ENDED|DESTROYED)|E(?:CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN))$/;
/**
 * Of PostgreSQL (its manual's appendix A): connection exceptions, lack of resources, operator intervention, a server that only reads,
 * errors of the disk.
 */
const UNAVAILABLE = /^(?:08...|53...|57...|25006|58...)$/;

/** Of those: nothing can be written, while reading may go on. */
const UNWRITABLE: Record<string, string> = {
  '25006': 'the database is read-only (a standby?)',
  '53100': 'the disk of the database is full',
  '58030': 'the disk of the database fails',
};
/** Of the others, whose code says nothing to an operator. */
const SENTENCES: Record<string, string> = {
  '53200': 'the database has no memory left',
  '53300': 'the database takes no more connections',
  '57014': 'the database takes too long for a statement',
  '57P01': 'the database shuts down',
  '57P02': 'the database has crashed',
  '57P03': 'the database starts or shuts down',
};

/** Of PostgreSQL: what says that the connection ends, which may be after a commit whose reply was not sent yet. */
const BROKEN_OFF = /^(?:08...|57P0[1245])$/;
/** Of PostgreSQL: connection exceptions, and a server that ends, has crashed or starts. */
const NO_SERVER = /^(?:08...|57P0[123])$/;
/** Of the driver and of the network: nothing was sent. */
const UNSENT = /^(?:CONNECT_TIMEOUT|CONNECTION_ENDED|ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/;

/** Milliseconds between two looks whether a database that is away is back, and of silence on all connections before the first. */
const [LOOK_MS, SILENCE_MS] = [250, 2000];
/**
 * Milliseconds that it has to accept a connection and answer on it. While it is away, some looks have less: what was sent before it was
 * back is lost, and is not answered.
 */
const [ANSWER_MS, QUICK_ANSWER_MS] = [3000, 1000];

type HealthPort = Pick<Health, 'report' | 'clear'>;

/** One kind of fault: `/readyz` has its newest reason while it lasts, the log one line when it begins and one when it ends. */
class OutageReport {
  isOn = false;
  readonly #begin: (reason: string, error: unknown) => void;
  readonly #end: () => void;

  constructor(key: string, ended: string, health: HealthPort | undefined, log: StoreLog | undefined) {
    this.#begin = (reason, error) => {
      health?.report(key, { status: 'failing', reason });
      if (!this.isOn) log?.warn({ err: error }, reason);
    };
    this.#end = () => {
      health?.clear(key);
      log?.warn({}, ended);
    };
  }

  begin(reason: string, error: unknown): void {
    this.#begin(reason, error);
    this.isOn = true;
  }

  end(): void {
    if (this.isOn) this.#end();
    this.isOn = false;
  }
}

/**
 * Turns what a database throws that is away into a refusal, and reports it to `/readyz` until a statement succeeds; where nothing can be
 * written, until something is. With a network, a database that cannot be reached is asked for a sign of life until it gives one;
 * meanwhile everything is refused at once.
 */
export class DatabaseWatch {
  readonly #away: OutageReport;
  readonly #unwritable: OutageReport;
  /** How many statements could not write. */
  #unwritten = 0;
  readonly #network: Pick<Network, 'probe' | 'refuse' | 'accept'> | undefined;
  readonly #listeners: (() => void)[] = [];
  /** Why it cannot be reached, from a look. */
  #gone: unknown;
  #looking: Promise<void> | undefined;
  #isClosed = false;
  #waiting = 0;
  #heardAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    health: HealthPort | undefined,
    log: StoreLog | undefined,
    network?: Pick<Network, 'probe' | 'refuse' | 'accept'>,
  ) {
    this.#away = new OutageReport('database', 'the database answers again', health, log);
    this.#unwritable = new OutageReport('database writes', 'the database stores again', health, log);
    this.#network = network;
    if (network) this.#timer = setInterval(() => this.#listen(), SILENCE_MS / 4).unref();
  }

  /** Nothing could be written when that was last tried. */
  get isUnwritable(): boolean {
    return this.#unwritable.isOn;
  }

  /** As `run`, of what writes so much that others can write too if it succeeds. */
  readonly write = async <T>(act: () => T | Promise<T>): Promise<T> => {
    const unwritten = this.#unwritten;
    const result = await this.run(act);
    // One that began before the fault says nothing.
    if (unwritten === this.#unwritten) this.#unwritable.end();
    return result;
  };

  /** Calls `act` as soon as a database that could not be reached can be. */
  onReturn(act: () => void): void {
    this.#listeners.push(act);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#looking;
  }

  readonly run = async <T>(act: () => T | Promise<T>): Promise<T> => {
    if (this.#gone !== undefined) throw refusalOf(this.#gone, false);
    if (this.#waiting++ === 0) this.#heardAt = performance.now();
    try {
      const result = await act();
      this.#heardAt = performance.now();
      this.#away.end();
      return result;
    } catch (error) {
      if (error instanceof postgres.PostgresError) this.#heardAt = performance.now();
      const code = awayCode(error);
      if (code === undefined) throw error;
      this.#failed(code, error);
      if (isUnreachable(error)) this.#look();
      throw refusalOf(error, mayBeStored(error));
    } finally {
      this.#waiting--;
    }
  };

  #listen(): void {
    if (this.#waiting > 0 && performance.now() - this.#heardAt > SILENCE_MS) this.#look();
  }

  /** One statement that fails says little: others may go on, on other connections. */
  #look(): void {
    if (this.#network && !this.#isClosed) this.#looking ??= this.#lookUntilBack(this.#network);
  }

  /** Never rejects. */
  async #lookUntilBack(network: Pick<Network, 'probe' | 'refuse' | 'accept'>): Promise<void> {
    const look = (patience: number): Promise<unknown> =>
      network.probe(patience).then(
        () => undefined,
        (error: unknown) => error,
      );
    let fault: unknown;
    let patient: Promise<unknown> | undefined;
    for (;;) {
      patient ??= look(ANSWER_MS).finally(() => (patient = undefined));
      fault = await (this.#gone === undefined ? patient : Promise.race([patient, look(QUICK_ANSWER_MS)]));
      if (!isUnreachable(fault) || this.#isClosed) break;
      this.#failed(awayCode(fault)!, fault);
      // What a server that shuts down has begun, it ends.
      if (!(fault instanceof postgres.PostgresError)) network.refuse();
      this.#gone = fault;
      await wait(LOOK_MS, undefined, { ref: false });
    }
    network.accept();
    const wasGone = this.#gone !== undefined;
    this.#gone = this.#looking = undefined;
    this.#heardAt = performance.now();
    if (fault === undefined) this.#away.end();
    if (wasGone) for (const act of this.#listeners) act();
  }

  #failed(code: string, error: unknown): void {
    const sentence = UNWRITABLE[code];
    if (sentence !== undefined) {
      this.#unwritten++;
      this.#unwritable.begin(`nothing can be stored: ${sentence}`, error);
    } else this.#away.begin(SENTENCES[code] ?? `the database does not answer (${code})`, error);
  }
}

const refusalOf = (cause: unknown, isLost: boolean): Refusal => {
  const unwritable = UNWRITABLE[awayCode(cause) ?? ''];
  const sentence = unwritable
    ? `${unwritable}; nothing was stored`
    : 'the database of the server does not answer; try again';
  return new Refusal('unavailable', sentence, {
    cause,
    retryAfter: RETRY_SECONDS,
    unstored: true,
    mayBeStored: isLost,
  });
};

/** Whether the error is one of the way to the database, or of a server that ends or starts: no statement has another fate. */
function isUnreachable(error: unknown): boolean {
  const code = awayCode(error);
  return code !== undefined && (!(error instanceof postgres.PostgresError) || NO_SERVER.test(code));
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

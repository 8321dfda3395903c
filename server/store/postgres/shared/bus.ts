import { LocalBus, type Bus, type BusListener, type Topic } from '../../bus.ts';
import { inTransaction, type Sql } from '../connection.ts';
import type { DatabaseWatch } from '../outage.ts';

/** Milliseconds between two batches that a process sends, and after one that failed. */
const [SEND_MS, RETRY_MS] = [50, 1000];
/** Milliseconds between two reads at least, and at most: a notification that is lost costs that long. */
const [READ_MS, POLL_MS] = [25, 1500];
/** Milliseconds that a batch is kept: a process that the database was away from for longer does not hear of it. */
const [KEPT_MS, CLEAN_MS] = [300_000, 60_000];
const CHANNEL = 'docent';
/** Of no meaning; differs from the lock of the migrations. */
const SEND_LOCK = 4_712_026;

type Notice = [Topic, string];

/**
 * The bus of processes on one database. Batches of ids are rows of `notices`, which each process reads in order; a NOTIFY
 * only says that there are new ones, because it takes a lock of the whole server and may be lost.
 */
export class PostgresBus implements Bus {
  readonly #sql: Sql;
  readonly #process: string;
  readonly #watch: DatabaseWatch;
  readonly #local = new LocalBus();
  #isListening = false;
  #isClosed = false;

  /** JSON of notices. */
  #unsent = new Set<string>();
  #sender: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #nextSend = 0;
  #cleanedAt = 0;

  /** The last row that was read. */
  #last: string;
  #reader: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;
  #readAt = 0;
  /** Others have sent since the read under way began. */
  #isBehind = false;

  /** `last`: the newest row. */
  private constructor(sql: Sql, process: string, watch: DatabaseWatch, last: string) {
    this.#sql = sql;
    this.#process = process;
    this.#watch = watch;
    this.#last = last;
  }

  static async open(sql: Sql, process: string, watch: DatabaseWatch): Promise<PostgresBus> {
    const [row] = await sql<{ last: string }[]>`select coalesce(max(n), 0)::text as last from notices`;
    return new PostgresBus(sql, process, watch, row!.last);
  }

  publish(topic: Topic, id: string): void {
    this.#local.publish(topic, id);
    const notice: Notice = [topic, id];
    this.#unsent.add(JSON.stringify(notice));
    this.#sendLater();
  }

  /** The first one listens to the database: a process that only publishes does not. */
  subscribe(topic: Topic, listener: BusListener): () => void {
    if (!this.#isListening && !this.#isClosed) this.#listen();
    return this.#local.subscribe(topic, listener);
  }

  /** Sends what was published, and hears nothing more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#reader);
    clearTimeout(this.#sender);
    await this.#reading;
    await this.#sending;
    if (this.#unsent.size > 0) await this.#send();
  }

  #sendLater(): void {
    if (this.#sender || this.#sending || this.#unsent.size === 0 || this.#isClosed) return;
    this.#sender = setTimeout(
      () => {
        this.#sender = undefined;
        this.#sending = this.#send().finally(() => {
          this.#sending = undefined;
          this.#sendLater();
        });
      },
      Math.max(0, this.#nextSend - performance.now()),
    ).unref();
  }

  /** Never rejects: what could not be sent is sent with the next. */
  async #send(): Promise<void> {
    const notices = this.#unsent;
    this.#unsent = new Set();
    try {
      await this.#watch.run(() => this.#insert(`[${[...notices].join(',')}]`));
      this.#nextSend = performance.now() + SEND_MS;
    } catch {
      this.#unsent = new Set([...notices, ...this.#unsent]);
      this.#nextSend = performance.now() + RETRY_MS;
    }
  }

  #insert(notices: string): Promise<void> {
    const now = performance.now();
    const cleans = now - this.#cleanedAt > CLEAN_MS;
    if (cleans) this.#cleanedAt = now;
    return inTransaction(this.#sql, async (tx) => {
      // Rows become visible in the order of their numbers: a reader misses none with a lower one.
      await tx`select pg_advisory_xact_lock(${SEND_LOCK})`;
      await tx`
        with sent as (insert into notices (process, notices) values (${this.#process}, ${notices}))
        select pg_notify(${CHANNEL}, ${this.#process})`;
      if (cleans) await tx`delete from notices where at < now() - ${KEPT_MS}::float8 * interval '1 ms'`;
    });
  }

  #listen(): void {
    this.#isListening = true;
    // It listens again after a lost connection; until then, and where it fails, what is new is found by polling.
    const readSoon = (): void => {
      if (this.#reading) this.#isBehind = true;
      else this.#readIn(READ_MS);
    };
    const onNotify = (sender: string): void => void (sender === this.#process || readSoon());
    this.#sql.listen(CHANNEL, onNotify, readSoon).catch(() => {});
    this.#readIn(POLL_MS);
  }

  /** Reads `delay` ms after the last read. */
  #readIn(delay: number): void {
    if (this.#isClosed) return;
    clearTimeout(this.#reader);
    const wait = Math.max(0, this.#readAt + delay - performance.now());
    this.#reader = setTimeout(() => {
      this.#isBehind = false;
      this.#reading = this.#read().finally(() => {
        this.#reading = undefined;
        this.#readAt = performance.now();
        this.#readIn(this.#isBehind ? READ_MS : POLL_MS);
      });
    }, wait).unref();
  }

  /** Never rejects. */
  async #read(): Promise<void> {
    const rows = await this.#watch
      .run(
        () => this.#sql<{ n: string; process: string; notices: string }[]>`
          select n::text, process, notices from notices where n > ${this.#last}::bigint order by n`,
      )
      .catch(() => []);
    const others = rows.filter(({ process }) => process !== this.#process);
    const notices = new Map<string, Notice>();
    for (const row of others)
      for (const notice of JSON.parse(row.notices) as Notice[]) notices.set(notice.join(' '), notice);
    for (const [topic, id] of notices.values()) this.#local.publish(topic, id);
    this.#last = rows.at(-1)?.n ?? this.#last;
  }
}

import { jsonIn } from '../../schema/json.ts';
import { isObject } from '../../schema/validate.ts';
import { KeyedMutex } from '../../async/keyed-mutex.ts';
import type { Bus } from '../bus.ts';
import { InFlight, type RunVerb } from '../in-flight.ts';
import { unlessForgotten, type Sql } from './connection.ts';
import type { DatabaseWatch } from './outage.ts';
import type { UnreadableRecords } from './records/unreadable.ts';

/** What the verbs work with. */
export interface PostgresContext {
  sql: Sql;
  /** Of this process, in `processes`. */
  process: string;
  /** By record: what this process does with one runs in the order of the calls. Other processes take turns by its row. */
  mutex: KeyedMutex;
  inFlight: InFlight;
  run: RunVerb;
  /** Higher at each call: the place in the order of creation. Of several processes, by their clocks. */
  nextOrder(): string;
  /** Resolves when the deletions of chatbots that have begun are known to all: what is stored after them finds them gone. */
  deletions: Set<Promise<unknown>>;
  bus: Bus;
  /** Of the passages of chatbots, as they were when this process last read them. */
  versions: Map<string, number>;
  /** Takes records that cannot be read, which are left out; without it, reading fails. */
  unreadable?: UnreadableRecords | undefined;
  /** Records that are no JSON objects are left out, where else reading fails; false by default. */
  skipsUnreadable?: boolean;
}

interface ContextOptions {
  sql: Sql;
  process: string;
  watch: DatabaseWatch;
  bus: Bus;
  unreadable?: UnreadableRecords;
}

export function createContext({ sql, process, watch, bus, unreadable }: ContextOptions): PostgresContext {
  const inFlight = new InFlight();
  const begin = async () =>
    sql`insert into processes (uuid, keeps_words) values (${process}, true) on conflict do nothing`;
  return {
    sql,
    process,
    mutex: new KeyedMutex(),
    inFlight,
    run: (act) => inFlight.run(() => watch.run(() => unlessForgotten(begin, act))),
    nextOrder: createOrder(),
    deletions: new Set(),
    bus,
    versions: new Map(),
    unreadable,
  };
}

/** Milliseconds and a count within one, which a bigint holds until the year 294,000. */
function createOrder(): () => string {
  let last = 0n;
  return () => {
    const now = BigInt(Date.now()) * 1000n;
    last = now > last ? now : last + 1n;
    return String(last);
  };
}

/** Whether the text is to be parsed: in a context that skips what cannot be. */
export const isKept = ({ skipsUnreadable = false }: PostgresContext, json: string): boolean =>
  !skipsUnreadable || isJsonObject(json);

export const isJsonObject = (json: string): boolean => isObject(jsonIn(json));

export const fromJson = <T>(text: string): T => JSON.parse(text) as T;

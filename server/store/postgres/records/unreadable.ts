import type { Health } from '../../../health/health.ts';
import type { Bus } from '../../bus.ts';
import type { StoreLog } from '../../log.ts';

/** Tables of records, with the columns of their keys and of their JSON. */
export const RECORDS = {
  chatbots: ['chatbot', 'uuid', 'record'],
  agents: ['agent', 'uuid', 'record'],
  tags: ['tag', 'uuid', 'record'],
  sites: ['site', 'uuid', 'record'],
  sources: ['source', 'uuid', 'record'],
  documents: ['the text of source', 'source', 'document'],
  sessions: ['conversation', 'uuid', 'record'],
  messages: ['message', 'uuid', 'record'],
  replies: ['the stored reply', 'key', 'record'],
} as const;

export type RecordTable = keyof typeof RECORDS;

/** Whose key gives who knows it more than its start tells. */
const SECRET_NAMES = new Set<RecordTable>(['sessions', 'replies']);

const shorten = (key: string, digits = 8): string => `${key.slice(0, digits)}…`;

/** Says which one it is. `session`: of a message. */
export function describeUnreadable(table: RecordTable, key: string, session?: string): string {
  const [kind, , column] = RECORDS[table];
  const shown = SECRET_NAMES.has(table) ? shorten(key) : key;
  const whose = session === undefined ? '' : ` of conversation ${shorten(session)}`;
  return `${kind} ${shown}${whose} cannot be read (${column} in table ${table})`;
}

interface Belonging {
  chatbot: string;
  /** The conversation itself, or that of a message; undefined for other records. */
  session?: string;
}

interface Reported extends Belonging {
  healthKey: string;
}

/**
 * Records that cannot be read, and are left out of what is served, as the lowdb engine leaves out damaged files: each is in the log
 * once, and in `/readyz` until it can be read or is deleted with its conversation or chatbot.
 */
export class UnreadableRecords {
  readonly #health: Pick<Health, 'report' | 'clear'> | undefined;
  readonly #log: StoreLog | undefined;
  readonly #bus: Bus;
  #isListening = false;
  /** By table and key. */
  readonly #reported = new Map<string, Reported>();

  constructor(health: Pick<Health, 'report' | 'clear'> | undefined, log: StoreLog | undefined, bus: Bus) {
    this.#health = health;
    this.#log = log;
    this.#bus = bus;
  }

  report(table: RecordTable, key: string, belonging: Belonging): void {
    const name = `${table} ${key}`;
    if (this.#reported.has(name)) return;
    this.#listen();
    const healthKey = `damaged:${name}`;
    // Anyone may read `/readyz`.
    const shown = table === 'messages' ? shorten(key, 16) : SECRET_NAMES.has(table) ? shorten(key) : key;
    const what = describeUnreadable(table, shown, table === 'messages' ? belonging.session : undefined);
    const reason = `${what}; the rest is served: restore it from a backup or delete the row, then restart`;
    this.#reported.set(name, { ...belonging, healthKey });
    this.#health?.report(healthKey, { status: 'degraded', reason });
    this.#log?.warn({ table, key: shown }, reason);
  }

  clear(table: RecordTable, key: string): void {
    if (this.#reported.size === 0) return;
    const name = `${table} ${key}`;
    const reported = this.#reported.get(name);
    if (!reported) return;
    this.#reported.delete(name);
    this.#health?.clear(reported.healthKey);
  }

  clearChatbot(chatbot: string): void {
    this.#clearWhere((one) => one.chatbot === chatbot);
  }

  /** With its messages. */
  clearSession(session: string): void {
    this.#clearWhere((one) => one.session === session);
  }

  /** To the deletions of other processes; not before the first report: most processes have none. */
  #listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    this.#bus.subscribe('deleted chatbot', (chatbot) => this.clearChatbot(chatbot));
  }

  #clearWhere(isGone: (one: Reported) => boolean): void {
    for (const [name, one] of this.#reported) {
      if (!isGone(one)) continue;
      this.#reported.delete(name);
      this.#health?.clear(one.healthKey);
    }
  }
}

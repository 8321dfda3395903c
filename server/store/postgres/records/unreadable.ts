import type { Health } from '../../../health/health.ts';
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

/** Says which one it is. `key` as it may be shown; `whose`: ` of …`. */
export function describeUnreadable(table: RecordTable, key: string, whose = ''): string {
  const [kind, , column] = RECORDS[table];
  return `${kind} ${key}${whose} cannot be read (${column} in table ${table})`;
}

interface Reported {
  chatbot: string;
  healthKey: string;
}

/**
 * Records that cannot be read, and are left out of what is served, as the lowdb engine leaves out damaged files: each is in the log
 * once, and in `/readyz` until it can be read or is deleted with its chatbot.
 */
export class UnreadableRecords {
  readonly #health: Pick<Health, 'report' | 'clear'> | undefined;
  readonly #log: StoreLog | undefined;
  /** By table and key. */
  readonly #reported = new Map<string, Reported>();

  constructor(health: Pick<Health, 'report' | 'clear'> | undefined, log: StoreLog | undefined) {
    this.#health = health;
    this.#log = log;
  }

  /** `chatbot`: the one that it belongs to. */
  report(table: RecordTable, key: string, chatbot: string): void {
    const name = `${table} ${key}`;
    if (this.#reported.has(name)) return;
    const healthKey = `damaged:${name}`;
    const what = describeUnreadable(table, key);
    const reason = `${what}; the rest is served: restore it from a backup or delete the row, then restart`;
    this.#reported.set(name, { chatbot, healthKey });
    this.#health?.report(healthKey, { status: 'degraded', reason });
    this.#log?.warn({ table, key }, reason);
  }

  clear(table: RecordTable, key: string): void {
    const name = `${table} ${key}`;
    const reported = this.#reported.get(name);
    if (!reported) return;
    this.#reported.delete(name);
    this.#health?.clear(reported.healthKey);
  }

  clearChatbot(chatbot: string): void {
    for (const [name, one] of this.#reported) {
      if (one.chatbot !== chatbot) continue;
      this.#reported.delete(name);
      this.#health?.clear(one.healthKey);
    }
  }
}

import type { StoredRecord } from '../files/record.ts';
import type { StoredSource } from '../../store.ts';

export interface SourceFile {
  order: number;
  source: StoredSource;
}

export type SourceRecord = StoredRecord<SourceFile>;

/** Sources by chatbot and by identity: a page of a crawl costs the same however many sources other chatbots have. */
export class SourceIndex {
  readonly #ofChatbot = new Map<string, Set<SourceRecord>>();
  /** By chatbot and identity or alias. A key may outlive the name, so that what is found has to be checked. */
  readonly #named = new Map<string, Set<SourceRecord>>();

  add(record: SourceRecord): void {
    const { source } = record.stored;
    enter(this.#ofChatbot, source.chatbot, record);
    for (const key of keysOf(source)) enter(this.#named, key, record);
  }

  /** `source` is what was stored when it was added. */
  remove(record: SourceRecord, source: StoredSource = record.stored.source): void {
    leave(this.#ofChatbot, source.chatbot, record);
    for (const key of keysOf(source)) leave(this.#named, key, record);
  }

  of(chatbot: string): Iterable<SourceRecord> {
    return this.#ofChatbot.get(chatbot) ?? [];
  }

  count(chatbot: string): number {
    return this.#ofChatbot.get(chatbot)?.size ?? 0;
  }

  /** The sources of the chatbot with this identity or alias. */
  named(chatbot: string, identity: string): SourceRecord[] {
    const found = [...(this.#named.get(keyOf(chatbot, identity)) ?? [])];
    return found.filter(({ stored: { source } }) => source.identity === identity || source.alias === identity);
  }
}

const keyOf = (chatbot: string, name: string): string => `${chatbot} ${name}`;

const keysOf = ({ chatbot, identity, alias }: StoredSource): string[] =>
  (alias ? [identity, alias] : [identity]).map((name) => keyOf(chatbot, name));

function enter(index: Map<string, Set<SourceRecord>>, key: string, record: SourceRecord): void {
  const records = index.get(key);
  if (records) records.add(record);
  else index.set(key, new Set([record]));
}

function leave(index: Map<string, Set<SourceRecord>>, key: string, record: SourceRecord): void {
  const records = index.get(key);
  records?.delete(record);
  if (records?.size === 0) index.delete(key);
}

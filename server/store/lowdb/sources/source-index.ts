import { isSource, number, record } from '../../record-checks.ts';
import type { StoredRecord } from '../files/record.ts';
import type { StoredSource } from '../../store.ts';

export interface SourceFile {
  order: number;
  source: StoredSource;
}

const hasSourceFields = record<SourceFile>({ order: number, source: isSource });
export const isSourceFile = (value: unknown): value is SourceFile => hasSourceFields(value);

export type SourceRecord = StoredRecord<SourceFile>;

/** Sources by chatbot and by identity: a page of a crawl costs the same however many sources other chatbots have. */
export class SourceIndex {
  readonly #ofChatbot = new Map<string, Set<SourceRecord>>();
  /** By chatbot and identity or alias. A key may outlive the name, so that what is found has to be checked. */
  readonly #named = new Map<string, Set<SourceRecord>>();

  add(record: SourceRecord): void {
    const { source } = record.stored;
    addTo(this.#ofChatbot, source.chatbot, record);
    for (const key of keysOf(source)) addTo(this.#named, key, record);
  }

  /** `source` is what was stored when it was added. */
  remove(record: SourceRecord, source: StoredSource = record.stored.source): void {
    removeFrom(this.#ofChatbot, source.chatbot, record);
    for (const key of keysOf(source)) removeFrom(this.#named, key, record);
  }

  ofChatbot(chatbot: string): Iterable<SourceRecord> {
    return this.#ofChatbot.get(chatbot) ?? [];
  }

  count(chatbot: string, which: (source: StoredSource) => boolean): number {
    let count = 0;
    for (const { stored } of this.ofChatbot(chatbot)) if (which(stored.source)) count++;
    return count;
  }

  /** The sources of the chatbot with this identity or alias. */
  withIdentity(chatbot: string, identity: string): SourceRecord[] {
    const found = [...(this.#named.get(keyOf(chatbot, identity)) ?? [])];
    return found.filter(({ stored: { source } }) => source.identity === identity || source.alias === identity);
  }
}

const keyOf = (chatbot: string, name: string): string => `${chatbot} ${name}`;

const keysOf = ({ chatbot, identity, alias }: StoredSource): string[] =>
  (alias ? [identity, alias] : [identity]).map((name) => keyOf(chatbot, name));

function addTo(index: Map<string, Set<SourceRecord>>, key: string, record: SourceRecord): void {
  const records = index.get(key);
  if (records) records.add(record);
  else index.set(key, new Set([record]));
}

function removeFrom(index: Map<string, Set<SourceRecord>>, key: string, record: SourceRecord): void {
  const records = index.get(key);
  records?.delete(record);
  if (records?.size === 0) index.delete(key);
}

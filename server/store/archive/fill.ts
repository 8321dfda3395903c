import type { Store, StoredMessage, StoredSession, StoredSource } from '../store.ts';
import { ArchiveFault, type ArchiveRecords, type Counts, type Entry } from './format.ts';

/** Records of a chatbot that are stored at a time. */
const MAX_PENDING = 16;

interface SourceParts extends Partial<Pick<ArchiveRecords, 'document' | 'vectors'>> {
  record: StoredSource;
  /** What is missing of its file, in bytes. */
  missing: number;
  file?: Buffer[];
  rows?: Buffer[];
}

/** Stores the entries of an archive, in their order, in an empty store. Resolves with how many there were of each kind. */
export async function fillStore(store: Store, entries: AsyncIterable<Entry & { at: number }>): Promise<Counts> {
  const filler = new Filler(store);
  const counts: Counts = {};
  try {
    for await (const entry of entries) {
      counts[entry.kind] = (counts[entry.kind] ?? 0) + 1;
      await filler.add(entry, entry.at);
    }
    await filler.end();
  } finally {
    // What is written after the caller has rolled back would stay.
    await filler.ended();
  }
  return counts;
}

class Filler {
  readonly #store: Store;
  readonly #users: Set<string>;
  readonly #pending = new Set<Promise<void>>();
  #failure: { error: unknown } | undefined;
  #chatbot = '';
  #source: SourceParts | undefined;
  #session: { record: StoredSession; messages: StoredMessage[] } | undefined;
  /** The line that is stored, and the one where what is being read began. */
  #at = 0;
  #began = 0;

  constructor(store: Store) {
    this.#store = store;
    this.#users = new Set([store.owner.user.uuid]);
  }

  async add(entry: Entry, at: number): Promise<void> {
    this.#at = at;
    const { kind, value } = entry;
    if (kind === 'message') return this.#addMessage(value);
    if (kind === 'file' || kind === 'document' || kind === 'vectors' || kind === 'rows')
      return this.#addPart(entry as PartEntry);
    await this.#storeGroup();
    this.#began = at;
    if (kind === 'source')
      this.#source = {
        record: this.#own(value.record),
        missing: value.bytes ?? 0,
        ...(value.bytes !== undefined && { file: [] }),
      };
    else if (kind === 'session') this.#session = { record: this.#own(value), messages: [] };
    else {
      // What follows may name what is still being stored.
      await this.#settle();
      await this.#storeAlone(entry);
    }
  }

  async end(): Promise<void> {
    await this.#storeGroup();
    await this.#settle();
  }

  /** Resolves when nothing is being stored any more, whatever came of it. */
  async ended(): Promise<void> {
    await Promise.all(this.#pending);
  }

  async #storeAlone({ kind, value }: Entry): Promise<void> {
    const store = this.#store;
    if (kind === 'user') {
      this.#require(await store.addUser(value));
      this.#users.add(value.uuid);
    } else if (kind === 'key') {
      this.#require(this.#users.has(value.user));
      await store.addKey({ ...value, hint: value.hint ?? '', last_used_at: value.last_used_at ?? '' });
    } else if (kind === 'fact') await store.setFact(value.name, value.value);
    else if (kind === 'chatbot') {
      this.#require(!(await store.chatbot(value.uuid)));
      await store.createChatbot(value, []);
      this.#chatbot = value.uuid;
    } else if (kind === 'agent') this.#require(await store.createAgent(this.#own(value)));
    else if (kind === 'tag') this.#require(await store.createTag(this.#own(value)));
    else if (kind === 'site') this.#require(await store.createSite(this.#own(value)));
    else if (kind === 'usage') await store.addUsage(value);
    else if (kind === 'figures')
      await store.addFigures(
        value.map((one) => this.#own(one)),
        {},
      );
    else if (kind === 'cited') await store.addFigures([], { [this.#chatbot]: value });
    else if (kind === 'audit') {
      for (const { chatbot, account } of value)
        this.#require(account === '' ? chatbot === this.#chatbot : this.#users.has(account));
      await store.addAudit(value);
    } else if (kind === 'reply') await store.saveReply(value);
    else this.#require(false);
  }

  #addMessage(message: StoredMessage): void {
    this.#require(
      this.#session?.record.uuid === message.session && message.uuid.startsWith(message.session.slice(0, 8)),
    );
    this.#session!.messages.push(message);
  }

  #addPart({ kind, value }: PartEntry): void {
    const source = this.#source;
    if (!source) throw this.#fault();
    if (kind === 'file') {
      const bytes = Buffer.from(value, 'base64');
      source.missing -= bytes.length;
      this.#require(source.file && source.missing >= 0);
      source.file!.push(bytes);
    } else if (kind === 'rows') {
      this.#require(source.rows);
      source.rows!.push(Buffer.from(value, 'base64'));
    } else {
      this.#require(source[kind] === undefined);
      Object.assign(source, { [kind]: value });
      if (kind === 'vectors') source.rows = [Buffer.from(value.rows, 'base64')];
    }
  }

  /** Begins to store the source or session that was read last: in the order of the calls, beside others. */
  async #storeGroup(): Promise<void> {
    const [source, session] = [this.#source, this.#session];
    this.#source = this.#session = undefined;
    if (!source && !session) return;
    const fault = this.#fault(this.#began);
    const storing = source
      ? this.#storeSource(source, fault)
      : this.#storeSession(session!.record, session!.messages, fault);
    const pending: Promise<void> = storing
      .catch((error: unknown) => void (this.#failure ??= { error }))
      .finally(() => this.#pending.delete(pending));
    this.#pending.add(pending);
    if (this.#pending.size >= MAX_PENDING) await Promise.race(this.#pending);
    if (this.#failure) await this.#settle();
  }

  async #settle(): Promise<void> {
    await Promise.all(this.#pending);
    if (this.#failure) throw this.#failure.error;
  }

  async #storeSource(
    { record, missing, file, document, vectors, rows = [] }: SourceParts,
    fault: Error,
  ): Promise<void> {
    if (missing !== 0) throw fault;
    const made = await this.#store.createSource(record, file && Buffer.concat(file));
    if (!made || made.existing) throw fault;
    const { uuid } = record;
    if (document) await this.#store.putDocument(uuid, document);
    if (vectors) {
      const bytes = Buffer.concat(rows);
      if (!document || bytes.length !== document.passages.length * vectors.dimensions) throw fault;
      await this.#store.putVectors(uuid, { ...vectors, rows: new Int8Array(bytes) });
    }
    // The document has taken it away.
    if (record.embedded_by && !vectors) await this.#store.updateSource(uuid, () => record);
  }

  async #storeSession(session: StoredSession, [first, ...rest]: StoredMessage[], fault: Error): Promise<void> {
    const stored = first ? this.#store.saveMessage(first, session) : this.#store.createSession(session);
    if (!(await stored)) throw fault;
    const others = await Promise.allSettled(rest.map((message) => this.#store.saveMessage(message)));
    for (const other of others) if (other.status === 'rejected') throw other.reason;
    if (others.some((other) => other.status === 'fulfilled' && !other.value)) throw fault;
  }

  #own<T extends { chatbot: string }>(record: T): T {
    this.#require(record.chatbot === this.#chatbot);
    return record;
  }

  #require(holds: unknown): void {
    if (!holds) throw this.#fault();
  }

  #fault(at = this.#at): ArchiveFault {
    return new ArchiveFault(`line ${at} of the archive does not belong there`);
  }
}

type PartEntry = Extract<Entry, { kind: 'file' | 'document' | 'vectors' | 'rows' }>;

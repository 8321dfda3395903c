import type { ChatbotFile, Chatbots } from './chatbots.ts';
import { cloneJson } from '../clone-json.ts';
import type { Change, StoredAgent, StoredSite, StoredTag } from '../store.ts';

/** An agent, tag or site: a record within a chatbot's file. */
interface SubRecord {
  uuid: string;
  chatbot: string;
  data_source_uuids?: string[];
}

/** What there is of sources. */
interface KnownSources {
  has(uuid: string, chatbot: string): boolean;
  /** Whose record cannot be read; a backup may restore it. */
  damaged: ReadonlySet<string>;
}

/** Access to one list of them in a chatbot's file. */
interface SubRecordField<T> {
  get(file: ChatbotFile): T[];
  replace(file: ChatbotFile, parts: T[]): ChatbotFile;
}

export const AGENTS_FIELD: SubRecordField<StoredAgent> = {
  get: ({ agents }) => agents,
  replace: (file, agents) => ({ ...file, agents }),
};

export const TAGS_FIELD: SubRecordField<StoredTag> = {
  get: ({ tags }) => tags,
  replace: (file, tags) => ({ ...file, tags }),
};

export const SITES_FIELD: SubRecordField<StoredSite> = {
  get: ({ sites }) => sites,
  replace: (file, sites) => ({ ...file, sites }),
};

/**
 * The agents of all chatbots, or the tags, or the sites. Deleted sources are filtered out of their lists when they are read,
 * so that a deletion writes no second file and a crash cannot come between the two; the next write removes them from the file.
 * Damaged sources are not read either, but stay in the file.
 */
export class SubRecords<T extends SubRecord> {
  readonly #chatbots: Chatbots;
  readonly #field: SubRecordField<T>;
  readonly #sources: KnownSources;

  constructor(chatbots: Chatbots, field: SubRecordField<T>, sources: KnownSources) {
    this.#chatbots = chatbots;
    this.#field = field;
    this.#sources = sources;
  }

  /** In order of creation. */
  list(chatbot: string): T[] {
    const file = this.#chatbots.file(chatbot);
    return file ? this.#field.get(file).map((part) => this.#clone(part)) : [];
  }

  find(uuid: string): T | undefined {
    const file = this.#chatbots.fileContaining(uuid);
    const part = file && this.#field.get(file).find((one) => one.uuid === uuid);
    return part && this.#clone(part);
  }

  /** False without the chatbot, and where there is one of this uuid. */
  async create(part: T, check?: (parts: T[]) => void): Promise<boolean> {
    let created = false;
    const file = await this.#chatbots.change(part.chatbot, (before) => {
      const others = this.#field.get(before);
      check?.(others.map((one) => this.#clone(one)));
      if (others.some(({ uuid }) => uuid === part.uuid)) return before;
      created = true;
      return this.#field.replace(before, [...others, this.#clone(part)]);
    });
    return file !== undefined && created;
  }

  async update(uuid: string, change: Change<T>): Promise<T | undefined> {
    let changed: T | undefined;
    const file = await this.#replace(uuid, (part) => {
      changed = this.#clone(change(this.#clone(part)));
      return [this.#withDamaged(changed, part.data_source_uuids)];
    });
    return file && changed && this.#clone(changed);
  }

  async remove(uuid: string): Promise<boolean> {
    let removed = false;
    const file = await this.#replace(uuid, () => {
      removed = true;
      return [];
    });
    return file !== undefined && removed;
  }

  async #replace(uuid: string, by: (part: T) => T[]): Promise<ChatbotFile | undefined> {
    const chatbot = this.#chatbots.fileContaining(uuid)?.chatbot.uuid;
    if (chatbot === undefined) return undefined;
    return this.#chatbots.change(chatbot, (file) => {
      const parts = this.#field.get(file);
      if (!parts.some((part) => part.uuid === uuid)) return file;
      return this.#field.replace(
        file,
        parts.flatMap((part) => (part.uuid === uuid ? by(part) : [part])),
      );
    });
  }

  /** A clone that names only sources that exist. */
  #clone(part: T): T {
    if (!part.data_source_uuids) return cloneJson(part);
    const data_source_uuids = part.data_source_uuids.filter((uuid) => this.#sources.has(uuid, part.chatbot));
    return cloneJson({ ...part, data_source_uuids });
  }

  /** With the damaged sources that it named before. */
  #withDamaged(part: T, before: string[] = []): T {
    const isUnread = (uuid: string) => this.#sources.damaged.has(uuid) && !this.#sources.has(uuid, part.chatbot);
    const kept = before.filter(isUnread);
    return kept.length === 0 ? part : { ...part, data_source_uuids: [...(part.data_source_uuids ?? []), ...kept] };
  }
}

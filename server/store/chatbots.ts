import { dirname } from 'node:path';
import { syncFolder, type Disk } from './disk.ts';
import { readDocument } from './document.ts';
import { copy, StoredRecord } from './record.ts';
import { Shards } from './shards.ts';
import type { Change, StoredAgent, StoredChatbot } from './store.ts';

interface ChatbotFile {
  order: number;
  chatbot: StoredChatbot;
  agents: StoredAgent[];
}

const FORM = /^([0-9a-f]{32})\.(json|deleted)$/;

/**
 * Chatbots with their agents, a file each, all in memory. Deletion begins by renaming the file to `….deleted`, which
 * needs no space on the disk; that name goes last, so that a crash in between is found and finished.
 */
export class Chatbots {
  readonly #disk: Disk;
  readonly #shards: Shards;
  readonly #records = new Map<string, StoredRecord<ChatbotFile>>();
  readonly #halfDeleted = new Set<string>();

  constructor(disk: Disk, root: string) {
    this.#disk = disk;
    this.#shards = new Shards(disk, root);
    for (const { name, path } of this.#shards.names()) {
      const [, uuid, kind] = FORM.exec(name) ?? [];
      if (uuid && kind === 'deleted') this.#halfDeleted.add(uuid);
      else if (uuid) this.#records.set(uuid, new StoredRecord(disk, path, readDocument<ChatbotFile>(path)!));
    }
  }

  has(uuid: string): boolean {
    return this.#records.has(uuid);
  }

  async create(file: ChatbotFile): Promise<void> {
    const { uuid } = file.chatbot;
    await this.#shards.ensure(uuid);
    this.#records.set(uuid, await StoredRecord.create(this.#disk, this.#path(uuid), file));
  }

  chatbot(uuid: string): StoredChatbot | undefined {
    const record = this.#records.get(uuid);
    return record && copy(record.stored.chatbot);
  }

  agents(uuid: string): StoredAgent[] {
    const record = this.#records.get(uuid);
    return record ? copy(record.stored.agents) : [];
  }

  list(owner: string): StoredChatbot[] {
    const files = [...this.#records.values()].map((record) => record.stored);
    const own = files.filter(({ chatbot }) => chatbot.owner === owner).sort((a, b) => a.order - b.order);
    return own.map(({ chatbot }) => copy(chatbot));
  }

  async update(uuid: string, change: Change<StoredChatbot>): Promise<StoredChatbot | undefined> {
    const record = this.#records.get(uuid);
    const file = await record?.update((before) => ({ ...before, chatbot: change(before.chatbot) }));
    return file?.chatbot;
  }

  /** From the call on the chatbot is not there. `forget` ends what this begins. */
  async hide(uuid: string): Promise<boolean> {
    const record = this.#records.get(uuid);
    if (!record) return false;
    this.#records.delete(uuid);
    try {
      await record.remove(() => this.#markDeleted(uuid));
    } catch (error) {
      this.#records.set(uuid, record);
      throw error;
    }
    return true;
  }

  /** When everything that belonged to it is removed. */
  async forget(uuid: string): Promise<void> {
    const path = this.#path(uuid, 'deleted');
    await this.#disk.unlink(path);
    await syncFolder(this.#disk, dirname(path));
    this.#halfDeleted.delete(uuid);
  }

  /** Chatbots whose deletion an earlier life of the process did not finish. */
  halfDeleted(): string[] {
    return [...this.#halfDeleted];
  }

  async #markDeleted(uuid: string): Promise<void> {
    await this.#disk.rename(this.#path(uuid), this.#path(uuid, 'deleted'));
    await syncFolder(this.#disk, dirname(this.#path(uuid)));
  }

  #path(uuid: string, kind = 'json'): string {
    return this.#shards.path(uuid, `${uuid}.${kind}`);
  }
}

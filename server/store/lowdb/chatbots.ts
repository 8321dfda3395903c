import { dirname } from 'node:path';
import { isSetAside, type Damage } from './files/damage.ts';
import { syncFolder, type Disk } from './files/disk.ts';
import { readJsonFile } from './files/json-file.ts';
import { isAgent, isChatbot, isSite, isTag, list, number, optional, record, text } from '../record-checks.ts';
import { cloneJson } from '../clone-json.ts';
import { StoredRecord } from './files/record.ts';
import { Shards } from './files/shards.ts';
import { isPageOf } from '../shared/sites.ts';
import type { Change, StoredAgent, StoredChatbot, StoredSite, StoredSource, StoredTag } from '../store.ts';

/** A chatbot's file. Immutable: changes replace it. */
export interface ChatbotFile {
  order: number;
  chatbot: StoredChatbot;
  agents: StoredAgent[];
  tags: StoredTag[];
  sites: StoredSite[];
  /** Whose pages are still being removed; absent for none. */
  deleted_sites?: string[];
}

const CHATBOT_FILE_NAME = /^([0-9a-f]{32})\.(json|deleted)$/;

/**
 * Chatbots with their agents, tags and sites, a file each, all in memory. Deletion begins by renaming the file to
 * `….deleted`, which needs no space on the disk; that name goes last, so that a crash in between is found and finished.
 */
export class Chatbots {
  readonly #disk: Disk;
  readonly #shards: Shards;
  readonly #records = new Map<string, StoredRecord<ChatbotFile>>();
  /** The chatbot of each agent, tool function, tag and site. */
  readonly #chatbotByPart = new Map<string, string>();
  readonly #halfDeleted = new Set<string>();

  constructor(disk: Disk, damage: Damage, root: string) {
    this.#disk = disk;
    this.#shards = new Shards(disk, root);
    for (const { name, path } of this.#shards.files()) {
      const [, uuid, kind] = CHATBOT_FILE_NAME.exec(name) ?? [];
      if (isSetAside(name)) damage.reportExisting(path);
      else if (uuid && kind === 'deleted') this.#halfDeleted.add(uuid);
      else if (uuid) this.#load(uuid, path, damage);
    }
  }

  #load(uuid: string, path: string, damage: Damage): void {
    const file = readJsonFile(path, isChatbotFile);
    if (file?.chatbot.uuid === uuid)
      this.#add(uuid, new StoredRecord(this.#disk, path, { tags: [], sites: [], ...file }));
    else void damage.setAside(path, 'holds a chatbot that cannot be read; the others are served');
  }

  has(uuid: string): boolean {
    return this.#records.has(uuid);
  }

  /** Whether the chatbot of a source is there, and the source is no page of a site that is deleted. */
  mayHave(source: StoredSource): boolean {
    const file = this.file(source.chatbot);
    return file !== undefined && !file.deleted_sites?.some((site) => isPageOf(source, site));
  }

  async create(file: ChatbotFile): Promise<void> {
    const { uuid } = file.chatbot;
    await this.#shards.ensure(uuid);
    this.#add(uuid, await StoredRecord.create(this.#disk, this.#path(uuid), file));
  }

  file(uuid: string): ChatbotFile | undefined {
    return this.#records.get(uuid)?.stored;
  }

  /** The file that has the agent, tool function, tag or site of this uuid. */
  fileContaining(part: string): ChatbotFile | undefined {
    const uuid = this.#chatbotByPart.get(part);
    return uuid === undefined ? undefined : this.file(uuid);
  }

  /** In order of creation. */
  files(): ChatbotFile[] {
    return [...this.#records.values()].map(({ stored }) => stored).sort((a, b) => a.order - b.order);
  }

  list(isListed: (chatbot: StoredChatbot) => boolean): StoredChatbot[] {
    const listed = this.files().filter(({ chatbot }) => isListed(chatbot));
    return listed.map(({ chatbot }) => cloneJson(chatbot));
  }

  async update(uuid: string, change: Change<StoredChatbot>): Promise<StoredChatbot | undefined> {
    const file = await this.change(uuid, (before) => ({
      ...before,
      chatbot: cloneJson(change(cloneJson(before.chatbot))),
    }));
    return file && cloneJson(file.chatbot);
  }

  /** As `StoredRecord.update`: neither argument nor result may be changed in place. */
  async change(uuid: string, change: Change<ChatbotFile>): Promise<ChatbotFile | undefined> {
    const record = this.#records.get(uuid);
    if (!record) return undefined;
    const before = record.stored;
    const after = await record.update(change);
    this.#unindex(before);
    if (this.#records.get(uuid) === record) this.#index(record.stored);
    return after;
  }

  /** From the call on the chatbot is not found. `finishDeletion` removes the last file. */
  async beginDeletion(uuid: string): Promise<boolean> {
    const record = this.#records.get(uuid);
    if (!record) return false;
    this.#records.delete(uuid);
    try {
      await record.remove(() => this.#markDeleted(uuid));
    } catch (error) {
      this.#add(uuid, record);
      throw error;
    }
    this.#unindex(record.stored);
    return true;
  }

  /** To be called when all its sources, sessions and figures are removed. */
  async finishDeletion(uuid: string): Promise<void> {
    const path = this.#path(uuid, 'deleted');
    await this.#disk.unlink(path);
    await syncFolder(this.#disk, dirname(path));
    this.#halfDeleted.delete(uuid);
  }

  /** From the write on neither the site nor its pages are found. `finishSiteDeletion` is to be called when these are removed. */
  async beginSiteDeletion(uuid: string): Promise<boolean> {
    let isBegun = false;
    await this.change(this.fileContaining(uuid)?.chatbot.uuid ?? '', (file) => {
      const sites = file.sites.filter((site) => site.uuid !== uuid);
      isBegun = sites.length < file.sites.length;
      return isBegun ? { ...file, sites, deleted_sites: [...(file.deleted_sites ?? []), uuid] } : file;
    });
    return isBegun;
  }

  async finishSiteDeletion(chatbot: string, site: string): Promise<void> {
    await this.change(chatbot, ({ deleted_sites = [], ...file }) => {
      const left = deleted_sites.filter((one) => one !== site);
      return left.length > 0 ? { ...file, deleted_sites: left } : file;
    });
  }

  /** Chatbots whose deletion was interrupted before the start. */
  unfinishedDeletions(): string[] {
    return [...this.#halfDeleted];
  }

  #add(uuid: string, record: StoredRecord<ChatbotFile>): void {
    this.#records.set(uuid, record);
    this.#index(record.stored);
  }

  #index(file: ChatbotFile): void {
    for (const part of subRecordUuids(file)) this.#chatbotByPart.set(part, file.chatbot.uuid);
  }

  #unindex(file: ChatbotFile): void {
    for (const part of subRecordUuids(file)) this.#chatbotByPart.delete(part);
  }

  async #markDeleted(uuid: string): Promise<void> {
    await this.#disk.rename(this.#path(uuid), this.#path(uuid, 'deleted'));
    await syncFolder(this.#disk, dirname(this.#path(uuid)));
  }

  #path(uuid: string, kind = 'json'): string {
    return this.#shards.path(uuid, `${uuid}.${kind}`);
  }
}

type ChatbotFileOnDisk = Omit<ChatbotFile, 'tags' | 'sites'> & Partial<ChatbotFile>;

/** Files written before there were tags, or sites, have none. */
const hasChatbotFields = record<ChatbotFile>({
  order: number,
  chatbot: isChatbot,
  agents: list(isAgent),
  tags: optional(list(isTag)),
  sites: optional(list(isSite)),
  deleted_sites: optional(list(text)),
});

const isChatbotFile = (value: unknown): value is ChatbotFileOnDisk => hasChatbotFields(value);

function* subRecordUuids({ agents, tags, sites }: ChatbotFile): Generator<string> {
  for (const { uuid, tool_functions } of agents) {
    yield uuid;
    for (const one of tool_functions) yield one.uuid;
  }
  for (const { uuid } of [...tags, ...sites]) yield uuid;
}

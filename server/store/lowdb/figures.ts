import { readdir } from 'node:fs/promises';
import { KeyedMutex } from '../../async/keyed-mutex.ts';
import { list } from '../record-checks.ts';
import { isCited, isFigures } from '../shared/figure-checks.ts';
import {
  addFiguresTo,
  boundPages,
  groupBy,
  inOrder,
  keyOfFigures,
  wholeFigures,
  type Cited,
  type Figures,
  type FigureVerbs,
} from '../shared/figures.ts';
import type { Damage } from './files/damage.ts';
import { hasCode, removeFile, syncFolder, type Disk } from './files/disk.ts';
import { JsonFile } from './files/json-file.ts';
import { Shards } from './files/shards.ts';

interface FigureFilesOptions {
  disk: Disk;
  damage: Damage;
  root: string;
  chatbotExists(chatbot: string): boolean;
  sourceExists(source: string, chatbot: string): boolean;
}

const DAMAGED = 'holds figures that cannot be read; the others are served';

/** Figures of a chatbot: a file a month, replaced whole, and one for how often its sources were cited. None is kept in memory. */
export class FigureFiles implements FigureVerbs {
  readonly #options: FigureFilesOptions;
  readonly #shards: Shards;
  /** By chatbot. */
  readonly #mutex = new KeyedMutex();

  constructor(options: FigureFilesOptions) {
    this.#options = options;
    this.#shards = new Shards(options.disk, options.root);
  }

  async addFigures(figures: readonly Figures[], cited: Readonly<Record<string, readonly Cited[]>>): Promise<void> {
    const ofChatbot = groupBy(figures.map(wholeFigures), ({ chatbot }) => chatbot);
    for (const chatbot of new Set([...ofChatbot.keys(), ...Object.keys(cited)]))
      await this.#mutex.run(chatbot, async () => {
        if (!this.#options.chatbotExists(chatbot)) return;
        await this.#shards.ensure(chatbot);
        const months = groupBy(ofChatbot.get(chatbot) ?? [], ({ day }) => day.slice(0, 7));
        for (const [month, added] of months) await this.#addMonth(chatbot, month, added);
        if (cited[chatbot]?.length) await this.#addCited(chatbot, cited[chatbot]);
      });
  }

  async figures(chatbot: string, from: string, to: string): Promise<Figures[]> {
    const found: Figures[] = [];
    for (const name of await this.#names(chatbot)) {
      const month = MONTH_FILE.exec(name)?.[1];
      if (month === undefined || month < from.slice(0, 7) || month > to.slice(0, 7)) continue;
      for (const one of await this.#readMonth(chatbot, name)) if (one.day >= from && one.day <= to) found.push(one);
    }
    return inOrder(found);
  }

  async cited(chatbot: string): Promise<Cited[]> {
    const all = await this.#read(chatbot, citedFile(chatbot), isCitedList<Cited>);
    return all.filter(({ source }) => this.#options.sourceExists(source, chatbot));
  }

  /** Once the chatbot is not found any more. */
  removeAll(chatbot: string): Promise<void> {
    return this.#mutex.run(chatbot, async () => {
      const names = await this.#names(chatbot);
      await this.#options.damage.remove((name) => name.startsWith(`${chatbot}.`) && names.includes(name));
      for (const name of names) await removeFile(this.#options.disk, this.#shards.path(chatbot, name));
      if (names.length > 0) await syncFolder(this.#options.disk, this.#shards.folder(chatbot));
    });
  }

  async #addMonth(chatbot: string, month: string, added: Figures[]): Promise<void> {
    const name = `${chatbot}.${month}.json`;
    const sums = new Map<string, Figures>();
    for (const one of await this.#readMonth(chatbot, name)) sums.set(keyOfFigures(one), one);
    for (const one of added) addFiguresTo(sums, one);
    boundPages(sums);
    await this.#write(chatbot, name, [...sums.values()]);
  }

  async #addCited(chatbot: string, added: readonly Cited[]): Promise<void> {
    const sums = new Map((await this.cited(chatbot)).map((one) => [one.source, one]));
    for (const one of added) {
      const sum = sums.get(one.source);
      if (!this.#options.sourceExists(one.source, chatbot)) continue;
      const last_at = sum && sum.last_at > one.last_at ? sum.last_at : one.last_at;
      sums.set(one.source, { source: one.source, answers: (sum?.answers ?? 0) + one.answers, last_at });
    }
    await this.#write(
      chatbot,
      citedFile(chatbot),
      [...sums.values()].sort((a, b) => (a.source < b.source ? -1 : 1)),
    );
  }

  async #readMonth(chatbot: string, name: string): Promise<Figures[]> {
    return (await this.#read(chatbot, name, isMonth<Figures>)).map(wholeFigures);
  }

  /** Empty where there is no file, and where it is damaged: then it is set aside. */
  async #read<T>(chatbot: string, name: string, is: (value: unknown) => value is T[]): Promise<T[]> {
    const path = this.#shards.path(chatbot, name);
    try {
      const value = await new JsonFile<unknown>(this.#options.disk, path).read();
      if (value === null || is(value)) return value ?? [];
    } catch (error) {
      if (!(error instanceof SyntaxError) && !hasCode(error, 'EISDIR')) throw error;
    }
    await this.#options.damage.setAside(path, DAMAGED);
    return [];
  }

  #write(chatbot: string, name: string, value: unknown): Promise<void> {
    return new JsonFile<unknown>(this.#options.disk, this.#shards.path(chatbot, name)).write(value);
  }

  /** All of the chatbot's, the damaged and the unfinished ones too. */
  async #names(chatbot: string): Promise<string[]> {
    const names = await readdir(this.#shards.folder(chatbot)).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    });
    return names.filter((name) => name.startsWith(`${chatbot}.`));
  }
}

const MONTH_FILE = /^[0-9a-f]{32}\.(\d{4}-\d\d)\.json$/;
const citedFile = (chatbot: string): string => `${chatbot}.cited.json`;

const isMonth = list(isFigures) as <T>(value: unknown) => value is T[];
const isCitedList = list(isCited) as <T>(value: unknown) => value is T[];

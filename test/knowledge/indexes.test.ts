import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { IndexCache } from '../../server/knowledge/search/cache/index-cache.ts';
import type { SourceDocument, Store, StoredSource } from '../../server/store/store.ts';
import { aSource } from '../store/records.ts';

/** A text in Russian waits for its stemmer, which comes when the test says so; one in English waits for nothing. */
let loadStemmer: () => void;
beforeEach(() => {
  vi.resetModules();
  const gate = new Promise<void>((resolve) => (loadStemmer = resolve));
  vi.doMock('snowball-stemmers', async (original) => {
    await gate;
    return original();
  });
});

const CHATBOT = 'c'.repeat(32);
const source = aSource(CHATBOT, { title: 'Паром' });
const documentOf = (text: string): SourceDocument => ({
  title: source.title,
  text,
  passages: [{ headings: [], start: 0, end: text.length }],
});
const RUSSIAN = documentOf('Паром до гавани синий.');
const ENGLISH = documentOf('The ferry to the harbour is blue.');

/** Over a store with these sources, whose document is the Russian one. */
async function open(...sources: StoredSource[]): Promise<IndexCache> {
  return openWithDocument(async () => RUSSIAN, ...sources);
}

async function openWithDocument(document: Store['document'], ...sources: StoredSource[]): Promise<IndexCache> {
  const module = await import('../../server/knowledge/search/cache/index-cache.ts');
  const store = { sources: async () => sources, document } as unknown as Store;
  return new module.IndexCache({ store, clock: Date.now, idle: 60_000 });
}

async function texts(indexes: IndexCache): Promise<string[]> {
  const index = await indexes.get(CHATBOT);
  const hits = ['паром', 'ferry'].flatMap((word) => index.search(index.query(word), 5));
  indexes.close();
  return [...new Set(hits.map(({ entry }) => entry.text))];
}

it('leaves out a source that is deleted while its stemmer is loaded', async () => {
  const indexes = await open(source);
  const building = indexes.get(CHATBOT);
  await setImmediate();
  indexes.remove(CHATBOT, source.uuid);
  loadStemmer();
  await building;
  expect(await texts(indexes)).toEqual([]);
});

it('keeps the latest text of a source that is relearned while its stemmer is loaded', async () => {
  const indexes = await open(source);
  const building = indexes.get(CHATBOT);
  await setImmediate();
  await indexes.put(source, ENGLISH);
  loadStemmer();
  await building;
  expect(await texts(indexes)).toEqual([ENGLISH.text]);
});

it('leaves out a source that is deleted while it is put into an index that is there', async () => {
  const indexes = await open();
  await indexes.get(CHATBOT);
  const putting = indexes.put(source, RUSSIAN);
  indexes.remove(CHATBOT, source.uuid);
  loadStemmer();
  await putting;
  expect(await texts(indexes)).toEqual([]);
});

it('keeps the later of two texts, though only the earlier waits for a stemmer', async () => {
  const indexes = await open();
  await indexes.get(CHATBOT);
  const putting = indexes.put(source, RUSSIAN);
  await indexes.put(source, ENGLISH);
  loadStemmer();
  await putting;
  expect(await texts(indexes)).toEqual([ENGLISH.text]);
});

it('keeps the latest text of a source where a rename has read the text before', async () => {
  loadStemmer();
  let give!: (document: SourceDocument) => void;
  const indexes = await openWithDocument(() => new Promise((resolve) => (give = resolve)));
  await indexes.get(CHATBOT);
  const renaming = indexes.rename(source);
  await indexes.put(source, ENGLISH);
  give(RUSSIAN);
  await renaming;
  expect(await texts(indexes)).toEqual([ENGLISH.text]);
});

it('finds a source whose stemmer was loaded while nothing changed', async () => {
  loadStemmer();
  expect(await texts(await open(source))).toEqual([RUSSIAN.text]);
});

describe('indexes that are loaded before the first question', () => {
  beforeEach(() => loadStemmer());
  const OTHER = 'd'.repeat(32);
  const never = (): never => expect.unreachable('no index fails');

  /** Two chatbots of so many sources each; `read` names the chatbot of each document that was read, `give` lets one be read. */
  async function openTwo(sources: number) {
    const module = await import('../../server/knowledge/search/cache/index-cache.ts');
    const all = [CHATBOT, OTHER].flatMap((chatbot) => Array.from({ length: sources }, () => aSource(chatbot)));
    const read: string[] = [];
    const asked: { chatbot: string; give: () => void }[] = [];
    const store = {
      sources: async (chatbot: string) => all.filter((one) => one.chatbot === chatbot),
      document(uuid: string) {
        const { chatbot } = all.find((one) => one.uuid === uuid)!;
        return new Promise<SourceDocument>((done) => {
          const give = (): void => {
            read.push(chatbot);
            done(ENGLISH);
          };
          asked.push({ chatbot, give });
        });
      },
    } as unknown as Store;
    /** Lets the next document of this chatbot be read, as soon as it is asked for. */
    const give = (chatbot: string) =>
      vi.waitFor(() => {
        const at = asked.findIndex((one) => one.chatbot === chatbot);
        if (at < 0) throw new Error('no document is asked for');
        asked.splice(at, 1)[0]!.give();
      });
    return { indexes: new module.IndexCache({ store, clock: Date.now, idle: 60_000 }), read, give, asked };
  }

  it('are there for it, one after another', async () => {
    const { indexes, read, give } = await openTwo(2);
    const warming = indexes.warm([OTHER, CHATBOT], never);
    for (const chatbot of [OTHER, OTHER, CHATBOT, CHATBOT]) await give(chatbot);
    await warming;
    expect(read).toEqual([OTHER, OTHER, CHATBOT, CHATBOT]);
    expect((await indexes.get(CHATBOT)).size).toBe(2);
    expect(read).toHaveLength(4);
    indexes.close();
  });

  it('wait for a question to another chatbot, and go on after it', async () => {
    const { indexes, read, give, asked } = await openTwo(3);
    const isAsked = (chatbot: string): boolean => asked.some((one) => one.chatbot === chatbot);
    const warming = indexes.warm([CHATBOT], never);
    await vi.waitFor(() => expect(isAsked(CHATBOT)).toBe(true));
    const question = indexes.get(OTHER);
    await give(CHATBOT);
    await new Promise((done) => setTimeout(done, 50));
    expect(isAsked(CHATBOT)).toBe(false);
    for (let at = 0; at < 3; at++) await give(OTHER);
    expect((await question).size).toBe(3);
    for (let at = 0; at < 2; at++) await give(CHATBOT);
    await warming;
    expect(read).toEqual([CHATBOT, OTHER, OTHER, OTHER, CHATBOT, CHATBOT]);
    indexes.close();
  });

  it('do not wait where the question is for them', async () => {
    const { indexes, read, give } = await openTwo(2);
    const warming = indexes.warm([CHATBOT, OTHER], never);
    await give(CHATBOT);
    const questions = [indexes.get(CHATBOT), indexes.get(OTHER)];
    for (const chatbot of [OTHER, CHATBOT, OTHER]) await give(chatbot);
    expect((await Promise.all(questions)).map(({ size }) => size)).toEqual([2, 2]);
    await warming;
    expect(read).toHaveLength(4);
    indexes.close();
  });

  it('are left where they are at the end of the process', async () => {
    const { indexes, read, give } = await openTwo(3);
    const warming = indexes.warm([CHATBOT, OTHER], never);
    await give(CHATBOT);
    indexes.close();
    await give(CHATBOT).catch(() => {});
    await warming;
    expect(read.length).toBeLessThan(3);
  });

  it('are told of where one cannot be loaded, and the others are', async () => {
    const module = await import('../../server/knowledge/search/cache/index-cache.ts');
    const sources = async (chatbot: string): Promise<StoredSource[]> => {
      if (chatbot === CHATBOT) throw new Error('the disk is gone');
      return [aSource(chatbot)];
    };
    const store = { sources, document: async () => ENGLISH } as unknown as Store;
    const indexes = new module.IndexCache({ store, clock: Date.now, idle: 60_000 });
    const failed: string[] = [];
    await indexes.warm([CHATBOT, OTHER], (_, chatbot) => failed.push(chatbot));
    expect(failed).toEqual([CHATBOT]);
    expect((await indexes.get(OTHER)).size).toBe(1);
    indexes.close();
  });
});

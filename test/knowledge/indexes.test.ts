import { setImmediate } from 'node:timers/promises';
import { beforeEach, expect, it, vi } from 'vitest';
import type { IndexCache } from '../../server/knowledge/search/index-cache.ts';
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
  const module = await import('../../server/knowledge/search/index-cache.ts');
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

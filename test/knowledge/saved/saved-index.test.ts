import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IndexCache } from '../../../server/knowledge/search/cache/index-cache.ts';
import { PassageIndex } from '../../../server/knowledge/search/index.ts';
import { piecesOf, readInSteps } from '../../../server/knowledge/search/saved/index-file.ts';
import type { IndexedDocument } from '../../../server/knowledge/search/types.ts';
import { openLowdbStore } from '../../../server/store/lowdb/lowdb.ts';
import type { Store, StoredSource } from '../../../server/store/store.ts';
import fc from '../../random.ts';
import { aChatbot, aSource } from '../../store/records.ts';

interface Page {
  uuid: string;
  document: IndexedDocument;
  question?: string;
}

const WORDS =
  'return returned parcel shipping refund Zürich café bank transfer the of is readFile --prune 12,50 返品 送料 доставка größe die und'.split(
    ' ',
  );
const sentence = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 12 }).map((words) => words.join(' '));
const passage = fc.record({
  headings: fc.array(
    sentence.map((words) => `${words}?`),
    { maxLength: 2 },
  ),
  text: fc.array(sentence, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n')),
});
const page = fc.record({
  title: sentence,
  passages: fc.array(passage, { maxLength: 4 }),
  isOwners: fc.boolean(),
  hasFooter: fc.boolean(),
});
const FOOTER = 'Call the opening line about a parcel transfer.';
const site = fc.array(page, { minLength: 1, maxLength: 12 }).map((pages) =>
  pages.map(({ title, passages, isOwners, hasFooter }, at): Page => {
    let text = '';
    const placed = passages.map(({ headings, text: own }) => {
      const start = text.length === 0 ? 0 : text.length + 1;
      text += `${text === '' ? '' : '\n'}${own}`;
      return { headings, start, end: start + own.length };
    });
    const start = text.length + 1;
    const footer = { headings: [], start, end: start + FOOTER.length, ofSite: true as const };
    if (hasFooter) text += `\n${FOOTER}`;
    const address = `https://a.example/v${at % 3}/${'long/'.repeat((at * 5) % 4)}${at}`;
    const document = {
      title: `${title} | Ferry Shop`,
      text,
      passages: hasFooter ? [...placed, footer] : placed,
      address,
    };
    return { uuid: `${at}`, document, ...(isOwners ? { question: title } : {}) };
  }),
);

function indexOf(pages: Page[]): PassageIndex<string> {
  const index = new PassageIndex<string>();
  for (const { uuid, document, question } of pages) index.put(uuid, uuid, document, question);
  for (const _ of index.prepareInSteps());
  return index;
}

const bytesOf = (index: PassageIndex<string>, name = 'name'): Buffer => Buffer.concat([...piecesOf(index, name)]);

function readBack(bytes: Uint8Array, pages: Page[], name = 'name'): PassageIndex<string> | undefined {
  const index = new PassageIndex<string>();
  const known = new Map(pages.map(({ uuid, document }) => [uuid, { source: uuid, address: document.address ?? '' }]));
  const steps = readInSteps(index, bytes, name, (uuid) => known.get(uuid));
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value ? index : undefined;
}

/** All that a search tells, scores to the last bit. */
function found(index: PassageIndex<string>, question: string, titles: string[]) {
  const query = index.query(question);
  const hits = index.search(query, 8).map((hit) => {
    const { source, headings, text, rank, language, pair } = hit.entry;
    const title = index.repeated.titleOf(hit.entry.page, titles[Number(source)] ?? '');
    return { source, title, headings, text, rank, language, pair, score: hit.score, match: index.match(hit, query) };
  });
  // Without functions, which no two objects share.
  const told: unknown = JSON.parse(JSON.stringify(hits));
  return { told, languages: index.siteLanguages, rarity: index.statistics.rarity('parcel'), size: index.size };
}

describe('an index read from its file', { timeout: 60_000 }, () => {
  it('answers as the one that was built, and after the same changes too', () => {
    const question = fc.oneof(
      sentence,
      sentence.map((words) => `what is ${words}x`),
    );
    fc.assert(
      fc.property(site, fc.array(question, { minLength: 1, maxLength: 4 }), page, (pages, questions, other) => {
        const titles = pages.map(({ document }) => document.title);
        const built = indexOf(pages);
        const read = readBack(bytesOf(built), pages)!;
        for (const one of questions) expect(found(read, one, titles)).toEqual(found(built, one, titles));
        const text = other.passages.map((one) => one.text).join('\n');
        const document = { title: other.title, text, passages: [{ headings: [], start: 0, end: text.length }] };
        for (const index of [built, read]) {
          index.remove(pages[0]!.uuid);
          index.put('new', 'new', document);
        }
        for (const one of questions) expect(found(read, one, titles)).toEqual(found(built, one, titles));
      }),
      { numRuns: 150 },
    );
  });

  it('is read only whole, unchanged and under its name', () => {
    const [pages] = fc.sample(site, { numRuns: 1, seed: 7 }) as [Page[]];
    const bytes = bytesOf(indexOf(pages));
    expect(readBack(bytes, pages)).toBeDefined();
    expect(readBack(bytes, pages, 'other')).toBeUndefined();
    expect(readBack(bytes, pages.slice(1))).toBeUndefined();
    const at = fc.nat({ max: bytes.length - 1 });
    const flipped = fc.tuple(at, fc.integer({ min: 1, max: 255 })).map(([place, bits]) => {
      const copy = Buffer.from(bytes);
      copy[place]! ^= bits;
      return copy;
    });
    const cut = at.map((length) => bytes.subarray(0, length));
    const longer = fc.uint8Array({ minLength: 1, maxLength: 9 }).map((more) => Buffer.concat([bytes, more]));
    const foreign = fc.uint8Array({ maxLength: 300 });
    fc.assert(
      fc.property(fc.oneof(flipped, cut, longer, foreign), (other) => {
        expect(readBack(other, pages)).toBeUndefined();
      }),
      { numRuns: 3000 },
    );
  });
});

describe('indexes are kept between two starts', { timeout: 60_000 }, () => {
  const PASSAGES = 1200;
  const OLD = 'quixotically';
  let dir: string;
  let store: Store;
  let chatbot: string;
  let sources: StoredSource[];
  let indexes: IndexCache;
  let documentsRead: number;
  const open = async (): Promise<void> => {
    store = await openLowdbStore({ dir, clock: Date.now });
    documentsRead = 0;
    const counted: Store = { ...store, document: (uuid) => (documentsRead++, store.document(uuid)) };
    indexes = new IndexCache({ store: counted, clock: Date.now, idle: 600_000, delays: { save: 0, settle: 0 } });
  };
  const close = async (): Promise<void> => {
    indexes.close();
    await store.close();
  };
  const documentOf = (word: string, count: number) => {
    const lines = Array.from({ length: count }, (_, at) => `The ${word} of shelf ${at} is told here.`);
    const text = lines.join('\n');
    let end = -1;
    const passages = lines.map(({ length }) => ({ headings: [], start: end + 1, end: (end += length + 1) }));
    return { title: 'Shelves', text, passages };
  };
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'docent-index-'));
    await open();
    const record = aChatbot(store.owner.user.uuid);
    chatbot = record.uuid;
    await store.createChatbot(record, []);
    sources = [aSource(chatbot, { identity: 'a' }), aSource(chatbot, { identity: 'b' })];
    for (const source of sources) await store.createSource(source);
    await store.putDocument(sources[0]!.uuid, documentOf('height', PASSAGES));
    await store.putDocument(sources[1]!.uuid, documentOf(OLD, 5));
  });
  afterEach(async () => {
    await close();
    await rm(dir, { recursive: true, force: true });
  });

  const ask = async (question: string): Promise<[text: string, score: number][]> => {
    const index = await indexes.get(chatbot);
    return index.search(index.query(question), 5).map(({ entry, score }) => [entry.text, score]);
  };
  const files = async (): Promise<Buffer[]> => {
    const names = (await readdir(dir, { recursive: true })).filter((name) => name.endsWith('.index'));
    return Promise.all(names.map((name) => readFile(join(dir, name))));
  };
  const whenSaved = () => expect.poll(async () => (await files()).length, { timeout: 20_000 }).toBe(1);

  it('is read in place of the texts, and gives the same passages', async () => {
    const before = await ask('height of shelf 7');
    expect(before[0]![0]).toContain('shelf 7 ');
    expect(documentsRead).toBe(2);
    await whenSaved();
    await close();
    await open();
    expect(await ask('height of shelf 7')).toEqual(before);
    expect(documentsRead).toBe(0);
  });

  it('is built anew where a text or a title was changed behind its back', async () => {
    await ask('height');
    await whenSaved();
    await store.updateSource(sources[0]!.uuid, (source) => ({ ...source, title: 'Cupboards' }));
    await close();
    await open();
    expect((await ask('cupboards'))[0]![0]).toContain('height');
    expect(documentsRead).toBe(2);
  });

  it('has nothing of a deleted source, at once and when it is saved again', async () => {
    expect((await ask(OLD))[0]![0]).toContain(OLD);
    await whenSaved();
    expect((await files())[0]!.includes(OLD)).toBe(true);
    await store.deleteSource(sources[1]!.uuid);
    expect(await files()).toEqual([]);
    indexes.remove(chatbot, sources[1]!.uuid);
    await whenSaved();
    expect((await files())[0]!.includes(OLD)).toBe(false);
    expect((await files())[0]!.includes('shelf')).toBe(true);
    expect(await ask(OLD)).toEqual([]);
    await close();
    await open();
    expect(await ask(OLD)).toEqual([]);
    expect(documentsRead).toBe(0);
  });

  it('leaves out what is deleted while it is read', async () => {
    await ask('height');
    await whenSaved();
    await close();
    await open();
    const index = indexes.get(chatbot);
    await store.deleteSource(sources[1]!.uuid);
    indexes.remove(chatbot, sources[1]!.uuid);
    await index;
    expect(await ask(OLD)).toEqual([]);
    expect(await ask('height of shelf 7')).not.toEqual([]);
  });
});

import { expect, it } from 'vitest';
import { Indexes } from '../../server/knowledge/indexes.ts';
import type { Store } from '../../server/store/store.ts';
import { aSource } from '../store/records.ts';

it('leaves out a source that is deleted while the index is built', async () => {
  const chatbot = 'c'.repeat(32);
  const source = aSource(chatbot, { title: 'Ferry' });
  const sentence = 'The ferry to the harbour is blue. ';
  const text = sentence.repeat(20_000);
  const passages = Array.from({ length: 20_000 }, (_, at) => ({
    headings: [],
    start: at * sentence.length,
    end: (at + 1) * sentence.length,
  }));
  const store = {
    sources: async () => [source],
    document: async () => {
      setImmediate(() => indexes.remove(chatbot, source.uuid));
      return { title: 'Ferry', text, passages };
    },
  } as unknown as Store;
  const indexes = new Indexes({ store, clock: Date.now, idle: 60_000 });
  const index = await indexes.get(chatbot);
  expect(index.search(index.question('ferry', []), 1)).toEqual([]);
  indexes.close();
});

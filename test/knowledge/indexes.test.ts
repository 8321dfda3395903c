import { expect, it } from 'vitest';
import { Indexes } from '../../server/knowledge/indexes.ts';
import type { Store } from '../../server/store/store.ts';
import { aSource } from '../store/records.ts';

it('leaves out a source that is deleted while its stemmer is loaded', async () => {
  const chatbot = 'c'.repeat(32);
  const source = aSource(chatbot, { title: 'Паром' });
  const text = 'Паром до гавани синий.';
  const store = {
    sources: async () => [source],
    document: async () => {
      setImmediate(() => indexes.remove(chatbot, source.uuid));
      return { title: source.title, text, passages: [{ headings: [], start: 0, end: text.length }] };
    },
  } as unknown as Store;
  const indexes = new Indexes({ store, clock: Date.now, idle: 60_000 });
  const index = await indexes.get(chatbot);
  expect(index.size).toBe(0);
  indexes.close();
});

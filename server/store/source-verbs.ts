import type { Kept } from './kept.ts';
import { copy } from './record.ts';
import type { Store } from './store.ts';

type SourceVerbs = 'createSource' | 'file' | 'source' | 'sources' | 'updateSource' | 'deleteSource';
type DocumentVerbs = 'unfinishedSources' | 'putDocument' | 'document';

export function sourceVerbs({ chatbots, sources, turns, order, run }: Kept): Pick<Store, SourceVerbs | DocumentVerbs> {
  return {
    createSource(source, file) {
      const own = copy(source);
      return run(() =>
        turns.take(own.chatbot, async () => {
          if (!chatbots.has(own.chatbot)) return undefined;
          const existing = sources.withIdentity(own.chatbot, own.identity);
          if (!existing) await sources.create(order(), own, file);
          return { existing };
        }),
      );
    },
    file: (source) => run(() => sources.file(source)),
    source: (uuid) => run(() => sources.source(uuid)),
    sources: (chatbot) => run(() => sources.list(chatbot)),
    updateSource: (uuid, change) => run(() => sources.update(uuid, change)),
    deleteSource: (uuid) => run(() => sources.remove(uuid)),
    unfinishedSources: () => run(() => sources.unfinished()),
    putDocument: (source, document) => run(() => sources.putDocument(source, document)),
    document: (source) => run(() => sources.document(source)),
  };
}

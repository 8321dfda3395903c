import type { Forget } from '../index-files.ts';
import type { StoreContext } from '../context.ts';
import { cloneJson } from '../../clone-json.ts';
import type { Store } from '../../store.ts';

type SourceVerbs =
  'createSource' | 'file' | 'source' | 'sources' | 'sourceCount' | 'updateSource' | 'claimIdentity' | 'deleteSource';
type DocumentVerbs = 'unfinishedSources' | 'unembeddedSources' | 'putDocument' | 'document' | 'putVectors' | 'vectors';

export function sourceVerbs({
  chatbots,
  sources,
  indexes,
  mutex,
  nextOrder,
  run,
}: StoreContext): Pick<Store, SourceVerbs | DocumentVerbs> {
  const changingText = <T>(source: string, act: (forget: Forget) => Promise<T>): Promise<T> =>
    run(() => indexes.changing(sources.source(source)?.chatbot, act));
  return {
    createSource(source, file) {
      const own = cloneJson(source);
      return run(() =>
        mutex.run(own.chatbot, async () => {
          if (!chatbots.has(own.chatbot)) return undefined;
          const existing = sources.withIdentity(own.chatbot, own.identity);
          if (!existing) await sources.create(nextOrder(), own, file);
          return { existing };
        }),
      );
    },
    file: (source) => run(() => sources.file(source)),
    source: (uuid) => run(() => sources.source(uuid)),
    sources: (chatbot) => run(() => sources.list(chatbot)),
    sourceCount: (chatbot) => run(() => sources.count(chatbot)),
    updateSource: (uuid, change) => run(() => sources.update(uuid, change)),
    claimIdentity: (uuid, identity, change) =>
      run(async () => {
        const chatbot = sources.source(uuid)?.chatbot;
        if (chatbot === undefined) return undefined;
        // In turn with those that are made: two pages that claim one identity at once do not both get it.
        return mutex.run(chatbot, async () => {
          const existing = sources.withIdentity(chatbot, identity);
          if (existing && existing.uuid !== uuid) return { existing };
          return (await sources.update(uuid, change)) && { existing: undefined };
        });
      }),
    deleteSource: (uuid) => changingText(uuid, (forget) => sources.remove(uuid, forget)),
    unfinishedSources: () => run(() => sources.unfinished()),
    unembeddedSources: (model) => run(() => sources.unembedded(model)),
    putDocument: (source, document) => changingText(source, (forget) => sources.putDocument(source, document, forget)),
    document: (source) => run(() => sources.document(source)),
    putVectors: (source, vectors) => run(() => sources.putVectors(source, vectors)),
    vectors: (source) => run(() => sources.vectors(source)),
  };
}

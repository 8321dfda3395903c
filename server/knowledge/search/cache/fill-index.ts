import { setImmediate } from 'node:timers/promises';
import type { SourceDocument, StoredSource, StoredVectors } from '../../../store/store.ts';
import { stemsFor } from '../../text/stems.ts';
import type { PassageIndex } from '../index.ts';

/**
 * Indexes a source under both the owner's title and the document's. Does nothing where a newer change came while the
 * stemmers were loading.
 */
export async function fillIndex(
  index: PassageIndex<StoredSource>,
  source: StoredSource,
  document: SourceDocument,
  isNewest: () => boolean,
): Promise<void> {
  const title = document.title === source.title ? source.title : `${source.title}\n${document.title}`;
  const question = source.type === 'qa' ? document.passages[0]?.headings[0] : undefined;
  await stemsFor(`${title}
${document.text}`);
  if (!isNewest()) return;
  const indexed = { ...document, title, address: source.file_name };
  for (const _ of index.putInSteps(source.uuid, source, indexed, question)) await setImmediate();
}

export async function embedIn(
  index: PassageIndex<StoredSource>,
  uuid: string,
  { dimensions, rows }: StoredVectors,
): Promise<void> {
  for (const _ of index.embedInSteps(uuid, dimensions, rows)) await setImmediate();
}

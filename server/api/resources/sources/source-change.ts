import type { Static } from 'typebox';
import { invalid, notFound } from '../../../schema/errors.ts';
import { nextModifiedAt, view } from '../../../schema/ids.ts';
import { objectIn } from '../../../schema/json.ts';
import { DataSource } from '../../../schema/records.ts';
import type { Change, StoredSource } from '../../../store/store.ts';
import { SourceChange } from '../../requests/bodies.ts';
import { operation, ownedSource, type ApiDeps, type Operation } from '../../requests/operation.ts';
import { checkReference } from './sources.ts';

export const sourceChange = ({ store, knowledge, clock }: ApiDeps): Operation => {
  async function rename(uuid: string, title?: string): Promise<StoredSource | undefined> {
    const changed = await store.updateSource(uuid, (source) => ({
      ...source,
      title: title ?? source.title,
      modified_at: nextModifiedAt(source.modified_at, clock),
    }));
    if (changed) await knowledge.rename(changed);
    return changed;
  }

  return operation({
    id: 'updateSource',
    right: 'edit',
    audit: 'changes',
    method: 'POST',
    path: '/api/v1/data-source/:uuid/update',
    summary: 'Rename a source, or change a question with its answer',
    description:
      '`title` is required, except for a source of type `qa`. `question`, `answer` and `reference_source_link` (empty: none) are those of a `qa` source; of another they are 422. A new question becomes the title, unless the title was another. The reply does not wait: poll the source for its `status`.',
    body: SourceChange,
    reply: DataSource,
    async handle({ user, uuid, body }) {
      const { type } = await ownedSource(store, user, uuid);
      const { title, ...words } = body;
      const [field] = Object.keys(words);
      if (type !== 'qa' && field !== undefined)
        throw invalid(field, `${field} must not be sent for a source of type ${type}`);
      if (type !== 'qa' && title === undefined) throw invalid('title', 'title is required');
      checkReference(words.reference_source_link);
      const changed = await (field === undefined ? rename(uuid, title) : knowledge.rewrite(uuid, rewritten(body)));
      if (!changed) throw notFound('data source');
      return view(DataSource, changed);
    },
  });
};

/** A question with its answer, changed as `sent` says. */
const rewritten =
  ({ title, ...sent }: Static<typeof SourceChange>): Change<StoredSource> =>
  (source) => {
    const before = objectIn(source.meta_json);
    const { reference_source_link: link, ...meta } = { ...before, ...sent };
    const followed = source.title === before['question'] ? sent.question : undefined;
    return {
      ...source,
      title: title ?? followed ?? source.title,
      meta_json: JSON.stringify({ ...meta, ...(link ? { reference_source_link: link } : {}) }),
    };
  };

import * as Type from 'typebox';
import { invalid, notFound } from '../../../schema/errors.ts';
import { nextModifiedAt, readUuid, timestamp, view } from '../../../schema/ids.ts';
import { SourceTag, Success } from '../../../schema/records.ts';
import type { Store, StoredTag } from '../../../store/store.ts';
import { NewTag, TagChange } from '../../requests/bodies.ts';
import { forEachConcurrent } from '../../../async/for-each-concurrent.ts';
import { serializeList } from '../../../http/json-list.ts';
import { operation, ownedChatbot, ownedTag, type Operation, type ApiDeps } from '../../requests/operation.ts';
import { PageQuery, paginate } from '../../requests/paging.ts';

export const tags = ({ store, clock }: ApiDeps): Operation[] => [
  operation({
    id: 'createSourceTag',
    right: 'edit',
    audit: 'changes',
    creates: true,
    method: 'POST',
    path: '/api/v1/chatbot/:uuid/source-tag/create',
    aliases: ['/api/v1/chatbot/:uuid/source-tags/create'],
    summary: 'Create a source tag',
    body: NewTag,
    reply: SourceTag,
    async handle({ user, uuid, body, record }) {
      await ownedChatbot(store, user, uuid);
      const now = timestamp(clock);
      const tag = await record.make<StoredTag>(store.tag, async (own) => {
        const created = {
          uuid: own,
          name: body.name,
          color: body.color,
          data_source_uuids: await readSourceUuids(store, uuid, body.data_source_uuids ?? []),
          created_at: now,
          modified_at: now,
          chatbot: uuid,
        };
        return (await store.createTag(created)) ? ((await store.tag(own)) ?? created) : undefined;
      });
      if (!tag) throw notFound('chatbot');
      return view(SourceTag, tag);
    },
  }),
  operation({
    id: 'listSourceTags',
    right: 'edit',
    audit: 'none',
    method: 'GET',
    path: '/api/v1/chatbot/:uuid/source-tags',
    summary: 'List the source tags of a chatbot',
    query: PageQuery,
    reply: Type.Array(SourceTag),
    async handle({ user, uuid, ctx }) {
      await ownedChatbot(store, user, uuid);
      return serializeList(paginate(await store.tags(uuid), ctx.query), (tag) => view(SourceTag, tag));
    },
  }),
  operation({
    id: 'updateSourceTag',
    right: 'edit',
    audit: 'changes',
    method: 'POST',
    path: '/api/v1/source-tag/:uuid/update',
    summary: 'Update a source tag',
    description:
      '`data_source_uuids` replaces the whole list; then those of `add_data_source_uuids` are appended that are not in it, and those of `remove_data_source_uuids` are taken out.',
    body: TagChange,
    reply: SourceTag,
    async handle({ user, uuid, body }) {
      const { chatbot } = await ownedTag(store, user, uuid);
      const { data_source_uuids, add_data_source_uuids = [], remove_data_source_uuids = [], ...own } = body;
      const whole = data_source_uuids && (await readSourceUuids(store, chatbot, data_source_uuids));
      const added = await readSourceUuids(store, chatbot, add_data_source_uuids, 'add_data_source_uuids');
      const removed = new Set(remove_data_source_uuids.map(readUuid));
      const changed = await store.updateTag(uuid, (tag) => ({
        ...tag,
        ...own,
        data_source_uuids: [...new Set([...(whole ?? tag.data_source_uuids), ...added])].filter(
          (one) => !removed.has(one),
        ),
        modified_at: nextModifiedAt(tag.modified_at, clock),
      }));
      if (!changed) throw notFound('source tag');
      return view(SourceTag, changed);
    },
  }),
  operation({
    id: 'deleteSourceTag',
    right: 'edit',
    audit: 'changes',
    method: 'DELETE',
    path: '/api/v1/source-tag/:uuid/delete',
    summary: 'Delete a source tag',
    description: 'Its sources stay.',
    reply: Success,
    async handle({ user, uuid }) {
      await ownedTag(store, user, uuid);
      await store.deleteTag(uuid);
      return { success: true };
    },
  }),
];

/** Identifiers of the chatbot's own sources, each once, in the order given. Refuses any other. */
export async function readSourceUuids(
  store: Store,
  chatbot: string,
  written: string[],
  field = 'data_source_uuids',
): Promise<string[]> {
  const uuids = [...new Set(written.map((uuid) => readUuid(uuid) ?? ''))];
  await forEachConcurrent(uuids, async (uuid) => {
    if ((await store.source(uuid))?.chatbot === chatbot) return;
    throw invalid(field, `${field} must name data sources of this chatbot only`);
  });
  return uuids;
}

import type { Context } from 'koa';
import * as Type from 'typebox';
import { invalid, notFound } from '../../../schema/errors.ts';
import { newSource } from '../../../knowledge/ingest/new-source.ts';
import { timestamp, view } from '../../../schema/ids.ts';
import { DataSource, Success } from '../../../schema/records.ts';
import type { StoredSource } from '../../../store/store.ts';
import { NewQaSource, NewUrlSource } from '../../requests/bodies.ts';
import { serializeList } from '../../../http/json-list.ts';
import { operation, ownedChatbot, ownedSource, type Operation, type ApiDeps } from '../../requests/operation.ts';
import type { NewRecord } from '../../requests/new-record.ts';
import { PageQuery, paginate } from '../../requests/paging.ts';
import { readSourceFilter, SourceFilterQuery } from '../../requests/source-filter.ts';

export const sources = ({ store, knowledge, clock }: ApiDeps, change: Operation): Operation[] => [
  operation({
    id: 'createUrlSource',
    right: 'edit',
    audit: 'changes',
    creates: true,
    method: 'POST',
    path: '/api/v1/chatbot/:uuid/data-source/url',
    summary: 'Add a web page by its URL',
    description:
      'The reply does not wait for the page: poll the source for its `status`. A page that is a source of the chatbot already is 409 with the existing record.',
    body: NewUrlSource,
    reply: DataSource,
    others: { 409: DataSource },
    async handle({ user, uuid, body, ctx, record }) {
      await ownedChatbot(store, user, uuid);
      checkReference(body.reference_source_link);
      const source = urlSource(uuid, body.url, body.reference_source_link, timestamp(clock));
      return addSource({ store, knowledge }, ctx, record, source);
    },
  }),
  operation({
    id: 'createQaSource',
    right: 'edit',
    audit: 'changes',
    creates: true,
    method: 'POST',
    path: '/api/v1/chatbot/:uuid/data-source/qa',
    summary: 'Add a question with its answer',
    description: 'The question becomes the title. The answer is quoted whole.',
    body: NewQaSource,
    reply: DataSource,
    async handle({ user, uuid, body, ctx, record }) {
      await ownedChatbot(store, user, uuid);
      const { question, answer, reference_source_link } = body;
      checkReference(reference_source_link);
      const origin = { chatbot: uuid, type: 'qa', title: question, file_name: '', identity: '' } as const;
      const source: StoredSource = {
        ...newSource(origin, timestamp(clock)),
        meta_json: JSON.stringify({ question, answer, reference_source_link }),
      };
      return addSource({ store, knowledge }, ctx, record, source);
    },
  }),
  operation({
    id: 'listSources',
    right: 'edit',
    audit: 'none',
    method: 'GET',
    path: '/api/v1/chatbot/:uuid/data-sources',
    summary: 'List the sources of a chatbot',
    query: Type.Object({ ...SourceFilterQuery.properties, ...PageQuery.properties }),
    reply: Type.Array(DataSource),
    async handle({ user, uuid, ctx }) {
      await ownedChatbot(store, user, uuid);
      const cited = async () => new Set((await store.cited(uuid)).map(({ source }) => source));
      const tagged = async (tag: string) => {
        const found = await store.tag(tag);
        return found?.chatbot === uuid ? new Set(found.data_source_uuids) : undefined;
      };
      const isListed = await readSourceFilter(ctx.query, { cited, tagged });
      const listed = paginate(await store.sources(uuid), ctx.query, isListed);
      return serializeList(listed, (source) => view(DataSource, source));
    },
  }),
  operation({
    id: 'getSource',
    right: 'edit',
    audit: 'none',
    method: 'GET',
    path: '/api/v1/data-source/:uuid',
    summary: 'Fetch a source',
    reply: DataSource,
    handle: async ({ user, uuid }) => view(DataSource, await ownedSource(store, user, uuid)),
  }),
  change,
  operation({
    id: 'deleteSource',
    right: 'edit',
    audit: 'changes',
    method: 'POST',
    path: '/api/v1/data-source/:uuid/delete',
    summary: 'Delete a source with its text',
    description: 'It leaves its tags and agents. No later answer quotes it.',
    reply: Success,
    async handle({ user, uuid }) {
      const source = await ownedSource(store, user, uuid);
      await store.deleteSource(uuid);
      knowledge.removeSource(source.chatbot, uuid);
      return { success: true };
    },
  }),
];

/** The reply to a create, 409 where another source has its identity; '' stands for one that no other can have. */
export async function addSource(
  { store, knowledge }: Pick<ApiDeps, 'store' | 'knowledge'>,
  ctx: Context,
  record: NewRecord,
  given: StoredSource,
  file?: Uint8Array,
): Promise<DataSource> {
  let existing: StoredSource | undefined;
  const source = await record.make(store.source, async (uuid) => {
    const created = { ...given, uuid, identity: given.identity || uuid };
    const stored = await store.createSource(created, file);
    existing = stored?.existing;
    if (!stored || existing) return existing?.uuid === uuid ? existing : undefined;
    await knowledge.ingest(created);
    return created;
  });
  if (!source && !existing) throw notFound('chatbot');
  if (!source) ctx.status = 409;
  return view(DataSource, source ?? existing!);
}

/** A link that is yet to be learned. */
export const urlSource = (chatbot: string, url: string, reference: string | undefined, now: string): StoredSource =>
  newSource({ chatbot, type: 'link', title: url, file_name: url, identity: readAddress(url) }, now, reference);

/** The same page however it is written: without a fragment, host and scheme in lower case. */
export function readAddress(url: string, field = 'url'): string {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (!address || !['http:', 'https:'].includes(address.protocol)) {
    throw invalid(field, `${field} must be a whole http or https address`);
  }
  if (address.username || address.password) throw invalid(field, `${field} must not hold a user name or a password`);
  address.hash = '';
  return address.href;
}

/** Throws a `Refusal` for a link that a citation must not lead to; '' is none. What was stored before it was checked stays. */
export const checkReference = (link: string | undefined): void =>
  void (link && readAddress(link, 'reference_source_link'));

import * as Type from 'typebox';
import type { Static } from 'typebox';
import { readUuid } from '../../../schema/ids.ts';
import { isFailed, Restarted, Success } from '../../../schema/records.ts';
import type { StoredSource } from '../../../store/store.ts';
import { ManySources } from '../../requests/bodies.ts';
import { forEachConcurrent } from '../../../async/for-each-concurrent.ts';
import { mayReach, operation, type Operation, type ApiDeps } from '../../requests/operation.ts';
import type { Requester } from '../../requests/rights.ts';

/** Operations on many sources at once. */
export const sourceBatches = (deps: ApiDeps): Operation[] => [
  operation({
    id: 'deleteSources',
    right: 'edit',
    audit: 'changes',
    method: 'POST',
    path: '/api/v1/data-sources/delete',
    summary: 'Delete sources: all, or none if one of them does not exist',
    body: ManySources,
    reply: Success,
    others: { 422: Type.Array(InvalidSource) },
    async handle({ user, body, ctx }) {
      const owned = await ownedSources(deps, user, body.uuids);
      const unknownUuids = body.uuids.filter((uuid) => !owned.has(normalizedUuid(uuid)));
      if (unknownUuids.length > 0) {
        ctx.status = 422;
        return unknownUuids.map(invalidSource);
      }
      await forEachConcurrent([...owned.values()], async ({ uuid, chatbot }) => {
        await deps.store.deleteSource(uuid);
        deps.knowledge.removeSource(chatbot, uuid);
      });
      return { success: true };
    },
  }),
  operation({
    id: 'rescrapeSources',
    right: 'edit',
    audit: 'changes',
    method: 'POST',
    path: '/api/v1/data-sources/url/re-scrape',
    summary: 'Fetch web pages again',
    description:
      'The reply has one item for each uuid, in the order of the request. A uuid that is not a source of type `link` of yours is `invalid data source` there.',
    body: ManySources,
    reply: Type.Array(Restarted),
    handle: ({ user, body }) => restart(deps, user, body.uuids, ({ type }) => type === 'link'),
  }),
  operation({
    id: 'restartSources',
    right: 'edit',
    audit: 'changes',
    method: 'POST',
    path: '/api/data-sources/restart',
    summary: 'Ingest failed sources again',
    description:
      'The reply has one item for each uuid, in the order of the request. A uuid that is not a source of yours that failed is `invalid data source` there.',
    body: ManySources,
    reply: Type.Array(Restarted),
    handle: ({ user, body }) => restart(deps, user, body.uuids, ({ status }) => isFailed(status)),
  }),
];

const InvalidSource = Restarted.anyOf[1];

const invalidSource = (uuid: string): Static<typeof InvalidSource> => ({
  uuid: normalizedUuid(uuid),
  error: 'invalid data source',
});

/** The identifier as we write it; what is none stays as it was sent. */
const normalizedUuid = (uuid: string): string => readUuid(uuid) ?? uuid;

async function restart(
  deps: ApiDeps,
  user: Requester,
  uuids: string[],
  fits: (source: StoredSource) => boolean,
): Promise<Static<typeof Restarted>[]> {
  const owned = await ownedSources(deps, user, uuids, fits);
  const restartedUuids = new Set<string>();
  await forEachConcurrent([...owned.values()], async ({ uuid }) => {
    if (await deps.knowledge.reingest(uuid)) restartedUuids.add(uuid);
  });
  return uuids.map((uuid) => {
    const key = normalizedUuid(uuid);
    return restartedUuids.has(key) ? { uuid: key, status: 'restarted scraping' } : invalidSource(uuid);
  });
}

/** Those of the caller's own that fit, each once, by identifier. */
async function ownedSources(
  { store }: ApiDeps,
  user: Requester,
  uuids: string[],
  fits: (source: StoredSource) => boolean = () => true,
): Promise<Map<string, StoredSource>> {
  const owned = new Map<string, StoredSource>();
  await forEachConcurrent([...new Set(uuids.map(normalizedUuid))], async (uuid) => {
    const source = await store.source(uuid);
    if (source && fits(source) && (await mayReach(store, user, source.chatbot, { record: uuid })))
      owned.set(uuid, source);
  });
  return owned;
}

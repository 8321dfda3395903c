import * as Type from 'typebox';
import type { Static } from 'typebox';
import { notFound } from '../../../schema/errors.ts';
import type { SiteRequest } from '../../../knowledge/crawl/sites.ts';
import { readUuid } from '../../../schema/ids.ts';
import { Site } from '../../../schema/sources/site.ts';
import type { Store, StoredSite } from '../../../store/store.ts';
import { NewSite } from '../../requests/bodies.ts';
import {
  operation,
  ownedChatbot,
  type OperationRequest,
  type Operation,
  type ApiDeps,
} from '../../requests/operation.ts';
import { PageQuery, paginate } from '../../requests/paging.ts';
import { readAddress } from './sources.ts';

export const siteOperations = ({ store, sites }: ApiDeps): Operation[] => [
  operation({
    id: 'createSite',
    right: 'edit',
    creates: true,
    method: 'POST',
    path: '/api/v1/chatbot/:uuid/data-source/site',
    summary: 'Crawl a website',
    description:
      'Each page becomes a source of type `link`. Pages are found by the sitemap, else by links; robots.txt is respected. The reply does not wait: poll the site for its progress. For a url that was crawled before, the site keeps its uuid and its pages are fetched again; while it is being crawled the reply is 409 with the existing record.',
    body: NewSite,
    reply: Site,
    others: { 409: Site },
    async handle({ user, uuid, body, ctx, record }) {
      await ownedChatbot(store, user, uuid);
      const find = async (own: string) => {
        const site = await store.site(own);
        return site && sites.progress(site);
      };
      const site = await record.make(find, async (own) => {
        const started = await sites.start(uuid, siteRequest(body), own);
        if (started?.running && started.site.uuid !== own) ctx.status = 409;
        return started?.site;
      });
      if (!site) throw notFound('chatbot');
      return site;
    },
  }),
  operation({
    id: 'listSites',
    right: 'edit',
    method: 'GET',
    path: '/api/v1/chatbot/:uuid/data-source/sites',
    summary: 'List the sites of a chatbot',
    query: PageQuery,
    reply: Type.Array(Site),
    async handle({ user, uuid, ctx }) {
      await ownedChatbot(store, user, uuid);
      return Promise.all(paginate(await store.sites(uuid), ctx.query).map((site) => sites.progress(site)));
    },
  }),
  operation({
    id: 'getSite',
    right: 'edit',
    method: 'GET',
    path: '/api/v1/chatbot/:chatbot/data-source/site/:uuid',
    summary: 'Fetch a site with the progress of its crawl',
    reply: Site,
    handle: async (request) => sites.progress(await ownedSite(store, request)),
  }),
  operation({
    id: 'stopSite',
    right: 'edit',
    method: 'POST',
    path: '/api/v1/chatbot/:chatbot/data-source/site/:uuid/stop',
    summary: 'Stop the crawl of a site',
    description: 'Pages that have been ingested stay. A site that is not being crawled stays as it is.',
    reply: Site,
    handle: async (request) => sites.stop(await ownedSite(store, request)),
  }),
];

/** What a checked body asks for; throws a `Refusal` where its url is no address. */
const siteRequest = ({ url, max_pages, include = [], exclude = [] }: Static<typeof NewSite>): SiteRequest => ({
  url: readAddress(url),
  max_pages,
  include: [include].flat(),
  exclude: [exclude].flat(),
});

async function ownedSite(store: Store, { user, uuid, ctx }: OperationRequest<unknown>): Promise<StoredSite> {
  const chatbot = await ownedChatbot(store, user, readUuid(ctx.params['chatbot'] ?? '') ?? '');
  const site = await store.site(uuid);
  if (site?.chatbot !== chatbot.uuid) throw notFound('site');
  return site;
}

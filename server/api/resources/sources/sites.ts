import * as Type from 'typebox';
import type { Static } from 'typebox';
import { invalid, notFound } from '../../../schema/errors.ts';
import type { SiteRequest } from '../../../knowledge/crawl/sites.ts';
import { nextModifiedAt, readUuid, timestamp } from '../../../schema/ids.ts';
import { Fault, Success } from '../../../schema/records.ts';
import { MAX_EXCLUDED_PAGES, Site } from '../../../schema/sources/site.ts';
import type { Store, StoredSite } from '../../../store/store.ts';
import { NewPage, NewSite } from '../../requests/bodies.ts';
import {
  operation,
  ownedChatbot,
  ownedSource,
  type OperationRequest,
  type Operation,
  type ApiDeps,
} from '../../requests/operation.ts';
import { PageQuery, paginate } from '../../requests/paging.ts';
import { readAddress, urlSource } from './sources.ts';

export const siteOperations = ({ store, sites, knowledge, clock }: ApiDeps): Operation[] => [
  operation({
    id: 'createSite',
    right: 'edit',
    audit: 'changes',
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
    audit: 'none',
    method: 'GET',
    path: '/api/v1/chatbot/:uuid/data-source/sites',
    summary: 'List the sites of a chatbot',
    query: PageQuery,
    reply: Type.Array(Site),
    async handle({ user, uuid, ctx }) {
      await ownedChatbot(store, user, uuid);
      return sites.progressOfAll(paginate(await store.sites(uuid), ctx.query));
    },
  }),
  operation({
    id: 'getSite',
    right: 'edit',
    audit: 'none',
    method: 'GET',
    path: '/api/v1/chatbot/:chatbot/data-source/site/:uuid',
    summary: 'Fetch a site with the progress of its crawl',
    reply: Site,
    handle: async (request) => sites.progress(await ownedSite(store, request)),
  }),
  operation({
    id: 'stopSite',
    right: 'edit',
    audit: 'changes',
    method: 'POST',
    path: '/api/v1/chatbot/:chatbot/data-source/site/:uuid/stop',
    summary: 'Stop the crawl of a site',
    description: 'Pages that have been ingested stay. A site that is not being crawled stays as it is.',
    reply: Site,
    handle: async (request) => sites.stop(await ownedSite(store, request)),
  }),
  operation({
    id: 'deleteSite',
    right: 'edit',
    audit: 'changes',
    method: 'POST',
    path: '/api/v1/chatbot/:chatbot/data-source/site/:uuid/delete',
    summary: 'Delete a site with its pages',
    description:
      'A crawl of it is stopped first. The sources that its crawls have found go with it, as `pages` counts them; one that was added by itself stays.',
    reply: Success,
    async handle(request) {
      const pages = await sites.remove(await ownedSite(store, request));
      if (pages === undefined) throw notFound('site');
      request.note(`pages: ${pages}`);
      return { success: true };
    },
  }),
  operation({
    id: 'excludePage',
    right: 'edit',
    audit: 'changes',
    method: 'POST',
    path: '/api/v1/data-source/:uuid/exclude',
    summary: 'Delete a page of a site and leave it out of later crawls',
    description: `A source that no crawl has found is 422, and so is the page that would be the ${MAX_EXCLUDED_PAGES + 1}st of its site.`,
    reply: Site,
    others: { 422: Fault },
    async handle({ user, uuid }) {
      const source = await ownedSource(store, user, uuid);
      const addresses = [source.identity, source.alias ?? ''].filter(Boolean);
      const site = await store.updateSite(source.site ?? '', (one) => {
        const excluded_pages = [...new Set([...(one.excluded_pages ?? []), ...addresses])];
        if (excluded_pages.length > MAX_EXCLUDED_PAGES)
          throw invalid('uuid', `a site leaves out ${MAX_EXCLUDED_PAGES} pages at most; use \`exclude\` for many`);
        return { ...one, excluded_pages, modified_at: nextModifiedAt(one.modified_at, clock) };
      });
      if (!site) throw invalid('uuid', 'the source is not a page of a site');
      await store.deleteSource(uuid);
      knowledge.removeSource(source.chatbot, uuid);
      return sites.progress(site);
    },
  }),
  operation({
    id: 'includePage',
    right: 'edit',
    audit: 'changes',
    method: 'POST',
    path: '/api/v1/chatbot/:chatbot/data-source/site/:uuid/include',
    summary: 'Fetch a page again that was excluded',
    description: 'It is a source again, and no crawl leaves it out. A page that is not excluded changes nothing.',
    body: NewPage,
    reply: Site,
    async handle(request) {
      const { uuid, chatbot } = await ownedSite(store, request);
      const address = readAddress(request.body.page, 'page');
      let wasExcluded = false;
      const site = await store.updateSite(uuid, (one) => {
        const { excluded_pages = [] } = one;
        wasExcluded = excluded_pages.includes(address);
        if (!wasExcluded) return one;
        const left = excluded_pages.filter((page) => page !== address);
        return { ...one, excluded_pages: left, modified_at: nextModifiedAt(one.modified_at, clock) };
      });
      if (!site) throw notFound('site');
      const source = { ...urlSource(chatbot, address, undefined, timestamp(clock)), site: uuid };
      const stored = wasExcluded ? await store.createSource(source) : undefined;
      if (stored && !stored.existing) await knowledge.ingest(source);
      return sites.progress(site);
    },
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

import * as Type from 'typebox';
import type { Static } from 'typebox';
import { dated, record, Uuid } from './records.ts';

/** So many dead links of a site are listed; the others are counted. */
export const MOST_DEAD_LINKS = 100;

export const DeadLink = record({
  url: Type.String(),
  found_on: Type.String({ description: 'the page, or the sitemap, that leads there; empty where it is not known' }),
});
export type DeadLink = Static<typeof DeadLink>;

/** A site that is learned page by page. */
export const Site = record({
  uuid: Uuid,
  url: Type.String(),
  status: Type.String({ description: 'running, done, stopped, or error:<reason>: the first page could not be had' }),
  max_pages: Type.Integer(),
  include: Type.Array(Type.String(), { description: 'of the paths: a beginning, or a pattern in which * is anything' }),
  exclude: Type.Array(Type.String()),
  found: Type.Integer({ minimum: 0, description: 'pages; each is a source' }),
  done: Type.Integer({ minimum: 0, description: 'of those found, the ones that are learned' }),
  failed: Type.Integer({ minimum: 0, description: 'of those found, the ones whose status tells why they are not' }),
  current: Type.String({ description: 'the address of a page that is being learned; empty for none' }),
  dead_links: Type.Array(DeadLink, {
    maxItems: MOST_DEAD_LINKS,
    description: 'addresses that answered 404 or 410 in the last crawl: no sources, and not among those found',
  }),
  dead_links_total: Type.Integer({ minimum: 0, description: 'dead links, with those that are not listed' }),
  ...dated,
});
export type Site = Static<typeof Site>;

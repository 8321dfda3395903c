import * as Type from 'typebox';
import type { Static } from 'typebox';
import { dated, flag, record, Uuid } from '../fields.ts';

/** Dead links that are listed; any more are counted alone. */
export const MAX_DEAD_LINKS = 100;
/** Pages of a site that may be excluded one by one. */
export const MAX_EXCLUDED_PAGES = 500;

export const DeadLink = record({
  url: Type.String({ description: 'The address that answered 404 or 410.' }),
  found_on: Type.String({ description: 'The page or sitemap with the link; empty where it is not known.' }),
});
export type DeadLink = Static<typeof DeadLink>;

/** A website that is crawled: each page becomes a source. */
export const Site = record({
  uuid: Uuid,
  url: Type.String({ description: 'Where the crawl starts.' }),
  status: Type.String({
    description: '`running`, `done`, `stopped`, or `error:<reason>` where the first page could not be fetched.',
  }),
  folder: Type.String({
    description:
      'Only pages whose path begins so are read: the folder that `url`, or where it redirects to, stands in. `/`: all.',
  }),
  max_pages: Type.Integer({ description: 'Pages that become sources at most, 1 to 2000. Default 200.' }),
  include: Type.Array(Type.String(), {
    description:
      'Only paths that match one of these are crawled; empty: all. A prefix such as `/docs`, or a pattern in which `*` stands for any characters.',
  }),
  exclude: Type.Array(Type.String(), { description: 'Paths that match one of these are not crawled.' }),
  excluded_pages: Type.Array(Type.String(), {
    maxItems: MAX_EXCLUDED_PAGES,
    description: 'Addresses of pages that were excluded one by one: they are not crawled.',
  }),
  found: Type.Integer({ minimum: 0, description: 'Pages found so far; each is a source.' }),
  done: Type.Integer({ minimum: 0, description: 'Pages that have been ingested.' }),
  failed: Type.Integer({
    minimum: 0,
    description: 'Pages that could not be ingested: the status of the source says why.',
  }),
  limit_reached: flag('1: pages of the site were left out, since there are more of them than `max_pages`.'),
  pages: Type.Integer({
    minimum: 0,
    description: 'Sources that are its pages and would go with it: without those that were added by themselves.',
  }),
  current: Type.String({ description: 'Address of a page that is being ingested; empty: none.' }),
  dead_links: Type.Array(DeadLink, {
    maxItems: MAX_DEAD_LINKS,
    description: 'Addresses that answered 404 or 410 in the last crawl. They are not sources and not counted as found.',
  }),
  dead_links_total: Type.Integer({ minimum: 0, description: 'Number of dead links, the unlisted ones included.' }),
  ...dated,
});
export type Site = Static<typeof Site>;

/** How a site names itself and looks, as its page declares it; '' for what it does not. */
export const SiteLook = record({
  name: Type.String({
    description:
      '`og:site_name`, else of the title the part that the host has, or the first that is no word such as Home; at most 80 characters.',
  }),
  color: Type.String({
    description:
      '`theme-color` as #rrggbb, darkened until its contrast with white is 3 : 1; empty where it is a grey, black or white.',
  }),
  icon: Type.String({ description: 'The https address of the touch icon, which was fetched and is an image.' }),
});
export type SiteLook = Static<typeof SiteLook>;

import { MAX_DEAD_LINKS, type DeadLink } from '../../schema/sources/site.ts';
import type { StoredSite } from '../../store/store.ts';

/** Reasons for which a link of the crawl is taken for no page, and not for a failure of the site. */
export const NO_PAGE = new Set(['content type', 'robots', 'off site']);

/** A link that is listed is not counted again: a crawl that is cut may report it before its source is deleted. */
export function withDeadLink(site: StoredSite, link: DeadLink): StoredSite {
  const { dead_links = [], dead_links_total = 0 } = site;
  if (dead_links.some(({ url }) => url === link.url)) return site;
  const listed = dead_links.length < MAX_DEAD_LINKS ? [...dead_links, link] : dead_links;
  return { ...site, dead_links: listed, dead_links_total: dead_links_total + 1 };
}

/** Dead links, and pages left out, are no sources: the next crawl finds them again only where it follows the links of these pages. */
export function pagesToFollow(site: StoredSite): string[] | 'all' {
  const { status, plan, limit_reached, dead_links = [], dead_links_total = 0 } = site;
  const isCut = plan === 'links' && limit_reached !== 0;
  if (status !== 'done' || isCut || dead_links_total > dead_links.length) return 'all';
  return [...new Set(dead_links.map(({ found_on }) => found_on))];
}

/**
 * Stored with a page whose links a crawl followed: while the page and this are unchanged, they need not be followed
 * again. The number of the crawl is part of it for the first page, whose `plan` is not known yet, and for pages with
 * dead links: these are followed in each crawl.
 */
export function followedBy(site: StoredSite, url: string): string {
  const { uuid, round, plan, max_pages, include, exclude, refollow = [] } = site;
  const again = refollow === 'all' || refollow.includes(url);
  return JSON.stringify([uuid, again ? round : plan || round, max_pages, include, exclude]);
}

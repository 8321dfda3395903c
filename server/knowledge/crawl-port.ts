import type { StoredSource } from '../store/store.ts';

/** A crawl, as the learning of one of its pages sees it. */
export interface Follower {
  /** Kept with the page at this address: where it is the same, the page's links have been followed already. */
  followed(url: string): string;
  /** Kept with the source, so that a restart knows it as one that the crawl is through with. */
  round: number;
  /** Whether a redirect may lead there. */
  within(url: URL): boolean;
  /** Whether the page has come with the very same bytes before, under another spelling of its address. */
  isCopy(source: StoredSource, digest: string): boolean;
  /** Hears where a page leads before it is learned. Resolves when all that is new there is stored. */
  follow(page: Found): Promise<void>;
  /** Reports a source that leads to no page. Resolves when that is stored; false where it is no link of the crawl. */
  reportDead(source: StoredSource): Promise<boolean>;
}

export interface Found {
  /** Where the page was in the end. */
  url: string;
  /** Whole addresses; made one by one, since a page may have thousands. */
  links: Iterable<string>;
}

/** All crawls, as the learning of any source sees them. */
export interface Followers {
  /** The crawl that the source is to be learned for, if any. */
  of(source: StoredSource): Follower | undefined;
  /** It was learned, or could not be; `taken` where it was no page of its own, and is no source any more. */
  ended(source: StoredSource, status: string, taken: boolean): void;
  /** The source was deleted. */
  left(chatbot: string, source: string): void;
  /** The chatbot was deleted. */
  dropped(chatbot: string): void;
}

/** What a crawl throws that ends while it is told of a page: the page is as if it had not been asked for. */
export class CalledOff extends Error {}

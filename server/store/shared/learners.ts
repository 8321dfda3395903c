import type { Site } from '../../schema/sources/site.ts';
import type { StoredSource } from '../source-records.ts';

/** What a process changes while it learns. */
export type LearningVerbs = 'updateSource' | 'claimIdentity' | 'putDocument' | 'putVectors' | 'updateSite';
/** What it changes of a site's pages while it crawls. */
export type CrawlingVerbs = 'createSource' | 'updateSource' | 'deleteSource' | 'updateSite';

/** Of a crawl under way. */
export type CrawlProgressNote = Pick<Site, 'found' | 'done' | 'failed' | 'current'>;

/**
 * Which of the processes that share a store learns a source, and which crawls a site. A process has what it creates until
 * another takes it, and until it ends or is taken for dead: then it is free.
 */
export interface Learners<Verbs, Crawling> {
  /** As those of the store; they reject with `Superseded`, and change nothing, where this process does not have the record. */
  readonly verbs: Verbs;
  /** The same for a crawl: they reject with `Superseded`, and change nothing, where this process does not crawl the site. */
  crawling(site: string): Crawling;
  /** Takes a source from whichever process has it. */
  take(source: string): Promise<void>;
  /** Takes those of the sources that are free; returns all that this process has then. */
  takeFree(sources: string[]): Promise<Set<string>>;
  /** Takes the free sources whose learning has not ended. */
  takeUnfinished(): Promise<StoredSource[]>;
  /** Takes a site from whichever process has it. */
  takeSite(site: string): Promise<void>;
  /** Takes the free sites whose crawl has not ended. */
  takeUnfinishedSites(): Promise<string[]>;
  /** The sites that this process crawls. */
  crawled(): Promise<Set<string>>;
  /** Notes how far crawls of this process are, by site. */
  noteProgress(crawls: Map<string, CrawlProgressNote>): Promise<void>;
  /** What was noted of a site that another process crawls; undefined where nothing was. */
  progress(site: string): Promise<CrawlProgressNote | undefined>;
}

/** Another process has taken the source or site. */
export class Superseded extends Error {}

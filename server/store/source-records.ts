import type { DataSource } from '../schema/records.ts';

/** Identifies a source within its chatbot. */
interface SourceIdentity {
  chatbot: string;
  /** What makes a second one the same: the normalised URL of a link, the SHA-256 of a file. Unique within the chatbot. */
  identity: string;
  /** A page's other address, by redirect or canonical link: unique as the identity is. '' or absent for none. */
  alias?: string;
}

/** What the crawl of a site notes on a source. */
interface CrawlState {
  /** The site whose crawl found the source, or came across it. '' or absent for none. */
  site?: string;
  /** The page, or the sitemap, whose link led a crawl here; absent where none did. */
  found_on?: string;
  /** 1 where a crawl came across a source that its owner had added: no crawl ever removes it. */
  own?: 0 | 1;
  /** Number of the site's last crawl that has finished with the source. */
  round?: number;
}

/** What its passages were made from and by. */
interface IndexState {
  /** JSON: the fetched page that the passages were made from, so that an unchanged one is not read again; '' or absent for none. */
  fetched_json?: string;
  /** JSON: what a fetch last changed in its text; '' or absent for nothing. */
  change_json?: string;
  /** When it came to have a text, having had none; absent where none has come since this is noted. */
  first_text_at?: string;
  /** The embedding model that its passages have vectors by; '' or absent for none. */
  embedded_by?: string;
  /** A heading of it that the first screen suggests as a question; '' or absent for none. */
  suggestion?: string;
}

/** Flat, as it is stored. */
export interface StoredSource extends DataSource, SourceIdentity, CrawlState, IndexState {}

/** A source's own text, and where its passages stand in it. */
export interface SourceDocument {
  title: string;
  text: string;
  passages: Passage[];
}

/** `text.slice(start, end)` in UTF-16 units; `headings` from the outermost to the nearest; `ofSite`: of the header or the footer; `leadsAway`: nothing but links to other pages, beside what else its page tells. */
export interface Passage {
  headings: string[];
  start: number;
  end: number;
  ofSite?: true;
  leadsAway?: true;
}

export interface StoredVectors {
  model: string;
  dimensions: number;
  /** A row a passage, in their order, `dimensions` long: signed bytes, of which the direction alone tells. */
  rows: Int8Array;
}

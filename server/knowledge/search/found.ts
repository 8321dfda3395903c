import type { LanguageCode } from '../text/languages.ts';
import type { QuotedPart, QuotedPassage } from './asking/quoted.ts';
import type { Query } from './query.ts';
import type { TermMatch } from './query-terms.ts';

export type { QuotedPassage };

export interface SearchResult {
  query: Query;
  /** Best first. */
  found: Found[];
  /** With `upTo`: those beside the best ones in their sections, then further ones, best first. */
  more?: Found[];
  /** With `upTo`, those that at least a tenth of the sources is in, the commonest first. */
  languages?: readonly LanguageCode[];
}

export interface SearchOptions {
  /** The visitor's earlier questions of this session, oldest first: a follow-up is searched with them. */
  earlier?: string[];
  /** What the last answer quoted: a short question is looked for there first. */
  quoted?: QuotedPassage[] | undefined;
  /** Questions after that answer which nothing answered: one that names something is what a follow-up is about. */
  unanswered?: string[] | undefined;
  /** The address of the page where the visitor stands, as the browser sent it: its passages, and those of its folder, win ties. */
  page?: string | undefined;
  /** How many passages at most; 8 by default. */
  limit?: number;
  /** So many with `more`, which is left out by default. */
  upTo?: number | undefined;
  /** Only these sources are searched; all of the chatbot's where it is absent. */
  sources?: ReadonlySet<string> | undefined;
  /** By words alone: no embedding model is waited for. False by default. */
  wordsAlone?: boolean;
  /** Quotes are made of them: their sentences are compared by meaning too, where there are vectors. False by default. */
  forQuotes?: boolean;
  /** A reply is written from it: what tells its language is loaded, where the words of the question do not. False by default. */
  forReply?: boolean;
  /** Told how the passages were scored, before the search resolves; without it nothing of that is kept. */
  onTrace?: ((trace: SearchTrace) => void) | undefined;
}

/** How a search came to its result. */
export interface SearchTrace {
  /** In the chatbot's index. */
  passages: number;
  /** For each term of the query: what of the pages counts as it. */
  matches: TermMatch[][];
  /** All passages that were scored, best first; those that were found are the first of them. */
  candidates: (Found & { parts: ScoreParts })[];
}

/** The parts that the score of a passage is the sum of. */
export interface ScoreParts {
  bm25: number;
  /** Words that stand near each other, in the order and the form of the question, or in title and headings. */
  proximity: number;
  /** How much of the question its best sentence has. */
  sentence: number;
  /** Likeness of meaning, by vectors. */
  vector: number;
  /** It answers this very question, or one like it. */
  pair: number;
  /** The answer before quoted it, or another passage of its page. */
  quoted: number;
  /** It is of the page where the visitor stands, or of its folder. */
  page: number;
}

/** A passage that answers, with all a citation needs. */
export interface Found {
  /** `title`: to be shown, without the name of the site where most titles of its pages have it. */
  source: { uuid: string; title: string; file_name: string; type: string };
  /** As stored. */
  pageTitle: string;
  headings: string[];
  /** Those of them that many pages of its site have, so that they do not tell where it is from; none by default. */
  commonHeadings?: string[];
  /** Word for word as stored. */
  text: string;
  /** Comparable within one search only. */
  score: number;
  /** What the index has of this passage, so that extraction need not parse it again. */
  match: Match;
  /** The same object as long as the passage is in the index: a key for caches. */
  entry: object;
}

export interface Match {
  /** The owner wrote the passage to answer exactly this question: it is quoted whole, and nothing else. */
  exact: boolean;
  /** Its page asks exactly this question above it, and it is short enough to be quoted whole. */
  asked?: boolean;
  /** The owner wrote it to answer another question: it is not told surely by its words. */
  answersOther?: boolean;
  /** The answer before quoted it, or another passage of its page, and the question may be about that. */
  quoted?: QuotedPart | undefined;
  /** It is of the page where the visitor stands, or of its folder. */
  isHere?: boolean;
  /** It is nothing but links to other pages, and its heading does not name what is asked for. */
  leadsAway?: boolean;
  /** It is the first of its section. */
  opensSection?: boolean;
  /** Passages of one source count up, in their order. */
  rank: number;
  /**
   * How much nearer to the question in meaning it is than the nearest of as many passages on any subject would be, in standard
   * deviations of the chatbot's passages; absent without vectors. Cosines themselves differ by the model.
   */
  likeness?: number | undefined;
  /** Absent without vectors. */
  meaning?: Meaning | undefined;
  /** The roots of the different words of title and headings. */
  head: Uint32Array;
  /** 0 to about 2: how much of what is asked the passage has words for. */
  matchShare(): number;
  sentences(): Sentence[];
}

/** How near a passage is to the question: cosines of vectors. */
export interface Meaning {
  cosine: number;
  /** The mean of those of the other passages of the chatbot; absent where it has none. */
  others?: number | undefined;
  /** In the order of `sentences()`; only where quotes are asked for, and of the best passages. */
  sentences?: number[];
}

export interface Sentence {
  text: string;
  /** Where in the passage it begins. */
  start: number;
  /** Which sentence of the passage leads to it, see `leadsOf`. */
  lead: number;
  /** In order, with repeats. */
  roots: number[];
}

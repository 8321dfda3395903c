import type { SourceDocument } from '../../store/store.ts';
import type { Meaning, ScoreParts, Sentence } from './found.ts';
import type { QuotedPart, QuotedPassage } from './asking/quoted.ts';
import type { PassageTerms } from './posting.ts';
import type { PageVersion } from './repeats/versions.ts';

/** A question that a passage answers. */
export interface Pair {
  question: string;
  /** The owner wrote both; else it is a heading of a page. */
  isOwners: boolean;
}

/** A passage in the index; `S` is the caller's type of source. */
export interface Entry<S> extends PassageTerms {
  source: S;
  /** Its page; the same object for all passages of a source. */
  page: PageVersion;
  headings: string[];
  /** Without the lines that repeat on most pages of its site. */
  text: string;
  /** With them, where it has any; kept by `RepeatedLines`, as the next two are. */
  whole?: string;
  isRepeated?: boolean;
  cleaned?: number;
  pair: Pair | undefined;
  /** As in `Passage`. */
  ofSite?: true;
  /** As in `Passage`. */
  leadsAway?: true;
  /** Split at first use. */
  sentences?: Sentence[] | undefined;
}

export interface Hit<S> {
  entry: Entry<S>;
  score: number;
  /** The best hit by words alone, where vectors changed the order. */
  first?: Entry<S>;
  /** As in `Match`. */
  likeness?: number | undefined;
  /** As in `Match`. */
  meaning?: Meaning | undefined;
  /** As in `Match`. */
  quoted?: QuotedPart | undefined;
  /** As in `Match`. */
  isHere?: boolean;
  /** What its score counts, 0 to 1, where it is a list of links that is not asked for; 1 by default. */
  share?: number;
  /** Its pair has the question that is asked. */
  isAsked?: boolean;
}

/** `address`: of its page; '' by default. */
export type IndexedDocument = SourceDocument & { address?: string };

/** Keeps how the passages of one search were scored. */
export class ScoreRecorder<S> {
  readonly parts = new Map<Entry<S>, ScoreParts>();
  /** All that were scored, best first. */
  ranked: Hit<S>[] = [];

  add(entry: Entry<S>, part: keyof ScoreParts, value: number): void {
    this.of(entry)[part] += value;
  }

  scale(entry: Entry<S>, factor: number): void {
    const parts = this.of(entry);
    for (const part of Object.keys(parts) as (keyof ScoreParts)[]) parts[part] *= factor;
  }

  /** The owner wrote this passage to answer the question. */
  putFirst(hit: Hit<S>): void {
    this.parts.delete(hit.entry);
    this.add(hit.entry, 'pair', hit.score);
    this.ranked = [hit, ...this.ranked.filter(({ entry }) => entry !== hit.entry)];
  }

  of(entry: Entry<S>): ScoreParts {
    const known = this.parts.get(entry);
    if (known) return known;
    const parts = { bm25: 0, proximity: 0, sentence: 0, vector: 0, pair: 0, quoted: 0, page: 0 };
    this.parts.set(entry, parts);
    return parts;
  }
}

/** Limits of a search, and the question's vector. */
export interface SearchScope<S> {
  /** Hits beyond the limit, which are not read by sentences for it; 0 by default. */
  further?: number | undefined;
  /** Only these sources. */
  sources?: ReadonlySet<string> | undefined;
  /** The embedded question, of length 1; words alone decide where it is absent. */
  vector?: Float32Array | undefined;
  /** What the answer before quoted, which the question may be about. */
  quoted?: QuotedPassage[] | undefined;
  /** As in `SearchOptions`. */
  page?: string | undefined;
  /** Told how passages are scored; without it nothing of that is kept. */
  scores?: ScoreRecorder<S> | undefined;
}

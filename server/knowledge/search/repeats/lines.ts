import type { Entry } from '../types.ts';
import { CODE_FENCE } from '../../text/sentences.ts';
import { trailIn } from '../../text/boilerplate/trail.ts';
import { namesIn, withoutName } from '../../text/boilerplate/titles.ts';
import type { PageVersion } from './versions.ts';

/** A line on so many pages of a site, and on such a share of them, belongs to the layout: a menu, a notice, a box of news. */
const MIN_PAGES = 5;
const MIN_SHARE = 0.6;
/** As many pages are enough for what nobody tells: trails of pages, questions to the reader, the site's name in titles. */
const MIN_PAGES_OF_NAVIGATION = 3;
/** The share of pages with a section of one name, such as “Description” in a manual. */
const MIN_SHARE_OF_HEADING = 0.25;
/** UTF-16 units; longer lines are not counted. */
const MAX_LINE_LENGTH = 300;

type Lines = Pick<Entry<unknown>, 'text' | 'headings'>;

interface Site {
  pages: number;
  /** By hash of a line: how many pages have it, and which of them tells it, see `pack`. */
  lines: Map<number, number>;
}

/**
 * Counts the lines of the pages of each site. What most pages have is told by one of them alone, that with the shortest address:
 * it may be an answer, such as hours of opening. Trails that begin as most pages do (`You are here: Home → Jobs`) and questions to
 * the reader (`Did this help? Yes No`) are told by none.
 */
export class RepeatedLines {
  readonly #sites = new Map<string, Site>();
  readonly #titles = new WeakMap<PageVersion, string>();
  #changes = 0;

  /** Counts the lines of a passage. `seen`: those of the page, empty before its first passage. `title`: with that alone. */
  count(page: PageVersion, { text, headings }: Lines, seen: Set<number>, title?: string): void {
    const { host } = page;
    if (host === '') return;
    this.#changes++;
    const site = this.#sites.get(host) ?? { pages: 0, lines: new Map<number, number>() };
    if (title !== undefined) {
      site.pages++;
      this.#titles.set(page, title);
    }
    this.#sites.set(host, site);
    const order = orderOf(page);
    for (const line of newLines({ text, headings }, seen, title))
      site.lines.set(line, counted(site.lines.get(line), order));
  }

  /** Removes a page with all of its passages. */
  remove<S>(passages: Entry<S>[]): void {
    const page = passages[0]?.page;
    const site = page && this.#sites.get(page.host);
    if (!site) return;
    this.#changes++;
    if (--site.pages === 0) this.#sites.delete(page.host);
    const seen = new Set<number>();
    const order = orderOf(page);
    for (const [at, { headings, text, whole = text }] of passages.entries()) {
      for (const line of newLines({ text: whole, headings }, seen, at === 0 ? this.#titles.get(page) : undefined)) {
        const left = discounted(site.lines.get(line)!, order);
        if (countOf(left) > 0) site.lines.set(line, left);
        else site.lines.delete(line);
      }
    }
  }

  /** Whether so many pages of the site have a section of this name that it does not tell where a text is from. */
  isCommon(page: PageVersion, heading: string): boolean {
    const site = this.#sites.get(page.host);
    if (!site) return false;
    const count = countOf(site.lines.get(hashOf(headingKey(heading))) ?? 0);
    return count >= Math.max(MIN_PAGES, Math.min(MIN_SHARE_OF_HEADING * site.pages, MAX_COUNT));
  }

  /** The title that a page was counted with. */
  countedTitle(page: PageVersion): string | undefined {
    return this.#titles.get(page);
  }

  /** A page's title without the name of its site, which most titles have; `title` itself where it is not the page's own. */
  titleOf(page: PageVersion, title: string): string {
    const site = this.#sites.get(page.host);
    if (!site || this.#titles.get(page) !== title) return title;
    const few = Math.max(MIN_PAGES_OF_NAVIGATION, Math.min(MIN_SHARE * site.pages, MAX_COUNT));
    return withoutName(title, (name) => countOf(site.lines.get(hashOf(nameKey(name))) ?? 0) >= few);
  }

  /** Takes such lines out of a passage's text. False where nothing is left of it. */
  clean<S>(entry: Entry<S>): boolean {
    if (entry.cleaned === this.#changes) return entry.isRepeated !== true;
    entry.cleaned = this.#changes;
    const { text, whole = text, page } = entry;
    const kept = this.#without(whole, page);
    entry.isRepeated = kept === '';
    if (kept !== '' && kept !== text) Object.assign(entry, { text: kept, whole, sentences: undefined });
    return kept !== '';
  }

  #without(text: string, page: PageVersion): string {
    const site = this.#sites.get(page.host);
    if (!site || site.pages < MIN_PAGES_OF_NAVIGATION || text.includes(CODE_FENCE)) return text;
    const most = Math.min(MIN_SHARE * site.pages, MAX_COUNT);
    const [least, few] = [Math.max(MIN_PAGES, most), Math.max(MIN_PAGES_OF_NAVIGATION, most)];
    const own = orderOf(page);
    const isOnMost = (line: string): boolean => countOf(site.lines.get(hashOf(line)) ?? 0) >= few;
    const isTold = (line: string): boolean => {
      const known = site.lines.get(hashOf(line.trim())) ?? 0;
      return countOf(known) < least || tellerOf(known) === own || tellerOf(known) === NOBODY;
    };
    const lines = text.split('\n');
    let isAsking = false;
    const isNavigation = (line: string, at: number): boolean => {
      const below = lines.slice(at + 1).find((one) => one !== '') ?? '';
      const asks = WITH_CHOICE.test(line) || (QUESTION.test(line) && !SENTENCE.test(below));
      isAsking = (asks || (isAsking && CHOICE.test(line))) && isOnMost(line.trim());
      return isAsking || isOnMost(trailStart(line.trim()));
    };
    const kept = lines.filter((line, at) => line === '' || (!isNavigation(line, at) && isTold(line)));
    if (kept.length === lines.length) return text;
    return kept
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
  }
}

const QUESTION = /^[^?？؟\d@]{1,120}[?？؟]$/u;
/** A question with a few words behind it, which are buttons, and such words alone. */
const WITH_CHOICE = /^[^?？؟\d@]{1,120}[?？؟](?:[ ,/|]+[^\s\d@]+){1,2}$/u;
const CHOICE = /^(?:- )?[^\s\d@]+(?: [^\s\d@]+)?$/u;
/** What may answer the question above it. */
const SENTENCE = /[.!…。！]$/;

/** What a line begins with that may be a trail of pages, and what may be a site's name: no line is the same. */
function trailStart(line: string): string {
  const [start] = trailIn(line) ?? [];
  return start === undefined ? '' : `${start}\n`;
}

const nameKey = (name: string): string => `${name}\t`;
const headingKey = (heading: string): string => `${heading.toLowerCase()}\v`;

/**
 * Hashes of the lines that are not among `seen`, to which they are added. Of headings, but for the page's own. With a page's `title` also of what may be the site's name in
 * it, and of the beginning of the trail that the first line may be.
 */
function* newLines({ text, headings }: Lines, seen: Set<number>, title: string | undefined): Generator<number> {
  const lines = text.includes(CODE_FENCE) ? [] : text.split('\n').map((line) => line.trim());
  const ofPage = title === undefined ? [] : [trailStart(lines[0] ?? ''), ...namesIn(title).map(nameKey)];
  for (const line of [...ofPage, ...headings.slice(1).map(headingKey), ...lines]) {
    if (line === '' || line.length > MAX_LINE_LENGTH) continue;
    const hash = hashOf(line);
    if (seen.has(hash)) continue;
    seen.add(hash);
    yield hash;
  }
}

/** A count up to `MAX_COUNT` and the order of the page that tells the line, in 31 bits: small integers take no memory of their own. */
const COUNT_WIDTH = 15;
const MAX_COUNT = 2 ** COUNT_WIDTH - 1;
/** The page that told it is gone: all do, until one of them is learned again. */
const NOBODY = 2 ** 16 - 1;
const pack = (count: number, teller: number): number => (teller << COUNT_WIDTH) | count;
const countOf = (packed: number): number => packed & MAX_COUNT;
const tellerOf = (packed: number): number => packed >>> COUNT_WIDTH;

const counted = (known = pack(0, NOBODY), page: number): number =>
  pack(Math.min(countOf(known) + 1, MAX_COUNT), Math.min(tellerOf(known), page));
const discounted = (known: number, page: number): number =>
  pack(countOf(known) - 1, tellerOf(known) === page ? NOBODY : tellerOf(known));

/** 16 bits: of pages the one with the shortest address is the first. Versions of one page are equal, and few others are. */
const orderOf = ({ key }: PageVersion): number => (Math.min(key.length, 254) << 8) | (hashOf(key) & 255);

function hashOf(text: string): number {
  let hash = -2128831035;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619);
  return hash;
}

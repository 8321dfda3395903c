import type { Passage, SourceDocument } from '../../../store/store.ts';
import type { Common } from '../words/entry.ts';
import type { PageVersion } from './versions.ts';

/** A page whose header and footer tell something. */
interface Teller {
  uuid: string;
  page: PageVersion;
  passages: Pick<Passage & { text: string }, 'headings' | 'text' | 'leadsAway'>[];
}

export interface SiteTeller<S> extends Teller {
  common: Common<S>;
}

export const textIn = (
  { text }: SourceDocument,
  { headings, start, end, leadsAway }: Passage,
): Teller['passages'][number] => ({
  headings,
  text: text.slice(start, end),
  ...(leadsAway ? { leadsAway } : {}),
});

/** Who tells from now on, and who no longer does. */
export interface Change<T> {
  tells?: T | undefined;
  silent?: T | undefined;
}

/** What stands in the header and the footer of pages of a site is told by one of them: that with the shortest address. */
export class SiteFacts<T extends Teller> {
  /** By site and words, the one that tells first. */
  readonly #tellers = new Map<string, { tells: T; others: Map<string, T> }>();
  readonly #keys = new Map<string, string>();

  put(teller: T): Change<T> {
    const key = keyOf(teller);
    const known = this.#tellers.get(key);
    this.#keys.set(teller.uuid, key);
    if (!known) {
      this.#tellers.set(key, { tells: teller, others: new Map() });
      return { tells: teller };
    }
    const silent = known.tells;
    if (!isBefore(teller.page, silent.page)) {
      known.others.set(teller.uuid, teller);
      return {};
    }
    known.others.set(silent.uuid, silent);
    known.tells = teller;
    return { tells: teller, silent };
  }

  remove(uuid: string): Change<T> {
    const key = this.#keys.get(uuid);
    const known = key === undefined ? undefined : this.#tellers.get(key);
    this.#keys.delete(uuid);
    if (!known || known.others.delete(uuid)) return {};
    if (known.others.size === 0) {
      this.#tellers.delete(key!);
      return {};
    }
    const next = [...known.others.values()].reduce((one, other) => (isBefore(other.page, one.page) ? other : one));
    known.others.delete(next.uuid);
    known.tells = next;
    return { tells: next };
  }

  /** As it was put. */
  of(uuid: string): T | undefined {
    const known = this.#tellers.get(this.#keys.get(uuid) ?? '');
    return known?.tells.uuid === uuid ? known.tells : known?.others.get(uuid);
  }

  /** How many passages of a page another one tells. */
  silentOf(uuid: string): number {
    const known = this.#tellers.get(this.#keys.get(uuid) ?? '');
    return known?.others.get(uuid)?.passages.length ?? 0;
  }
}

const isBefore = ({ key }: PageVersion, other: PageVersion): boolean =>
  key.length < other.key.length || (key.length === other.key.length && key < other.key);

const keyOf = ({ page, passages }: Teller): string =>
  [page.host, ...passages.map(({ headings, text }) => [...headings, text].join('\n'))].join('\n\n');

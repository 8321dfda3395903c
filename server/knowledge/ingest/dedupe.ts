import { isFailed } from '../../schema/records.ts';
import { HeldByUnreadable } from '../../store/shared/unreadable-source.ts';
import type { Store, StoredSource } from '../../store/store.ts';
import type { PageFacts } from './content.ts';
import { isOtherVersion } from '../search/repeats/versions.ts';
import { Unreadable } from '../readers/errors.ts';

/** Whether a source that a crawl found may move to this address. */
export type MayMove = (url: URL) => boolean;

/**
 * Gives a source the address that its page goes by, so that one page is one source. Rejects with `Unreadable` where
 * another source of the chatbot has that address. False where the source is gone.
 */
export async function claimAddress(
  store: Store,
  uuid: string,
  { url, canonical: named = url }: PageFacts,
  mayMove: MayMove | undefined,
): Promise<boolean> {
  // Old versions name the newest as canonical, whose text is another: both are stored, and search tells the newest.
  const canonical = isOtherVersion(named, url) ? url : named;
  const other = await claim(store, uuid, canonical, mayMove);
  if (!other) return (await store.source(uuid)) !== undefined;
  // A canonical link whose target failed is a mistake of the page's author: the page itself is there.
  if (canonical === url || !isFailed(other.status)) throw new Unreadable('same page');
  if (await claim(store, uuid, url, mayMove)) throw new Unreadable('same page');
  return (await store.source(uuid)) !== undefined;
}

/** Returns the other source that has the address, if any. */
async function claim(store: Store, uuid: string, address: string, mayMove: MayMove | undefined) {
  const source = await store.source(uuid);
  if (!source || source.alias === address) return undefined;
  if (source.identity === address) {
    if (source.alias && isOwners(source)) await store.updateSource(uuid, (one) => ({ ...one, alias: '' }));
    return undefined;
  }
  const moves = !isOwners(source) && mayMove?.(new URL(address));
  try {
    const claimed = await store.claimIdentity(uuid, address, (one) =>
      moves ? moved(one, address) : { ...one, alias: address },
    );
    return claimed?.existing;
  } catch (error) {
    throw error instanceof HeldByUnreadable ? new Unreadable('same page', error.message) : error;
  }
}

const isOwners = ({ site = '', own = 0 }: StoredSource): boolean => site === '' || own === 1;

/** A source that a crawl found takes its page's own address as its name; the address that led there is its alias. */
const moved = (source: StoredSource, address: string): StoredSource => ({
  ...source,
  identity: address,
  alias: source.identity,
  file_name: address,
  title: source.title === source.file_name ? address : source.title,
});

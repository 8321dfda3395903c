import type { Store, StoredSource } from '../../store/store.ts';
import type { Follower } from '../crawl-port.ts';
import type { ReadPage } from './content.ts';
import { Unreadable } from '../readers/errors.ts';

const FAILED = /^(?:fail$|error:)/;

/**
 * Gives a source the address that its page goes by, so that one page is one source. Rejects with `Unreadable` where
 * another source of the chatbot has that address. False where the source is gone.
 */
export async function claimAddress(
  store: Store,
  uuid: string,
  { url, canonical = url }: ReadPage,
  follower: Follower | undefined,
): Promise<boolean> {
  const other = await claim(store, uuid, canonical, follower);
  if (!other) return (await store.source(uuid)) !== undefined;
  // A canonical link that leads to nothing is a mistake: the page itself is there.
  if (canonical === url || !FAILED.test(other.status)) throw new Unreadable('same page');
  if (await claim(store, uuid, url, follower)) throw new Unreadable('same page');
  return (await store.source(uuid)) !== undefined;
}

/** The other source that has the address. */
async function claim(store: Store, uuid: string, address: string, follower: Follower | undefined) {
  const source = await store.source(uuid);
  if (!source || source.alias === address) return undefined;
  if (source.identity === address) {
    if (source.alias && isOwners(source)) await store.updateSource(uuid, (one) => ({ ...one, alias: '' }));
    return undefined;
  }
  const moves = !isOwners(source) && follower?.within(new URL(address));
  const claimed = await store.claimIdentity(uuid, address, (one) =>
    moves ? moved(one, address) : { ...one, alias: address },
  );
  return claimed?.existing;
}

const isOwners = ({ site = '', own = 0 }: StoredSource): boolean => site === '' || own === 1;

/** What a crawl found is the page under its own name. */
const moved = (source: StoredSource, address: string): StoredSource => ({
  ...source,
  identity: address,
  alias: source.identity,
  file_name: address,
  title: source.title === source.file_name ? address : source.title,
});

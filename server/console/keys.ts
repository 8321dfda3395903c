import { keyUuid } from '../http/auth.ts';
import { makeKey } from '../http/new-key.ts';
import { Refusal } from '../schema/errors.ts';
import type { Clock } from '../schema/ids.ts';
import type { Store, StoredKey, User } from '../store/store.ts';
import type { SignedIn } from './sign-ins.ts';

/** The keys of whoever is signed in. A key itself makes none: a leaked one cannot get itself a successor. */
export interface OwnKeys {
  list(user: User): Promise<KeyView[]>;
  /** `key` is shown this once; undefined where the sign-in has ended meanwhile. Throws a `Refusal` that names `name`. */
  add(by: SignedIn, name: string): Promise<(KeyView & { key: string }) | undefined>;
  /** With the sign-ins that were made with it. Undefined where the user has none of this uuid. */
  revoke(user: User, uuid: string): Promise<KeyView | undefined>;
}

export interface KeyView {
  /** The beginning of its hash. */
  uuid: string;
  name: string;
  hint: string;
  created: string;
  /** '' before its first use. */
  last_used: string;
}

const MAX_KEYS = 100;

const view = ({ hash, name, hint, created_at, last_used_at }: StoredKey): KeyView => ({
  uuid: keyUuid(hash),
  name,
  hint,
  created: created_at,
  last_used: last_used_at,
});

export function createOwnKeys(store: Store, clock: Clock): OwnKeys {
  const keysOf = async ({ uuid }: User) => (await store.keys()).filter((key) => key.user === uuid);
  return {
    list: async (user) => (await keysOf(user)).map(view),

    async add({ user, signIn }, name) {
      if ((await keysOf(user)).length >= MAX_KEYS)
        throw new Refusal('conflict', `a user has at most ${MAX_KEYS} keys: revoke one first`);
      const { key, record } = await makeKey({ store, clock }, user, name);
      return (await store.addKey(record, signIn.uuid)) ? { ...view(record), key } : undefined;
    },

    async revoke(user, uuid) {
      const key = (await keysOf(user)).find(({ hash }) => keyUuid(hash) === uuid);
      return key && (await store.removeOwnKey(user.uuid, key.hash)) ? view(key) : undefined;
    },
  };
}

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_PASSKEYS } from '../../../server/store/accounts.ts';
import { newUuid } from '../../../server/schema/ids.ts';
import type { Challenge, Store, StoredPasskey, StoredSignIn } from '../../../server/store/store.ts';
import type { StoreFixture } from '../contract.ts';
import { aPasskey as passkeyOf, aSignIn as signInOf, atMinute as at } from '../records.ts';

/** What every engine must do with passkeys, what they have signed, and the sign-ins that they make. */
export function passkeyContract(engine: string, createFixture: () => Promise<StoreFixture>): void {
  describe(`${engine}: the contract of passkeys`, () => {
    let fixture: StoreFixture;
    let store: Store;
    let by: StoredSignIn;
    beforeEach(async () => {
      fixture = await createFixture();
      store = await fixture.open();
      by = signInOf(owner().uuid);
      await store.addSignIn(by);
    });
    afterEach(async () => {
      await store.close();
      await fixture.clear();
    });
    /** In this life and in the next. */
    const inBothLives = async (look: () => Promise<void>) => {
      await look();
      await store.close();
      store = await fixture.open();
      await look();
    };
    const owner = () => store.owner.user;
    const aPasskey = (more: Partial<StoredPasskey> = {}) => passkeyOf(more.user ?? owner().uuid, more);
    const challenge = (more: Partial<Challenge> = {}): Challenge => ({
      hash: newUuid() + newUuid(),
      expires_at: at(40),
      ...more,
    });
    const add = (passkey: StoredPasskey, used = challenge()) => store.addPasskey(passkey, by.uuid, used);
    const added = async (more: Partial<StoredPasskey> = {}): Promise<StoredPasskey> => {
      const passkey = aPasskey(more);
      expect(await add(passkey)).toBe(true);
      return passkey;
    };
    const signInBy = (passkey: StoredPasskey, more: Partial<StoredSignIn> = {}): Omit<StoredSignIn, 'user'> => {
      const { user: _, ...signIn } = signInOf(passkey.user, { passkey: passkey.uuid, created_at: at(5), ...more });
      return signIn;
    };
    const withUser = async () => {
      const user = { uuid: newUuid(), email: `${newUuid()}@shop.example`, created_at: at(0) };
      await store.addUser(user);
      const signIn = signInOf(user.uuid);
      await store.addSignIn(signIn);
      return { user, signIn };
    };

    it('finds a passkey by the id of its credential, and lists those of one user', async () => {
      const { user, signIn } = await withUser();
      const own = [await added(), await added({ counter: 4_000_000_000 })];
      const other = aPasskey({ user: user.uuid });
      expect(await store.addPasskey(other, signIn.uuid, challenge())).toBe(true);
      await inBothLives(async () => {
        for (const one of [...own, other]) expect(await store.passkey(one.id)).toEqual(one);
        expect(await store.passkey('nobody')).toBeUndefined();
        expect(await store.passkeys(owner().uuid)).toEqual(own);
        expect(await store.passkeys(user.uuid)).toEqual([other]);
      });
    });

    it('adds none by a sign-in that is gone or of another user, nor with a credential that is there', async () => {
      const { user, signIn } = await withUser();
      const there = await added();
      const refused = [
        store.addPasskey(aPasskey(), newUuid(), challenge()),
        store.addPasskey(aPasskey(), signIn.uuid, challenge()),
        store.addPasskey(aPasskey({ user: user.uuid }), by.uuid, challenge()),
        store.addPasskey(aPasskey({ user: user.uuid, id: there.id }), signIn.uuid, challenge()),
      ];
      expect(await Promise.all(refused)).toEqual([false, false, false, false]);
      expect(await store.passkeys(owner().uuid)).toEqual([there]);
      expect(await store.passkeys(user.uuid)).toEqual([]);
    });

    it('adds one by a challenge, of ten that use it at once', async () => {
      const used = challenge();
      const all = Array.from({ length: 10 }, () => aPasskey());
      const results = await Promise.all(all.map((one) => add(one, used)));
      expect(results.filter(Boolean)).toHaveLength(1);
      await inBothLives(async () => {
        expect(await store.passkeys(owner().uuid)).toEqual([all[results.indexOf(true)]]);
        expect(await add(aPasskey(), used)).toBe(false);
      });
    });

    it('adds as many as a user may have, at once as well', async () => {
      for (let i = 0; i < MAX_PASSKEYS - 2; i++) await added();
      const results = await Promise.all(Array.from({ length: 5 }, () => add(aPasskey())));
      expect(results.filter(Boolean)).toHaveLength(2);
      expect(await store.passkeys(owner().uuid)).toHaveLength(MAX_PASSKEYS);
    });

    it('signs in once by a challenge, of ten at once, and notes the counter and the use', async () => {
      const passkey = await added();
      const used = challenge();
      const tries = Array.from({ length: 10 }, () => signInBy(passkey));
      const users = await Promise.all(tries.map((one, i) => store.signInByPasskey(used, i + 1, one)));
      expect(users.filter(Boolean)).toEqual([owner()]);
      const won = users.findIndex(Boolean);
      await inBothLives(async () => {
        expect(await store.signIns(owner().uuid)).toEqual([by, { ...tries[won], user: owner().uuid }]);
        expect(await store.passkeys(owner().uuid)).toEqual([{ ...passkey, counter: won + 1, last_used_at: at(5) }]);
        expect(await store.signInByPasskey(used, 100, signInBy(passkey))).toBeUndefined();
      });
    });

    it('signs in by a counter that is above the one before, once of ten at once, or by 0 always', async () => {
      const [counts, never] = [await added({ counter: 5 }), await added()];
      const tryWith = (passkey: StoredPasskey, counter: number) =>
        store.signInByPasskey(challenge(), counter, signInBy(passkey));
      for (const counter of [0, 4, 5]) expect(await tryWith(counts, counter)).toBeUndefined();
      const users = await Promise.all(Array.from({ length: 10 }, () => tryWith(counts, 6)));
      expect(users.filter(Boolean)).toEqual([owner()]);
      for (let i = 0; i < 3; i++) expect(await tryWith(never, 0)).toEqual(owner());
      expect(await store.signIns(owner().uuid)).toHaveLength(5);
    });

    it('ends with a passkey what was signed in with it', async () => {
      const { user } = await withUser();
      const [gone, kept] = [await added(), await added()];
      const [first, second] = [signInBy(gone), signInBy(kept)];
      await store.signInByPasskey(challenge(), 0, first);
      await store.signInByPasskey(challenge(), 0, second);
      expect(await store.removePasskey(user.uuid, gone.uuid)).toBe(false);
      expect(await store.removePasskey(owner().uuid, gone.uuid)).toBe(true);
      expect(await store.removePasskey(owner().uuid, gone.uuid)).toBe(false);
      await inBothLives(async () => {
        expect((await store.signIns(owner().uuid)).map(({ uuid }) => uuid)).toEqual([by.uuid, second.uuid]);
        expect(await store.signIn(first.hash)).toBeUndefined();
        expect(await store.passkey(gone.id)).toBeUndefined();
        expect(await store.signInByPasskey(challenge(), 0, signInBy(gone))).toBeUndefined();
      });
    });

    it('leaves no sign-in by a passkey that is removed at the same time', async () => {
      const passkey = await added();
      const tries = Array.from({ length: 10 }, () => store.signInByPasskey(challenge(), 0, signInBy(passkey)));
      await Promise.all([...tries, store.removePasskey(owner().uuid, passkey.uuid)]);
      expect(await store.signIns(owner().uuid)).toEqual([by]);
    });

    it('removes them with the last key of their user, and with the user', async () => {
      const { user, signIn } = await withUser();
      const keys = [1, 2].map((n) => ({
        hash: newUuid() + newUuid(),
        user: user.uuid,
        name: `${n}`,
        hint: 'dk_abcd',
        created_at: at(0),
        last_used_at: '',
      }));
      for (const key of keys) await store.addKey(key);
      const passkey = aPasskey({ user: user.uuid });
      await store.addPasskey(passkey, signIn.uuid, challenge());
      await store.signInByPasskey(challenge(), 0, signInBy(passkey));
      await store.removeKey(keys[0]!.hash);
      expect(await store.passkeys(user.uuid)).toHaveLength(1);
      await store.removeOwnKey(user.uuid, keys[1]!.hash);
      expect(await store.passkeys(user.uuid)).toHaveLength(1);
      await store.addKey(keys[0]!);
      await store.removeKey(keys[0]!.hash);
      await inBothLives(async () => {
        expect(await store.passkeys(user.uuid)).toEqual([]);
        expect(await store.signIns(user.uuid)).toEqual([]);
      });
      const next = await withUser();
      const last = aPasskey({ user: next.user.uuid });
      await store.addPasskey(last, next.signIn.uuid, challenge());
      expect(await store.removeUser(next.user.uuid)).toBe(true);
      expect(await store.passkey(last.id)).toBeUndefined();
    });

    it('forgets a challenge that was used once it has expired', async () => {
      const [old, recent] = [challenge({ expires_at: at(40) }), challenge({ expires_at: at(41) })];
      for (const one of [old, recent]) expect(await add(aPasskey(), one)).toBe(true);
      await store.removeOldSignIns(at(40), at(0));
      expect(await add(aPasskey(), recent)).toBe(false);
      // What it was made for checks the date; the store only counts.
      expect(await add(aPasskey(), old)).toBe(true);
    });
  });
}

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newUuid } from '../../../server/schema/ids.ts';
import type { Store, StoredKey, StoredSignIn } from '../../../server/store/store.ts';
import type { StoreFixture } from '../contract.ts';
import { aLink as linkOf, aSignIn as signInOf, atMinute as at } from '../records.ts';

const hash = (): string => newUuid() + newUuid();

/** What every engine must do with sign-ins and the links that make them. */
export function signInContract(engine: string, createFixture: () => Promise<StoreFixture>): void {
  describe(`${engine}: the contract of sign-ins`, () => {
    let fixture: StoreFixture;
    let store: Store;
    beforeEach(async () => {
      fixture = await createFixture();
      store = await fixture.open();
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
    const aLink = (more: Parameters<typeof linkOf>[1] = {}) => linkOf(more.user ?? owner().uuid, more);
    const aSignIn = (more: Partial<StoredSignIn> = {}) => signInOf(more.user ?? owner().uuid, more);
    const byLink = (more: Partial<StoredSignIn> = {}): Omit<StoredSignIn, 'user'> => {
      const { user: _, ...signIn } = aSignIn(more);
      return signIn;
    };
    const withUser = async () => {
      const user = { uuid: newUuid(), email: `${newUuid()}@shop.example`, created_at: at(0) };
      await store.addUser(user);
      return user;
    };
    const withKey = async (user: string): Promise<StoredKey> => {
      const key = { hash: hash(), user, name: 'k', hint: 'dk_abcd', created_at: at(0), last_used_at: '' };
      await store.addKey(key);
      return key;
    };

    it('names a guest as one, by link, by sign-in and by key', async () => {
      const guest = { uuid: newUuid(), email: 'guest@shop.example', created_at: at(0), invited: true as const };
      await store.addUser(guest);
      const link = aLink({ user: guest.uuid });
      await store.addLoginLink(link);
      const signIn = byLink();
      expect(await store.signInByLink(link.hash, signIn)).toEqual(guest);
      const key = await withKey(guest.uuid);
      await inBothLives(async () => {
        expect((await store.signIn(signIn.hash))?.user).toEqual(guest);
        expect(await store.keyOwner(key.hash)).toEqual(guest);
      });
    });

    it('adds a key by a sign-in that its user has, and by no other', async () => {
      const user = store.owner.user.uuid;
      const signIn = signInOf(user);
      await store.addSignIn(signIn);
      const key = (hash: string, of = user) => ({
        hash: hash.repeat(64),
        user: of,
        name: 'ci',
        hint: 'dk_abc',
        created_at: signIn.created_at,
        last_used_at: '',
      });
      const stranger = { uuid: newUuid(), email: 'stranger@shop.example', created_at: signIn.created_at };
      await store.addUser(stranger);
      expect(await store.addKey(key('1'), signIn.uuid)).toBe(true);
      expect(await store.addKey(key('2', stranger.uuid), signIn.uuid)).toBe(false);
      expect(await store.addKey(key('3'), newUuid())).toBe(false);
      await store.removeSignIn(user, signIn.uuid);
      expect(await store.addKey(key('4'), signIn.uuid)).toBe(false);
      expect((await store.keys()).map(({ hash }) => hash[0])).toEqual(['1']);
    });

    it('finds a sign-in with its user by the hash of the cookie, and lists those of one user', async () => {
      const user = await withUser();
      const signIns = [aSignIn(), aSignIn(), aSignIn({ user: user.uuid, environment_key: 'abc' })];
      for (const one of signIns) expect(await store.addSignIn(one)).toBe(true);
      await inBothLives(async () => {
        expect(await store.signIn(signIns[0]!.hash)).toEqual({ signIn: signIns[0], user: owner() });
        expect(await store.signIn(signIns[2]!.hash)).toEqual({ signIn: signIns[2], user });
        expect(await store.signIn(hash())).toBeUndefined();
        expect(await store.signIns(owner().uuid)).toEqual(signIns.slice(0, 2));
        expect(await store.signIns(user.uuid)).toEqual(signIns.slice(2));
      });
    });

    it('adds none to a user or a key that is gone, or to the key of another user', async () => {
      const user = await withUser();
      const key = await withKey(user.uuid);
      const refused = [
        aSignIn({ user: newUuid() }),
        aSignIn({ user: user.uuid, key: hash() }),
        aSignIn({ key: key.hash }),
      ];
      for (const one of refused) {
        expect(await store.addSignIn(one)).toBe(false);
        expect(await store.signIn(one.hash)).toBeUndefined();
      }
      expect(await store.addLoginLink(aLink({ user: newUuid() }))).toBe(false);
    });

    it('lets a link sign in once, of ten that use it at once', async () => {
      const user = await withUser();
      const link = aLink({ user: user.uuid });
      expect(await store.addLoginLink(link)).toBe(true);
      const tries = Array.from({ length: 10 }, () => byLink());
      const users = await Promise.all(tries.map((one) => store.signInByLink(link.hash, one)));
      expect(users.filter((one) => one !== undefined)).toEqual([user]);
      const won = tries[users.findIndex((one) => one !== undefined)]!;
      await inBothLives(async () => {
        expect(await store.signIns(user.uuid)).toEqual([{ ...won, user: user.uuid }]);
        expect(await store.signInByLink(link.hash, byLink())).toBeUndefined();
      });
    });

    it('lets a link sign in until it expires, and an unknown one never', async () => {
      const [late, early] = [aLink(), aLink()];
      for (const link of [late, early]) await store.addLoginLink(link);
      await inBothLives(async () => {
        expect(await store.userOfLink(late.hash, at(30))).toBeUndefined();
        expect(await store.userOfLink(hash(), at(1))).toBeUndefined();
        expect(await store.userOfLink(early.hash, at(29))).toEqual(owner());
        expect(await store.signInByLink(late.hash, byLink({ created_at: at(30) }))).toBeUndefined();
        expect(await store.signInByLink(hash(), byLink())).toBeUndefined();
      });
      expect(await store.signIns(owner().uuid)).toEqual([]);
      expect(await store.signInByLink(early.hash, byLink({ created_at: at(29) }))).toEqual(owner());
      expect(await store.userOfLink(early.hash, at(29))).toBeUndefined();
    });

    it('removes a sign-in of its own user alone', async () => {
      const user = await withUser();
      const [gone, kept] = [aSignIn({ user: user.uuid }), aSignIn({ user: user.uuid })];
      for (const one of [gone, kept]) await store.addSignIn(one);
      expect(await store.removeSignIn(owner().uuid, gone.uuid)).toBe(false);
      expect(await store.removeSignIn(user.uuid, gone.uuid)).toBe(true);
      expect(await store.removeSignIn(user.uuid, gone.uuid)).toBe(false);
      await inBothLives(async () => {
        expect(await store.signIn(gone.hash)).toBeUndefined();
        expect(await store.signIns(user.uuid)).toEqual([kept]);
      });
    });

    it('ends a sign-in with the key that it was made with, and those by link with the last key', async () => {
      const user = await withUser();
      const [first, last] = [await withKey(user.uuid), await withKey(user.uuid)];
      await withKey(owner().uuid);
      const of = (more: Partial<StoredSignIn>) => aSignIn({ user: user.uuid, ...more });
      const [byFirst, byLast, linked, byEnvironment] = [
        of({ key: first.hash }),
        of({ key: last.hash }),
        of({}),
        of({ environment_key: 'abc' }),
      ];
      const other = aSignIn();
      for (const one of [byFirst, byLast, linked, byEnvironment, other]) await store.addSignIn(one);
      const [link, otherLink] = [aLink({ user: user.uuid }), aLink()];
      for (const one of [link, otherLink]) await store.addLoginLink(one);
      await store.removeKey(first.hash);
      await inBothLives(async () => {
        expect(await store.signIns(user.uuid)).toEqual([byLast, linked, byEnvironment]);
      });
      await store.removeKey(last.hash);
      await inBothLives(async () => {
        expect(await store.signIns(user.uuid)).toEqual([byEnvironment]);
        expect(await store.signIn(linked.hash)).toBeUndefined();
        expect(await store.signInByLink(link.hash, byLink())).toBeUndefined();
        expect(await store.signIns(owner().uuid)).toEqual([other]);
      });
      expect(await store.signInByLink(otherLink.hash, byLink())).toEqual(owner());
    });

    it('leaves no sign-in by link where the last keys are removed at once', async () => {
      const user = await withUser();
      const keys = [await withKey(user.uuid), await withKey(user.uuid), await withKey(user.uuid)];
      await store.addSignIn(aSignIn({ user: user.uuid }));
      expect(await Promise.all(keys.map((key) => store.removeKey(key.hash)))).toEqual([true, true, true]);
      expect(await store.signIns(user.uuid)).toEqual([]);
    });

    it('signs in by a link whose user has no key, and has had none', async () => {
      const user = await withUser();
      const link = aLink({ user: user.uuid });
      await store.addLoginLink(link);
      expect(await store.signInByLink(link.hash, byLink())).toEqual(user);
      expect(await store.signIns(user.uuid)).toHaveLength(1);
    });

    it('removes sign-ins and links with their user, however they were made', async () => {
      const user = await withUser();
      const key = await withKey(user.uuid);
      const of = (more: Partial<StoredSignIn>) => aSignIn({ user: user.uuid, ...more });
      const signIns = [of({}), of({ key: key.hash }), of({ environment_key: 'abc' })];
      for (const one of signIns) await store.addSignIn(one);
      const link = aLink({ user: user.uuid });
      await store.addLoginLink(link);
      expect(await store.removeUser(user.uuid)).toBe(true);
      await store.addUser(user);
      await inBothLives(async () => {
        for (const one of signIns) expect(await store.signIn(one.hash)).toBeUndefined();
        expect(await store.signIns(user.uuid)).toEqual([]);
        expect(await store.signInByLink(link.hash, byLink())).toBeUndefined();
      });
    });

    it('knows when a sign-in was last used, in the list too', async () => {
      const signIn = aSignIn();
      await store.addSignIn(signIn);
      await store.signInUsed(signIn, at(5));
      const used = { ...signIn, last_used_at: at(5) };
      await inBothLives(async () => {
        expect(await store.signIn(signIn.hash)).toEqual({ signIn: used, user: owner() });
        expect(await store.signIns(owner().uuid)).toEqual([used]);
      });
    });

    it('removes what has expired, or has been idle for too long, and nothing else', async () => {
      const [idle, old, kept] = [
        aSignIn({ last_used_at: at(9) }),
        aSignIn({ last_used_at: at(20), expires_at: at(40) }),
        aSignIn({ last_used_at: at(10), expires_at: at(41) }),
      ];
      for (const one of [idle, old, kept]) await store.addSignIn(one);
      const [gone, good] = [aLink({ expires_at: at(40) }), aLink({ expires_at: at(41) })];
      for (const one of [gone, good]) await store.addLoginLink(one);
      await store.removeOldSignIns(at(40), at(10));
      await inBothLives(async () => {
        expect(await store.signIns(owner().uuid)).toEqual([kept]);
      });
      // At a time when neither would have expired.
      expect(await store.signInByLink(gone.hash, byLink({ created_at: at(1) }))).toBeUndefined();
      expect(await store.signInByLink(good.hash, byLink({ created_at: at(1) }))).toEqual(owner());
    });

    it('keeps the hundred of a user that were used last, the new one among them', async () => {
      const user = await withUser();
      const all = Array.from({ length: 101 }, (_, i) => aSignIn({ last_used_at: at(i === 7 ? 1 : 2) }));
      await store.addSignIn(aSignIn({ user: user.uuid, last_used_at: at(0) }));
      for (const one of all) await store.addSignIn(one);
      expect(await store.signIns(owner().uuid)).toEqual(all.toSpliced(7, 1));
      const newest = aSignIn({ last_used_at: at(1) });
      await store.addSignIn(newest);
      expect((await store.signIns(owner().uuid)).at(-1)).toEqual(newest);
      expect(await store.signIns(owner().uuid)).toHaveLength(100);
      expect(await store.signIns(user.uuid)).toHaveLength(1);
    });
  });
}

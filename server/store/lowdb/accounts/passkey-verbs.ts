import { isNextCounter, MAX_PASSKEYS, type Challenge, type PasskeyVerbs } from '../../accounts.ts';
import type { RunVerb } from '../../in-flight.ts';
import type { Change, StoredPasskey, User } from '../../store.ts';
import type { StoredRecord } from '../files/record.ts';
import type { Accounts } from './account-file.ts';
import { isSignedIn, signInsOf, userOf, withSignIn } from './sign-in-verbs.ts';

/** Passkeys and the challenges that they have signed: in `store.json`, as the sign-ins that they make. */
export function passkeyVerbs(record: StoredRecord<Accounts>, run: RunVerb): PasskeyVerbs {
  const change = (by: Change<Accounts>) => run(() => record.update(by));

  return {
    async addPasskey(passkey, signIn, challenge) {
      const own = { ...passkey };
      let isAdded = false;
      await change((root) => {
        if (!isSignedIn(root, own.user, signIn) || isUsed(root, challenge)) return root;
        const used = withUsed(root, challenge);
        const count = passkeysOf(root).filter(({ user }) => user === own.user).length;
        isAdded = count < MAX_PASSKEYS && !passkeysOf(root).some(({ id }) => id === own.id);
        return isAdded ? { ...used, passkeys: [...passkeysOf(root), own] } : used;
      });
      return isAdded;
    },

    passkey: (id) => run(() => copyOf(passkeysOf(record.stored).find((one) => one.id === id))),

    passkeys: (user) =>
      run(() =>
        passkeysOf(record.stored)
          .filter((one) => one.user === user)
          .map((one) => ({ ...one })),
      ),

    async removePasskey(user, uuid) {
      let found = false;
      await change((root) => {
        const left = passkeysOf(root).filter((one) => one.user !== user || one.uuid !== uuid);
        found = left.length < passkeysOf(root).length;
        if (!found) return root;
        return { ...root, passkeys: left, sign_ins: signInsOf(root).filter(({ passkey }) => passkey !== uuid) };
      });
      return found;
    },

    async signInByPasskey(challenge, counter, signIn) {
      let user: User | undefined;
      await change((root) => {
        const passkey = passkeysOf(root).find(({ uuid }) => uuid === signIn.passkey);
        if (!passkey || isUsed(root, challenge)) return root;
        const used = withUsed(root, challenge);
        user = isNextCounter(counter, passkey.counter) ? userOf(root, passkey.user) : undefined;
        if (!user) return used;
        const last = { ...passkey, counter, last_used_at: signIn.created_at };
        const passkeys = passkeysOf(root).map((one) => (one === passkey ? last : one));
        return withSignIn({ ...used, passkeys }, { ...signIn, user: user.uuid });
      });
      return copyOf(user);
    },
  };
}

const passkeysOf = (root: Accounts): StoredPasskey[] => root.passkeys ?? [];
const copyOf = <T extends object>(one: T | undefined): T | undefined => one && { ...one };

const isUsed = (root: Accounts, { hash }: Challenge): boolean =>
  root.used_challenges?.some((one) => one.hash === hash) ?? false;

const withUsed = (root: Accounts, challenge: Challenge): Accounts => ({
  ...root,
  used_challenges: [...(root.used_challenges ?? []), { ...challenge }],
});

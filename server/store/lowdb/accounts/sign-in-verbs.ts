import { MAX_SIGN_INS, type SignInVerbs } from '../../accounts.ts';
import { KeyUse } from '../../key-use.ts';
import type { RunVerb } from '../../in-flight.ts';
import type { Change, StoredSignIn, User } from '../../store.ts';
import { findByHash, type Accounts } from './account-file.ts';
import type { StoredRecord } from '../files/record.ts';

/** Sign-ins and the links that make them: in `store.json`, so that they end in the write that removes their key or user. */
export function signInVerbs(record: StoredRecord<Accounts>, run: RunVerb): SignInVerbs {
  const change = (by: Change<Accounts>) => run(() => record.update(by));
  const use = new KeyUse(async (hash, last_used_at) => {
    const used = (one: StoredSignIn) => (one.hash === hash ? { ...one, last_used_at } : one);
    await change((root) => ({ ...root, sign_ins: signInsOf(root).map(used) }));
  });
  const withLastUse = (one: StoredSignIn): StoredSignIn => ({ ...one, last_used_at: use.lastUsedAt(one) });

  return {
    async addLoginLink(link) {
      const own = { ...link };
      let isAdded = false;
      await change((root) => {
        isAdded = userOf(root, own.user) !== undefined;
        return isAdded ? { ...root, login_links: [...linksOf(root), own] } : root;
      });
      return isAdded;
    },

    async signInByLink(hash, signIn) {
      let user: User | undefined;
      await change((root) => {
        user = userOfLink(root, hash, signIn.created_at);
        if (!user) return root;
        const login_links = linksOf(root).filter((one) => one.hash !== hash);
        return withSignIn({ ...root, login_links }, { ...signIn, user: user.uuid });
      });
      return user && { ...user };
    },

    userOfLink: (hash, at) =>
      run(() => {
        const user = userOfLink(record.stored, hash, at);
        return user && { ...user };
      }),

    async addSignIn(signIn) {
      const own = { ...signIn };
      let isAdded = false;
      await change((root) => {
        const hasKey = own.key === '' || root.keys.some(({ hash, user }) => hash === own.key && user === own.user);
        isAdded = hasKey && userOf(root, own.user) !== undefined;
        return isAdded ? withSignIn(root, own) : root;
      });
      return isAdded;
    },

    signIn: (hash) =>
      run(() => {
        const root = record.stored;
        const signIn = findByHash(signInsOf(root), hash);
        const user = signIn && userOf(root, signIn.user);
        return user && { signIn: withLastUse(signIn), user: { ...user } };
      }),

    signIns: (user) =>
      run(() =>
        signInsOf(record.stored)
          .filter((one) => one.user === user)
          .map(withLastUse),
      ),

    signInUsed: (signIn, at) => run(() => use.note(signIn, at)),

    async removeSignIn(user, uuid) {
      let found = false;
      await change((root) => {
        const left = signInsOf(root).filter((one) => one.user !== user || one.uuid !== uuid);
        found = left.length < signInsOf(root).length;
        return found ? { ...root, sign_ins: left } : root;
      });
      return found;
    },

    async removeOldSignIns(now, idleSince) {
      await change((root) => {
        const links = linksOf(root).filter(({ expires_at }) => expires_at > now);
        const isCurrent = (one: StoredSignIn) => one.expires_at > now && use.lastUsedAt(one) >= idleSince;
        const signIns = signInsOf(root).filter(isCurrent);
        const used = root.used_challenges?.filter(({ expires_at }) => expires_at > now);
        const isSame =
          links.length === linksOf(root).length &&
          signIns.length === signInsOf(root).length &&
          used?.length === root.used_challenges?.length;
        if (isSame) return root;
        return { ...root, login_links: links, sign_ins: signIns, ...(used && { used_challenges: used }) };
      });
    },
  };
}

export const userOf = (root: Accounts, uuid: string): User | undefined => root.users.find((user) => user.uuid === uuid);
const linksOf = (root: Accounts) => root.login_links ?? [];

function userOfLink(root: Accounts, hash: string, at: string): User | undefined {
  const link = findByHash(linksOf(root), hash);
  return link && link.expires_at > at ? userOf(root, link.user) : undefined;
}

export const signInsOf = (root: Accounts) => root.sign_ins ?? [];

export function withSignIn(root: Accounts, signIn: StoredSignIn): Accounts {
  const others = signInsOf(root).filter(({ user }) => user === signIn.user);
  const byUse = others.toSorted((a, b) =>
    a.last_used_at < b.last_used_at ? -1 : a.last_used_at > b.last_used_at ? 1 : 0,
  );
  const dropped = new Set(byUse.slice(0, Math.max(0, others.length + 1 - MAX_SIGN_INS)));
  return { ...root, sign_ins: [...signInsOf(root), signIn].filter((one) => !dropped.has(one)) };
}

export const isSignedIn = (root: Accounts, user: string, signIn: string): boolean =>
  signInsOf(root).some((one) => one.uuid === signIn && one.user === user);

/** Without the sign-ins that end with the key; with the last one of a user passkeys and links go, too. */
export function withoutKey(root: Accounts, hash: string): Accounts {
  const user = root.keys.find((key) => key.hash === hash)?.user;
  const keys = root.keys.filter((key) => key.hash !== hash);
  const hasOther = keys.some((key) => key.user === user);
  const isEnded = (one: StoredSignIn) =>
    one.user === user && (one.key === hash || (!hasOther && one.key === '' && one.environment_key === ''));
  return {
    ...root,
    keys,
    ...(root.sign_ins && { sign_ins: root.sign_ins.filter((one) => !isEnded(one)) }),
    ...(root.login_links && { login_links: root.login_links.filter((link) => hasOther || link.user !== user) }),
    ...(root.passkeys && { passkeys: root.passkeys.filter((passkey) => hasOther || passkey.user !== user) }),
  };
}

/** With all that belongs to the user here. */
export function withoutUser(root: Accounts, uuid: string): Accounts {
  const isOfOther = ({ user }: { user: string }): boolean => user !== uuid;
  return {
    ...root,
    users: root.users.filter((user) => user.uuid !== uuid),
    keys: root.keys.filter(isOfOther),
    ...(root.sign_ins && { sign_ins: root.sign_ins.filter(isOfOther) }),
    ...(root.login_links && { login_links: root.login_links.filter(isOfOther) }),
    ...(root.passkeys && { passkeys: root.passkeys.filter(isOfOther) }),
  };
}

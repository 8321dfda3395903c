import { KeyUse } from '../../key-use.ts';
import { cloneJson } from '../../clone-json.ts';
import { type StoredRecord } from '../files/record.ts';
import { isSignedIn, withoutKey, withoutUser } from './sign-in-verbs.ts';
import { findByHash, type Accounts } from './account-file.ts';
import type { AccountVerbs, Change, StoredKey, User } from '../../store.ts';
import type { RunVerb } from '../../in-flight.ts';

/** Users, keys and facts: all in `store.json`. */
export function accountVerbs(record: StoredRecord<Accounts>, run: RunVerb): AccountVerbs {
  const change = (by: Change<Accounts>) => run(() => record.update(by));
  const keyUse = new KeyUse(async (hash, last_used_at) => {
    const used = (key: StoredKey) => (key.hash === hash ? { ...key, last_used_at } : key);
    await change((root) => ({ ...root, keys: root.keys.map(used) }));
  });
  const withLastUse = (key: StoredKey): StoredKey => ({ ...key, last_used_at: keyUse.lastUsedAt(key) });

  return {
    keyOwner: (hash) =>
      run(() => {
        const key = findByHash(record.stored.keys, hash);
        const user = key && record.stored.users.find(({ uuid }) => uuid === key.user);
        return user && { ...user };
      }),

    async addKey(key, signIn) {
      const own = { ...key };
      let isAdded = false;
      await change((root) => {
        isAdded = signIn === undefined || isSignedIn(root, own.user, signIn);
        return isAdded ? { ...root, keys: [...root.keys.filter(({ hash }) => hash !== own.hash), own] } : root;
      });
      return isAdded;
    },

    async addFirstKey(key) {
      const own = { ...key };
      const root = await change((before) => (before.keys.length > 0 ? before : { ...before, keys: [own] }));
      return root?.keys.includes(own) ?? false;
    },

    keys: () => run(() => record.stored.keys.map(withLastUse)),

    async removeKey(hash) {
      let found = false;
      await change((root) => {
        found = root.keys.some((key) => key.hash === hash);
        return found ? withoutKey(root, hash) : root;
      });
      return found;
    },

    async removeOwnKey(user, hash) {
      let found = false;
      await change((root) => {
        found = root.keys.some((key) => key.hash === hash && key.user === user);
        if (!found) return root;
        const keys = root.keys.filter((key) => key.hash !== hash);
        return { ...root, keys, ...(root.sign_ins && { sign_ins: root.sign_ins.filter(({ key }) => key !== hash) }) };
      });
      return found;
    },

    keyUsed: (hash, at) =>
      run(() => {
        const key = record.stored.keys.find((one) => one.hash === hash);
        if (key) keyUse.note(key, at);
      }),

    users: () => run(() => cloneJson(record.stored.users)),
    usersByUuid: (uuids) => run(() => cloneJson(record.stored.users.filter(({ uuid }) => uuids.includes(uuid)))),
    userByEmail: (email) => run(() => cloneJson(record.stored.users.find((one) => one.email === email))),

    async addUser(user) {
      const own = { ...user };
      const root = await change((before) =>
        before.users.some(({ email }) => email === own.email) ? before : { ...before, users: [...before.users, own] },
      );
      return root?.users.includes(own) ? { ...own } : undefined;
    },

    async admitUser(uuid) {
      let found = false;
      await change((root) => {
        found = root.users.some((user) => user.uuid === uuid && user.invited);
        const admitted = (user: User): User => {
          const { invited: _, ...rest } = user;
          return user.uuid === uuid ? rest : user;
        };
        return found ? { ...root, users: root.users.map(admitted) } : root;
      });
      return found;
    },

    async removeUser(uuid) {
      let found = false;
      await change((root) => {
        found = uuid !== root.home.user && root.users.some((user) => user.uuid === uuid);
        return found ? withoutUser(root, uuid) : root;
      });
      return found;
    },

    fact(name) {
      const { facts } = record.stored;
      return run(() => (Object.hasOwn(facts, name) ? facts[name] : undefined));
    },

    async setFact(name, value) {
      await change((root) => ({ ...root, facts: { ...root.facts, [name]: value } }));
    },

    async claimFact(name, value) {
      let claimed = value;
      await change((root) => {
        const isThere = Object.hasOwn(root.facts, name);
        claimed = isThere ? root.facts[name]! : value;
        return isThere ? root : { ...root, facts: { ...root.facts, [name]: value } };
      });
      return claimed;
    },
  };
}

import { createSignIns } from '../console/sign-ins.ts';
import { hashKey, prefixOf } from '../http/auth.ts';
import { makeKey } from '../http/new-key.ts';
import { invalid, Refusal } from '../schema/errors.ts';
import { isEmail } from '../schema/fields.ts';
import { filterByName } from './find-by-name.ts';
import { newUuid, timestamp, type Clock } from '../schema/ids.ts';
import type { Store, StoredKey, StoredSignIn, User } from '../store/store.ts';

/** Users and their keys. What cannot be done throws a `Refusal` and has changed nothing. */
export interface Users {
  /** Resolves with the address as it is stored: in lower case. */
  addUser(email: string): Promise<string>;
  users(): Promise<UserLine[]>;
  /** Resolves with the key itself, which is not stored. */
  addKey(email: string, name: string): Promise<string>;
  /** The same where there is no key; undefined where there is one, or another process adds it at the same moment. */
  addFirstKey(email: string, name: string): Promise<string | undefined>;
  keys(): Promise<KeyLine[]>;
  /** Each of `wanted` means one key: its first characters, its name in whatever case, or the whole of it. All of them, or none. */
  revokeKeys(...wanted: string[]): Promise<KeyLine[]>;
  /** The browsers that are signed in to the console: of one user, or of all in their order. */
  signIns(email?: string): Promise<SignInLine[]>;
  /** Of one user all, or those that `wanted` names by the first characters of their uuids: all of these, or none. Resolves with what has ended. */
  endSignIns(email: string, wanted: string[]): Promise<SignInLine[]>;
  /** Of one user, or of all in their order. */
  passkeys(email?: string): Promise<PasskeyLine[]>;
  /** By the first characters of its uuid, with the sign-ins that were made with it. Resolves with what it was. */
  removePasskey(wanted: string): Promise<PasskeyLine>;
}

export interface PasskeyLine {
  uuid: string;
  email: string;
  name: string;
  /** The host name that it signs in at. */
  host: string;
  created_at: string;
  /** '' before its first use. */
  last_used_at: string;
}

export interface SignInLine {
  uuid: string;
  email: string;
  /** As the browser names itself. */
  user_agent: string;
  /** The key or the passkey that it was made with, by its name; a link. */
  by: string;
  created_at: string;
  last_used_at: string;
}

export interface UserLine {
  email: string;
  created_at: string;
}

export interface KeyLine {
  /** The key's first characters. */
  hint: string;
  name: string;
  email: string;
  created_at: string;
  /** '' before its first use. */
  last_used_at: string;
}

interface UsersDeps {
  store: Store;
  clock: Clock;
  /** `API_KEY`: what was signed in with another has ended. */
  apiKey?: string | undefined;
}

export function createUsers({ store, clock, apiKey }: UsersDeps): Users {
  const open = createSignIns(store, apiKey, clock);
  async function signInsOf(user: User): Promise<SignInLine[]> {
    const [signIns, keys, passkeys] = [await open.list(user), await store.keys(), await store.passkeys(user.uuid)];
    const by = ({ key, passkey, environment_key }: StoredSignIn): string => {
      if (key) return `key ${keys.find(({ hash }) => hash === key)?.name ?? ''}`;
      if (passkey) return `passkey ${passkeys.find(({ uuid }) => uuid === passkey)?.name ?? ''}`;
      return environment_key ? 'API_KEY' : 'link';
    };
    return signIns.map((one) => ({
      uuid: one.uuid,
      email: user.email,
      user_agent: one.user_agent,
      by: by(one),
      created_at: one.created_at,
      last_used_at: one.last_used_at,
    }));
  }

  async function make(email: string, keyName: string): Promise<{ key: string; record: StoredKey }> {
    return makeKey({ store, clock }, await userOf(store, readEmail(email)), keyName);
  }

  /** For one that an invitation has made: whoever opened that may not be who is meant now, and has to sign in anew. */
  async function admit(email: string): Promise<boolean> {
    const user = await store.userByEmail(email);
    if (!user?.invited) return false;
    // Until nothing is found: what has not ended yet could add to what was listed before.
    for (let isAny = true; isAny;) {
      const keys = (await store.keys()).filter((key) => key.user === user.uuid);
      for (const { hash } of keys) await store.removeKey(hash);
      const signIns = await store.signIns(user.uuid);
      for (const { uuid } of signIns) await store.removeSignIn(user.uuid, uuid);
      const passkeys = await store.passkeys(user.uuid);
      for (const { uuid } of passkeys) await store.removePasskey(user.uuid, uuid);
      isAny = keys.length + signIns.length + passkeys.length > 0;
    }
    return store.admitUser(user.uuid);
  }

  const usersOf = async (email: string | undefined): Promise<User[]> =>
    email === undefined ? store.users() : [await userOf(store, readEmail(email))];

  async function passkeys(email?: string): Promise<PasskeyLine[]> {
    const ofEach = (await usersOf(email)).map(async (user) =>
      (await store.passkeys(user.uuid)).map(({ uuid, name, host, created_at, last_used_at }) => ({
        uuid,
        email: user.email,
        name,
        host,
        created_at,
        last_used_at,
      })),
    );
    return (await Promise.all(ofEach)).flat();
  }

  return {
    passkeys,
    async removePasskey(wanted) {
      const passkey = findPasskey(wanted, await passkeys());
      await store.removePasskey((await userOf(store, passkey.email)).uuid, passkey.uuid);
      return passkey;
    },

    async addUser(input) {
      const email = readEmail(input);
      const added = await store.addUser({ uuid: newUuid(), email, created_at: timestamp(clock) });
      if (!added && !(await admit(email))) throw new Refusal('conflict', `there is a user ${email} already`);
      return email;
    },

    async users() {
      return (await store.users()).map(({ email, created_at }) => ({ email, created_at }));
    },

    async addKey(email, keyName) {
      const { key, record } = await make(email, keyName);
      await store.addKey(record);
      return key;
    },

    async addFirstKey(email, keyName) {
      if ((await store.keys()).length > 0) return undefined;
      const { key, record } = await make(email, keyName);
      return (await store.addFirstKey(record)) ? key : undefined;
    },

    async keys() {
      return keyLines(await store.keys(), await store.users());
    },

    async revokeKeys(...wanted) {
      const [keys, users] = [await store.keys(), await store.users()];
      const revoked = new Set(wanted.map((one) => findKey(one, keys, users)));
      for (const { hash } of revoked) await store.removeKey(hash);
      return keyLines([...revoked], users);
    },

    async signIns(email) {
      return (await Promise.all((await usersOf(email)).map(signInsOf))).flat();
    },

    async endSignIns(email, wanted) {
      const user = await userOf(store, readEmail(email));
      const all = await signInsOf(user);
      const ended = wanted.length === 0 ? all : [...new Set(wanted.map((one) => findSignIn(one, all, user)))];
      for (const { uuid } of ended) await store.removeSignIn(user.uuid, uuid);
      return ended;
    },
  };
}

export function readEmail(email: string): string {
  if (!isEmail(email)) throw invalid('email', 'EMAIL must be an address such as ann@example.com');
  return email.toLowerCase();
}

export async function userOf(store: Store, email: string): Promise<User> {
  const user = (await store.users()).find((one) => one.email === email);
  if (!user) throw new Refusal('not_found', `there is no user ${email}; "docent user add ${email}" makes one`);
  return user;
}

function findSignIn(wanted: string, all: SignInLine[], { email }: User): SignInLine {
  const found = all.filter(({ uuid }) => wanted !== '' && uuid.startsWith(wanted.toLowerCase()));
  if (found.length === 1) return found[0]!;
  const remedy = `"docent sign-in list ${email}" shows them`;
  if (found.length === 0) throw new Refusal('not_found', `${email} has no sign-in "${wanted}"; ${remedy}`);
  throw new Refusal('conflict', `"${wanted}" could be any of ${found.length} sign-ins of ${email}; ${remedy}`);
}

function findPasskey(wanted: string, all: PasskeyLine[]): PasskeyLine {
  const found = all.filter(({ uuid }) => wanted !== '' && uuid.startsWith(wanted.toLowerCase()));
  if (found.length === 1) return found[0]!;
  const remedy = '"docent passkey list" shows them';
  if (found.length === 0) throw new Refusal('not_found', `there is no passkey "${wanted}"; ${remedy}`);
  throw new Refusal('conflict', `"${wanted}" could be any of ${found.length} passkeys; ${remedy}`);
}

function findKey(wanted: string, keys: StoredKey[], users: User[]): StoredKey {
  const byKey = keys.filter((key) => matchesKey(wanted, key));
  const found = byKey.length > 0 ? byKey : filterByName(wanted, keys);
  const [key] = found;
  // What was typed may be a whole key: no more of it is repeated than its hint.
  const shown = wanted.startsWith('dk_') ? prefixOf(wanted) : wanted;
  if (!key) throw new Refusal('not_found', `there is no key "${shown}"; "docent key list" shows them`);
  if (found.length === 1) return key;
  const them = keyLines(found, users).map(({ hint, name, email }) => `${hint}… (${name}, ${email})`);
  throw new Refusal('conflict', `"${shown}" could be any of ${found.length} keys: ${them.join(', ')}`);
}

/** By the whole key, or by its first characters: as the list shows them, or as somebody without that last sign types them. */
function matchesKey(wanted: string, key: StoredKey): boolean {
  const start = wanted.replace(/(?:…|\.\.\.)$/, '');
  return (
    key.hash === hashKey(wanted) || (/^dk_./.test(start) && key.hint.startsWith(start)) || displayPrefix(key) === start
  );
}

/** Keys of older files have no hint: the first characters of their hash stand for it. */
const displayPrefix = ({ hint, hash }: StoredKey): string => hint || prefixOf(hash);

function keyLines(keys: StoredKey[], users: User[]): KeyLine[] {
  const emails = new Map(users.map(({ uuid, email }) => [uuid, email]));
  return keys.map((key) => ({
    hint: displayPrefix(key),
    name: key.name,
    email: emails.get(key.user) ?? '',
    created_at: key.created_at,
    last_used_at: key.last_used_at,
  }));
}

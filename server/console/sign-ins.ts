import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { hashKey, newToken, type KnownKey } from '../http/auth.ts';
import { newUuid, timestamp, type Clock } from '../schema/ids.ts';
import type { AuditedBy } from '../store/shared/audit.ts';
import type { Challenge, Store, StoredPasskey, StoredSignIn, User } from '../store/store.ts';

/** Who is signed in: a token names a sign-in. Tokens are kept as SHA-256 only, as keys are. */

const DAY_MS = 86_400_000;
/** Days without a use, and from its beginning, after which a sign-in is over. */
const [IDLE_DAYS, MAX_DAYS] = [7, 30];
/** In seconds. */
export const MAX_AGE = (MAX_DAYS * DAY_MS) / 1000;
const LINK_MINUTES = 30;

export interface SignedIn {
  user: User;
  signIn: StoredSignIn;
}

/** With the token of its cookie. */
export type MadeSignIn = SignedIn & { token: string };

export interface SignIns {
  /** A new sign-in with its token; undefined where the link is used, expired or unknown. */
  byLink(link: string, userAgent: string): Promise<MadeSignIn | undefined>;
  /** Whom the link would sign in; it stays unused. */
  userOfLink(link: string): Promise<User | undefined>;
  /** As `byLink`; undefined where the key has been revoked meanwhile. */
  byKey(key: KnownKey, userAgent: string): Promise<MadeSignIn | undefined>;
  /** The same for what the passkey has signed; undefined where it is gone, or the challenge or the counter has been used before. */
  byPasskey(
    passkey: StoredPasskey,
    signed: { challenge: Challenge; counter: number },
    userAgent: string,
  ): Promise<MadeSignIn | undefined>;
  /** The same without link or key, for a user whom something else has let in; undefined where the user is gone. */
  forUser(user: User, userAgent: string): Promise<MadeSignIn | undefined>;
  /** Notes the use. Undefined where it is unknown or over. */
  find(token: string): Promise<SignedIn | undefined>;
  /** Those that are not over, in order of creation. */
  list(user: User): Promise<StoredSignIn[]>;
  /** False where the user has none of this uuid. */
  end(user: User, uuid: string): Promise<boolean>;
}

const after = (clock: Clock, ms: number): string => timestamp(() => clock() + ms);

export function createSignIns(store: Store, apiKey: string | undefined, clock: Clock): SignIns {
  let fingerprint: Promise<string> | undefined;
  /** Slow to compute, so that whoever reads the store cannot guess a key that a person has made up. '' without `API_KEY`. */
  const environmentKey = (): Promise<string> =>
    (fingerprint ??= apiKey === undefined ? Promise.resolve('') : slowHash(apiKey, store.owner.secret)).catch(
      (error) => {
        fingerprint = undefined;
        throw error;
      },
    );

  const isCurrent = async ({ expires_at, last_used_at, environment_key }: StoredSignIn): Promise<boolean> =>
    expires_at > timestamp(clock) &&
    last_used_at >= idleSince(clock) &&
    (environment_key === '' || environment_key === (await environmentKey()));

  const make = (userAgent: string): { token: string; signIn: Omit<StoredSignIn, 'user'> } => {
    const token = newToken();
    const now = timestamp(clock);
    const dated = { created_at: now, last_used_at: now, expires_at: after(clock, MAX_DAYS * DAY_MS) };
    const hash = hashKey(token);
    const by = { key: '', environment_key: '', passkey: '' };
    return { token, signIn: { uuid: newUuid(), hash, ...by, user_agent: userAgent, ...dated } };
  };

  return {
    async byLink(link, userAgent) {
      const { token, signIn } = make(userAgent);
      const user = await store.signInByLink(hashKey(link), signIn);
      return user && { token, user, signIn: { ...signIn, user: user.uuid } };
    },

    userOfLink: (link) => store.userOfLink(hashKey(link), timestamp(clock)),

    async byKey({ user, hash }, userAgent) {
      const { token, signIn } = make(userAgent);
      const environment_key = hash === '' ? await environmentKey() : '';
      const made = { ...signIn, user: user.uuid, key: hash, environment_key };
      return (await store.addSignIn(made)) ? { token, user, signIn: made } : undefined;
    },

    async byPasskey({ uuid }, { challenge, counter }, userAgent) {
      const { token, signIn } = make(userAgent);
      const made = { ...signIn, passkey: uuid };
      const user = await store.signInByPasskey(challenge, counter, made);
      return user && { token, user, signIn: { ...made, user: user.uuid } };
    },

    async forUser(user, userAgent) {
      const { token, signIn } = make(userAgent);
      const made = { ...signIn, user: user.uuid };
      return (await store.addSignIn(made)) ? { token, user, signIn: made } : undefined;
    },

    async find(token) {
      const found = await store.signIn(hashKey(token));
      if (!found || !(await isCurrent(found.signIn))) return undefined;
      const now = timestamp(clock);
      // Beside the request, which waits for no disk; a note that fails is lost.
      store.signInUsed(found.signIn, now).catch(() => {});
      return { ...found, signIn: { ...found.signIn, last_used_at: now } };
    },

    async list(user) {
      const all = await store.signIns(user.uuid);
      const current = await Promise.all(all.map(isCurrent));
      return all.filter((_, at) => current[at]);
    },

    end: (user, uuid) => store.removeSignIn(user.uuid, uuid),
  };
}

const derive = promisify(scrypt) as (key: string, salt: string, length: number) => Promise<Buffer>;
const slowHash = async (key: string, salt: string): Promise<string> => (await derive(key, salt, 32)).toString('hex');

const idleSince = (clock: Clock): string => after(clock, -IDLE_DAYS * DAY_MS);

/** When the sign-in is over, unless it is used before. */
export function endOf({ last_used_at, expires_at }: StoredSignIn): string {
  const idle = timestamp(() => Date.parse(last_used_at) + IDLE_DAYS * DAY_MS);
  return idle < expires_at ? idle : expires_at;
}

/** How the audit log names it. */
export const signedInBy = ({ uuid }: StoredSignIn): AuditedBy => ({ type: 'sign-in', uuid, hint: '' });

/** What is over; nothing accepts it any more. */
export const removeOldSignIns = (store: Store, clock: Clock): Promise<void> =>
  store.removeOldSignIns(timestamp(clock), idleSince(clock));

/**
 * An address that signs in the one browser that opens it first, for 30 minutes. The token stands behind `#`, which no browser
 * sends: no log has it, and a program that follows links in mail does not use it up. Undefined where the user is gone.
 */
export async function newLoginLink(
  { store, clock, base }: { store: Store; clock: Clock; base: string },
  user: User,
): Promise<string | undefined> {
  const token = newToken();
  const dated = { created_at: timestamp(clock), expires_at: after(clock, LINK_MINUTES * 60_000) };
  const isAdded = await store.addLoginLink({ hash: hashKey(token), user: user.uuid, ...dated });
  return isAdded ? `${base}/console/#sign-in=${token}` : undefined;
}

import * as Type from 'typebox';
import { readName } from '../http/new-key.ts';
import { Refusal } from '../schema/errors.ts';
import { newUuid, timestamp, type Clock } from '../schema/ids.ts';
import { MAX_PASSKEYS, type Challenge, type Store, type StoredPasskey } from '../store/store.ts';
import { createChallenges } from './challenges.ts';
import type { PasskeyPlace } from './place.ts';
import type { MadeSignIn, SignedIn, SignIns } from './sign-ins.ts';
import type { Assertion, Registration } from './webauthn.ts';

/** A passkey is added by whoever is signed in; later it signs in by itself, on the host name that it was made on. */
export interface Passkeys {
  list(user: string): Promise<PasskeyView[]>;
  /** What the browser is to make a passkey of. */
  addOptions(place: PasskeyPlace, by: SignedIn): Promise<object>;
  /** Throws a `Refusal` that names `name` or `credential`. */
  add(place: PasskeyPlace, by: SignedIn, name: string, credential: Registration): Promise<PasskeyView>;
  /** With the sign-ins that were made with it. False where the user has none of this uuid. */
  remove(user: string, uuid: string): Promise<boolean>;
  /** What the browser is to sign. */
  signInOptions(place: PasskeyPlace): Promise<object>;
  /** Undefined where the passkey is not known, or has not signed what was asked. */
  signIn(place: PasskeyPlace, assertion: Assertion, userAgent: string): Promise<MadeSignIn | undefined>;
}

export interface PasskeyView {
  uuid: string;
  name: string;
  host: string;
  created: string;
  /** '' before its first use. */
  last_used: string;
}

const Base64Url = (maxLength: number) => Type.String({ maxLength, pattern: '^[\\w-]+$' });
const credentialFields = { id: Base64Url(1400), rawId: Base64Url(1400), type: Type.Literal('public-key') };

export const RegistrationBody = Type.Object({
  ...credentialFields,
  response: Type.Object({ clientDataJSON: Base64Url(8192), attestationObject: Base64Url(32_768) }),
});

export const AssertionBody = Type.Object({
  ...credentialFields,
  response: Type.Object({
    clientDataJSON: Base64Url(8192),
    authenticatorData: Base64Url(8192),
    signature: Base64Url(2048),
    userHandle: Base64Url(128),
  }),
});

const view = ({ uuid, name, host, created_at, last_used_at }: StoredPasskey): PasskeyView => ({
  uuid,
  name,
  host,
  created: created_at,
  last_used: last_used_at,
});

const load = () => import('./webauthn.ts');

export function createPasskeys(store: Store, signIns: SignIns, clock: Clock): Passkeys {
  const challenges = createChallenges(store, clock);
  /** A challenge to add is for one sign-in alone: another browser can do nothing with it. */
  const adding = ({ host }: PasskeyPlace, { signIn }: SignedIn): string => `add ${signIn.uuid} ${host}`;
  const signingIn = ({ host }: PasskeyPlace): string => `sign in ${host}`;

  /** A check for what the library has read, and what it has found. */
  function challengeFor(purpose: string): { isOwn: (sent: string) => boolean; found: () => Challenge | undefined } {
    let found: Challenge | undefined;
    return {
      isOwn: (sent) => (found = challenges.read(sent, purpose)) !== undefined,
      found: () => found,
    };
  }

  return {
    list: async (user) => (await store.passkeys(user)).map(view),

    async addOptions(place, by) {
      const known = await store.passkeys(by.user.uuid);
      refuseMore(known.length);
      const here = known.filter(({ host }) => host === place.host);
      const { registrationOptions } = await load();
      return registrationOptions(place.host, by.user, here, challenges.create(adding(place, by)));
    },

    async add(place, by, name, credential) {
      const named = readName(name);
      const { verifyRegistration } = await load();
      const challenge = challengeFor(adding(place, by));
      const made = await verifyRegistration(place, credential, challenge.isOwn);
      const used = challenge.found();
      if (!made || !used) throw refusedRegistration();
      const user = by.user.uuid;
      refuseMore((await store.passkeys(user)).length);
      const dated = { created_at: timestamp(clock), last_used_at: '' };
      const passkey: StoredPasskey = { uuid: newUuid(), ...made, user, name: named, host: place.host, ...dated };
      if (!(await store.addPasskey(passkey, by.signIn.uuid, used))) throw refusedRegistration();
      return view(passkey);
    },

    remove: (user, uuid) => store.removePasskey(user, uuid),

    async signInOptions(place) {
      const { assertionOptions } = await load();
      return assertionOptions(place.host, challenges.create(signingIn(place)));
    },

    async signIn(place, assertion, userAgent) {
      const passkey = await store.passkey(assertion.id);
      if (passkey?.host !== place.host) return undefined;
      const { handleOf, verifyAssertion } = await load();
      if (assertion.response.userHandle !== handleOf(passkey.user)) return undefined;
      const challenge = challengeFor(signingIn(place));
      const counter = await verifyAssertion(place, assertion, passkey, challenge.isOwn);
      const used = challenge.found();
      if (counter === undefined || !used) return undefined;
      return signIns.byPasskey(passkey, { challenge: used, counter }, userAgent);
    },
  };
}

function refuseMore(count: number): void {
  if (count >= MAX_PASSKEYS)
    throw new Refusal('conflict', `a user has at most ${MAX_PASSKEYS} passkeys: remove one first`);
}

const refusedRegistration = (): Refusal =>
  new Refusal(
    'invalid_field',
    'this passkey is not what the server has asked for, was added already, or took longer than 5 minutes: try again',
    { field: 'credential' },
  );

export interface OwnerAccount {
  /** The user whom `API_KEY` names. */
  user: User;
  /** 64 hex digits; derives identifiers that a repeat of the same request finds again. */
  secret: string;
}

export interface User {
  uuid: string;
  email: string;
  created_at: string;
  /** Made by an invitation to a chatbot, not by whoever runs the server; absent for others. */
  invited?: true;
}

export interface StoredKey {
  /** SHA-256 of the key, hex: the key itself is never stored. */
  hash: string;
  user: string;
  name: string;
  /** Its first characters, by which its owner knows it. */
  hint: string;
  created_at: string;
  /** '' before its first use. */
  last_used_at: string;
}

/** Signs in the one browser that uses it first, without a key. */
export interface StoredLoginLink {
  /** SHA-256 of the token in the link, hex. */
  hash: string;
  user: string;
  created_at: string;
  expires_at: string;
}

/** A browser that is signed in to the console. */
export interface StoredSignIn {
  uuid: string;
  /** SHA-256 of the token in the cookie, hex. */
  hash: string;
  user: string;
  /** `hash` of the stored key that it was made with; '' for none. */
  key: string;
  /** What tells another `API_KEY` from the one that it was made with; '' for none. */
  environment_key: string;
  /** `uuid` of the passkey that it was made with; '' for none. */
  passkey: string;
  /** As the browser names itself. */
  user_agent: string;
  created_at: string;
  last_used_at: string;
  /** Its end, however much it is used. */
  expires_at: string;
}

/** A public key of WebAuthn, whose private half an authenticator of the user keeps. */
export interface StoredPasskey {
  uuid: string;
  /** The credential's own, in base64url. */
  id: string;
  user: string;
  name: string;
  /** The host name that it was made on (RP ID): browsers use it nowhere else. */
  host: string;
  /** As COSE_Key, in base64url. */
  public_key: string;
  /** Of the last signature; 0 of authenticators that do not count. */
  counter: number;
  created_at: string;
  /** '' before its first use. */
  last_used_at: string;
}

/** What a browser was given to sign; it counts once. */
export interface Challenge {
  /** SHA-256, hex. */
  hash: string;
  expires_at: string;
}

/** A user has at most so many. */
export const MAX_PASSKEYS = 50;

/** Of one user the store keeps so many sign-ins, those last used. */
export const MAX_SIGN_INS = 100;

/**
 * Sign-ins, links and passkeys go with their user. A sign-in made with a stored key or a passkey goes with that; one made by a link,
 * the links not used yet, and the passkeys, when the last key of their user is removed.
 */
export interface SignInVerbs {
  /** False where the user is gone. */
  addLoginLink(link: StoredLoginLink): Promise<boolean>;
  /**
   * Uses up the link of this hash, and stores the sign-in for its user. Of several that use it, by whichever processes, one
   * gets the user; the others, and whoever has a link that is unknown or has expired at `created_at`, undefined.
   */
  signInByLink(link: string, signIn: Omit<StoredSignIn, 'user'>): Promise<User | undefined>;
  /** Whom the link of this hash would sign in at `at`; it stays unused. */
  userOfLink(link: string, at: string): Promise<User | undefined>;
  /** False where its user or its key is gone. */
  addSignIn(signIn: StoredSignIn): Promise<boolean>;
  /** By the hash of the cookie's token, whether it has expired or not. */
  signIn(hash: string): Promise<{ signIn: StoredSignIn; user: User } | undefined>;
  /** Of one user, in order of creation. */
  signIns(user: string): Promise<StoredSignIn[]>;
  /** As `keyUsed`; `signIn` as it was handed out. */
  signInUsed(signIn: StoredSignIn, at: string): Promise<void>;
  /** False where the user has none of this uuid. Once it has resolved, the cookie is rejected. */
  removeSignIn(user: string, uuid: string): Promise<boolean>;
  /** Removes the links, sign-ins and used challenges that have expired at `now`, and sign-ins not used since `idleSince`. */
  removeOldSignIns(now: string, idleSince: string): Promise<void>;
}

export interface PasskeyVerbs {
  /**
   * By the sign-in of this uuid, whose challenge is used up by it. False where that is used already or the sign-in of this user is gone,
   * where there is a passkey of this `id`, and where the user has `MAX_PASSKEYS`.
   */
  addPasskey(passkey: StoredPasskey, signIn: string, challenge: Challenge): Promise<boolean>;
  /** By the credential's id. */
  passkey(id: string): Promise<StoredPasskey | undefined>;
  /** Of one user, in order of creation. */
  passkeys(user: string): Promise<StoredPasskey[]>;
  /** With the sign-ins that were made with it. False where the user has none of this uuid. Once it has resolved, it signs in nobody. */
  removePasskey(user: string, uuid: string): Promise<boolean>;
  /**
   * Stores the sign-in for the user of the passkey that `signIn` names, with `counter` and its date as the passkey's last use, and uses
   * the challenge up. Of several with one challenge, by whichever processes, one gets the user; the others undefined, and so does
   * whoever has a passkey that is gone, or a counter that is not above the stored one, unless both are 0.
   */
  signInByPasskey(challenge: Challenge, counter: number, signIn: Omit<StoredSignIn, 'user'>): Promise<User | undefined>;
}

/** Whether the counter of a signature follows the one of the signature before. */
export const isNextCounter = (counter: number, before: number): boolean =>
  counter > before || (counter === 0 && before === 0);

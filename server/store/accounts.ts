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
  /** As the browser names itself. */
  user_agent: string;
  created_at: string;
  last_used_at: string;
  /** Its end, however much it is used. */
  expires_at: string;
}

/** Of one user the store keeps so many sign-ins, those last used. */
export const MAX_SIGN_INS = 100;

/**
 * Sign-ins and links go with their user. A sign-in made with a stored key goes with that key; one made by a link, and the links
 * not used yet, when the last key of their user is removed.
 */
export interface SignInVerbs {
  /** False where the user is gone. */
  addLoginLink(link: StoredLoginLink): Promise<boolean>;
  /**
   * Uses up the link of this hash, and stores the sign-in for its user. Of several that use it, by whichever processes, one
   * gets the user; the others, and whoever has a link that is unknown or has expired at `created_at`, undefined.
   */
  signInByLink(link: string, signIn: Omit<StoredSignIn, 'user'>): Promise<User | undefined>;
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
  /** Removes the links and sign-ins that have expired at `now`, and sign-ins not used since `idleSince`. */
  removeOldSignIns(now: string, idleSince: string): Promise<void>;
}

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

import { number, oneOf, optional, record, text, time, uuid } from '../record-checks.ts';
import type { Challenge, StoredKey, StoredLoginLink, StoredPasskey, StoredSignIn, User } from '../accounts.ts';

/** As record-checks.ts, of what belongs to a user. */

export const isUser = record<User>({ uuid, email: text, created_at: time, invited: optional(oneOf(true)) });

/** The first version's keys have no hint and no date of use. */
export const isKey = record<StoredKey>({
  hash: text,
  user: text,
  name: text,
  hint: optional(text),
  created_at: text,
  last_used_at: optional(text),
});

export const isLoginLink = record<StoredLoginLink>({ hash: text, user: uuid, created_at: time, expires_at: time });

export const isSignIn = record<StoredSignIn>({
  uuid,
  hash: text,
  user: uuid,
  key: text,
  environment_key: text,
  // Absent in folders of versions without passkeys.
  passkey: optional(text),
  user_agent: text,
  created_at: time,
  last_used_at: time,
  expires_at: time,
});

export const isPasskey = record<StoredPasskey>({
  uuid,
  id: text,
  user: uuid,
  name: text,
  host: text,
  public_key: text,
  counter: number,
  created_at: time,
  last_used_at: text,
});

export const isChallenge = record<Challenge>({ hash: text, expires_at: time });

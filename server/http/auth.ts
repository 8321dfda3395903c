import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Refusal } from '../schema/errors.ts';
import { timestamp, type Clock } from '../schema/ids.ts';
import type { AuditedBy } from '../store/shared/audit.ts';
import type { Store, User } from '../store/store.ts';

/** Who calls: a key names its user. Keys are compared and kept as SHA-256 only. */

export const hashKey = (key: string | Buffer): string => createHash('sha256').update(key).digest('hex');

const PREFIX_LENGTH = 7;
/** The first characters, by which an owner knows a key. */
export const prefixOf = (key: string): string => key.slice(0, PREFIX_LENGTH);

/** Digits of a hash, 128 bits. */
const UUID_LENGTH = 32;
/** What a stored key goes by: the beginning of its hash. */
export const keyUuid = (hash: string): string => hash.slice(0, UUID_LENGTH);

/** `dk_` lets scanners for leaked secrets find it. */
export const newKey = (): string => `dk_${randomBytes(24).toString('base64url')}`;

/** For a link or a cookie: 43 characters of 32 random bytes. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** A key that is valid. */
export interface KnownKey {
  user: User;
  /** As it is stored; '' for that of `API_KEY`. */
  hash: string;
  by: AuditedBy;
}

/** By the bytes of the key; undefined where it is not valid. Notes the use. */
export type FindKey = (key: Buffer) => Promise<KnownKey | undefined>;

export function createFindKey(store: Store, apiKey: string | undefined, clock: Clock = Date.now): FindKey {
  const environmentKey = apiKey === undefined ? undefined : createHash('sha256').update(apiKey).digest();
  return async (key) => {
    const digest = createHash('sha256').update(key).digest();
    if (environmentKey && timingSafeEqual(environmentKey, digest))
      return { user: store.owner.user, hash: '', by: { type: 'key', uuid: '', hint: 'API_KEY' } };
    const hash = digest.toString('hex');
    const user = await store.keyOwner(hash);
    // Beside the request, which waits for no disk; a note that fails is lost.
    if (user) store.keyUsed(hash, timestamp(clock)).catch(() => {});
    return user && { user, hash, by: { type: 'key', uuid: keyUuid(hash), hint: prefixOf(key.toString()) } };
  };
}

/** Who sends a request, and how that is known. */
export interface Identity {
  user: User;
  by: AuditedBy;
}

/** Refuses with `unauthorized`. */
export type Authenticate = (request: IncomingMessage) => Promise<Identity>;

/** By `Authorization: Bearer <key>`. */
export function createAuth(
  store: Store,
  apiKey: string | undefined,
  clock: Clock = Date.now,
): (request: Pick<IncomingMessage, 'headers'>) => Promise<Identity> {
  const findKey = createFindKey(store, apiKey, clock);
  return async ({ headers }) => {
    const presented = /^bearer +(\S.*)$/i.exec(headers.authorization ?? '')?.[1];
    if (presented === undefined) throw unauthorized('an API key is required: send "Authorization: Bearer <key>"');
    // Header bytes arrive as Latin-1; the key itself may be any printable text.
    const known = await findKey(Buffer.from(presented.trimEnd(), 'latin1'));
    if (!known) throw unknownKey();
    return known;
  };
}

export const unauthorized = (sentence: string): Refusal =>
  new Refusal('unauthorized', sentence, { headers: { 'WWW-Authenticate': 'Bearer' } });

export const unknownKey = (): Refusal => unauthorized('this API key is not valid');

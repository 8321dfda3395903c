import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Refusal } from '../schema/errors.ts';
import { timestamp, type Clock } from '../schema/ids.ts';
import type { Store, User } from '../store/store.ts';

/** Who calls: a key names its user. Keys are compared and kept as SHA-256 only. */

export const hashKey = (key: string | Buffer): string => createHash('sha256').update(key).digest('hex');

/** `dk_` lets scanners for leaked secrets find it. */
export const newKey = (): string => `dk_${randomBytes(24).toString('base64url')}`;

/** Resolves with the user of `Authorization: Bearer <key>`; refuses with `unauthorized`. */
export type Authenticate = (authorization: string | undefined) => Promise<User>;

export function createAuth(store: Store, apiKey: string | undefined, clock: Clock = Date.now): Authenticate {
  const environmentKey = apiKey === undefined ? undefined : createHash('sha256').update(apiKey).digest();
  return async (authorization) => {
    const presented = /^bearer +(\S.*)$/i.exec(authorization ?? '')?.[1];
    if (presented === undefined) throw unauthorized('an API key is required: send "Authorization: Bearer <key>"');
    // Header bytes arrive as Latin-1; the key itself may be any printable text.
    const digest = createHash('sha256').update(Buffer.from(presented.trimEnd(), 'latin1')).digest();
    if (environmentKey && timingSafeEqual(environmentKey, digest)) return store.owner.user;
    const hash = digest.toString('hex');
    const user = await store.keyOwner(hash);
    if (!user) throw unknownKey();
    // Beside the request, which waits for no disk; a note that fails is lost.
    store.keyUsed(hash, timestamp(clock)).catch(() => {});
    return user;
  };
}

const unauthorized = (sentence: string): Refusal =>
  new Refusal('unauthorized', sentence, { headers: { 'WWW-Authenticate': 'Bearer' } });

export const unknownKey = (): Refusal => unauthorized('this API key is not valid');

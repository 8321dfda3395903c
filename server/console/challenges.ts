import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { hashKey } from '../http/auth.ts';
import { timestamp, type Clock } from '../schema/ids.ts';
import type { Challenge, Store } from '../store/store.ts';

/**
 * What an authenticator is to sign. A challenge says itself that this server has made it, what for, and until when: whoever asks for
 * many costs no storage, and every server of one database knows those of the others. What is stored is which ones were used,
 * by the verb that they are used for.
 */
export interface Challenges {
  /** For `purpose` alone: bytes in base64url. */
  create(purpose: string): string;
  /** Undefined where it is not whole, was made for something else, or has expired. */
  read(challenge: string, purpose: string): Challenge | undefined;
}

const LIFE_MS = 5 * 60_000;
export const CHALLENGE_SECONDS = LIFE_MS / 1000;
/** Bytes: of the date, which stands first, and of random numbers. */
const [DATE_LENGTH, RANDOM_LENGTH] = [6, 16];

export function createChallenges({ owner }: Pick<Store, 'owner'>, clock: Clock): Challenges {
  const sign = (body: Buffer, purpose: string): Buffer =>
    createHmac('sha256', owner.secret).update(`passkey challenge ${purpose}\0`).update(body).digest();

  return {
    create(purpose) {
      const body = Buffer.concat([Buffer.alloc(DATE_LENGTH), randomBytes(RANDOM_LENGTH)]);
      body.writeUIntBE(clock() + LIFE_MS, 0, DATE_LENGTH);
      return Buffer.concat([body, sign(body, purpose)]).toString('base64url');
    },

    read(challenge, purpose) {
      const bytes = Buffer.from(challenge, 'base64url');
      const body = bytes.subarray(0, DATE_LENGTH + RANDOM_LENGTH);
      const [signature, expected] = [bytes.subarray(body.length), sign(body, purpose)];
      if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return undefined;
      const expires = body.readUIntBE(0, DATE_LENGTH);
      // Not of the text: the same bytes may be written in several ways.
      return expires > clock() ? { hash: hashKey(body), expires_at: timestamp(() => expires + 1000) } : undefined;
    },
  };
}

import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { decodeAttestationObject } from '@simplewebauthn/server/helpers';
import type { StoredPasskey, User } from '../store/store.ts';
import { CHALLENGE_SECONDS } from './challenges.ts';
import type { PasskeyPlace } from './place.ts';

/** What a browser is asked, and whether what it says is true. Loaded at the first passkey: the library is a third of a megabyte. */

/** ES256, EdDSA, RS256: whatever the version of Node, the same. */
const ALGORITHMS = [-7, -8, -257];

/** A passkey is all that its user needs: who holds the device has to prove to be its owner. */
const VERIFIED = 'required';

export interface Registration {
  id: string;
  rawId: string;
  type: string;
  response: { clientDataJSON: string; attestationObject: string };
}

export interface Assertion {
  id: string;
  rawId: string;
  type: string;
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle: string };
}

/** By which an authenticator names the user: the 16 bytes of the uuid, in base64url. */
export const handleOf = (user: string): string => Buffer.from(user, 'hex').toString('base64url');

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'base64url'));

export const registrationOptions = (host: string, user: User, known: StoredPasskey[], challenge: string) =>
  generateRegistrationOptions({
    rpName: 'Docent',
    rpID: host,
    userID: bytesOf(handleOf(user.uuid)),
    userName: user.email,
    userDisplayName: user.email,
    challenge: bytesOf(challenge),
    timeout: CHALLENGE_SECONDS * 1000,
    attestationType: 'none',
    excludeCredentials: known.map(({ id }) => ({ id })),
    authenticatorSelection: { residentKey: 'required', userVerification: VERIFIED },
    supportedAlgorithmIDs: ALGORITHMS,
  });

export const assertionOptions = (host: string, challenge: string) =>
  generateAuthenticationOptions({
    rpID: host,
    challenge: bytesOf(challenge),
    timeout: CHALLENGE_SECONDS * 1000,
    userVerification: VERIFIED,
  });

/** The new credential; undefined where what was sent is not what was asked for. */
export async function verifyRegistration(
  { host, origin }: PasskeyPlace,
  sent: Registration,
  isOwnChallenge: (challenge: string) => boolean,
): Promise<Pick<StoredPasskey, 'id' | 'public_key' | 'counter'> | undefined> {
  try {
    if (!isWithoutCertificate(sent)) return undefined;
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...sent, type: 'public-key', clientExtensionResults: {} },
      expectedChallenge: isOwnChallenge,
      expectedOrigin: origin,
      expectedRPID: host,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) return undefined;
    const { id, publicKey, counter } = registrationInfo.credential;
    return { id, public_key: Buffer.from(publicKey).toString('base64url'), counter };
  } catch {
    return undefined;
  }
}

/** None was asked for. To check one would mean to read certificates that anybody may make, and to fetch what they name. */
function isWithoutCertificate({ response }: Registration): boolean {
  const attestation = decodeAttestationObject(bytesOf(response.attestationObject));
  const [format, statement] = [attestation.get('fmt'), attestation.get('attStmt')];
  return format === 'none' || (format === 'packed' && statement.get('x5c') === undefined);
}

/** The counter of the signature; undefined where what was sent is not signed by the passkey, or not what was asked for. */
export async function verifyAssertion(
  { host, origin }: PasskeyPlace,
  sent: Assertion,
  passkey: StoredPasskey,
  isOwnChallenge: (challenge: string) => boolean,
): Promise<number | undefined> {
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...sent, type: 'public-key', clientExtensionResults: {} },
      expectedChallenge: isOwnChallenge,
      expectedOrigin: origin,
      expectedRPID: host,
      // Whether the counter follows is decided in the write that stores it: of two at once one would pass here in vain.
      credential: { id: passkey.id, publicKey: bytesOf(passkey.public_key), counter: 0 },
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch {
    return undefined;
  }
}

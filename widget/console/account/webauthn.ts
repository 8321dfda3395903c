import { base64URLStringToBuffer as bytesOf, bufferToBase64URLString as textOf } from '@simplewebauthn/browser';
import { post, sessionPath } from '../wire.ts';

/**
 * What the browser does for a passkey, in the JSON that the server speaks. The library's two conversions alone: what else it has is
 * sentences for programmers, three times as many bytes as this.
 */

type Json<T> = Omit<T, 'challenge'> & { challenge: string };
type CreationJson = Omit<Json<PublicKeyCredentialCreationOptions>, 'user' | 'excludeCredentials'> & {
  user: { id: string };
  excludeCredentials: { id: string }[];
};
type RequestJson = Json<PublicKeyCredentialRequestOptions>;

const FAULTS: Record<string, (host: string) => string> = {
  NotAllowedError: () => 'Nothing was chosen in time. Try again when you are ready.',
  InvalidStateError: () => 'A passkey of yours is there already.',
  SecurityError: (host) => `The passkeys of this server belong to ${host}: open the console there.`,
};

/** The credential as the server reads it: buffers as base64url. */
async function asked(
  host: string | undefined,
  ask: () => Promise<Credential | null>,
  fields: readonly string[],
): Promise<object> {
  try {
    const { id, rawId, type, response } = (await ask()) as PublicKeyCredential;
    const buffers = response as unknown as Record<string, ArrayBuffer | null>;
    const entries = fields.map((field) => [field, textOf(buffers[field] ?? new ArrayBuffer())]);
    return { id, rawId: textOf(rawId), type, response: Object.fromEntries(entries) };
  } catch (error) {
    const { name, message } = error as Error;
    throw new Error(FAULTS[name]?.(host ?? '') ?? `The browser could not do it: ${message}`, { cause: error });
  }
}

export const passkeysPath = '/console/passkeys';

/** A new passkey; rejects with a sentence where there is none. */
export async function makePasskey(): Promise<object> {
  const options = await post<CreationJson>(`${passkeysPath}/options`);
  const { challenge, user, excludeCredentials } = options;
  const publicKey = {
    ...options,
    challenge: bytesOf(challenge),
    user: { ...user, id: bytesOf(user.id) },
    excludeCredentials: excludeCredentials.map((one) => ({ ...one, id: bytesOf(one.id) })),
  } as PublicKeyCredentialCreationOptions;
  const ask = () => navigator.credentials.create({ publicKey });
  return asked(publicKey.rp.id, ask, ['clientDataJSON', 'attestationObject']);
}

/** What one of this server's passkeys has signed; rejects as `makePasskey`. */
export async function getPasskey(): Promise<object> {
  const options = await post<RequestJson>(`${sessionPath}/options`);
  const publicKey = { ...options, challenge: bytesOf(options.challenge) } as PublicKeyCredentialRequestOptions;
  const ask = () => navigator.credentials.get({ publicKey });
  return asked(publicKey.rpId, ask, ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle']);
}

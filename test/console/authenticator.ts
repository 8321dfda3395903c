import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

/** An authenticator of WebAuthn with one discoverable credential, and the browser around it: what `navigator.credentials` would give. */

interface Options {
  challenge: string;
  rp?: { id?: string };
  rpId?: string;
  user?: { id: string };
}

/** What a browser would never change, for what it must not be. */
interface Faults {
  origin?: string;
  host?: string;
  isVerified?: boolean;
  counter?: number;
  challenge?: string;
  type?: string;
  format?: string;
  statement?: Map<string, Cbor>;
}

type Cbor = number | string | Buffer | Cbor[] | Map<Cbor, Cbor>;

/** Maps keep their order; numbers from -2^16 to 2^16. */
function cbor(value: Cbor): Buffer {
  const head = (major: number, count: number): Buffer =>
    count < 24
      ? Buffer.from([(major << 5) | count])
      : count < 256
        ? Buffer.from([(major << 5) | 24, count])
        : Buffer.from([(major << 5) | 25, count >> 8, count & 255]);
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  return Buffer.concat([head(5, value.size), ...[...value].flat().map((one) => cbor(one as Cbor))]);
}

const sha256 = (bytes: Buffer | string): Buffer => createHash('sha256').update(bytes).digest();
const [PRESENT, VERIFIED, WITH_CREDENTIAL] = [1, 4, 64];

export class Authenticator {
  readonly id = randomBytes(32);
  counter = 0;
  readonly #origin: string;
  readonly #key: KeyObject;
  readonly #public: Buffer;
  #handle = '';

  constructor(origin: string) {
    this.#origin = origin;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#key = privateKey;
    const { x, y } = publicKey.export({ format: 'jwk' });
    const [atX, atY] = [x, y].map((one) => Buffer.from(one!, 'base64url')) as [Buffer, Buffer];
    // COSE_Key: EC2, ES256, P-256.
    this.#public = cbor(
      new Map<Cbor, Cbor>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, atX],
        [-3, atY],
      ]),
    );
  }

  #clientData(type: string, options: Options, { origin, challenge, type: other }: Faults): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: other ?? type,
        challenge: challenge ?? options.challenge,
        origin: origin ?? this.#origin,
        crossOrigin: false,
      }),
    );
  }

  #data(options: Options, { host, isVerified = true, counter }: Faults, credential?: Buffer): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter ?? this.counter);
    const flags = PRESENT | (isVerified ? VERIFIED : 0) | (credential ? WITH_CREDENTIAL : 0);
    const name = host ?? options.rpId ?? options.rp?.id ?? '';
    return Buffer.concat([sha256(name), Buffer.from([flags]), count, credential ?? Buffer.alloc(0)]);
  }

  create(options: Options, faults: Faults = {}): object {
    this.#handle = options.user!.id;
    const clientData = this.#clientData('webauthn.create', options, faults);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const credential = Buffer.concat([Buffer.alloc(16), length, this.id, this.#public]);
    const attestation = cbor(
      new Map<Cbor, Cbor>([
        ['fmt', faults.format ?? 'none'],
        ['attStmt', faults.statement ?? new Map()],
        ['authData', this.#data(options, faults, credential)],
      ]),
    );
    return this.#credential({
      clientDataJSON: clientData.toString('base64url'),
      attestationObject: attestation.toString('base64url'),
    });
  }

  get(options: Options, faults: Faults & { handle?: string } = {}): object {
    this.counter += 1;
    const clientData = this.#clientData('webauthn.get', options, faults);
    const data = this.#data(options, faults);
    const signature = sign('sha256', Buffer.concat([data, sha256(clientData)]), this.#key);
    return this.#credential({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
      userHandle: faults.handle ?? this.#handle,
    });
  }

  #credential(response: object): object {
    const id = this.id.toString('base64url');
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} };
  }
}

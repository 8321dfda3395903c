/** A length in bytes before each section. */
const LENGTH_BYTES = 4;

type Numbers = Uint32Array | Float64Array;
type NumbersOf<T extends Numbers> = new (buffer: ArrayBuffer) => T;

/** Text whose characters have a byte each, or two. */
const isLatin1 = (text: string): boolean => !/[^\0-\xff]/.test(text);

/** Sections that `SectionReader` reads one after another. */
export class SectionWriter {
  #parts: Uint8Array[] = [];

  bytes(bytes: Uint8Array): void {
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(bytes.length);
    this.#parts.push(length, bytes);
  }

  json(value: unknown): void {
    this.bytes(Buffer.from(JSON.stringify(value)));
  }

  numbers({ buffer, byteOffset, byteLength }: Numbers): void {
    this.bytes(new Uint8Array(buffer, byteOffset, byteLength));
  }

  /** By way of UTF-8 reading would take ten times as long. */
  text(text: string): void {
    const latin1 = isLatin1(text);
    this.bytes(Uint8Array.of(latin1 ? 1 : 2));
    this.bytes(Buffer.from(text, latin1 ? 'latin1' : 'utf16le'));
  }

  /** What was written since the last call. */
  take(): Uint8Array {
    const all = Buffer.concat(this.#parts);
    this.#parts = [];
    return all;
  }
}

/** Throws a RangeError where the bytes end before a section does, and a SyntaxError where one is not JSON. */
export class SectionReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.#bytes = Buffer.from(buffer, byteOffset, byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  bytes(): Buffer {
    const from = this.#at + LENGTH_BYTES;
    const to = from + this.#bytes.readUInt32LE(this.#at);
    if (to > this.#bytes.length) throw new RangeError('a section is cut');
    this.#at = to;
    return this.#bytes.subarray(from, to);
  }

  json(): unknown {
    return JSON.parse(this.bytes().toString());
  }

  /** A copy, so that the file does not stay in memory. */
  numbers<T extends Numbers>(type: NumbersOf<T>): T {
    return new type(Uint8Array.from(this.bytes()).buffer);
  }

  text(): string {
    const [width] = this.bytes();
    return this.bytes().toString(width === 1 ? 'latin1' : 'utf16le');
  }
}

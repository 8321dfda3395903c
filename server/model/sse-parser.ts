/** Bounds the memory of a stream; events of an answer are far smaller. */
export const MAX_EVENT_BYTES = 1_000_000;

const LF = 10;
const CR = 13;
const SPACE = 32;
const BYTE_ORDER_MARK = 0xfeff;

/**
 * Parses a server-sent event stream from chunks of any size into the data of its events. eventsource-parser with a
 * StringDecoder is as fast (0.94 to 0.98 of this with JSON.parse), but takes 10 kB a stream, and this 1 kB.
 */
export class SseParser {
  // The bytes of an incomplete line, copied: a slice would keep the whole network buffer in memory.
  #rest: Buffer[] = [];
  #restBytes = 0;
  #data: string | undefined;

  /** Calls `onData` for each event that is complete. Throws a `RangeError` where one exceeds `MAX_EVENT_BYTES`. */
  feed(bytes: Buffer, onData: (data: string) => void): void {
    // In UTF-8 a line feed is never part of another character: the bytes before the last one can be decoded.
    const end = bytes.lastIndexOf(LF) + 1;
    if (end > 0) this.#lines(this.#decode(bytes, end), onData);
    if (end < bytes.length) this.#store(bytes.subarray(end));
  }

  /** The last event of a stream that ended without a blank line. */
  end(onData: (data: string) => void): void {
    if (this.#restBytes > 0) this.feed(Buffer.from('\n'), onData);
    this.#flush(onData);
  }

  #decode(bytes: Buffer, end: number): string {
    if (this.#restBytes === 0) return bytes.toString('utf8', 0, end);
    const whole = Buffer.concat([...this.#rest, bytes.subarray(0, end)]);
    this.#rest = [];
    this.#restBytes = 0;
    return whole.toString('utf8');
  }

  #store(bytes: Buffer): void {
    this.#rest.push(Buffer.from(bytes));
    this.#restBytes += bytes.length;
    this.#bound();
  }

  #lines(text: string, onData: (data: string) => void): void {
    let at = text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0;
    while (at < text.length) {
      const next = text.indexOf('\n', at) + 1;
      const end = text.charCodeAt(next - 2) === CR ? next - 2 : next - 1;
      if (end <= at) this.#flush(onData);
      else if (text.startsWith('data:', at)) this.#add(text.slice(valueStart(text, at), end));
      at = next;
    }
  }

  #add(line: string): void {
    this.#data = this.#data === undefined ? line : `${this.#data}\n${line}`;
    this.#bound();
  }

  #flush(onData: (data: string) => void): void {
    const data = this.#data;
    if (data === undefined) return;
    this.#data = undefined;
    onData(data);
  }

  #bound(): void {
    const size = this.#restBytes + (this.#data?.length ?? 0);
    if (size > MAX_EVENT_BYTES) throw new RangeError(`an event of the model's stream outgrew ${MAX_EVENT_BYTES} bytes`);
  }
}

const valueStart = (text: string, at: number): number => (text.charCodeAt(at + 5) === SPACE ? at + 6 : at + 5);

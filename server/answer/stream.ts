import type { EventEmitter } from 'node:events';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { outcomeIn } from '../store/outcomes.ts';
import type { Ended, Run } from './run.ts';

/** How a run reaches its callers. A reader is an offset into the run, never a queue. */

/** The words of one door. */
export interface Telling {
  /** What to write for a piece of the answer that ends at offset `end`. */
  text(piece: string, end: number): string;
  /**
   * What comes after the text; a `Buffer` is written in slices, and one may serve many readers. `undefined` where there is
   * nothing to write and the reply is not to be ended by `follow`.
   */
  end(ended: Ended): string | Buffer | undefined;
}

const outcomes = new WeakMap<ServerResponse, string>();

/** Notes how the answer that a reply brings has ended, for the log. */
export function noteOutcome(res: ServerResponse, { message, refusal }: Ended): void {
  const reason = message?.finish_reason ?? '';
  const own = reason === 'stop' || reason === 'length' ? outcomeIn(message?.meta_json ?? '') : undefined;
  outcomes.set(res, refusal?.code ?? own ?? reason);
}

/**
 * The outcome that the message has, an error's code, or the finish_reason where it was not finished or has no outcome;
 * undefined where the reply brought no answer to its end.
 */
export const outcomeOf = (res: ServerResponse): string | undefined => outcomes.get(res);

export interface Reader {
  /**
   * To be called at a steady pace. Writes a few bytes that mean nothing, where nothing else waits to be written, and closes
   * the connection of a reader that has taken nothing for `LONGEST_STALL` calls. False where nobody reads any more.
   */
  keepAlive(comment: string): boolean;
}

/** UTF-16 units of text, or bytes. */
export const LARGEST_WRITE = 16_384;
const LONGEST_STALL = 8;

/**
 * Writes the run to `res` from offset `from` (UTF-16 units) until it has ended, everything new in one write, or several
 * where it is much. When the connection is full it waits for `drain` and goes on from its offset: a reader that stalls holds one write and delays
 * no one. When the connection closes the run loses a reader and nothing else. `first` goes out at once.
 */
export function follow(run: Run, res: ServerResponse, from: number, telling: Telling, first = ''): Reader {
  let offset = from;
  let begun = false;
  let waiting = false;
  let stalled = 0;
  let over = false;
  let rest: Buffer | undefined;

  const write = (words: string | Buffer): void => {
    const full = writeChunk(res, words, begun);
    begun = true;
    if (!full) return;
    waiting = true;
    full.once('drain', drained);
  };
  const drained = (): void => {
    waiting = false;
    stalled = 0;
    wake();
  };
  const wake = (): void => {
    if (waiting || over) return;
    if (rest) return writeRest(rest);
    const piece = run.length > offset ? run.read(offset, LARGEST_WRITE) : '';
    offset += piece.length;
    const words = piece === '' ? '' : telling.text(piece, offset);
    // A reader may name an offset beyond the end.
    if (run.ended && offset >= run.length) return finish(words, run.ended);
    if (words !== '') write(words);
    if (offset < run.length) wake();
  };
  const finish = (words: string, ended: Ended): void => {
    noteOutcome(res, ended);
    const last = telling.end(ended);
    if (last instanceof Buffer) {
      rest = last;
      if (words !== '') write(words);
      return wake();
    }
    leave();
    if (last !== undefined) res.end(words + last);
    else if (words !== '') write(words);
  };
  const writeRest = (bytes: Buffer): void => {
    rest = bytes.subarray(LARGEST_WRITE);
    if (rest.length === 0) {
      leave();
      res.end(bytes);
    } else write(bytes.subarray(0, LARGEST_WRITE));
    wake();
  };
  const detach = run.attach(wake);
  const leave = (): void => {
    over = true;
    detach();
  };

  res.once('close', leave);
  if (first !== '') write(first);
  wake();
  return {
    keepAlive(comment) {
      // A reply that was begun after its caller had left is not told of the close.
      if (res.destroyed || res.req.socket.destroyed) leave();
      if (waiting && ++stalled >= LONGEST_STALL) res.destroy();
      if (!waiting && !over) write(comment);
      return !over;
    },
  };
}

/**
 * After the first a chunk goes out in one piece: Node's own `write` hands the socket four, which is a twelfth of all CPU
 * that a token takes. Where the connection is full, returns what emits `drain`.
 */
function writeChunk(res: ServerResponse, words: string | Buffer, begun: boolean): EventEmitter | undefined {
  const { socket } = res;
  const plain = begun && res.chunkedEncoding && res.writableCorked === 0 && socket?.writable;
  if (!plain || typeof words !== 'string') return res.write(words) ? undefined : res;
  const frame = `${Buffer.byteLength(words).toString(16)}\r\n${words}\r\n`;
  return socket.write(frame) ? undefined : socket;
}

/** Resolves once the finished record is durable, or could not be made so. */
export function whenEnded(run: Run): Promise<Ended> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!run.ended) return;
      detach();
      resolve(run.ended);
    };
    const detach = run.attach(look);
    look();
  });
}

/** Proxies in front neither keep nor hold back what flows. */
export const FLOWING = { 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' };

/**
 * Sends the head at once, in one packet with what is written in the same turn. It is a string of its own: joined with the
 * first words, as Node does by itself, its forty pieces would stay in memory as long as the stream (2 KB).
 */
export function sendHead(res: ServerResponse, headers: OutgoingHttpHeaders): void {
  const { socket } = res;
  res.writeHead(200, headers);
  // Not the reply itself: corked and ended in one turn, Node 22 and 24 send its end before its text.
  socket?.cork();
  res.flushHeaders();
  process.nextTick(() => socket?.uncork());
}

/** Some clients decode Latin-1 where the charset is not said. */
const PLAIN = { ...FLOWING, 'Content-Type': 'text/plain; charset=utf-8' };

/**
 * The chunks, joined, are the answer. The head goes out with the first of them, after `onHead`; where the run ends with a
 * refusal before that, the promise rejects with it and the reply is still to be made. Resolves when the connection is
 * closed. An answer that is not whole ends by breaking the connection, so that nobody takes it for whole.
 */
export function streamText(run: Run, res: ServerResponse, onHead: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let begun = false;
    const begin = (): void => {
      if (begun) return;
      begun = true;
      onHead();
      sendHead(res, PLAIN);
    };
    res.once('close', resolve);
    follow(run, res, 0, {
      text(piece) {
        begin();
        return piece;
      },
      end({ message, refusal }) {
        if (refusal && !begun) return void reject(refusal);
        if (refusal || message?.finish_reason === 'interrupted') return void breakOff(res);
        begin();
        return '';
      },
    });
  });
}

/** Closes the connection without the end of the reply, once what is written has gone out. */
function breakOff(res: ServerResponse): void {
  // The head may be corked until the next tick.
  setImmediate(() => {
    const { socket } = res;
    if (res.chunkedEncoding) socket?.end(() => res.destroy());
    // HTTP/1.0 has no last chunk to be missing: there an orderly close is the end of a whole reply.
    else socket?.write('', () => socket.resetAndDestroy());
  });
}

import type { EventEmitter } from 'node:events';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { outcomeIn } from '../store/outcomes.ts';
import type { RunEnd, Run } from './run.ts';

/** Writes a run to HTTP replies. A reader is an offset into the run, never a queue. */

/** How an answer is written: Server-Sent Events or plain text. */
interface StreamFormat {
  /** The text to write for a piece of the answer that ends at offset `end`. */
  text(piece: string, end: number): string;
  /** The text to write where the answer waits for a step of that name; absent where readers are not told. */
  step?(name: string): string;
  /**
   * What comes after the text. A `Buffer` is written in slices, and may be shared by many readers. `undefined` where
   * there is nothing to write and `follow` must not end the reply.
   */
  end(ended: RunEnd): string | Buffer | undefined;
}

const outcomes = new WeakMap<ServerResponse, string>();

/** Notes for the log how the answer of a reply has ended. */
export function noteOutcome(res: ServerResponse, { message, refusal }: RunEnd): void {
  const reason = message?.finish_reason ?? '';
  const outcome = reason === 'stop' || reason === 'length' ? outcomeIn(message?.meta_json ?? '') : undefined;
  outcomes.set(res, refusal?.code ?? outcome ?? reason);
}

/**
 * The outcome that the message has, an error's code, or the finish_reason where it was not finished or has no outcome;
 * undefined where the reply brought no answer to its end.
 */
export const outcomeForLog = (res: ServerResponse): string | undefined => outcomes.get(res);

export interface StreamReader {
  /**
   * To be called at a fixed interval. Writes the comment unless a write is pending, and closes the connection of a reader
   * that has read nothing for `MAX_STALLED_CALLS` calls. False where the connection is closed.
   */
  keepAlive(comment: string): boolean;
}

/** UTF-16 units of text, or bytes. */
export const MAX_WRITE = 16_384;
const MAX_STALLED_CALLS = 8;
/** Milliseconds in which a client reads the last bytes before the connection is reset: some miss a reset that comes with bytes. */
const RESET_DELAY_MS = 100;

/**
 * Writes the run to `res` from offset `from` (UTF-16 units) until it has ended, all that is new in writes of at most
 * `MAX_WRITE`. Where the connection is full it waits for `drain` and goes on from its offset: a reader that stalls holds
 * one write and delays no other. When the connection closes the run loses a reader and goes on. `first` goes out at once.
 */
export function follow(run: Run, res: ServerResponse, from: number, format: StreamFormat, first = ''): StreamReader {
  let offset = from;
  let hasBegun = false;
  let isWaiting = false;
  let stalled = 0;
  let steps = 0;
  let isOver = false;
  let rest: Buffer | undefined;

  const write = (bytes: string | Buffer): void => {
    const full = writeChunk(res, bytes, hasBegun);
    hasBegun = true;
    if (!full) return;
    isWaiting = true;
    full.once('drain', onDrain);
  };
  const onDrain = (): void => {
    isWaiting = false;
    stalled = 0;
    wake();
  };
  const wake = (): void => {
    if (isWaiting || isOver) return;
    if (rest) return writeRest(rest);
    const { shown } = run;
    const piece = shown > offset ? run.read(offset, Math.min(MAX_WRITE, shown - offset)) : '';
    offset += piece.length;
    const text = piece === '' ? '' : format.text(piece, offset);
    // A reader may name an offset beyond the end.
    if (run.ended && offset >= shown) return finish(text, run.ended);
    if (text !== '') write(text);
    if (offset < shown) wake();
    else if (run.steps !== steps && !isWaiting) writeStep();
  };
  /** A step that has ended meanwhile is passed over. */
  const writeStep = (): void => {
    steps = run.steps;
    if (run.step !== '' && format.step) write(format.step(run.step));
  };
  const finish = (text: string, ended: RunEnd): void => {
    noteOutcome(res, ended);
    const last = format.end(ended);
    if (last instanceof Buffer) {
      rest = last;
      if (text !== '') write(text);
      return wake();
    }
    stop();
    if (last !== undefined) res.end(text + last);
    else if (text !== '') write(text);
  };
  const writeRest = (bytes: Buffer): void => {
    rest = bytes.subarray(MAX_WRITE);
    if (rest.length === 0) {
      stop();
      res.end(bytes);
    } else write(bytes.subarray(0, MAX_WRITE));
    wake();
  };
  const detach = run.attach(wake);
  const stop = (): void => {
    isOver = true;
    detach();
  };

  res.once('close', stop);
  if (first !== '') write(first);
  wake();
  return {
    keepAlive(comment) {
      // A reply that begins after its caller has left gets no close event.
      if (res.destroyed || res.req.socket.destroyed) stop();
      if (isWaiting && ++stalled >= MAX_STALLED_CALLS) res.destroy();
      if (!isWaiting && !isOver) write(comment);
      return !isOver;
    },
  };
}

/**
 * Writes every chunk but the first in one piece: Node's own `write` hands the socket four, a twelfth of the CPU that a
 * token takes. Where the connection is full, returns the emitter of `drain`.
 */
function writeChunk(res: ServerResponse, bytes: string | Buffer, hasBegun: boolean): EventEmitter | undefined {
  const { socket } = res;
  const plain = hasBegun && res.chunkedEncoding && res.writableCorked === 0 && socket?.writable;
  if (!plain || typeof bytes !== 'string') return res.write(bytes) ? undefined : res;
  const frame = `${Buffer.byteLength(bytes).toString(16)}\r\n${bytes}\r\n`;
  return socket.write(frame) ? undefined : socket;
}

/** Resolves once the finished record is durable, or could not be stored. */
export function whenEnded(run: Run): Promise<RunEnd> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (!run.ended) return;
      detach();
      resolve(run.ended);
    };
    const detach = run.attach(check);
    check();
  });
}

/** Keeps reverse proxies from caching and buffering the stream. */
export const STREAM_HEADERS = { 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' };

/**
 * Sends the head at once, in one packet with what is written in the same turn. It is a string of its own: joined with the
 * first chunk, as Node does by itself, its forty pieces would stay in memory as long as the stream (2 KB).
 */
export function sendHead(res: ServerResponse, headers: OutgoingHttpHeaders): void {
  const { socket } = res;
  res.writeHead(200, headers);
  // Not the reply itself: corked and ended in one turn, Node 22 and 24 send its end before its text.
  socket?.cork();
  res.flushHeaders();
  process.nextTick(() => socket?.uncork());
}

/** Some clients decode Latin-1 where no charset is given. */
const TEXT_HEADERS = { ...STREAM_HEADERS, 'Content-Type': 'text/plain; charset=utf-8' };

/**
 * Replies with plain text: the chunks, joined, are the answer. The head goes out with the first of them, after `onHead`;
 * where the run ends with a refusal before that, the promise rejects with it and nothing was sent. Resolves when the
 * connection is closed. An incomplete answer ends by breaking the connection, so that no client takes it for complete.
 */
export function streamText(run: Run, res: ServerResponse, onHead: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let hasBegun = false;
    const begin = (): void => {
      if (hasBegun) return;
      hasBegun = true;
      onHead();
      sendHead(res, TEXT_HEADERS);
    };
    res.once('close', resolve);
    follow(run, res, 0, {
      text(piece) {
        begin();
        return piece;
      },
      end({ message, refusal }) {
        if (refusal && !hasBegun) return void reject(refusal);
        if (refusal || message?.finish_reason === 'interrupted') return void breakOff(res);
        begin();
        return '';
      },
    });
  });
}

/** Closes the connection without the end of the reply, after the bytes written so far. */
function breakOff(res: ServerResponse): void {
  // The head may be corked until the next tick.
  setImmediate(() => {
    const { socket } = res;
    if (res.chunkedEncoding) socket?.end(() => res.destroy());
    // HTTP/1.0 has no last chunk: there an orderly close is the end of a complete reply.
    else socket?.write('', () => setTimeout(() => socket.resetAndDestroy(), RESET_DELAY_MS));
  });
}

import type { ServerResponse } from 'node:http';
import { createCapacity, type Capacity } from '../answer/capacity.ts';
import { STREAM_HEADERS, follow, MAX_WRITE, sendHead, type StreamReader } from '../answer/stream.ts';
import { Run, type RunEnd } from '../answer/run.ts';
import { confirmationIn } from '../answer/tools/pending.ts';
import { failureIn, followUpsIn, type Failure } from '../answer/message-records.ts';
import { partsIn } from '../schema/parts.ts';
import { view, type Clock } from '../schema/ids.ts';
import { outcomeIn } from '../store/outcomes.ts';
import type { StoredMessage } from '../store/store.ts';
import type { ChatEvent, ErrorBody, ErrorCode, VisitorMessage } from '../types.ts';
import { VisitorMessageSchema } from '../schema/visitor.ts';

/** Streams answers as Server-Sent Events. */

const HEAD = { ...STREAM_HEADERS, 'Content-Type': 'text/event-stream; charset=utf-8' };

const COMMENT = ':\n\n';

interface SendOptions {
  /** The address of the visitor. */
  address: string;
  /** UTF-16 units of the answer that the reader already has. */
  from: number;
  /** Events before those of the answer. */
  first: ChatEvent[];
  /** The code of a failure that was stored without one. */
  failure: ErrorCode;
}

export interface EventStreams {
  /**
   * Counts `res` as an open stream of the visitor at `address` until it is closed. Throws `unavailable` where the visitor has
   * too many of them, or all visitors together.
   */
  admit(address: string, res: ServerResponse): void;
  /**
   * Streams a run, or replays a finished message, and ends `res`. Throws `unavailable`, with nothing written, where the
   * replay exceeds `unreadBytes`.
   */
  send(found: Run | StoredMessage, res: ServerResponse, options: SendOptions): void;
}

interface EventStreamsOptions {
  /** Capacity for bytes that replies buffer until they are read. */
  unreadBytes?: Capacity;
  /** Milliseconds between comment lines, which keep proxies from closing an idle connection; 15,000 by default. */
  commentInterval?: number;
  /** Open streams in all; 1000 by default. */
  maxStreams?: number | undefined;
  clock?: Clock;
}

/** A visitor has a stream for each tab, and several visitors may share an address. */
const MAX_STREAMS_PER_ADDRESS = 32;

export function createEventStreams({
  unreadBytes = unreadReplies(),
  commentInterval = 15_000,
  maxStreams = 1000,
  clock = Date.now,
}: EventStreamsOptions = {}): EventStreams {
  const open = createCapacity({ each: MAX_STREAMS_PER_ADDRESS, all: maxStreams });
  const replays = createReplays(unreadBytes);
  // One timer for all readers, stopped while there are none.
  const readers = new Set<StreamReader>();
  let timer: NodeJS.Timeout | undefined;

  function writeComments(): void {
    for (const reader of readers) if (!reader.keepAlive(COMMENT)) remove(reader);
  }

  function remove(reader: StreamReader): void {
    readers.delete(reader);
    if (readers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  function add(reader: StreamReader, res: ServerResponse): void {
    readers.add(reader);
    timer ??= setInterval(writeComments, commentInterval).unref();
    res.once('close', () => remove(reader));
  }

  return {
    admit: (address, res) => releaseOnClose(res, open.take(address)),
    send(found, res, { address, from, first, failure }) {
      const run = found instanceof Run ? found : replays.of(found, res, address);
      sendHead(res, HEAD);
      if (res.req.method === 'HEAD') return void res.end();
      const end = (ended: RunEnd): string | Buffer => finalEventText(ended, failure, clock);
      add(follow(run, res, from, { text: delta, step, end }, first.map(eventText).join('')), res);
    },
  };
}

/** No `close` event comes where the client disconnected before the reply began. */
export function releaseOnClose(res: ServerResponse, release: () => void): void {
  if (res.destroyed || res.req.socket.destroyed) release();
  else res.once('close', release);
}

const MB = 1024 * 1024;

/** Bytes that replies may buffer until they are read, for one address and in all. */
export const unreadReplies = (): Capacity => createCapacity({ each: 16 * MB, all: 64 * MB });

/** Finished answers that are being read. Readers of one share its text, which counts for the address of the first. */
function createReplays(unreadBytes: Capacity): {
  of(message: StoredMessage, res: ServerResponse, address: string): Run;
} {
  const replays = new Map<string, { run: Run; readers: number; release: () => void }>();
  // Up to 4 bytes a unit: the text, and the last event, which repeats it.
  const begin = (message: StoredMessage, address: string) => {
    const release = unreadBytes.take(address, message.response.length * 4);
    return { run: Run.finished(message), readers: 0, release };
  };
  return {
    of(message, res, address) {
      const key = `${message.uuid} ${message.modified_at}`;
      const replay = replays.get(key) ?? begin(message, address);
      replays.set(key, replay);
      replay.readers += 1;
      releaseOnClose(res, () => {
        replay.readers -= 1;
        if (replay.readers > 0) return;
        replays.delete(key);
        replay.release();
      });
      return replay.run;
    },
  };
}

export function visitorMessage(message: StoredMessage, now: number): VisitorMessage {
  const outcome = outcomeIn(message.meta_json);
  const parts = partsIn(message.meta_json);
  return view(VisitorMessageSchema, {
    ...message,
    ...(outcome ? { outcome } : {}),
    ...confirmationIn(message.pending_call_json, now),
    ...(parts.length > 0 ? { parts } : {}),
    ...followUpsIn(message.meta_json),
  });
}

function eventText(event: ChatEvent): string {
  const id = event.event === 'delta' ? `id: ${event.id}\n` : '';
  return `${id}event: ${event.event}\ndata: ${JSON.stringify(event.data)}\n\n`;
}

const delta = (text: string, id: number): string => eventText({ event: 'delta', id, data: { text } });
const step = (name: string): string => eventText({ event: 'step', data: { name } });

const longFinalEvents = new WeakMap<RunEnd, Buffer>();

/** The last event repeats the whole answer: where that is long, readers share its bytes. */
function finalEventText(ended: RunEnd, failure: ErrorCode, clock: Clock): string | Buffer {
  const known = longFinalEvents.get(ended);
  if (known) return known;
  const final = finalEvent(ended, failure, clock());
  const text = partsText(final) + eventText(final);
  // Not shared: what it says of the call changes with the time.
  if (final.event === 'done' && final.data.confirm) return confirmText(final.data.confirm) + text;
  if (text.length <= MAX_WRITE) return text;
  const bytes = Buffer.from(text);
  longFinalEvents.set(ended, bytes);
  return bytes;
}

const partsText = (final: ChatEvent): string =>
  final.event === 'done' ? (final.data.parts ?? []).map((data) => eventText({ event: 'part', data })).join('') : '';

function confirmText({ expires_in, ...data }: NonNullable<VisitorMessage['confirm']>): string {
  return expires_in > 0 ? eventText({ event: 'confirm', data }) : '';
}

function finalEvent({ message, refusal }: RunEnd, failure: ErrorCode, now: number): ChatEvent {
  if (message && !refusal && message.finish_reason !== 'error')
    return { event: 'done', data: visitorMessage(message, now) };
  const parts = message ? partsIn(message.meta_json) : [];
  return {
    event: 'error',
    data: { ...errorOf(refusal ?? (message && failureIn(message)), failure), ...(parts.length > 0 ? { parts } : {}) },
  };
}

/** Visitors get general sentences; the details in the record are for the owner. */
function errorOf(refusal: Failure | undefined, failure: ErrorCode): ErrorBody {
  const { code = failure, retryAfter, unstored }: Partial<Failure> = refusal ?? {};
  const error = unstored ? UNSTORED : (SENTENCES[code] ?? FAILED);
  return { error, code, ...(retryAfter === undefined ? {} : { retry_after: retryAfter }) };
}

const FAILED = 'the answer could not be finished; please ask again';
const UNSTORED = 'answers cannot be stored at the moment; please ask again later';
const SLOW = 'the answer took too long; please ask again';

const SENTENCES: Partial<Record<ErrorCode, string>> = {
  model_timeout: SLOW,
  upstream_timeout: SLOW,
  unavailable: 'there is too much to do at the moment; please ask again later',
  not_found: 'this conversation has been deleted',
  disk_full: UNSTORED,
};

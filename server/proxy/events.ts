import type { ServerResponse } from 'node:http';
import { FLOWING, follow, sendHead, type Reader } from '../answer/readers.ts';
import { Run, type Ended } from '../answer/runs.ts';
import { view } from '../records.ts';
import type { StoredMessage } from '../store/store.ts';
import type { ChatEvent, ErrorBody, ErrorCode, VisitorMessage } from '../types.ts';
import { VisitorMessageSchema } from './bodies.ts';

/** Answers as Server-Sent Events. */

const HEAD = { ...FLOWING, 'Content-Type': 'text/event-stream; charset=utf-8' };

const COMMENT = ':\n\n';

export interface Telling {
  /** UTF-16 units of the answer that the reader has already. */
  from: number;
  /** Events that come before the answer's. */
  first: ChatEvent[];
  /** What to call a failure that was stored without its code. */
  failure: ErrorCode;
}

export interface EventStreams {
  /** Streams a run, or replays a finished message, and ends `res`. */
  tell(found: Run | StoredMessage, res: ServerResponse, telling: Telling): void;
}

/** `every` is the time in ms between two comment lines, which keep idle connections open on their way. */
export function createEventStreams({ every = 15_000 }: { every?: number } = {}): EventStreams {
  // One timer for all readers, and none while there is no reader.
  const readers = new Set<Reader>();
  let timer: NodeJS.Timeout | undefined;

  function beat(): void {
    for (const reader of readers) if (!reader.keepAlive(COMMENT)) remove(reader);
  }

  function remove(reader: Reader): void {
    readers.delete(reader);
    if (readers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  function add(reader: Reader, res: ServerResponse): void {
    readers.add(reader);
    timer ??= setInterval(beat, every).unref();
    res.once('close', () => remove(reader));
  }

  return {
    tell(found, res, { from, first, failure }) {
      sendHead(res, HEAD);
      if (res.req.method === 'HEAD') return void res.end();
      const words = first.map(eventText).join('');
      if (!(found instanceof Run)) return void res.end(words + replay(found, from, failure));
      const end = (ended: Ended): string => eventText(last(ended, failure));
      add(follow(found, res, from, { text: delta, end }, words), res);
    },
  };
}

export const visitorMessage = (message: StoredMessage): VisitorMessage => view(VisitorMessageSchema, message);

function eventText(event: ChatEvent): string {
  const id = event.event === 'delta' ? `id: ${event.id}\n` : '';
  return `${id}event: ${event.event}\ndata: ${JSON.stringify(event.data)}\n\n`;
}

const delta = (text: string, id: number): string => eventText({ event: 'delta', id, data: { text } });

function replay(message: StoredMessage, from: number, failure: ErrorCode): string {
  const rest = message.response.slice(from);
  return (rest === '' ? '' : delta(rest, message.response.length)) + eventText(last({ message }, failure));
}

function last({ message, refusal }: Ended, failure: ErrorCode): ChatEvent {
  if (message && !refusal && message.finish_reason !== 'error') return { event: 'done', data: visitorMessage(message) };
  return { event: 'error', data: errorOf(refusal?.code ?? failure, refusal?.retryAfter) };
}

/** A visitor reads the same few sentences whatever broke: what is said about it in the record is for the owner. */
function errorOf(code: ErrorCode, retryAfter?: number): ErrorBody {
  return { error: SENTENCES[code] ?? BROKEN, code, ...(retryAfter === undefined ? {} : { retry_after: retryAfter }) };
}

const BROKEN = 'the answer could not be finished; please ask again';
const SLOW = 'the answer took too long; please ask again';

const SENTENCES: Partial<Record<ErrorCode, string>> = {
  model_timeout: SLOW,
  upstream_timeout: SLOW,
  unavailable: 'there is too much to do at the moment; please ask again later',
  not_found: 'this conversation has been deleted',
  disk_full: 'answers cannot be stored at the moment; please ask again later',
};

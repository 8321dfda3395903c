import type { ChatEvent, ChatbotFace, ErrorBody, ErrorCode, VisitorMessage } from '../server/types.ts';
import { createEventReader } from './events.ts';
import type { Context } from './settings.ts';

/** What went wrong on the wire. `network`: nothing or half an answer came; `bad_answer`: it was not ours. */
export class Failure extends Error {
  declare readonly code: ErrorCode | 'network' | 'bad_answer';
  /** The server's own sentence; empty where it sent none. */
  declare readonly error: string;
  /** HTTP status; 0 where there was none. */
  declare readonly status: number;
  /** Seconds. */
  declare readonly retry_after: number | undefined;

  constructor(code: Failure['code'], error = '', status = 0, retry_after?: number) {
    super(error || code);
    Object.assign(this, { code, error, status, retry_after });
  }
}

/** What was thrown, as a failure. */
export const asFailure = (fault: unknown, code: Failure['code'] = 'bad_answer'): Failure =>
  fault instanceof Failure ? fault : new Failure(code, String(fault));

export interface Question {
  query: string;
  /** The asker's own identifier: the same one sent twice is one message. */
  id: string;
  /** Absent for a first question: the server makes a session. */
  session?: string | undefined;
  /** It has been on its way once: its session, or that it has none, is settled. */
  isOut?: boolean | undefined;
  /** When it was first asked, in milliseconds as `Date.now()`. */
  at?: number | undefined;
}

/** The public door of one chatbot. Iterators end with the connection, whether or not the answer was whole. */
export interface Client {
  face(): Promise<ChatbotFace>;
  ask(question: Question, signal: AbortSignal): AsyncIterable<ChatEvent>;
  /** `from`: length of the answer that is already there, in UTF-16 units. */
  resume(session: string, message: string, from: number, signal: AbortSignal): AsyncIterable<ChatEvent>;
  messages(session: string): Promise<VisitorMessage[]>;
  stop(session: string, message: string): Promise<unknown>;
  forget(session: string): Promise<unknown>;
  /** The visitor's thumb, up or down, and a word on it. */
  rate(session: string, message: string, feedback: Feedback): Promise<unknown>;
}

export interface Feedback {
  rating: 1 | -1;
  /** Up to 2,000 characters. */
  comment?: string | undefined;
}

/** The server sends a comment every 15 s: three of them missed is a dead connection that nobody has closed. */
const SILENCE_MS = 45_000;
const LOOK_MS = 2000;

export const isOffline = (): boolean => globalThis.navigator?.onLine === false;

/** 128 random bits in hex. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function lost(fault: unknown): never {
  throw asFailure(fault, 'network');
}

async function failureOf(response: Response): Promise<Failure> {
  const { status, headers } = response;
  const { code, error, retry_after } = (await response.json().catch(() => ({}))) as Partial<ErrorBody>;
  const wait = Number(retry_after ?? headers.get('Retry-After')) || undefined;
  return new Failure(
    code ?? (status === 429 ? 'rate_limited' : 'bad_answer'),
    typeof error === 'string' ? error : '',
    status,
    wait,
  );
}

/** `server`: the address that serves embed.js, with or without a path; a trailing slash is added. */
export function createClient(server: string, chatbot: string, context?: Context): Client {
  const door = new URL(`chat/${encodeURIComponent(chatbot)}`, server.replace(/\/*$/, '/')).href;

  async function call(path: string, init?: RequestInit): Promise<Response> {
    const response = await fetch(door + path, { credentials: 'omit', cache: 'no-store', ...init }).catch(lost);
    if (!response.ok) throw await failureOf(response);
    return response;
  }

  const json = async <T>(path: string): Promise<T> => (await (await call(path)).json()) as T;

  async function* stream(path: string, init: RequestInit, signal: AbortSignal): AsyncGenerator<ChatEvent> {
    const over = new AbortController();
    const decoder = new TextDecoder();
    const read = createEventReader();
    let heard = Date.now();
    // By the clock on the wall: a timer alone sleeps with the machine.
    const clock = setInterval(() => {
      if (Date.now() - heard > SILENCE_MS) over.abort();
    }, LOOK_MS);
    const leave = (): void => over.abort();
    addEventListener('offline', leave);
    try {
      const response = await call(path, { ...init, signal: AbortSignal.any([signal, over.signal]) });
      const reader = response.body?.getReader();
      if (!reader || !response.headers.get('Content-Type')?.startsWith('text/event-stream'))
        throw new Failure('bad_answer', '', response.status);
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        heard = Date.now();
        yield* read(decoder.decode(value, { stream: true }));
      }
    } catch (fault) {
      lost(fault);
    } finally {
      clearInterval(clock);
      removeEventListener('offline', leave);
      leave();
    }
  }

  const post = (body?: object): RequestInit => ({
    method: 'POST',
    ...(body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  });
  const of = (session: string, message: string): string => `/session/${session}/message/${message}`;

  return {
    face: () => json(''),
    ask: (question, signal) => stream('/ask', post({ ...question, variables: context }), signal),
    resume: (session, message, from, signal) =>
      stream(`${of(session, message)}/stream`, { headers: { 'Last-Event-ID': String(from) } }, signal),
    messages: (session) => json(`/session/${session}/messages`),
    stop: (session, message) => call(`${of(session, message)}/stop`, post()),
    forget: (session) => call(`/session/${session}/delete`, post()),
    rate: (session, message, feedback) => call(`${of(session, message)}/feedback`, post(feedback)),
  };
}

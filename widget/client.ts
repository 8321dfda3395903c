import type { ChatEvent, ChatbotFace, ErrorBody, ErrorCode, VisitorMessage } from '../server/types.ts';
import { createEventReader } from './events.ts';

/** What went wrong on the wire. `network`: nothing or half an answer came; `bad_answer`: it was not ours. */
export class Failure extends Error {
  readonly code: ErrorCode | 'network' | 'bad_answer';
  /** The server's own sentence; empty where it sent none. */
  readonly error: string;
  /** HTTP status; 0 where there was none. */
  readonly status: number;
  /** Seconds. */
  readonly retry_after: number | undefined;

  constructor(code: Failure['code'], error = '', status = 0, retryAfter?: number) {
    super(error || code);
    this.code = code;
    this.error = error;
    this.status = status;
    this.retry_after = retryAfter;
  }
}

export interface Question {
  query: string;
  /** The asker's own identifier: the same one sent twice is one message. */
  id: string;
  /** Absent for a first question: the server makes a session. */
  session?: string | undefined;
}

/** The public door of one chatbot. Iterators end with the connection, whether or not the answer was whole. */
export interface Client {
  face(): Promise<ChatbotFace>;
  ask(question: Question, signal: AbortSignal): AsyncIterable<ChatEvent>;
  /** `from`: length of the answer that is already there, in UTF-16 units. */
  resume(session: string, message: string, from: number, signal: AbortSignal): AsyncIterable<ChatEvent>;
  messages(session: string): Promise<VisitorMessage[]>;
  stop(session: string, message: string): Promise<void>;
  forget(session: string): Promise<void>;
}

/** The server sends a comment every 15 s: three of them missed is a dead connection that nobody has closed. */
const SILENCE_MS = 45_000;

/** 128 random bits in hex. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function lost(fault: unknown): never {
  throw fault instanceof Failure ? fault : new Failure('network', String(fault));
}

async function failureOf(response: Response): Promise<Failure> {
  const body = (await response.json().catch(() => ({}))) as Partial<ErrorBody>;
  const wait = Number(body.retry_after ?? response.headers.get('Retry-After') ?? NaN);
  const sentence = typeof body.error === 'string' ? body.error : '';
  const code = body.code ?? (response.status === 429 ? 'rate_limited' : 'bad_answer');
  return new Failure(code, sentence, response.status, Number.isFinite(wait) ? wait : undefined);
}

async function* readEvents(response: Response, abort: () => void): AsyncGenerator<ChatEvent> {
  if (!response.headers.get('Content-Type')?.startsWith('text/event-stream') || !response.body) {
    throw new Failure('bad_answer', '', response.status);
  }
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const read = createEventReader();
  let silence = setTimeout(abort, SILENCE_MS);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(silence);
      silence = setTimeout(abort, SILENCE_MS);
      yield* read(decoder.decode(value, { stream: true }));
    }
  } catch (fault) {
    lost(fault);
  } finally {
    clearTimeout(silence);
    reader.cancel().catch(() => undefined);
  }
}

/** `server`: the address that serves embed.js, with or without a path; a trailing slash is added. */
export function createClient(server: string, chatbot: string): Client {
  const door = new URL(`chat/${encodeURIComponent(chatbot)}`, server.replace(/\/*$/, '/')).href;

  async function call(path: string, init?: RequestInit): Promise<Response> {
    const response = await fetch(door + path, { credentials: 'omit', cache: 'no-store', ...init }).catch(lost);
    if (!response.ok) throw await failureOf(response);
    return response;
  }

  const json = async <T>(path: string): Promise<T> => (await (await call(path)).json()) as T;

  async function* stream(path: string, init: RequestInit, signal: AbortSignal): AsyncGenerator<ChatEvent> {
    const silence = new AbortController();
    const either = AbortSignal.any([signal, silence.signal]);
    yield* readEvents(await call(path, { ...init, signal: either }), () => silence.abort());
  }

  const post = (body?: object): RequestInit => ({
    method: 'POST',
    ...(body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  });
  const of = (session: string, message: string): string => `/session/${session}/message/${message}`;

  return {
    face: () => json(''),
    ask: (question, signal) => stream('/ask', post(question), signal),
    resume: (session, message, from, signal) =>
      stream(`${of(session, message)}/stream`, { headers: { 'Last-Event-ID': String(from) } }, signal),
    messages: (session) => json(`/session/${session}/messages`),
    stop: async (session, message) => void (await call(`${of(session, message)}/stop`, post())),
    forget: async (session) => void (await call(`/session/${session}/delete`, post())),
  };
}

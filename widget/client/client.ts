import type { ChatEvent, ChatbotProfile, ErrorBody, ErrorCode, VisitorMessage } from '../../server/types.ts';
import { createSseParser } from './sse-parser.ts';
import type { Context } from '../browser/settings.ts';

/** A failed request. `network`: no reply or a broken stream; `bad_answer`: a reply that is not in Docent's error format. */
export interface Failure extends Partial<Omit<ErrorBody, 'code'>> {
  code: ErrorCode | 'network' | 'bad_answer';
  /** HTTP status, where the reply was not a stream. */
  status?: number;
}

/** Events of the stream; an HTTP error reply becomes one `error` event. */
export type WireEvent = (Exclude<ChatEvent, { event: 'error' }> | { event: 'error'; data: Failure }) & { id?: number };

export interface Question {
  query: string;
  /** Idempotency key: the same one sent twice is one message. */
  id: string;
  /** '' for a first question, for which the server makes a session; undefined until that is settled. */
  session?: string | undefined;
  /** Uuid of the session's last message, which this question asks anew. */
  replaces?: string | undefined;
  /** Values of variables, in place of the page's. */
  variables?: Record<string, string> | undefined;
  /** When it was first asked, in milliseconds as `Date.now()`. */
  at: number;
}

/** Ids of a message on the server. */
export interface MessageRef {
  session?: string | undefined;
  message?: string | undefined;
}

/** Client of one chatbot's public API. Iterators end with the connection, whether or not the answer was complete, and never throw. */
export interface Client {
  profile(): Promise<ChatbotProfile>;
  /** `languages`: tags by commas, in place of the browser's, for sentences of the server where the question tells no language. */
  ask(question: Omit<Question, 'at'>, signal: AbortSignal, languages?: string): AsyncIterable<WireEvent>;
  /** `from`: offset into the answer, in UTF-16 code units. */
  resume(message: MessageRef, from: number, signal: AbortSignal): AsyncIterable<WireEvent>;
  messages(session: string): Promise<VisitorMessage[]>;
  forget(session: string): Promise<unknown>;
  /** Rejects with a `Failure`; the reply to `confirm` is a stream of events, which `resume` gives as well. */
  post<Path extends keyof MessageRequests>(
    message: MessageRef,
    path: Path,
    body?: MessageRequests[Path],
  ): Promise<Response | undefined>;
}

/** Bodies of what is posted about a message, by the last part of the path. */
interface MessageRequests {
  stop: undefined;
  feedback: Feedback;
  /** The visitor's answer to the call that the message has ended with. */
  confirm: { accept: boolean };
}

export interface Feedback {
  rating: 1 | -1;
  /** Up to 2,000 characters. */
  comment?: string | undefined;
}

/** The server sends a comment every 15 s: after three missed ones the connection is dead. */
const SILENCE_MS = 45_000;
const SILENCE_CHECK_MS = 2000;

/** A reply that is no stream comes within that time, or counts as lost. */
const REPLY_MS = 30_000;

/** 128 random bits. */
export const newId = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-');

/** `server`: the address that serves embed.js, with or without a trailing slash. */
export function createClient(server: string, chatbot: string, context?: Context): Client {
  const base = `${server.replace(/\/*$/, '')}/chat/${chatbot}`;

  async function call(path: string, init?: RequestInit): Promise<Response> {
    const response = await fetch(base + path, init);
    const { ok, status } = response;
    if (ok) return response;
    const body = (await response.json().catch(() => undefined)) as ErrorBody | undefined;
    throw Object.assign(new Error(), { code: 'bad_answer', ...body, status });
  }

  const json = <T>(path: string): Promise<T> =>
    call(path, { signal: AbortSignal.timeout(REPLY_MS) }).then((response) => response.json() as Promise<T>);

  async function* stream(path: string, init: RequestInit, signal: AbortSignal): AsyncGenerator<WireEvent> {
    const connection = new AbortController();
    const decoder = new TextDecoder();
    const read = createSseParser();
    const abort = (): void => connection.abort();
    let lastRead = Date.now();
    // Compares wall-clock time, which may be set back: timers stand still while the machine sleeps.
    const clock = setInterval(() => {
      if (Math.abs(Date.now() - lastRead) > SILENCE_MS) abort();
    }, SILENCE_CHECK_MS);
    addEventListener('offline', abort, connection);
    signal.addEventListener('abort', abort, connection);
    try {
      const { body } = await call(path, { ...init, signal: connection.signal });
      const reader = body!.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        lastRead = Date.now();
        yield* read(decoder.decode(value, { stream: true }));
      }
    } catch (fault) {
      if ((fault as Failure).status) yield { event: 'error', data: fault as Failure };
    } finally {
      clearInterval(clock);
      abort();
    }
  }

  const post = (body?: object, languages = `${navigator.languages}`): RequestInit => ({
    method: 'POST',
    body: JSON.stringify(body),
    // The server's preflight allows Accept-Language only as a safelisted header: of these characters, and short.
    headers: {
      'Content-Type': 'application/json',
      'Accept-Language': /[a-z\d,-]{0,99}/i.exec(languages)![0],
    },
  });
  const messagePath = ({ session, message }: MessageRef, path: string): string =>
    `/session/${session}/message/${message}/${path}`;

  return {
    profile: () => json(''),
    ask: (
      {
        query,
        id,
        session,
        replaces,
        // Without query and fragment, which may say who the visitor is. The server takes 1,000 characters of a value.
        variables = { page: (location.origin + location.pathname).slice(0, 1000), ...context },
      },
      signal,
      languages,
    ) => stream('/ask', post({ query, id, session: session || undefined, replaces, variables }, languages), signal),
    resume: (message, from, signal) =>
      stream(messagePath(message, 'stream'), { headers: { 'Last-Event-ID': String(from) } }, signal),
    messages: (session) => json(`/session/${session}/messages`),
    forget: (session) => call(`/session/${session}/delete`, post()),
    post: (message, path, body) => call(messagePath(message, path), post(body)),
  };
}

import type { ChatEvent, Citations, FinishReason, VisitorMessage } from '../../server/types.ts';

/** A fake of the public chat API in place of `fetch`: real event bytes over connections that a test controls. */

const base = 'https://docent.test/chat/c1';

export const server = 'https://docent.test/';

// happy-dom has no visualViewport.
Object.assign(globalThis, {
  visualViewport: Object.assign(new EventTarget(), { scale: 1, offsetTop: 0, height: 768 }),
});

/** Events as the server encodes them. */
export function encodeEvents(events: ChatEvent[]): string {
  const lines = events.map((event) => {
    const id = event.event === 'delta' ? `id: ${event.id}\n` : '';
    return `${id}event: ${event.event}\ndata: ${JSON.stringify(event.data)}\n\n`;
  });
  return `: hello\n\n${lines.join('')}`;
}

export function messageRecord(
  query: string,
  response: string,
  citations: Citations = {},
  finish: FinishReason = 'stop',
): VisitorMessage {
  const at = '2026-11-20T09:30:00Z';
  const cite_data_json = JSON.stringify(citations);
  return {
    uuid: 'm1',
    query,
    response,
    finish_reason: finish,
    cite_data_json,
    feedback_json: '{}',
    created_at: at,
    modified_at: at,
  };
}

export const citation = (fields: Partial<Citations[string]> = {}): Citations[string] => ({
  data_source_uuid: 'a',
  title: 'Returns',
  text: 'You have 45 days.',
  file_name: 'https://shop.test/returns',
  type: 'link',
  ...fields,
});

export function deltas(text: string, from = 0, size = 5): ChatEvent[] {
  const events: ChatEvent[] = [];
  for (let at = from; at < text.length; at += size) {
    const piece = text.slice(at, at + size);
    events.push({ event: 'delta', id: at + piece.length, data: { text: piece } });
  }
  return events;
}

export function answerEvents(message: VisitorMessage): ChatEvent[] {
  return [
    { event: 'session', data: { uuid: 's1' } },
    { event: 'message', data: { uuid: message.uuid } },
    ...deltas(message.response),
    { event: 'done', data: message },
  ];
}

/** An open response: send bytes, then end it, or cut it off with a network error. */
export interface Connection {
  response: Response;
  send(bytes: Uint8Array | string): void;
  end(): void;
  cut(): void;
}

export function openConnection(signal?: AbortSignal | null): Connection {
  let control!: ReadableStreamDefaultController<Uint8Array>;
  let isOver = false;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => void (control = controller),
    cancel: () => void (isOver = true),
  });
  const over = (act: () => void): void => {
    if (!isOver) act();
    isOver = true;
  };
  signal?.addEventListener('abort', () => over(() => control.error(new DOMException('aborted', 'AbortError'))));
  return {
    response: new Response(body, { headers: { 'Content-Type': 'text/event-stream; charset=utf-8' } }),
    send: (bytes) => {
      if (!isOver) control.enqueue(typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes);
    },
    end: () => over(() => control.close()),
    cut: () => over(() => control.error(new TypeError('network error'))),
  };
}

export function streamResponse(events: ChatEvent[]): Response {
  const connection = openConnection();
  connection.send(encodeEvents(events));
  connection.end();
  return connection.response;
}

export const jsonResponse = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } });

export interface Request {
  method: string;
  path: string;
  body: Record<string, string>;
  headers: Headers;
  signal: AbortSignal | null | undefined;
}

export type Handler = (request: Request) => Response | Promise<Response>;

export interface FakeServer {
  /** Every request so far, the oldest first. */
  requests: Request[];
  askRequests(): Request[];
  close(): void;
}

export const profile = {
  uuid: 'c1',
  name: 'Shop help',
  show_citations: true,
  greeting: 'Good day!',
  suggestions: ['Where is my order?'],
  theme: { color: '#123456', evil: 'url(https://evil.test)' },
  words: {},
};

/** Replaces `fetch`. `answers` by `METHOD path`, the path below `/chat/c1`; the profile is answered by default. */
export function startFakeServer(answers: Record<string, Handler>): FakeServer {
  const real = globalThis.fetch;
  const requests: Request[] = [];
  const find = (key: string): Handler =>
    answers[key] ??
    (key === 'GET '
      ? () => jsonResponse(profile)
      : () => jsonResponse({ error: 'no such route', code: 'not_found' }, 404));
  globalThis.fetch = async (input, init = {}) => {
    const method = init.method ?? 'GET';
    const path = String(input).slice(base.length);
    const body = init.body ? (JSON.parse(String(init.body)) as Record<string, string>) : {};
    const request = { method, path, body, headers: new Headers(init.headers), signal: init.signal };
    requests.push(request);
    return find(`${method} ${path}`)(request);
  };
  return {
    requests,
    askRequests: () => requests.filter(({ path }) => path === '/ask'),
    close: () => void (globalThis.fetch = real),
  };
}

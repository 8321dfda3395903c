import { STATUS_CODES, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { Refusal } from '../schema/errors.ts';
import { newRequestId } from './body.ts';

/** Milliseconds in which a caller may finish sending: a socket closed earlier would take the reply with it. */
const LINGER_MS = 1000;

/** For `createServer`: Node would answer a request without a Host by itself, without a body. See `requireHost`. */
export const HTTP_SERVER_OPTIONS = { requireHostHeader: false };

/** Refuses a request that HTTP/1.1 wants a Host of. */
export const requireHost =
  (handle: RequestListener): RequestListener =>
  (request, response) => {
    if (request.httpVersion !== '1.1' || request.headers.host !== undefined) return handle(request, response);
    return sendRefusal(response, new Refusal('bad_request', 'the request has no Host'));
  };

/** Answers what Node's parser refuses, before there is a request to handle, with the same JSON as every other error. */
export function answerParseErrors(server: Server, log: Logger): void {
  const openResponses = new WeakMap<Duplex, Set<ServerResponse>>();
  const refused = new WeakSet<Duplex>();
  server.on('request', ({ socket }, response) => {
    const responses = openResponses.get(socket) ?? new Set();
    openResponses.set(socket, responses.add(response));
    response.once('close', () => responses.delete(response));
  });
  server.on('checkExpectation', (_request, response: ServerResponse) =>
    sendRefusal(response, new Refusal('bad_request', 'the only expectation that is met here is 100-continue')),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Each further piece of the same request fails too: closing with it unread would take the reply with it.
    if (refused.has(socket)) return;
    const hasReplyBegun = [...(openResponses.get(socket) ?? [])].some(({ headersSent }) => headersSent);
    // In the middle of another reply it would be read as a part of that one.
    if (hasReplyBegun || !socket.writable) return void socket.destroy();
    refused.add(socket);
    const id = newRequestId();
    const refusal = refusalOf(error.code);
    log.info({ req: id, status: refusal.status, code: error.code }, 'unreadable request');
    socket.end(replyOf(refusal, id));
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
    return undefined;
  });
}

function refusalOf(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new Refusal('headers_too_large', 'the request line and the headers are larger than 16 kB');
  }
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return new Refusal('too_large', 'the chunk extensions are too large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Refusal('request_timeout', 'the request took too long to arrive');
  return new Refusal('bad_request', 'the request is not HTTP');
}

function replyOf(refusal: Refusal, id: string): string {
  const { headers, body } = replyTo(refusal, id);
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`, ...fields, '', body].join('\r\n');
}

/** Answers with an error where no application does. The connection ends with it. */
export function sendRefusal(response: ServerResponse, refusal: Refusal): void {
  const { headers, body } = replyTo(refusal, newRequestId());
  response.writeHead(refusal.status, headers).end(body);
}

function replyTo(refusal: Refusal, id: string): { headers: Record<string, string>; body: string } {
  const body = JSON.stringify(refusal.body());
  const headers = {
    Connection: 'close',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id',
    'X-Request-Id': id,
    ...refusal.headers,
  };
  return { headers, body };
}

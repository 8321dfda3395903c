import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Refusal } from '../schema/errors.ts';
import { newRequestId } from './body.ts';
import { sendRefusal } from './parse-errors.ts';

/** Of requests that arrive before the server is ready. */
const MAX_WAITING = 100;
const MAX_WAIT_MS = 3000;
const RETRY_SECONDS = 5;

export interface StartupHandler {
  handle: RequestListener;
  /** From now on this handles all requests, those that wait first. */
  started(handler: RequestListener): void;
}

/**
 * Handles requests while the server starts, from now on: they wait, `most` of them and for `patience` ms at the longest.
 * All others get 503 with `Retry-After`, but preflights, which are allowed.
 */
export function createStartupHandler(most = MAX_WAITING, patience = MAX_WAIT_MS): StartupHandler {
  const waiting = new Map<ServerResponse, IncomingMessage>();
  let handler: RequestListener = (request, response) => {
    if (waiting.size >= most) return refuse(request, response);
    waiting.set(response, request);
    response.once('close', () => waiting.delete(response));
  };
  const timer = setTimeout(() => {
    handler = refuse;
    for (const [response, request] of waiting) refuse(request, response);
    waiting.clear();
  }, patience);

  return {
    handle: (request, response) => handler(request, response),
    started(ready) {
      clearTimeout(timer);
      handler = ready;
      for (const [response, request] of waiting) ready(request, response);
      waiting.clear();
    },
  };
}

function refuse({ method, headers }: IncomingMessage, response: ServerResponse): void {
  const requested = headers['access-control-request-method'];
  if (method === 'OPTIONS' && requested !== undefined) {
    // A page of another origin could not read the refusal of what it asks for then, and would take it for a lost network.
    const fields = headers['access-control-request-headers'];
    response.writeHead(204, {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': requested,
      ...(fields === undefined ? {} : { 'Access-Control-Allow-Headers': fields }),
      'X-Request-Id': newRequestId(),
    });
    return void response.end();
  }
  sendRefusal(
    response,
    new Refusal('unavailable', 'the server is starting; try again soon', { retryAfter: RETRY_SECONDS }),
  );
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../schema/errors.ts';
import { newRequestId } from './body.ts';
import { answerWith } from './parse-errors.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Requests that may wait for the start. */
const MOST = 100;
/** Milliseconds after which none waits any more. */
const PATIENCE = 3000;
/** Seconds after which a caller may try again. */
const RETRY = 5;

export interface Starting {
  handle: Handler;
  /** From now on this handles all requests, those that wait first. */
  started(handler: Handler): void;
}

/**
 * Handles requests while the server starts, from now on: they wait, `most` of them and for `patience` ms at the longest.
 * All others get 503 with `Retry-After`, but preflights, which are allowed.
 */
export function createStarting(most = MOST, patience = PATIENCE): Starting {
  const waiting = new Map<ServerResponse, IncomingMessage>();
  let handler: Handler = (request, response) => {
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

function refuse({ method, headers: asked }: IncomingMessage, response: ServerResponse): void {
  const requested = asked['access-control-request-method'];
  if (method === 'OPTIONS' && requested !== undefined) {
    // A page of another origin could not read the refusal of what it asks for then, and would take it for a lost network.
    const fields = asked['access-control-request-headers'];
    response.writeHead(204, {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': requested,
      ...(fields === undefined ? {} : { 'Access-Control-Allow-Headers': fields }),
      'X-Request-Id': newRequestId(),
    });
    return void response.end();
  }
  answerWith(response, new Refusal('unavailable', 'the server is starting; try again soon', { retryAfter: RETRY }));
}

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that may wait on a connection behind the one that is being answered. */
const MAX_QUEUED_REQUESTS = 32;

/**
 * Runs the requests of a connection one at a time. Node parses pipelined requests ahead and would run all of them at once,
 * each keeping its reply in memory until those before it have gone out. A connection with more than `MAX_QUEUED_REQUESTS`
 * requests ahead is closed.
 */
export function handleSequentially(handle: RequestListener): RequestListener {
  const queues = new WeakMap<Socket, (() => void)[]>();

  function run(socket: Socket, request: IncomingMessage, response: ServerResponse): void {
    response.once('close', () => next(socket));
    handle(request, response);
  }

  function next(socket: Socket): void {
    const start = socket.destroyed ? undefined : queues.get(socket)?.shift();
    if (start) start();
    else queues.delete(socket);
  }

  return (request, response) => {
    const { socket } = request;
    const waiting = queues.get(socket);
    if (!waiting) {
      queues.set(socket, []);
      run(socket, request, response);
    } else if (waiting.length < MAX_QUEUED_REQUESTS) waiting.push(() => run(socket, request, response));
    else socket.destroy();
  };
}

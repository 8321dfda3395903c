import { createHook } from 'node:async_hooks';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Connections } from '../../server/outbound/connections.ts';
import { Exchange, fetchWhole, type ErrorReply, type OutboundRequest } from '../../server/outbound/exchange.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const GET: OutboundRequest = { method: 'GET', path: '/', headers: [] };
const POST: OutboundRequest = { method: 'POST', path: '/', headers: [], body: 'the question' };
const MAX = { maxBytes: 1_000_000 };

let server: Server;
let connections: Connections;
let handle: Handler;
/** The port of each request's connection, in order. */
let ports: number[];

beforeEach(async () => {
  ports = [];
  handle = (_, response) => void response.end('whole');
  server = createServer((request, response) => {
    ports.push(request.socket.remotePort!);
    handle(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  connections = connectionsWith({});
});

afterEach(async () => {
  await connections.close();
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

const connectionsWith = (timeouts: ConstructorParameters<typeof Connections>[1]): Connections =>
  new Connections(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, timeouts);

/** Answers the requests in turn, the last handler all further ones. */
function inTurn(...handlers: Handler[]): void {
  handle = (request, response) => (handlers.length > 1 ? handlers.shift()! : handlers[0]!)(request, response);
}

const reset: Handler = (request) => void request.socket.resetAndDestroy();
const whole: Handler = (_, response) => void response.end('whole');
const busy =
  (headers: Record<string, string>, status = 429): Handler =>
  (_, response) =>
    void response.writeHead(status, headers).end('busy');

interface Received {
  statuses: number[];
  text: string;
  errors: ErrorReply[];
  failure: Error | undefined;
}

/** An open exchange whose reader notes what it is given. */
function open(request: OutboundRequest, more: { instead?: OutboundRequest } = {}) {
  const received: Received = { statuses: [], text: '', errors: [], failure: undefined };
  let exchange!: Exchange;
  const over = new Promise<Received>((resolve) => {
    exchange = new Exchange(connections, {
      onHead: (status) => void received.statuses.push(status),
      onChunk: (chunk) => void (received.text += chunk.toString()),
      onEnd: () => resolve(received),
      onErrorReply(reply) {
        received.errors.push(reply);
        if (more.instead && received.errors.length === 1) return more.instead;
        resolve(received);
        return undefined;
      },
      onFailure(failure) {
        received.failure = failure;
        resolve(received);
      },
    });
    exchange.send(request);
  });
  return { exchange, received, over };
}

describe('a reply', () => {
  test('its head, chunks and end are given to the reader, and the connection is used again', async () => {
    handle = (_, response) => void response.writeHead(201).end('made');
    expect(await open(GET).over).toEqual({ statuses: [201], text: 'made', errors: [], failure: undefined });
    await open(GET).over;
    expect(ports[1]).toBe(ports[0]);
  });

  test('a body is sent with its length in bytes', async () => {
    handle = (request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => response.end(`${request.headers['content-length']} ${body}`));
    };
    expect((await fetchWhole(connections, { ...POST, body: 'déjà' }, MAX)).body).toBe('6 déjà');
    expect((await fetchWhole(connections, GET, MAX)).body).toBe('undefined ');
  });

  test('an error reply is cut at 4 kB and comes with its Retry-After', async () => {
    handle = (_, response) => {
      response.writeHead(503, { 'Retry-After': '7' }).write('x'.repeat(5000));
      // Never ended: only the cut lets the test end.
    };
    const { errors } = await open(GET).over;
    expect(errors).toEqual([{ status: 503, body: 'x'.repeat(4096), retryAfter: 7 }]);
  });

  test('the reader of an error reply may send another request', async () => {
    inTurn((_, response) => void response.writeHead(400).end('no'), whole);
    const { errors, text } = await open(POST, { instead: GET }).over;
    expect([errors[0]?.body, text]).toEqual(['no', 'whole']);
  });

  test('after stop and after release nothing is given to the reader; only release keeps the connection', async () => {
    let finish = (): void => {};
    const streamed: Handler = (_, response) => {
      response.write('first');
      finish = () => void response.end('second');
    };
    inTurn(streamed, streamed, whole);
    const released = open(GET);
    await expect.poll(() => released.received.text).toBe('first');
    released.exchange.release();
    finish();
    const stopped = open(GET);
    await expect.poll(() => stopped.received.text).toBe('first');
    stopped.exchange.stop();
    stopped.exchange.stop();
    finish();
    await fetchWhole(connections, GET, MAX);
    expect([released.received.text, stopped.received.text]).toEqual(['first', 'first']);
    expect(ports[2]).not.toBe(ports[1]);
  });
});

describe('a whole reply', () => {
  test('has the status and the body, of an error too', async () => {
    inTurn(whole, (_, response) => void response.writeHead(404).end('none'));
    expect(await fetchWhole(connections, GET, MAX)).toEqual({ status: 200, body: 'whole' });
    expect(await fetchWhole(connections, GET, MAX)).toMatchObject({ status: 404, body: 'none' });
  });

  test('larger than its bound fails, and the connection is closed', async () => {
    let closed = false;
    handle = (_, response) => {
      response.on('close', () => (closed = true)).write('x'.repeat(100));
    };
    await expect(fetchWhole(connections, GET, { maxBytes: 99 })).rejects.toMatchObject({ kind: 'too_large' });
    await expect.poll(() => closed).toBe(true);
  });
});

describe('what ends a request', () => {
  const silent: Handler = () => {};

  test('the deadline bounds the whole body, however steadily it comes', async () => {
    handle = (_, response) => {
      const timer = setInterval(() => response.write('.'), 10);
      response.on('close', () => clearInterval(timer));
    };
    const late = fetchWhole(connections, GET, { ...MAX, deadline: 100 });
    await expect(late).rejects.toMatchObject({ kind: 'deadline' });
  });

  test('silence before the first byte and between chunks is a time-out', async () => {
    inTurn(silent, (_, response) => void response.write('begun'));
    connections = connectionsWith({ firstByte: 100 });
    expect((await open(GET).over).failure).toMatchObject({ kind: 'timeout', message: 'UND_ERR_HEADERS_TIMEOUT' });
    connections = connectionsWith({ betweenChunks: 100 });
    const { text, failure } = await open(GET).over;
    expect([text, failure]).toMatchObject(['begun', { kind: 'timeout', message: 'UND_ERR_BODY_TIMEOUT' }]);
  });

  test('the reason of an aborted signal is the failure, before the request and during it', async () => {
    handle = silent;
    const aborted = AbortSignal.abort(new Error('gone'));
    await expect(fetchWhole(connections, GET, { ...MAX, signal: aborted })).rejects.toThrow('gone');
    expect(ports).toHaveLength(0);
    const work = new AbortController();
    const reply = fetchWhole(connections, GET, { ...MAX, signal: work.signal });
    await expect.poll(() => ports).toHaveLength(1);
    work.abort(new Error('stopped'));
    await expect(reply).rejects.toThrow('stopped');
  });

  test('a server that is not there is unreachable', async () => {
    connections = new Connections('http://127.0.0.1:9');
    expect((await open(GET).over).failure).toMatchObject({ kind: 'unreachable', message: 'ECONNREFUSED' });
  });
});

describe('repeats', () => {
  const repeated = { ...MAX, repeats: true };

  test('a reset before the first byte is repeated once, with the body', async () => {
    inTurn(reset, (request, response) => void request.pipe(response));
    expect((await fetchWhole(connections, POST, repeated)).body).toBe('the question');
    inTurn(reset, reset, whole);
    await expect(fetchWhole(connections, POST, repeated)).rejects.toMatchObject({ kind: 'unreachable' });
  });

  test('a reset after the first byte is a failure', async () => {
    inTurn((request, response) => {
      response.write('begun');
      setTimeout(() => request.socket.resetAndDestroy(), 20);
    }, whole);
    await expect(fetchWhole(connections, POST, repeated)).rejects.toMatchObject({ kind: 'unreachable' });
    expect(ports).toHaveLength(1);
  });

  test('a 429 is repeated once, after the pause that it names, where that is short', async () => {
    inTurn(busy({ 'Retry-After': '0' }), whole);
    expect((await fetchWhole(connections, POST, repeated)).status).toBe(200);
    inTurn(busy({ 'Retry-After': '0' }), busy({ 'Retry-After': '3' }), whole);
    expect(await fetchWhole(connections, POST, repeated)).toMatchObject({ status: 429, retryAfter: 3 });
    inTurn(busy({ 'Retry-After': '6' }), whole);
    expect(await fetchWhole(connections, POST, repeated)).toMatchObject({ status: 429, retryAfter: 6 });
  });

  test('a 503 is repeated once where it names a short pause', async () => {
    inTurn(busy({ 'Retry-After': '0' }, 503), whole);
    expect((await fetchWhole(connections, POST, repeated)).status).toBe(200);
    inTurn(busy({ 'Retry-After': '0' }, 503), busy({ 'Retry-After': '0' }), whole);
    expect((await fetchWhole(connections, POST, repeated)).status).toBe(429);
    inTurn(busy({}, 503), whole);
    expect((await fetchWhole(connections, POST, repeated)).status).toBe(503);
    inTurn(busy({ 'Retry-After': '0' }, 500), whole);
    expect((await fetchWhole(connections, POST, repeated)).status).toBe(500);
  });

  test('a refused connection is tried once more, after a moment', async () => {
    const { port } = server.address() as AddressInfo;
    await new Promise((done) => server.close(done));
    const reply = fetchWhole(connections, POST, repeated);
    setTimeout(() => server.listen(port, '127.0.0.1'), 50);
    expect((await reply).body).toBe('whole');
    await connections.close();
    connections = new Connections('http://127.0.0.1:9');
    await expect(fetchWhole(connections, POST, repeated)).rejects.toMatchObject({ message: 'ECONNREFUSED' });
  });

  test('a pause that the deadline would cut is not made', async () => {
    inTurn(busy({ 'Retry-After': '5' }), whole);
    expect((await fetchWhole(connections, POST, { ...repeated, deadline: 4900 })).status).toBe(429);
  });

  test('without the option nothing is repeated', async () => {
    inTurn(reset, whole);
    await expect(fetchWhole(connections, POST, MAX)).rejects.toMatchObject({ kind: 'unreachable' });
    inTurn(busy({ 'Retry-After': '0' }), whole);
    expect((await fetchWhole(connections, POST, MAX)).status).toBe(429);
  });
});

/** These hold what undici does inside: it may change with any version. */
describe('memory and work of an open stream', () => {
  const streaming: Handler = (request, response) => {
    request.resume().on('end', () => response.write('begun'));
  };

  test('the body that was sent is released when the reply begins', async () => {
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc') as () => void;
    handle = streaming;
    const [streams, bytes] = [8, 4_000_000];
    gc();
    const before = process.memoryUsage().heapUsed;
    let begun = 0;
    const reader = {
      onChunk: () => void (begun += 1),
      onEnd() {},
      onErrorReply: () => undefined,
      onFailure() {},
    };
    const exchanges = Array.from({ length: streams }, () => new Exchange(connections, reader));
    for (const [at, exchange] of exchanges.entries()) exchange.send({ ...POST, body: String(at).repeat(bytes) });
    await expect.poll(() => begun).toBe(streams);
    gc();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan((streams * bytes) / 4);
    for (const exchange of exchanges) exchange.stop();
  });

  test('undici’s list of raw headers is released when the reply begins', async () => {
    handle = streaming;
    const start = Exchange.prototype.onResponseStart;
    const seen: { before: unknown; after: unknown }[] = [];
    Exchange.prototype.onResponseStart = function (controller, ...rest) {
      const before = controller.rawHeaders;
      start.call(this, controller, ...rest);
      seen.push({ before, after: controller.rawHeaders });
    };
    try {
      const { exchange, received } = open(GET);
      await expect.poll(() => received.text).toBe('begun');
      exchange.stop();
    } finally {
      Exchange.prototype.onResponseStart = start;
    }
    expect(seen).toEqual([{ before: expect.any(Array), after: null }]);
  });

  test('a chunk makes no promise', async () => {
    const count = 500;
    let promises = 0;
    const hook = createHook({ init: (_id, type) => void (promises += Number(type === 'PROMISE')) });
    let chunks = 0;
    handle = (_, response) => {
      const write = (): void => {
        if (chunks >= count) return void response.end();
        response.write('.');
        setImmediate(write);
      };
      write();
    };
    let exchange!: Exchange;
    await new Promise<void>((resolve, reject) => {
      exchange = new Exchange(connections, {
        onHead: () => void hook.enable(),
        onChunk: (chunk) => void (chunks += chunk.length),
        onEnd: resolve,
        onErrorReply: () => undefined,
        onFailure: reject,
      });
      exchange.send(GET);
    }).finally(() => hook.disable());
    expect(chunks).toBeGreaterThanOrEqual(count);
    expect(promises).toBeLessThan(count / 10);
  });
});

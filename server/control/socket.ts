import { chmodSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createServer, IncomingMessage, request as httpRequest, ServerResponse } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { connect, Socket } from 'node:net';
import { basename, join, resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Logger } from 'pino';
import { answerParseErrors } from '../http/parse-errors.ts';
import { objectIn } from '../schema/json.ts';
import { createFolder, hasCode } from '../store/lowdb/files/disk.ts';
import { markFolder } from './folder-mark.ts';
import { FolderInUse, lockFolder, shortAlias } from '../store/lowdb/files/lock.ts';

/**
 * `DATA_DIR/docent.sock`: commands reach the server that has the folder by HTTP over this Unix socket. Only the server's own
 * user can connect; there is no other check.
 */
const SOCKET_NAME = 'docent.sock';
/** A server that works on a command sends a sign of it every two seconds. */
const MAX_SILENCE_MS = 10_000;
/** A server of a version before HTTP reads what a command sends as the beginning of a line, and waits for its end. */
const SILENT_SERVER = 'the server that runs did not answer in time; if it is of another version, restart it';

interface CommandSocket {
  /** Resolves when the commands under way have been answered; an archive is broken off. */
  close(): Promise<void>;
}

/** Requires the folder's lock: replaces a socket that a killed server left. */
export async function openSocket(dir: string, handle: RequestListener, log: Logger): Promise<CommandSocket> {
  const path = join(resolve(dir), SOCKET_NAME);
  const server = createServer(handle);
  answerParseErrors(server, log);
  const requests = new Map<Socket, { request: IncomingMessage; response: ServerResponse } | undefined>();
  server.on('connection', (socket) => {
    requests.set(socket, undefined);
    socket.once('close', () => requests.delete(socket));
  });
  server.on('request', (request, response) => requests.set(request.socket, { request, response }));
  await listen(server, resolve(dir), path);
  return {
    async close() {
      rmSync(path, { force: true });
      const closed = new Promise((done) => server.close(done));
      for (const [socket, exchange] of requests)
        if (!exchange?.request.complete || isStream(exchange.response)) socket.destroy();
      await closed;
    },
  };
}

/**
 * As `openSocket`, for a server that has its data elsewhere. Of several that have the same folder the first one answers commands, which
 * open the database themselves once it has ended.
 */
export async function openSharedSocket(dir: string, handle: RequestListener, log: Logger): Promise<CommandSocket> {
  createFolder(resolve(dir), `cannot create the data folder ${resolve(dir)}`);
  try {
    const lock = await lockFolder(dir);
    const opening = Promise.resolve().then(() => {
      markFolder(dir);
      return openSocket(dir, handle, log);
    });
    const socket = await opening.catch(async (error: unknown) => {
      await lock.release();
      throw error;
    });
    return { close: () => socket.close().finally(() => lock.release()) };
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
    log.info(`commands reach another server: ${error.message}`);
    return { close: () => Promise.resolve() };
  }
}

/** The type of an archive: of what may take long. */
export const STREAM_TYPE = 'application/x-ndjson';

/** Of a stream that the server could not bring to its end: why, percent-encoded. */
export const FAULT_TRAILER = 'x-fault';

const isStream = (response: ServerResponse): boolean => response.getHeader('content-type') === STREAM_TYPE;

/** Sets the mode in a folder with mode 0700 before renaming, so that no other user can connect in between. */
async function listen(server: Server, dir: string, path: string): Promise<void> {
  const near = shortAlias(dir);
  const aside = mkdtempSync(join(dir, 'sock-'));
  try {
    await new Promise<void>((done, fail) => {
      server.once('error', (error) => fail(new Error(`cannot open ${path}: ${error.message}`, { cause: error })));
      server.listen(join(near.path, basename(aside), 's'), done);
    });
    chmodSync(join(aside, 's'), 0o600);
    renameSync(join(aside, 's'), path);
  } finally {
    rmSync(aside, { recursive: true, force: true });
    near.remove();
  }
}

interface SentRequest {
  method: string;
  path: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  body?: string | undefined;
}

/** Sends one request; resolves with its whole reply. */
export type Send = (request: SentRequest) => Promise<{ status: number; text: string }>;

/** No server listens in the folder. */
export class NoServer extends Error {}

/** Sends to the server that has this folder; rejects with `NoServer` where there is none. `maxSilence`: milliseconds. */
export function connectToSocket(dir: string, maxSilence = MAX_SILENCE_MS): Send {
  return async ({ method, path, headers, body }) => {
    const connection = await connectTo(dir, maxSilence);
    return new Promise<Awaited<ReturnType<Send>>>((done, fail) => {
      const request = httpRequest({ method, path, headers, createConnection: () => connection });
      request.on('error', (error: NodeJS.ErrnoException) => fail(failureOf(error)));
      request.once('response', (response) => {
        text(response).then((all) => done({ status: response.statusCode!, text: all }), fail);
      });
      request.end(body);
    }).finally(() => connection.destroy());
  };
}

/**
 * The body of a reply, as it comes; it fails where the server cannot bring it to its end, or ends before. Rejects with `NoServer` where
 * there is none, and with the server's sentence where it refuses.
 */
export async function streamFromSocket(dir: string, path: string): Promise<Readable> {
  const connection = await connectTo(dir, MAX_SILENCE_MS);
  const reply = await new Promise<IncomingMessage>((done, fail) => {
    const request = httpRequest({ method: 'GET', path, createConnection: () => connection });
    request.on('error', (error: NodeJS.ErrnoException) => fail(failureOf(error)));
    request.once('response', (response) => {
      // A pause may be long: whoever reads it writes to a slow disk.
      connection.setTimeout(0);
      if (response.statusCode === 200) done(response);
      else
        text(response).then((all) => fail(new Error(String(objectIn(all)['error'] ?? otherVersion().message))), fail);
    });
    request.end();
  });
  return Readable.from(bytesOf(reply), { objectMode: false });
}

async function* bytesOf(reply: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* reply as AsyncIterable<Buffer>;
  } catch (error) {
    throw hasCode(error, 'ECONNRESET') ? new Error('the server ended before the archive was whole') : error;
  }
  const fault = reply.trailers[FAULT_TRAILER];
  if (fault !== undefined) throw new Error(decodeURIComponent(fault));
}

function connectTo(dir: string, maxSilence: number): Promise<Socket> {
  const near = shortAlias(resolve(dir));
  return new Promise<Socket>((done, fail) => {
    const socket = connect(join(near.path, SOCKET_NAME), () => done(socket));
    socket.setTimeout(maxSilence, () => socket.destroy(new Error(SILENT_SERVER)));
    socket.once('error', (error) => {
      if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ECONNREFUSED')) fail(new NoServer());
      else fail(new Error(`the server of ${dir} cannot be reached: ${error.message}`, { cause: error }));
    });
  }).finally(() => near.remove());
}

export const otherVersion = (cause?: unknown): Error =>
  new Error('the server that runs is of another version', { cause });

function failureOf(error: NodeJS.ErrnoException): Error {
  if (error.code?.startsWith('HPE_')) return otherVersion(error);
  return error.code === 'ECONNRESET' ? new Error('the server ended before it had answered', { cause: error }) : error;
}

/** Hands requests to a handler in this process, without the cost of connections and of parsing HTTP. */
export function inProcess(handle: RequestListener): Send {
  return ({ method, path, headers, body = '' }) =>
    new Promise((done) => {
      const length = { 'content-length': String(Buffer.byteLength(body)) };
      const sent = { method, url: path, httpVersion: '1.1', complete: true, headers: { ...headers, ...length } };
      const request = Object.assign(new IncomingMessage(new Socket()), sent);
      if (body) request.push(body);
      request.push(null);
      const response = new ServerResponse(request);
      response.useChunkedEncodingByDefault = false;
      response.writeProcessing = () => {};
      const written: Buffer[] = [];
      const write = (chunk: Buffer, _: unknown, next: () => void): void => {
        written.push(chunk);
        next();
      };
      response.assignSocket(new Writable({ write }) as Socket);
      response.once('finish', () => {
        const all = Buffer.concat(written).toString();
        done({ status: response.statusCode, text: all.slice(all.indexOf('\r\n\r\n') + 4) });
      });
      handle(request, response);
    });
}

import { chmodSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { basename, join, resolve } from 'node:path';
import { duplexPair, type Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { answerParseErrors } from '../http/parse-errors.ts';
import { hasCode } from '../store/lowdb/files/disk.ts';
import { shortAlias } from '../store/lowdb/files/lock.ts';

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
  /** Resolves when the commands under way have been answered. */
  close(): Promise<void>;
}

/** Requires the folder's lock: replaces a socket that a killed server left. */
export async function openSocket(dir: string, handle: RequestListener, log: Logger): Promise<CommandSocket> {
  const path = join(resolve(dir), SOCKET_NAME);
  const server = createServer(handle);
  answerParseErrors(server, log);
  const requests = new Map<Socket, IncomingMessage | undefined>();
  server.on('connection', (socket) => {
    requests.set(socket, undefined);
    socket.once('close', () => requests.delete(socket));
  });
  server.on('request', (request) => requests.set(request.socket, request));
  await listen(server, resolve(dir), path);
  return {
    async close() {
      rmSync(path, { force: true });
      const closed = new Promise((done) => server.close(done));
      for (const [socket, request] of requests) if (!request?.complete) socket.destroy();
      await closed;
    },
  };
}

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

/** A connection for one request. */
export type Connect = () => Promise<Duplex>;

/** No server listens in the folder. */
export class NoServer extends Error {}

/** Connects to the server that has this folder; rejects with `NoServer` where there is none. `maxSilence`: milliseconds. */
export const connectToSocket =
  (dir: string, maxSilence = MAX_SILENCE_MS): Connect =>
  () => {
    const near = shortAlias(resolve(dir));
    return new Promise<Duplex>((done, fail) => {
      const socket = connect(join(near.path, SOCKET_NAME), () => done(socket));
      socket.setTimeout(maxSilence, () => socket.destroy(new Error(SILENT_SERVER)));
      socket.once('error', (error) => {
        if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ECONNREFUSED')) fail(new NoServer());
        else fail(new Error(`the server of ${dir} cannot be reached: ${error.message}`, { cause: error }));
      });
    }).finally(() => near.remove());
  };

/** Connects to a handler in this process. */
export function inProcess(handle: RequestListener): Connect {
  const server = createServer(handle);
  return async () => {
    const [near, far] = duplexPair();
    server.emit('connection', far);
    return near;
  };
}

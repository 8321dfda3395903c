import { chmodSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { basename, join, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Users } from './users.ts';
import { asRefusal, Refusal } from '../schema/errors.ts';
import type { Operator } from './operator.ts';
import { hasCode, ignore } from '../store/lowdb/files/disk.ts';
import { nearby } from '../store/lowdb/files/lock.ts';
import type { IngestJobs } from './ingest-jobs.ts';

/**
 * `DATA_DIR/docent.sock`: how commands reach the server that has the folder. A connection carries one request, `{verb,
 * words}`, and one reply, `{done}` or `{error}`, each a JSON text that ends with its side of the connection. While a verb
 * takes its time, the reply begins with white space, so that the command knows that it is being worked on. Only the
 * server's own user can connect; there is no other check.
 */
const NAME = 'docent.sock';
const LONGEST_REQUEST = 65_536;
/** A command that says nothing for so long is cut off, and one that waits so long gives up. */
const PATIENCE_MS = 10_000;
/** From one sign of life to the next. */
const SIGN_MS = 2000;

type Reply = { done: unknown } | { error: string };

/** What commands have done, by the server that has the folder or by themselves. */
export type Verbs = Users & IngestJobs & Operator;

const ADMIN = ['addUser', 'users', 'addKey', 'keys', 'revokeKeys'] as const;
const INGESTING = ['ingest', 'job', 'endJob'] as const;
const OPERATOR = ['addChatbot', 'chatbots', 'updateChatbot', 'removeChatbot', 'ask', 'removeUser'] as const;
const VERBS: readonly (keyof Verbs)[] = [...ADMIN, ...INGESTING, ...OPERATOR];

export interface CommandSocket {
  /** Lets the commands under way end. */
  close(): Promise<void>;
}

/** To be called by whoever has the folder's lock: a socket that a killed server left is replaced. */
export async function openSocket(rooms: { dir: string; verbs: Verbs; log: Logger }): Promise<CommandSocket> {
  const path = join(resolve(rooms.dir), NAME);
  const waiting = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => void serve(socket, waiting, rooms));
  await listen(server, resolve(rooms.dir), path);
  return {
    async close() {
      rmSync(path, { force: true });
      const closed = new Promise((done) => server.close(done));
      for (const socket of waiting) socket.destroy();
      await closed;
    },
  };
}

/** The socket gets its mode in a folder that nobody else may enter, and only then its name. */
async function listen(server: Server, dir: string, path: string): Promise<void> {
  const near = nearby(dir);
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
    near.leave();
  }
}

async function serve(socket: Socket, waiting: Set<Socket>, rooms: { verbs: Verbs; log: Logger }): Promise<void> {
  socket.on('error', ignore);
  waiting.add(socket);
  const text = await readAll(socket).catch(ignore);
  waiting.delete(socket);
  if (text === undefined) {
    socket.destroy();
    return;
  }
  const signs = setInterval(() => socket.write(' '), SIGN_MS);
  const reply = await replyTo(text, rooms);
  clearInterval(signs);
  socket.end(JSON.stringify(reply));
}

/** What an answer to a command may say is a `Refusal`'s sentence; the rest is for the log, which sees no key. */
async function replyTo(text: string, { verbs, log }: { verbs: Verbs; log: Logger }): Promise<Reply> {
  try {
    const { verb, words } = readRequest(text);
    // A command asks for this five times a second.
    log[verb === 'job' ? 'debug' : 'info']({ verb }, 'command');
    const act = verbs[verb] as (...words: string[]) => Promise<unknown>;
    return { done: await act(...words) };
  } catch (error) {
    const refusal = asRefusal(error);
    if (!refusal) log.error({ err: error }, 'command failed');
    return { error: refusal?.message ?? 'the server could not do it; its log says why' };
  }
}

/** What is wrong with a request is said without its words, of which one may be a key. */
function readRequest(text: string): { verb: keyof Verbs; words: string[] } {
  const { verb, words } = readObject(text);
  const known = VERBS.find((one) => one === verb);
  const areWords = Array.isArray(words) && words.every((word) => typeof word === 'string');
  if (!known || !areWords) throw new Refusal('bad_request', 'the server that runs is of another version');
  return { verb: known, words };
}

function readObject(text: string): { verb?: unknown; words?: unknown } {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Rejects where the other side breaks off, says too much, or nothing for too long. */
function readAll(socket: Socket, most = LONGEST_REQUEST): Promise<string> {
  return new Promise((done, fail) => {
    const pieces: Buffer[] = [];
    let length = 0;
    socket.setTimeout(PATIENCE_MS, () => fail(new Error('there was no answer in time')));
    socket.on('data', (piece) => {
      pieces.push(piece);
      length += piece.length;
      if (length > most) fail(new Error('that was too long'));
    });
    socket.once('end', () => done(Buffer.concat(pieces).toString()));
    socket.once('close', () => fail(new Error('the server broke off')));
    socket.once('error', fail);
  });
}

/** No server listens in the folder. */
export class NobodyListens extends Error {}

/** The verbs of the server that has this folder. Each throws `NobodyListens` where there is none. */
export const remoteVerbs = (dir: string): Verbs =>
  Object.fromEntries(VERBS.map((verb) => [verb, (...words: string[]) => ask(dir, verb, words)])) as unknown as Verbs;

async function ask(dir: string, verb: keyof Verbs, words: string[]): Promise<unknown> {
  const socket = await reach(dir);
  try {
    socket.end(JSON.stringify({ verb, words }));
    const text = await readAll(socket, Infinity);
    if (text.trim() === '') throw new Error('the server ended before it had answered');
    const reply = JSON.parse(text) as Reply;
    if ('error' in reply) throw new Error(reply.error);
    return reply.done;
  } finally {
    socket.destroy();
  }
}

function reach(dir: string): Promise<Socket> {
  const near = nearby(resolve(dir));
  return new Promise<Socket>((done, fail) => {
    const socket = connect(join(near.path, NAME), () => done(socket));
    socket.once('error', (error) => {
      if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ECONNREFUSED')) fail(new NobodyListens());
      else fail(new Error(`the server of ${dir} cannot be reached: ${error.message}`, { cause: error }));
    });
  }).finally(() => near.leave());
}

#!/usr/bin/env node
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { boot, type DocentServer } from './boot.ts';
import { runCommand } from './cli/run.ts';
import { readConfig } from './config.ts';
import { printWelcome, printWelcomeAtOnce } from './cli/welcome.ts';
import { createStartupHandler } from './http/starting.ts';
import { answerParseErrors, requireHost, HTTP_SERVER_OPTIONS } from './http/parse-errors.ts';

/** For the person at the terminal. Standard output carries the log alone, one JSON object a line. */
const write = (words: string): boolean => process.stderr.write(words);

/** Milliseconds that answers under way have to end after a signal. */
const DRAIN_MS = 30_000;
/** Milliseconds that answers have to end after a fault. */
const FAULT_DRAIN_MS = 10_000;

/** `docent` alone starts the server; with words it is a command. */
async function main(): Promise<void> {
  const words = process.argv.slice(2);
  if (words.length === 0) return startServer();
  // A command may name a key, and whoever lists the processes would read it.
  process.title = 'docent';
  process.exitCode = await runCommand(words, process.env, {
    out: (text) => process.stdout.write(text),
    err: write,
    columns: () => (process.stdout.isTTY ? process.stdout.columns : undefined),
    showsProgress: () => process.stderr.isTTY,
    stdin: process.stdin,
    stdout: process.stdout,
    onInterrupt(act) {
      process.once('SIGINT', act);
      return () => process.off('SIGINT', act);
    },
  });
}

async function startServer(): Promise<void> {
  // The reader of a pipe may end (`docent | head`): the server goes on.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const { host, port, databaseUrl } = readConfig(process.env);
  const starting = createStartupHandler();
  const server = createServer(HTTP_SERVER_OPTIONS, requireHost(starting.handle));
  await listening(server, host, port);
  const actual = (server.address() as AddressInfo).port;
  // A balancer in front of several servers goes on to the next one where none listens: what it sent here would wait, or be refused.
  const listensEarly = databaseUrl === undefined;
  if (!listensEarly) await closed(server);
  const booted = await boot({ ...process.env, PORT: String(actual) });
  starting.started(booted.handler);
  if (!listensEarly) await listening(server, host, actual);
  booted.log.info({ host, port: actual }, 'listening');
  booted.log.flush();
  answerParseErrors(server, booted.log);
  endOnSignals(server, booted);
  const greet = process.stdout.isTTY ? printWelcome : printWelcomeAtOnce;
  // A signal during the greeting closes the store under it: no reason to fail.
  await greet(booted, write).catch((error: unknown) => booted.log.warn({ err: error }, 'no greeting'));
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      reject(
        new Error(
          taken ? `PORT ${port} is in use on ${host}; set PORT to a free one` : `HOST ${host}: ${error.message}`,
        ),
      );
    });
    server.listen(port, host, resolve);
  });
}

function closed(server: Server): Promise<unknown> {
  const ended = new Promise((done) => server.close(done));
  server.closeAllConnections();
  return ended;
}

/** Drains on SIGTERM, SIGINT and uncaught faults. A second signal exits at once. */
function endOnSignals(server: Server, booted: DocentServer): void {
  let ending = false;
  const unused = new Set<Socket>();
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  // What came next on the connection would be refused, where a client that finds it closed goes on to another server.
  server.on('request', ({ socket }, response) => {
    unused.delete(socket);
    response.once('finish', () => ending && socket.end());
  });
  const end = async (code: number, limit: number): Promise<void> => {
    ending = true;
    booted.log.info('draining');
    const closed = new Promise((done) => server.close(done));
    for (const socket of unused) socket.destroy();
    // A kept-alive connection is idle only some time after its last reply.
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    const patience = new Promise((done) => setTimeout(done, limit));
    await booted.drain(limit);
    // Uploads and slow readers get what is left of the time.
    await Promise.race([closed, patience]);
    clearInterval(idle);
    server.closeAllConnections();
    await booted.close();
    process.exit(code);
  };
  const onSignal = (): void => {
    if (ending) process.exit(1);
    end(0, DRAIN_MS).catch(() => process.exit(1));
  };
  const onFault = (message: string) => (error: unknown) => {
    // At `fatal` pino flushes synchronously, and blocks where nothing reads the pipe.
    booted.log.error({ err: error }, message);
    if (ending) return;
    setTimeout(() => process.exit(1), FAULT_DRAIN_MS * 2);
    end(1, FAULT_DRAIN_MS).catch(() => process.exit(1));
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  // The state is unknown after these: answers under way are finished, and the supervisor restarts the process.
  process.on('uncaughtException', onFault('uncaught exception: the server drains and ends'));
  process.on('unhandledRejection', onFault('unhandled rejection: the server drains and ends'));
}

main().catch((error: unknown) => {
  write(`docent: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});

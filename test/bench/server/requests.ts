import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';

/** A server under load: the pipe, Docent's chat router, or the fake model itself. */
export interface Target {
  port: number;
  /** The body contains it as soon as the first text of the answer has arrived. */
  firstText: string;
  /** The next request. */
  question(): ChatRequest;
}

export interface ChatRequest {
  path: string;
  headers: Record<string, string>;
  body: string;
  /** Throws unless the body of the reply is the expected answer. */
  check(reply: string): void;
}

const agent = new Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: Infinity });

/** Sends one question and checks the answer; resolves with the time to the first text in ms. */
export function ask(target: Target): Promise<number> {
  const { path, headers, body, check } = target.question();
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { agent, port: target.port, host: '127.0.0.1', path, method: 'POST', headers },
      (reply) => {
        let text = '';
        let first = 0;
        reply.setEncoding('utf8');
        reply.on('data', (piece: string) => {
          text += piece;
          if (first === 0 && text.includes(target.firstText)) first = performance.now() - start;
        });
        reply.on('error', reject);
        reply.on('end', () => {
          try {
            check(text);
            resolve(first);
          } catch (error) {
            reject(error as Error);
          }
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Sends `count` questions, `concurrency` at a time; resolves with the times to the first text in ms. */
export async function askMany(target: Target, count: number, concurrency: number): Promise<number[]> {
  const times: number[] = [];
  let left = count;
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      times.push(await ask(target));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return times;
}

/** An open answer stream, on a plain socket, so that thousands of them cost the bench little. */
export interface OpenStream {
  socket: Socket;
  /** Head and body of the reply so far, as latin1. */
  received(): string;
}

/** Sends a question and resolves when `text` has arrived; with `stall` it reads nothing after that. */
export function openStream(target: Target, text: string, stall = false): Promise<OpenStream> {
  const { path, headers, body } = target.question();
  const socket = connect({ port: target.port, host: '127.0.0.1' });
  let received = '';
  return new Promise((resolve, reject) => {
    socket.setEncoding('latin1');
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`closed after: ${received.slice(0, 500)}`)));
    socket.on('data', (piece: string) => {
      received += piece;
      if (!received.includes(text)) return;
      if (stall) socket.pause();
      resolve({ socket, received: () => received });
    });
    const lines = Object.entries({
      host: `127.0.0.1:${target.port}`,
      'content-length': Buffer.byteLength(body),
      ...headers,
    });
    socket.write(
      `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
    );
  });
}

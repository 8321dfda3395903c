import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';

/** Whoever is asked here: the pipe, the server at its door, or the model server itself. */
export interface Target {
  port: number;
  /** What stands in the body when the first text of the answer has come. */
  firstText: string;
  /** The next question. */
  question(): Question;
}

export interface Question {
  path: string;
  headers: Record<string, string>;
  body: string;
  /** Throws where this, the body of the reply, is not the right answer. */
  check(reply: string): void;
}

const agent = new Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: Infinity });

/** One question, its answer checked; resolves with the milliseconds to the first text. */
export function ask(target: Target): Promise<number> {
  const { path, headers, body, check } = target.question();
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const asked = request({ agent, port: target.port, host: '127.0.0.1', path, method: 'POST', headers }, (reply) => {
      let text = '';
      let first = 0;
      reply.setEncoding('utf8');
      reply.on('data', (piece: string) => {
        text += piece;
        if (first === 0 && text.includes(target.firstText)) first = performance.now() - began;
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
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

/** `count` questions, `at a time` of them under way; the milliseconds to each first text. */
export async function askMany(target: Target, count: number, atATime: number): Promise<number[]> {
  const first: number[] = [];
  let left = count;
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      first.push(await ask(target));
    }
  };
  await Promise.all(Array.from({ length: atATime }, one));
  return first;
}

/** An answer whose end is not waited for: a bare socket, so that thousands of them cost this process little. */
export interface Held {
  socket: Socket;
  /** The head and body of the reply so far, as they came over the wire. */
  received(): string;
}

/** Asks, and resolves when `text` has come; with `stall` it reads no byte after that. */
export function hold(target: Target, text: string, stall = false): Promise<Held> {
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

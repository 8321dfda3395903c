import type { Connections } from '../../outbound/connections.ts';
import { withDeadline } from '../../outbound/deadline.ts';
import { Exchange, tooSlow, upstreamFailed, type Request } from '../../outbound/request.ts';

/** The interface's operations on another server, as far as the door needs them. Replies are nobody's word: see foreign-records.ts. */
export interface RemoteClient {
  /** `undefined` where the server answers that there is none. */
  chatbot(uuid: string): Promise<unknown>;
  createSession(chatbot: string, variables: object | undefined): Promise<unknown>;
  deleteSession(session: string): Promise<void>;
  messages(session: string): Reply<unknown>;
  /**
   * `onText` gets the pieces of the answer; `done` resolves with the status of the reply. How long it may take is the
   * caller's to bound.
   */
  ask(session: string, query: string, onText: (piece: string) => void): Reply<number>;
}

export interface Reply<T> {
  done: Promise<T>;
  stop(): void;
}

interface Server {
  connections: Connections;
  /** What stands before /api/v1. */
  prefix: string;
  apiKey: string;
}

/** Bytes; a list of messages holds whole answers. */
const LARGEST_REPLY = 32 * 1024 * 1024;
/** Milliseconds for any reply but an answer. */
const REPLY_TIMEOUT = 60_000;
/** A caller of the interface treats any other status as failure. */
const OK = 200;
const ABSENT = new Set([400, 404, 410, 422]);

export function createRemoteClient({ connections, prefix, apiKey }: Server): RemoteClient {
  const authorization = ['authorization', `Bearer ${apiKey}`];

  function request(method: Request['method'], path: string, body?: object): Request {
    const described = { method, path: `${prefix}/api/v1${path}`, headers: authorization };
    if (!body) return described;
    const headers = [...authorization, 'content-type', 'application/json'];
    return { ...described, headers, body: JSON.stringify(body) };
  }

  function reply(asked: Request): Reply<{ status: number; body: string }> {
    const chunks: Buffer[] = [];
    let size = 0;
    const exchange = new Exchange(connections, asked, (chunk) => {
      size += chunk.length;
      if (size > LARGEST_REPLY) exchange.stop();
      else chunks.push(Buffer.from(chunk));
    });
    const { done, stop } = withDeadline(exchange, REPLY_TIMEOUT, tooSlow);
    const whole = done.then((status) => {
      if (size > LARGEST_REPLY) throw upstreamFailed('a reply larger than 32 MB');
      return { status, body: Buffer.concat(chunks).toString('utf8') };
    });
    return { done: whole, stop };
  }

  function record(asked: Request): Reply<unknown> {
    const { done, stop } = reply(asked);
    const read = done.then(({ status, body }) => {
      if (status !== OK) throw upstreamFailed(`${asked.method} answered ${status}`, `status_${status}`);
      return parsed(body);
    });
    return { done: read, stop };
  }

  return {
    async chatbot(uuid) {
      const { status, body } = await reply(request('GET', `/chatbot/${encodeURIComponent(uuid)}`)).done;
      if (ABSENT.has(status)) return undefined;
      const hint = status === 401 ? ', is the key right?' : '';
      if (status !== OK) throw upstreamFailed(`the chatbot's record: ${status}${hint}`, `status_${status}`);
      return parsed(body);
    },
    createSession: (chatbot, variables) =>
      record(
        request(
          'POST',
          `/chatbot/${encodeURIComponent(chatbot)}/session/create`,
          variables && { initial_variables: variables },
        ),
      ).done,
    async deleteSession(session) {
      const { status } = await reply(request('POST', `/session/${encodeURIComponent(session)}/delete`)).done;
      if (status !== OK && !ABSENT.has(status))
        throw upstreamFailed(`deleting a session: ${status}`, `status_${status}`);
    },
    messages: (session) => record(request('GET', `/session/${encodeURIComponent(session)}/messages`)),
    ask(session, query, onText) {
      // UTF-8, whatever charset is said or not said.
      const decoder = new TextDecoder();
      const asked = request('POST', `/session/${encodeURIComponent(session)}/message/stream`, { query });
      const exchange = new Exchange(connections, asked, (chunk, status) => {
        if (status === OK) onText(decoder.decode(chunk, { stream: true }));
      });
      const done = exchange.done.then((status) => {
        if (status === OK) onText(decoder.decode());
        return status;
      });
      return { done, stop: () => exchange.stop() };
    },
  };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw upstreamFailed('a reply that is not JSON');
  }
}

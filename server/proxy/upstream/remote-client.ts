import type { Question } from '../../answer/runs.ts';
import type { Connections } from '../../outbound/connections.ts';
import { Exchange, fetchWhole, type OutboundRequest, type WholeReply } from '../../outbound/exchange.ts';
import { ExchangeFailure } from '../../outbound/failures.ts';
import { exchangeFailed, overloaded, upstreamFailed } from './errors.ts';

/** `variables`: ours, a server that knows none passes over them. */
type Asked = Pick<Question, 'query' | 'variables'>;

/**
 * The operations of the interface that the chat API calls on another server. Replies are untrusted: `remote-records.ts`
 * validates them. Rejects with an `OutboundFailure`, or with the reason of the signal.
 */
export interface RemoteClient {
  /** Undefined where the server answers that there is none. */
  chatbot(uuid: string): Promise<unknown>;
  /** `key`: its Idempotency-Key; the same session is made once, whichever process asks for it. */
  createSession(chatbot: string, variables: object | undefined, key: string): Promise<unknown>;
  deleteSession(session: string): Promise<void>;
  messages(session: string, signal: AbortSignal): Promise<unknown>;
  /**
   * `onText` gets the pieces of the answer, and ends it by returning false. Resolves with the status of the reply. Only the
   * signal bounds how long it takes.
   */
  ask(session: string, question: Asked, onText: (piece: string) => boolean, signal: AbortSignal): Promise<number>;
}

interface RemoteServer {
  connections: Connections;
  /** The path before /api/v1. */
  prefix: string;
  apiKey: string;
}

/** A list of messages holds whole answers. */
const MAX_REPLY_BYTES = 32 * 1024 * 1024;
/** Milliseconds for any reply but an answer. */
const REPLY_TIMEOUT = 60_000;
/** The interface knows no other status of success. */
const OK = 200;
/** Statuses for a record that does not exist. */
const ABSENT = new Set([400, 404, 410, 422]);

export function createRemoteClient({ connections, prefix, apiKey }: RemoteServer): RemoteClient {
  const authorization = ['authorization', `Bearer ${apiKey}`];

  function outbound(method: OutboundRequest['method'], path: string, body?: object): OutboundRequest {
    const request = { method, path: `${prefix}/api/v1${path}`, headers: authorization };
    if (!body) return request;
    const headers = [...authorization, 'content-type', 'application/json'];
    return { ...request, headers, body: JSON.stringify(body) };
  }

  async function fetchReply(request: OutboundRequest, signal?: AbortSignal): Promise<WholeReply> {
    const options = { maxBytes: MAX_REPLY_BYTES, deadline: REPLY_TIMEOUT, signal };
    const reply = await fetchWhole(connections, request, options).catch((error: unknown) => {
      throw toOutboundFailure(error);
    });
    const failure = overloaded(reply);
    if (failure) throw failure;
    return reply;
  }

  async function fetchRecord(request: OutboundRequest, signal?: AbortSignal): Promise<unknown> {
    const { status, body } = await fetchReply(request, signal);
    if (status !== OK) throw upstreamFailed(`${request.method} answered ${status}`, `status_${status}`);
    return parseJson(body);
  }

  return {
    async chatbot(uuid) {
      const { status, body } = await fetchReply(outbound('GET', `/chatbot/${encodeURIComponent(uuid)}`));
      if (ABSENT.has(status)) return undefined;
      const hint = status === 401 ? ', is the key right?' : '';
      if (status !== OK) throw upstreamFailed(`the chatbot's record: ${status}${hint}`, `status_${status}`);
      return parseJson(body);
    },
    createSession(chatbot, variables, key) {
      const path = `/chatbot/${encodeURIComponent(chatbot)}/session/create`;
      const request = outbound('POST', path, variables && { initial_variables: variables, from_visitor: true });
      return fetchRecord({ ...request, headers: [...request.headers, 'idempotency-key', key] });
    },
    async deleteSession(session) {
      const { status } = await fetchReply(outbound('POST', `/session/${encodeURIComponent(session)}/delete`));
      if (status !== OK && !ABSENT.has(status))
        throw upstreamFailed(`deleting a session: ${status}`, `status_${status}`);
    },
    messages: (session, signal) =>
      fetchRecord(outbound('GET', `/session/${encodeURIComponent(session)}/messages`), signal),
    ask(session, { query, variables }, onText, signal) {
      const path = `/session/${encodeURIComponent(session)}/message/stream`;
      const request = outbound('POST', path, { query, variables });
      return streamText(connections, request, onText, signal);
    },
  };
}

/** The text of a reply, as UTF-8 whatever charset it names. */
function streamText(
  connections: Connections,
  request: OutboundRequest,
  onText: (piece: string) => boolean,
  signal: AbortSignal,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const decoder = new TextDecoder();
    let status = 0;
    const reader = {
      onHead: (received: number) => void (status = received),
      onChunk(chunk: Buffer) {
        if (status !== OK || onText(decoder.decode(chunk, { stream: true }))) return;
        exchange.stop();
        resolve(status);
      },
      onEnd() {
        if (status === OK) onText(decoder.decode());
        resolve(status);
      },
      onErrorReply(reply: { status: number; retryAfter: number | undefined }): undefined {
        const failure = overloaded(reply);
        if (failure) reject(failure);
        else resolve(reply.status);
      },
      onFailure: (error: Error) => reject(toOutboundFailure(error)),
    };
    const exchange = new Exchange(connections, reader, { signal });
    exchange.send(request);
  });
}

const toOutboundFailure = (error: unknown): Error =>
  error instanceof ExchangeFailure ? exchangeFailed(error) : (error as Error);

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw upstreamFailed('a reply that is not JSON');
  }
}

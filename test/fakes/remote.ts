import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A remote upstream with the least that the interface asks for: messages of eight keys, a stream without a charset, errors
 * in plain text, `show_citation` in the singular. Each misbehaviour is a field.
 */
export interface FakeRemote {
  url: string;
  key: string;
  /** The chatbot's record as it is sent; `undefined` for none. */
  chatbot: Record<string, unknown> | undefined;
  /** Writes the reply of a message stream, and ends or destroys it. */
  stream: (reply: ServerResponse, query: string) => void | Promise<void>;
  /** The record of a message beyond uuid, query and timestamps. */
  record: Record<string, unknown>;
  /** Answers a request in place of the default; returns false to leave it. */
  instead: (request: IncomingMessage, reply: ServerResponse) => boolean;
  /** Method and path of each request, in order. */
  requests: string[];
  /** By session. */
  queries: Map<string, string[]>;
  close(): Promise<void>;
}

const CHATBOT = '0123456789abcdef0123456789abcdef';
const TIMES = { created_at: '2026-01-02T03:04:05Z', modified_at: '2026-01-02T03:04:05Z' };

export async function startFakeRemote(): Promise<FakeRemote> {
  let sessions = 0;

  async function answer(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    fake.requests.push(`${request.method} ${request.url}`);
    if (fake.instead(request, reply)) return;
    if (request.headers.authorization !== `Bearer ${fake.key}`) return refuse(reply, 401, 'no such key');
    const { pathname } = new URL(request.url!, 'http://x');
    const [kind, uuid = '', ...rest] = pathname.replace(/^(?:\/prefix)?\/api\/v1\//, '').split('/');
    const operation = `${request.method} ${kind} ${rest.join('/')}`.trim();
    const queries = fake.queries.get(uuid);
    if (kind === 'chatbot' && !fake.chatbot) return refuse(reply, 404, 'no chatbot');
    if (kind === 'session' && !queries) return refuse(reply, 404, 'no session');
    if (operation === 'GET chatbot') return send(reply, fake.chatbot);
    if (operation === 'POST chatbot session/create') {
      const session = `session-${(sessions += 1)}`;
      fake.queries.set(session, []);
      return send(reply, { uuid: session, ...TIMES });
    }
    if (operation === 'POST session message/stream') {
      const { query } = JSON.parse(await bodyOf(request)) as { query: string };
      queries!.push(query);
      reply.writeHead(200, { 'Content-Type': 'text/plain' });
      return fake.stream(reply, query);
    }
    if (operation === 'GET session messages') return send(reply, queries!.map(message));
    if (operation === 'POST session delete') return send(reply, { success: fake.queries.delete(uuid) });
    refuse(reply, 404, 'not here');
  }

  const message = (query: string, i: number): object => ({
    uuid: `message-${i}`,
    query,
    response: '',
    finish_reason: 'stop',
    cite_data_json: '',
    meta_json: '{"canary":"canary-meta"}',
    ...TIMES,
    ...fake.record,
  });

  const server = createServer((request, reply) => void answer(request, reply));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const fake: FakeRemote = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key: 'canary-upstream-key',
    chatbot: {
      uuid: CHATBOT,
      name: 'Elsewhere',
      ...TIMES,
      meta: { rate_limit: [100, 1], rate_limit_message: 'Wait', show_citation: true, visibility: 'public' },
    },
    stream: (reply) => void reply.end('You have 30 days.'),
    record: {},
    instead: () => false,
    requests: [],
    queries: new Map(),
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return fake;
}

const send = (reply: ServerResponse, record: unknown): void => {
  reply.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(record));
};

const refuse = (reply: ServerResponse, status: number, words: string): void => {
  reply.writeHead(status, { 'Content-Type': 'text/plain' }).end(words);
};

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

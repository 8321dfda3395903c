import { randomBytes } from 'node:crypto';
import { Agent, request, type IncomingMessage } from 'node:http';
import type { VisitorMessage } from '../../../server/types.ts';
import { MODEL_ANSWER_END, QUESTIONS, QUESTIONS_PER_SESSION } from '../server/targets.ts';
import type { Cluster } from './cluster.ts';

/** Milliseconds since the question was sent. */
export interface Times {
  /** The first byte of the reply's body. */
  byte: number;
  /** The first text of the answer. */
  text: number;
}

export interface Visitor {
  /** It has a rate limit of its own. */
  address: string;
  session: string | undefined;
  turn: number;
}

/** What a visitor has got of an answer, over one connection or several. */
export interface Received {
  id: string;
  query: string;
  session: string | undefined;
  message: string | undefined;
  text: string;
  /** Of the last event with one: where to go on. */
  offset: string;
  done: VisitorMessage | undefined;
}

// Idle connections end before the server ends them, or a request could be sent on one that is being closed.
const agent = new Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: Infinity, timeout: 2000 });
/** Sessions that are read back after a load, at most. */
const MAX_READ_BACK = 300;

/** Ask as the widget does: each question has an id, each visitor a session of some questions. Remembers what they were told. */
export class Visitors {
  readonly #cluster: Cluster;
  readonly #withModel: boolean;
  readonly #returning: Visitor[] = [];
  /** By session. */
  readonly #told = new Map<string, Received[]>();
  #count: number;

  /** `base`: visitors of the cluster before these. */
  constructor(cluster: Cluster, withModel: boolean, { base = 0 } = {}) {
    this.#cluster = cluster;
    this.#withModel = withModel;
    this.#count = base;
  }

  next(): Visitor {
    const count = ++this.#count;
    return (
      this.#returning.shift() ?? {
        address: `10.${count >> 16}.${(count >> 8) & 255}.${count & 255}`,
        session: undefined,
        turn: 0,
      }
    );
  }

  /** A question of one visitor to the next server; throws where the answer is not the expected one. */
  async ask(visitor = this.next()): Promise<Times> {
    const received = this.begin(visitor);
    const times = await this.send(visitor, received, this.#cluster.next());
    this.accept(visitor, received);
    return times;
  }

  begin({ session, turn }: Visitor): Received {
    const query = QUESTIONS[turn % QUESTIONS.length]!;
    const id = randomBytes(16).toString('hex');
    return { id, query, session, message: undefined, text: '', offset: '', done: undefined };
  }

  send(visitor: Visitor, received: Received, port: number): Promise<Times> {
    const { id, query } = received;
    const body = JSON.stringify({ query, id, ...(visitor.session && { session: visitor.session }) });
    return stream(visitor, received, { port, path: `/chat/${this.#cluster.chatbot}/ask`, body });
  }

  /** Reads on where the connection was lost. */
  resume(visitor: Visitor, received: Received, port: number): Promise<Times> {
    const { session, message } = received;
    const path = `/chat/${this.#cluster.chatbot}/session/${session}/message/${message}/stream`;
    return stream(visitor, received, { port, path });
  }

  /** Checks an answer that has ended, and remembers it; the visitor may ask again. */
  accept(visitor: Visitor, received: Received, { isKilled = false } = {}): void {
    const { session, text, done } = received;
    if (!done || session === undefined) throw new Error(`not ended: ${JSON.stringify(received)}`);
    const isWhole = this.#withModel ? MODEL_ANSWER_END.test(done.response) : done.response.includes('[1]');
    const isInterrupted = isKilled && done.finish_reason === 'interrupted';
    // On files nothing is stored of an answer before its end.
    const isBeginning = done.response.startsWith(text) || (isInterrupted && !this.#cluster.isShared);
    if (!(isInterrupted || (isWhole && done.finish_reason === 'stop')) || !isBeginning)
      throw new Error(`not the expected answer: ${JSON.stringify(received)}`);
    const all = this.#told.get(session) ?? [];
    if (all.length === 0) this.#told.set(session, all);
    all.push(received);
    visitor.session = session;
    visitor.turn += 1;
    if (visitor.turn < QUESTIONS_PER_SESSION) this.#returning.push(visitor);
  }

  /** Reads conversations back from the next servers, and throws where one is not what its visitor was told. */
  async check(): Promise<void> {
    const step = Math.max(1, Math.floor(this.#told.size / MAX_READ_BACK));
    for (const [at, [session, told]] of [...this.#told].entries()) {
      if (at % step !== 0) continue;
      const url = `http://127.0.0.1:${this.#cluster.next()}/chat/${this.#cluster.chatbot}/session/${session}/messages`;
      const stored = (await (await fetch(url)).json()) as VisitorMessage[];
      for (const { message, done } of told) {
        const found = stored.find(({ uuid }) => uuid === message);
        if (found?.response !== done!.response) throw new Error(`lost: ${message} of ${session}`);
      }
      if (stored.length !== told.length) throw new Error(`${stored.length} messages in place of ${told.length}`);
    }
    this.#told.clear();
  }
}

interface Sent {
  port: number;
  path: string;
  /** A GET without it. */
  body?: string;
}

/** A reply that is not a stream. */
export class StatusError extends Error {
  readonly status: number;
  constructor(status: number, text: string) {
    super(`${status}: ${text}`);
    this.status = status;
  }
}

/** Rejects where the connection is lost before the last event. */
function stream({ address }: Visitor, received: Received, { port, path, body }: Sent): Promise<Times> {
  const headers = {
    'x-forwarded-for': address,
    ...(body && { 'content-type': 'application/json' }),
    ...(received.offset && { 'last-event-id': received.offset }),
  };
  const start = performance.now();
  const times: Times = { byte: 0, text: 0 };
  return new Promise((resolve, reject) => {
    const read = (reply: IncomingMessage): void => {
      let rest = '';
      reply.setEncoding('utf8');
      reply.on('data', (piece: string) => {
        times.byte ||= performance.now() - start;
        const events = (rest + piece).split('\n\n');
        rest = events.pop()!;
        try {
          if (reply.statusCode === 200) for (const event of events) take(event, received);
        } catch (error) {
          reply.destroy(error as Error);
        }
        if (received.text !== '') times.text ||= performance.now() - start;
      });
      reply.on('error', reject);
      reply.on('end', () => {
        if (reply.statusCode !== 200) reject(new StatusError(reply.statusCode!, rest));
        else if (received.done) resolve(times);
        else reject(new Error('the stream was cut'));
      });
    };
    const outgoing = request({ agent, port, host: '127.0.0.1', path, method: body ? 'POST' : 'GET', headers }, read);
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

function take(event: string, received: Received): void {
  const [, name] = /^event: (\w+)$/m.exec(event) ?? [];
  const [, data = '{}'] = /^data: (.*)$/m.exec(event) ?? [];
  received.offset = /^id: (\d+)$/m.exec(event)?.[1] ?? received.offset;
  if (name === 'session') received.session = (JSON.parse(data) as { uuid: string }).uuid;
  else if (name === 'message') received.message = (JSON.parse(data) as { uuid: string }).uuid;
  else if (name === 'delta') received.text += (JSON.parse(data) as { text: string }).text;
  else if (name === 'done') received.done = JSON.parse(data) as VisitorMessage;
  else if (name === 'error') throw new Error(`an error event: ${data}`);
}

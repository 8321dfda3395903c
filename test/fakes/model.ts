import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A server that speaks the wire format of OpenAI's `POST /v1/chat/completions` and `POST /v1/embeddings`, and does what
 * a test tells it to.
 */
export interface FakeModel {
  /** What goes into `LLM_BASE_URL`. */
  baseUrl: string;
  /** In order of arrival. */
  requests: SeenRequest[];
  /** For the next requests, one each, before `script` is asked again. */
  next(...scripts: Script[]): void;
  /** Drops what `next` still holds, so that a test that failed leaves nothing to the one after it. */
  clear(): void;
  /** In order of arrival, those of `/v1/embeddings`. */
  embedRequests: (SeenRequest & { body: { input: string[] } })[];
  /** As `next`, for embeddings: `raw`, `status`, `headers` and times alone count. */
  nextEmbedding(...scripts: Script[]): void;
  /** What every request for embeddings gets, until it is set to undefined again. */
  embedScript: Script | undefined;
  close(): Promise<void>;
}

export interface SeenRequest {
  path: string;
  headers: IncomingHttpHeaders;
  body: {
    model: string;
    messages: { role: string; content: string; tool_calls?: object[]; tool_call_id?: string }[];
    tools?: { type: string; function: { name: string; description: string; parameters: object } }[];
    response_format?: { type: string };
    max_tokens?: number;
    max_completion_tokens?: number;
    temperature?: number;
    stream?: boolean;
    stream_options?: { include_usage?: boolean };
  };
  /** The client disconnected before the reply was whole. */
  left: boolean;
  /** The client's port: the same for two requests on one kept-alive connection. */
  port: number;
}

/** One reply. With none of `raw`, `status`: a stream of `pieces` and `toolCalls`, the finish_reason, usage and `[DONE]`. */
export interface Script {
  /** None by default where there are `toolCalls`. */
  pieces?: string[];
  /** After the pieces; the arguments in pieces of 7 characters, those of several calls in turn. */
  toolCalls?: FakeToolCall[];
  /** Null: none is ever sent. */
  finish?: string | null;
  /** Sent as total_tokens where the request asks for usage. */
  totalTokens?: number;
  /** False: the stream ends without `[DONE]`. */
  done?: boolean;
  /** An answer of another status; `raw` is its body. */
  status?: number;
  headers?: Record<string, string>;
  /** What goes over the wire instead of the stream of pieces, a network write each. */
  raw?: (string | Buffer)[];
  /** Nothing goes out before this is resolved, or nothing more than `beforeHold` writes. */
  hold?: Promise<void>;
  /** 0 by default. */
  beforeHold?: number;
  /** Milliseconds before the headers. */
  delay?: number;
  /** Milliseconds between writes; without it all goes out in one write. */
  pace?: number;
  /** The connection is reset after so many writes; 0: before any byte of a reply. */
  cutAfter?: number;
  /** Nothing more comes after so many writes; 0: not even headers. */
  hangAfter?: number;
}

export interface FakeToolCall {
  id?: string;
  name: string;
  /** An object is sent as JSON, a string as it is. */
  arguments: object | string;
}

interface FakeModelOptions {
  /** The reply to a request for which `next` has nothing. */
  script?: Script | ((request: SeenRequest) => Script);
  /** The reply to each request for a JSON object, as background agents send; these are in no `requests` and use up no `next`. */
  json?: Script;
  /** The same for requests to write searches alone. */
  searches?: Script;
  port?: number;
}

export async function startFakeModel({
  script = {},
  json,
  searches,
  port = 0,
}: FakeModelOptions = {}): Promise<FakeModel> {
  const requests: SeenRequest[] = [];
  const queued: Script[] = [];
  const queuedEmbeddings: Script[] = [];
  const server = createServer((incoming, response) => {
    void readRequest(incoming).then((request) => {
      if (request.path.endsWith('/embeddings')) return embed(request as FakeModel['embedRequests'][number], response);
      if (json && request.body.response_format) return play(json, request, response);
      if (searches && JSON.stringify(request.body).includes('You write searches'))
        return play(searches, request, response);
      requests.push(request);
      response.on('close', () => (request.left = !response.writableFinished));
      const reply = queued.shift() ?? (typeof script === 'function' ? script(request) : script);
      return play(reply, request, response);
    });
  });
  function embed(request: FakeModel['embedRequests'][number], response: ServerResponse): Promise<void> {
    fake.embedRequests.push(request);
    const { model, input } = request.body;
    const data = input.map((text, index) => ({ object: 'embedding', index, embedding: fakeEmbedding(text, model) }));
    const reply = JSON.stringify({ object: 'list', data, model, usage: { prompt_tokens: 1, total_tokens: 1 } });
    const script = queuedEmbeddings.shift() ?? fake.embedScript ?? {};
    return play({ raw: [reply], headers: { 'content-type': 'application/json' }, ...script }, request, response);
  }
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', 4096, resolve));
  const fake: FakeModel = {
    embedRequests: [],
    embedScript: undefined,
    nextEmbedding: (...scripts) => void queuedEmbeddings.push(...scripts),
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    next: (...scripts) => void queued.push(...scripts),
    clear: () => void queued.splice(0),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return fake;
}

const SYNONYMS = [
  ['umbrella', 'umbrellas', 'brolly', 'parasol'],
  ['hire', 'hired', 'borrow', 'lend'],
];
const DIMENSIONS = 96;

/** Synonyms of `SYNONYMS` share a direction; another model has other directions. */
export function fakeEmbedding(text: string, model = ''): number[] {
  const vector = Array.from({ length: DIMENSIONS }, () => 0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}-]+/gu) ?? []) {
    const known = SYNONYMS.findIndex((group) => group.includes(word));
    const hash = [...`${model} ${known < 0 ? word : `#${known}`}`].reduce(
      (sum, c) => (sum * 31 + c.charCodeAt(0)) >>> 0,
      7,
    );
    // Stop words weigh little.
    vector[hash % DIMENSIONS]! += known >= 0 ? 3 : word.length < 5 ? 0.1 : 1;
  }
  vector[0]! += 0.01;
  return vector;
}

async function readRequest(incoming: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const bytes of incoming) chunks.push(bytes as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as SeenRequest['body'];
  const { url = '', headers, socket } = incoming;
  return { path: url, headers, body, left: false, port: socket.remotePort ?? 0 };
}

async function play(script: Script, request: SeenRequest, response: ServerResponse): Promise<void> {
  const { delay = 0, pace, cutAfter, hangAfter, status = 200, headers } = script;
  if (!script.beforeHold) await script.hold;
  if (delay > 0) await sleep(delay);
  if (hangAfter === 0) return;
  if (cutAfter === 0) return void response.socket?.resetAndDestroy();
  const type = status === 200 ? 'text/event-stream' : 'application/json';
  response.writeHead(status, { 'content-type': type, ...headers });
  const writes = script.raw ?? streamOf(script, request);
  const isPlain = pace === undefined && !script.beforeHold;
  if (isPlain && cutAfter === undefined && hangAfter === undefined) return void response.end(joined(writes));
  for (const [at, write] of writes.entries()) {
    if (at === script.beforeHold) await script.hold;
    if (at === hangAfter) return;
    if (at === cutAfter) return void response.socket?.resetAndDestroy();
    if (response.destroyed) return;
    response.write(write);
    await sleep(pace ?? 5);
  }
  response.end();
}

const joined = (writes: (string | Buffer)[]): Buffer => Buffer.concat(writes.map((write) => Buffer.from(write)));

/** The events as OpenAI's own server writes them, a write each. */
export function streamOf(script: Script, request?: Pick<SeenRequest, 'body'>): string[] {
  const { toolCalls = [], totalTokens, done = true } = script;
  const { pieces = toolCalls.length > 0 ? [] : ['It ', 'works', '.'] } = script;
  const { finish = toolCalls.length > 0 ? 'tool_calls' : 'stop' } = script;
  const deltas: object[] = [
    { role: 'assistant', content: '', refusal: null },
    ...pieces.map((content) => ({ content })),
    ...toolCallDeltas(toolCalls),
  ];
  const events = deltas.map((delta) => chunk([{ index: 0, delta, logprobs: null, finish_reason: null }]));
  if (finish !== null) events.push(chunk([{ index: 0, delta: {}, logprobs: null, finish_reason: finish }]));
  if (totalTokens !== undefined && request?.body.stream_options?.include_usage) events.push(chunk([], totalTokens));
  if (done) events.push('data: [DONE]\n\n');
  return events;
}

function toolCallDeltas(calls: FakeToolCall[]): object[] {
  const heads = calls.map(({ id, name }, index) => ({
    tool_calls: [{ index, id: id ?? `call_fake_${index}`, type: 'function', function: { name, arguments: '' } }],
  }));
  const written = calls.map((call) =>
    typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
  );
  const rounds = Math.max(0, ...written.map((text) => Math.ceil(text.length / 7)));
  const pieces = Array.from({ length: rounds }, (_, round) =>
    written.flatMap((text, index) => {
      const piece = text.slice(round * 7, round * 7 + 7);
      return piece === '' ? [] : [{ tool_calls: [{ index, function: { arguments: piece } }] }];
    }),
  );
  return [...heads, ...pieces.flat()];
}

function chunk(choices: object[], totalTokens?: number): string {
  const usage = { prompt_tokens: 1, completion_tokens: (totalTokens ?? 0) - 1, total_tokens: totalTokens };
  return event({
    id: 'chatcmpl-BKk2vYyWq3M1uTn0cZ8dJ4hLr5xPs',
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model: 'fake-1',
    service_tier: 'default',
    system_fingerprint: 'fp_0123456789',
    choices,
    ...(totalTokens === undefined ? {} : { usage }),
  });
}

export const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

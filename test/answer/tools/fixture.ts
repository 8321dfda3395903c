import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Disk } from '../../../server/store/lowdb/files/disk.ts';
import { startFakeModel, type FakeModel, type Script, type SeenRequest } from '../../fakes/model.ts';
import { parseEvents, post, type SeenEvent } from '../../proxy/fixture.ts';
import { start, until, type Running } from '../../running.ts';

/** A server with the fake model, and a server of tool functions that it may call. */

export interface SeenCall {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface ToolServer {
  base: string;
  host: string;
  calls: SeenCall[];
  /** Answers the next calls; `{"ok":true}` by default. */
  reply: (call: SeenCall, response: ServerResponse) => void;
  close(): Promise<void>;
}

export async function startToolServer(): Promise<ToolServer> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      const call = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
      tool.calls.push(call);
      tool.reply(call, response);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const tool: ToolServer = {
    base: `http://${host}`,
    host,
    calls: [],
    reply: json({ ok: true }),
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return tool;
}

export const json =
  (body: unknown, status = 200): ToolServer['reply'] =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

export interface Shop {
  docent: Running;
  model: FakeModel;
  tool: ToolServer;
  chatbot: string;
  agent: string;
  /** Returns the uuid. */
  addFunction(fields: object): Promise<string>;
  removeFunctions(): Promise<void>;
  close(): Promise<void>;
}

/** `script` as in `startFakeModel`. */
export async function openShop(
  env: NodeJS.ProcessEnv = {},
  withModel = true,
  disk?: Disk,
  script?: (request: SeenRequest) => Script,
): Promise<Shop> {
  const [model, tool] = await Promise.all([startFakeModel(script ? { script } : { searches: {} }), startToolServer()]);
  const llm = withModel ? { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake-1' } : {};
  const docent = await start({ ...llm, FETCH_ALLOW: tool.host, ...env }, disk);
  const settings = { name: 'Shop', visibility: 'public', rate_limit: [100, 1] };
  const chatbot = (await docent.api('POST', '/chatbot/create', settings)).body.uuid;
  const pair = { question: 'How long may I return a lamp?', answer: 'You may return a lamp within 45 days.' };
  await docent.api('POST', `/chatbot/${chatbot}/data-source/qa`, pair);
  const sources = () => docent.api('GET', `/chatbot/${chatbot}/data-sources`).then(({ body }) => body);
  await until(sources, ([source]) => source.status === 'success');
  const agent = (await docent.api('GET', `/chatbot/${chatbot}/agents`)).body[0].uuid;
  let functions: string[] = [];
  return {
    docent,
    model,
    tool,
    chatbot,
    agent,
    async addFunction(fields) {
      const sent = { name: 'stock', external_url: `${tool.base}/stock`, ...fields };
      const { status, body } = await docent.api('POST', `/agent/${agent}/function/create`, sent);
      if (status !== 200) throw new Error(body.error);
      functions.push(body.uuid);
      return body.uuid;
    },
    async removeFunctions() {
      for (const uuid of functions) await docent.api('POST', `/function/${uuid}/delete`);
      functions = [];
      tool.calls.length = 0;
      tool.reply = json({ ok: true });
      model.requests.length = 0;
    },
    async close() {
      await docent.stop();
      await Promise.all([model.close(), tool.close()]);
    },
  };
}

export const ORDER = {
  type: 'object',
  properties: { order: { type: 'integer', description: 'its number' } },
  required: ['order'],
};

/** As a visitor: the events, and the message as its owner finds it. */
export async function visit(shop: Shop, query: string, body: object = {}) {
  const reply = await post(`${shop.docent.base}/chat/${shop.chatbot}/ask`, { query, ...body });
  if (reply.status !== 200) throw new Error(`${reply.status} ${await reply.text()}`);
  return seen(shop, parseEvents(await reply.text()));
}

export async function seen({ docent }: Shop, events: SeenEvent[]) {
  const named = (name: string) => events.filter(({ event }) => event === name).map(({ data }) => data as never);
  const [ref] = named('message') as { uuid: string }[];
  const [session] = named('session') as { uuid: string }[];
  const message = (await docent.api('GET', `/message/${ref!.uuid}`)).body;
  return {
    events: events.map(({ event }) => event),
    steps: (named('step') as { name: string }[]).map(({ name }) => name),
    confirm: (named('confirm') as object[])[0],
    session: session?.uuid ?? '',
    uuid: ref!.uuid,
    message,
    text: message.response as string,
    meta: JSON.parse(message.meta_json),
  };
}

/** As a key holder. */
export async function askByKey({ docent, chatbot }: Shop, query: string, variables?: object) {
  const created = await docent.api('POST', `/chatbot/${chatbot}/session/create`, { initial_variables: variables });
  const session = created.body.uuid;
  const { status, body } = await docent.api('POST', `/session/${session}/message/non-stream`, { query });
  const [message] = (await docent.api('GET', `/session/${session}/messages`)).body;
  return { status, body, message, text: message.response as string, meta: JSON.parse(message.meta_json) };
}

/** What the model was told of its calls, in the request at that place. */
export const toldIn = ({ model }: Shop, place: number): { [key: string]: unknown; error?: string }[] =>
  model.requests[place]!.body.messages.filter(({ role }) => role === 'tool').map(({ content }) => JSON.parse(content));

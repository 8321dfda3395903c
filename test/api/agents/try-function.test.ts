import type { IncomingMessage, ServerResponse } from 'node:http';
import { createGzip } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUuid } from '../../../server/schema/ids.ts';
import { joinByLink, newChatbot, newReader, invite, startApiFixture, type ApiFixture } from '../api-fixture.ts';
import { site } from '../../running.ts';

/** `POST /api/v1/function/{uuid}/try`: a call as an answer makes it, of which nothing is stored. */

interface Got {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

let w: ApiFixture;
let server: Awaited<ReturnType<typeof site>>;
let reply: (response: ServerResponse) => void;
/** By address, in place of `reply`. */
const answers = new Map<string, (response: ServerResponse) => void>();
const got: Got[] = [];

beforeAll(async () => {
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => void (body += piece));
    request.on('end', () => {
      got.push({ method: request.method, url: request.url, headers: request.headers, body });
      (answers.get(request.url ?? '') ?? reply)(response);
    });
  };
  server = await site(new Proxy({}, { get: () => answer }));
  w = await startApiFixture({ FETCH_ALLOW: server.host });
});
afterAll(async () => {
  await w.stop();
  await server.close();
});

const json =
  (status: number, body: unknown) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));

async function made(fields: object = {}, variables: object[] = []): Promise<{ chatbot: string; uuid: string }> {
  got.length = 0;
  const chatbot = await newChatbot(w);
  const [agent] = (await w.call('GET', `/api/v1/chatbot/${chatbot}/agents`)).body;
  await w.call('POST', `/api/v1/agent/${agent.uuid}/update`, { variables });
  const body = { name: 'orders', external_url: `${server.base}/orders`, method: 'GET', ...fields };
  const { body: one } = await w.call('POST', `/api/v1/agent/${agent.uuid}/function/create`, body);
  return { chatbot, uuid: one.uuid };
}
const attempt = (uuid: string, body: unknown = { arguments: {} }) =>
  w.call('POST', `/api/v1/function/${uuid}/try`, body);

const PARAMETERS = {
  type: 'object',
  properties: { order: { type: 'integer' }, note: { type: 'string', default: 'none' } },
  required: ['order'],
};

it('sends what an answer sends, and shows status and reply as text', async () => {
  reply = json(200, { state: '<img src=x onerror=alert(1)>' });
  const { uuid } = await made({ parameters: PARAMETERS, headers: { 'X-Key': 'a-long-secret-value' } });
  const { status, body } = await attempt(uuid, { arguments: { order: 7 } });
  expect([status, body]).toEqual([
    200,
    {
      outcome: 'done',
      status: 200,
      ms: expect.any(Number),
      answer: '{"state":"<img src=x onerror=alert(1)>"}',
      is_cut: false,
      error: '',
    },
  ]);
  expect(got).toMatchObject([
    { method: 'GET', url: '/orders?order=7&note=none', headers: { 'x-key': 'a-long-secret-value' } },
  ]);
});

it('sends a function that acts as JSON, also while it is off, and says where it may have been carried out', async () => {
  reply = json(500, { error: 'no' });
  const { uuid } = await made({ method: 'POST', parameters: PARAMETERS, enabled: false });
  expect((await attempt(uuid, { arguments: { order: 7 } })).body).toMatchObject({ outcome: 'unsure', status: 500 });
  expect(got).toMatchObject([{ method: 'POST', url: '/orders', body: '{"order":7,"note":"none"}' }]);
  reply = json(409, {});
  expect((await attempt(uuid, { arguments: { order: 7 } })).body).toMatchObject({ outcome: 'failed', status: 409 });
});

it('refuses arguments that do not fit and variables without a value, and sends nothing', async () => {
  const { uuid } = await made({ parameters: PARAMETERS, external_url: `${server.base}/of/{{customer}}` });
  for (const args of [{}, { order: 'x' }, { order: 1, other: 2 }])
    expect((await attempt(uuid, { arguments: args })).body).toMatchObject({ field: 'arguments' });
  const { status, body } = await attempt(uuid, { arguments: { order: 1 } });
  expect([status, body.field, body.error]).toEqual([
    422,
    'variables',
    'variables do not fit: the variable customer has no value',
  ]);
  expect(got).toEqual([]);
  reply = json(200, 1);
  expect((await attempt(uuid, { arguments: { order: 1 }, variables: { customer: 'a/b' } })).status).toBe(200);
  expect(got).toMatchObject([{ url: '/of/a%2Fb?order=1&note=none' }]);
});

it('shows no secret of headers and static variables that the server repeats, and none in the log', async () => {
  reply = (response) => json(200, { key: 'Bearer s3cr3t-of-the-shop', token: 'aB3xY9zQ1w' })(response);
  const { uuid } = await made(
    {
      headers: { Authorization: 'Bearer s3cr3t-of-the-shop' },
      external_url: `${server.base}/x?token={{token}}`,
    },
    [{ name: 'token', default_value: { content: 'aB3xY9zQ1w', static: 1 } }],
  );
  const { body } = await attempt(uuid);
  expect(got).toMatchObject([{ url: '/x?token=aB3xY9zQ1w', headers: { authorization: 'Bearer s3cr3t-of-the-shop' } }]);
  expect(body.answer).toBe('{"key":"****","token":"****"}');
});

it('says why no reply came', async () => {
  reply = (response) => void response.writeHead(302, { Location: '/other' }).end();
  const { uuid } = await made();
  const redirect = 'the function redirects to another address, which is not followed';
  expect((await attempt(uuid)).body).toMatchObject({ outcome: 'failed', status: 0, answer: '', error: redirect });
  const blocked = await made({ external_url: 'http://10.0.0.1/x', method: 'POST' });
  const error = 'the address of the function is not allowed';
  expect((await attempt(blocked.uuid)).body).toMatchObject({ outcome: 'failed', status: 0, error });
});

describe('of a server that keeps it waiting', () => {
  type Answer = (response: ServerResponse) => void;
  const open = (response: ServerResponse, encoding = 'identity'): void =>
    void response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Encoding': encoding });
  const pour = (response: ServerResponse, piece: Buffer): void => {
    const more = (): void => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('drain', more);
    more();
  };
  const slow: [what: string, method: string, answer: Answer][] = [
    ['no reply', 'GET', () => {}],
    ['no reply to a function that acts', 'POST', () => {}],
    ['no body', 'GET', (response) => (open(response), response.flushHeaders())],
    [
      'a byte now and then',
      'GET',
      (response) => {
        open(response);
        const drip = setInterval(() => response.write('x'), 50);
        response.on('close', () => clearInterval(drip));
      },
    ],
  ];
  const huge: [what: string, answer: Answer][] = [
    ['a body without an end', (response) => (open(response), pour(response, Buffer.alloc(64 * 1024, 'x')))],
    [
      'a body that decodes to no end',
      (response) => {
        open(response, 'gzip');
        const zip = createGzip();
        zip.pipe(response);
        const fill = (): void => {
          while (!response.destroyed && zip.write(Buffer.alloc(64 * 1024)));
        };
        zip.on('drain', fill);
        fill();
      },
    ],
  ];

  /** A function whose server answers so; `closed` resolves with the bytes that were sent once the connection is closed. */
  async function waiting(answer: Answer, method = 'GET') {
    let end = (_sent: number): void => {};
    const closed = new Promise<number>((resolve) => (end = resolve));
    const path = `/waiting/${newUuid()}`;
    answers.set(path, (response) => {
      const { socket } = response;
      socket?.on('close', () => end(socket.bytesWritten));
      answer(response);
    });
    return { ...(await made({ external_url: server.base + path, method })), closed };
  }

  it('ends after its time, says so, and lets others be answered meanwhile', async () => {
    const tools = await Promise.all(slow.map(([, method, answer]) => waiting(answer, method)));
    const events: string[] = [];
    const trials = tools.map(async ({ uuid }) => {
      const { body } = await attempt(uuid);
      events.push('tried');
      return body;
    });
    await expect.poll(() => got.length).toBe(slow.length);
    await w.call('GET', `/api/v1/chatbot/${tools[0]!.chatbot}/agents`);
    events.push('listed');
    const bodies = await Promise.all(trials);
    expect(events).toEqual(['listed', ...slow.map(() => 'tried')]);
    for (const [at, [what, method]] of slow.entries())
      expect([what, bodies[at]]).toMatchObject([
        what,
        {
          outcome: method === 'POST' ? 'unsure' : 'failed',
          status: 0,
          answer: '',
          error: 'the function did not answer within 10 seconds',
        },
      ]);
    await Promise.all(tools.map(({ closed }) => closed));
  });

  it.each(huge)('reads no more than it takes, of %s', async (_, answer) => {
    const { uuid, closed } = await waiting(answer);
    const error = 'the reply of the function is larger than 256 KB';
    expect((await attempt(uuid)).body).toMatchObject({ outcome: 'failed', status: 0, answer: '', error });
    // What the sockets of both sides hold is sent, too.
    expect(await closed).toBeLessThan(32 * 1024 * 1024);
  });
});

it('cuts a long reply, and says so', async () => {
  reply = (response) => void response.writeHead(200, { 'Content-Type': 'text/plain' }).end('x'.repeat(20_000));
  const { uuid } = await made();
  const { body } = await attempt(uuid);
  expect([body.answer.length, body.is_cut]).toEqual([16_000, true]);
});

it('stores nothing, and is bounded for each user', async () => {
  const chatbot = await newChatbot(w);
  const uuid = await newReader(w, chatbot);
  const { cookie } = await joinByLink(w, await invite(w, chatbot, 'editor'));
  const before = (await w.call('GET', `/api/v1/chatbot/${chatbot}/agents`)).body;
  const headers = { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' };
  const once = () =>
    fetch(`${w.docent.base}/api/v1/function/${uuid}/try`, {
      method: 'POST',
      headers,
      body: '{"arguments":{"sku":"a"}}',
    });
  for (let at = 0; at < 20; at++) expect((await once()).status).toBe(200);
  const refused = await once();
  expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
  expect((await refused.json()).code).toBe('rate_limited');
  expect((await w.call('GET', `/api/v1/chatbot/${chatbot}/agents`)).body).toEqual(before);
  expect((await w.call('GET', `/api/v1/chatbot/${chatbot}/sessions`)).body).toEqual([]);
});

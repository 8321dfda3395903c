import { afterAll, beforeAll, expect, it } from 'vitest';
import { API_KEY, start, type Running } from '../../running.ts';

/** `If-Match`: a record is changed as it was read, or not at all. */

let docent: Running;
beforeAll(async () => void (docent = await start()));
afterAll(() => docent.stop());

async function send(method: string, path: string, body?: object, ifMatch?: string) {
  const reply = await fetch(`${docent.base}/api/v1${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${API_KEY}`,
      'Content-Type': 'application/json',
      ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, etag: reply.headers.get('etag') ?? '', body: await reply.json() };
}
const refused = { status: 412, body: { code: 'precondition_failed', error: expect.stringContaining('read it again') } };

async function newAgent(): Promise<{ chatbot: string; agent: string }> {
  const chatbot = (await docent.api('POST', '/chatbot/create', { name: 'Shop' })).body.uuid;
  return { chatbot, agent: (await docent.api('GET', `/chatbot/${chatbot}/agents`)).body[0].uuid };
}

it.each([
  ['an agent', '', '/update', { variables: [{ name: 'plan' }] }, { variables: [{ name: 'order' }] }],
  ['a routing', '/routing', '/routing', { examples: ['Where is it?'] }, { examples: ['How much is it?'] }],
])('changes %s once as it was read', async (_, read, write, first, second) => {
  const { agent } = await newAgent();
  const { etag } = await send('GET', `/agent/${agent}${read}`);
  expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
  const made = await send('POST', `/agent/${agent}${write}`, first, etag);
  expect(made.status).toBe(200);
  expect(await send('POST', `/agent/${agent}${write}`, second, etag)).toMatchObject(refused);
  const now = await send('GET', `/agent/${agent}${read}`);
  expect(now.body).toEqual(made.body);
  expect(now.etag).toBe(made.etag);
  expect(now.etag).not.toBe(etag);
  expect((await send('POST', `/agent/${agent}${write}`, second, `"other", ${now.etag}`)).status).toBe(200);
});

it.each([
  ['nginx', (etag: string) => `W/${etag}`],
  ['Caddy and Apache', (etag: string) => etag.replace(/"$/, '-gzip"')],
  ['Caddy', (etag: string) => etag.replace(/"$/, '-zstd"')],
])('takes an ETag as %s has changed it, to compress the reply', async (_, change) => {
  const { agent } = await newAgent();
  const { etag } = await send('GET', `/agent/${agent}`);
  expect((await send('POST', `/agent/${agent}/update`, { description: 'One' }, change(etag))).status).toBe(200);
  expect(await send('POST', `/agent/${agent}/update`, { description: 'Two' }, change(etag))).toMatchObject(refused);
});

it('changes the settings of a widget once as they were read', async () => {
  const { chatbot } = await newAgent();
  const path = `/chatbot/${chatbot}/widget`;
  const { etag } = await send('GET', path);
  const made = await send('POST', path, { link_hosts: ['one.example'] }, etag);
  expect(made.status).toBe(200);
  expect(await send('POST', path, { link_hosts: ['two.example'] }, etag)).toMatchObject(refused);
  expect(await send('GET', path)).toMatchObject({ etag: made.etag, body: { link_hosts: ['one.example'] } });
});

it('of a tool function is that of its agent, which changes with its routing and its functions', async () => {
  const { agent } = await newAgent();
  const etagOf = async () => (await send('GET', `/agent/${agent}`)).etag;
  const create = { name: 'order', external_url: 'https://shop.example/' };
  const { uuid } = (await send('POST', `/agent/${agent}/function/create`, create)).body;
  const update = (name: string, etag: string) => send('POST', `/function/${uuid}/update`, { name }, etag);
  const first = await etagOf();
  expect((await update('orders', first)).status).toBe(200);
  expect(await update('parcels', first)).toMatchObject(refused);
  const second = await etagOf();
  await send('POST', `/agent/${agent}/routing`, { examples: ['Where is it?'] });
  expect(await update('parcels', second)).toMatchObject(refused);
  expect((await send('GET', `/agent/${agent}`)).body.tool_functions).toMatchObject([{ name: 'orders' }]);
});

it('loses none of twenty changes at once, each read and written whole', async () => {
  const { agent } = await newAgent();
  const path = `/agent/${agent}/routing`;
  const questions = Array.from({ length: 20 }, (_, at) => `Question ${at}?`);
  await Promise.all(
    questions.map(async (question) => {
      for (;;) {
        const { etag, body } = await send('GET', path);
        const { status } = await send('POST', path, { examples: [...body.examples, question] }, etag);
        if (status === 200) return;
        expect(status).toBe(412);
      }
    }),
  );
  expect((await send('GET', path)).body.examples.toSorted()).toEqual(questions.toSorted());
});

it('asks for nothing where it is not sent, or is *', async () => {
  const { agent } = await newAgent();
  for (const any of [undefined, '*'])
    expect((await send('POST', `/agent/${agent}/update`, { name: `Agent ${any}` }, any)).status).toBe(200);
  const { etag } = await send('GET', `/agent/${agent}`);
  for (const other of ['"other"', 'W/"other"', etag.slice(1, -1)])
    expect(await send('POST', `/agent/${agent}/update`, { name: 'Other' }, other)).toMatchObject(refused);
});

it('tells what is wrong with a request first', async () => {
  const { agent } = await newAgent();
  expect((await send('POST', `/agent/${agent}/update`, { name: '' }, '"other"')).status).toBe(422);
  expect((await send('POST', `/agent/${'a'.repeat(32)}/update`, { name: 'Other' }, '"other"')).status).toBe(404);
});

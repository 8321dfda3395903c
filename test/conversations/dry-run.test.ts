import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { runCommand } from '../../server/cli/run.ts';
import { json, openShop, ORDER, toldIn, type Shop } from '../answer/tools/fixture.ts';
import { API_KEY } from '../running.ts';

/** `docent test` with functions that act: they are not called unless the operator says so. */

let shop: Shop;
let dir: string;
beforeAll(async () => {
  shop = await openShop();
  dir = await mkdtemp(join(tmpdir(), 'docent-dry-run-'));
  await writeFile(join(dir, 'talk.yaml'), TALK);
});
afterEach(() => shop.removeFunctions());
afterAll(async () => {
  await shop.close();
  await rm(dir, { recursive: true, force: true });
});

const TALK = `
conversations:
  - name: cancel
    turns:
      - { ask: Cancel my order 7, tools: [look_up, cancel_order], answer: { contains: Cancelled } }
`;

const call = (name: string) => ({ toolCalls: [{ name, arguments: { order: 7 } }] });

async function addFunctions(more: object = {}): Promise<void> {
  await shop.addFunction({ name: 'look_up', method: 'GET', parameters: ORDER });
  await shop.addFunction({ name: 'cancel_order', parameters: ORDER, ...more });
  shop.model.next(call('look_up'), call('cancel_order'), { pieces: ['Cancelled.'] });
}

async function docent(more: string[], env: NodeJS.ProcessEnv = {}) {
  const said = { out: '', err: '' };
  const terminal = { out: (text: string) => (said.out += text), err: (text: string) => (said.err += text) };
  const words = ['test', dir, ...more];
  return { code: await runCommand(words, { DATA_DIR: shop.docent.dataDir, ...env }, terminal), ...said };
}

const sent = () => shop.tool.calls.map(({ method, url }) => `${method} ${url}`);

it.each([
  ['of the folder', () => [], {}],
  ['over HTTP', () => ['--server', shop.docent.base], { DATA_DIR: '/nowhere', DOCENT_API_KEY: API_KEY }],
])('calls no function that writes on the server %s, and takes it as called and done', async (_, words, env) => {
  await addFunctions();
  const { code, out, err } = await docent(words(), env);
  expect({ code, err, calls: sent() }).toEqual({ code: 0, err: '', calls: ['GET /stock?order=7'] });
  expect(out).toContain('1 held');
  expect(out).toContain('1 call of functions that write, not sent: --call-writes sends them\n');
  expect(toldIn(shop, 2).at(-1)).toEqual({ note: expect.stringContaining('not called') });
});

it('shows what would have been sent where the calls are others, without the values of headers', async () => {
  const secret = 'key-of-the-shop';
  await addFunctions({ external_url: `${shop.tool.base}/cancel?key=${secret}`, headers: { 'X-Key': secret } });
  await writeFile(join(dir, 'talk.yaml'), TALK.replace('cancel_order', 'cancel_orders'));
  const { code, out } = await docent([]);
  await writeFile(join(dir, 'talk.yaml'), TALK);
  expect(code).toBe(1);
  expect(out).toContain(`cancel_order (not sent: POST ${shop.tool.base}/cancel?key=**** {"order":7})`);
  expect(JSON.stringify(shop.model.requests)).not.toContain(secret);
});

it('does not take a call as made that was answered with an error', async () => {
  await addFunctions();
  shop.tool.reply = json({}, 500);
  const { code, out } = await docent([]);
  expect(code).toBe(1);
  expect(out).toContain('      + look_up (failed: the function answered 500)\n');
});

it('calls them with --call-writes', async () => {
  await addFunctions();
  const { code, out } = await docent(['--call-writes']);
  expect({ code, calls: sent() }).toEqual({ code: 0, calls: ['GET /stock?order=7', 'POST /stock'] });
  expect(out).not.toContain('not sent');
});

it('asks nothing of a server that does not confirm the dry run', async () => {
  const front = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const body = method === 'POST' ? { body: request as unknown as BodyInit, duplex: 'half' as const } : {};
    const given = { method, headers: headers as Record<string, string>, ...body };
    void fetch(shop.docent.base + url, given).then(async (reply) => {
      response.writeHead(reply.status).end((await reply.text()).replace(/,?"dry_run":true/, ''));
    });
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  const { code, out } = await docent(['--server', address], { DOCENT_API_KEY: API_KEY });
  front.closeAllConnections();
  await new Promise((resolve) => front.close(resolve));
  expect({ code, asked: shop.model.requests }).toEqual({ code: 1, asked: [] });
  expect(out).toContain('--call-writes');
  expect((await shop.docent.api('GET', `/chatbot/${shop.chatbot}/sessions`)).body).toEqual([]);
});

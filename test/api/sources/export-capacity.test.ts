import { createServer, get as httpGet, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createExportCapacity } from '../../../server/api/requests/export-capacity.ts';
import { Refusal } from '../../../server/schema/errors.ts';
import { API_KEY, until } from '../../running.ts';
import { newChatbot, OTHER_KEY, startApiFixture, type ApiFixture } from '../api-fixture.ts';

/** Exports under way are bounded: of one user, of all, and in the time for which nothing is read. */

let w: ApiFixture;
beforeAll(async () => {
  w = await startApiFixture();
});
afterAll(() => w.stop());

/** Long enough that the buffers of both ends do not hold it. */
const FILE_BYTES = 24 * 1024 * 1024;

async function longChatbot(): Promise<string> {
  const chatbot = await newChatbot(w);
  const form = new FormData();
  form.set('file', new Blob(['A lamp gives light.\n'.repeat(FILE_BYTES / 20)]), 'lamps.txt');
  const added = await w.call('POST', `/api/v1/chatbot/${chatbot}/data-source/upload`, form);
  expect(added.status).toBe(200);
  return chatbot;
}

/** The reply, of which nothing is read. */
const stalled = (path: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${API_KEY}` };
    httpGet(w.docent.base + path, { headers, agent: false }, (reply) => {
      reply.pause();
      reply.on('error', () => {});
      resolve(reply);
    }).on('error', reject);
  });

it('a third export of one user waits for the end of another, and of another user goes on', async () => {
  const path = `/api/v1/chatbot/${await longChatbot()}/export`;
  const [first, second] = [await stalled(path), await stalled(path)];
  expect([first.statusCode, second.statusCode]).toEqual([200, 200]);
  const third = await w.call('GET', path);
  expect([third.status, third.body.code]).toEqual([429, 'rate_limited']);
  expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
  const others = (await w.call('POST', '/api/v1/chatbot/create', { name: 'Other' }, OTHER_KEY)).body.uuid;
  expect((await w.call('GET', `/api/v1/chatbot/${others}/export`, undefined, OTHER_KEY)).status).toBe(200);
  first.destroy();
  const small = `/api/v1/chatbot/${await newChatbot(w)}/export`;
  await until(
    () => w.call('GET', small),
    ({ status }) => status === 200,
  );
  second.destroy();
});

it('one more than all may have is told to come again, and one that nobody reads is broken off', async () => {
  const capacity = createExportCapacity({ perUser: 1, inAll: 2, stallMs: 200 });
  const server = createServer((request, response) => {
    try {
      capacity.take(request.url!, response);
      response.write(Buffer.alloc(FILE_BYTES));
    } catch (error) {
      const { status, headers } = error as Refusal;
      response.writeHead(status, headers).end();
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const open = (user: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      httpGet(`${base}/${user}`, { agent: false }, (reply) => {
        reply.pause();
        reply.on('error', () => {});
        resolve(reply);
      }).on('error', reject);
    });
  const [ann, bob] = [await open('ann'), await open('bob')];
  expect([ann.statusCode, bob.statusCode]).toEqual([200, 200]);
  const again = await open('ann');
  expect([again.statusCode, again.headers['retry-after']]).toEqual([429, '10']);
  const carol = await open('carol');
  expect([carol.statusCode, carol.headers['retry-after']]).toEqual([503, '10']);
  await until(
    async () => (await open('carol')).statusCode,
    (status) => status === 200,
  );
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

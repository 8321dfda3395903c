import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { API_KEY, start, type Running } from '../running.ts';
import { OWN, send, signIn } from './requests.ts';

let docent: Running;
beforeAll(async () => void (docent = await start()));
afterAll(() => docent.stop());

it('a key whose sign-in ends while it is being made is not made', async () => {
  const cookie = await signIn(docent.base, { key: API_KEY });
  const { hostname, port } = new URL(docent.base);
  const headers = { ...OWN, cookie, 'content-type': 'application/json', 'content-length': '15' };
  const adding = request({ hostname, port, method: 'POST', path: '/console/keys', headers, agent: false });
  const replied = once(adding, 'response') as Promise<[{ statusCode: number; resume(): void }]>;
  adding.write('{"name"');
  // The cookie has been looked at, the body is awaited.
  await new Promise((done) => setTimeout(done, 200));
  const ended = await send(docent.base, 'DELETE', '/console/session', { ...OWN, cookie });
  expect(ended.status).toBe(200);
  adding.end(':"late"}');
  const [reply] = await replied;
  reply.resume();
  expect(reply.statusCode).toBe(401);
  const other = await signIn(docent.base, { key: API_KEY });
  expect((await send(docent.base, 'GET', '/console/keys', { cookie: other })).body).toEqual([]);
});

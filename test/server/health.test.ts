import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHealth, serveHealth } from '../../server/health/health.ts';

const health = createHealth();
const app = new Koa();
app.use(serveHealth(health));
const server = createServer((request, response) => void app.callback()(request, response));
let base = '';

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const probe = async (path: string): Promise<{ status: number; body: unknown }> => {
  const reply = await fetch(base + path);
  return { status: reply.status, body: await reply.json() };
};

test('/readyz names each fault and answers 503 only for a failing disk; /healthz stays ok', async () => {
  expect(await probe('/readyz')).toEqual({ status: 200, body: { status: 'ok' } });

  health.report('model', { status: 'degraded', reason: 'the model server refused the connection' });
  const model = { status: 'degraded', reasons: ['the model server refused the connection'] };
  expect(await probe('/readyz')).toEqual({ status: 200, body: model });

  health.report('disk', { status: 'failing', reason: 'the disk is full' });
  const both = { status: 'failing', reasons: ['the model server refused the connection', 'the disk is full'] };
  expect(await probe('/readyz')).toEqual({ status: 503, body: both });
  expect(await probe('/healthz')).toEqual({ status: 200, body: { status: 'ok' } });

  health.clear('model');
  health.clear('disk');
  expect(await probe('/readyz')).toEqual({ status: 200, body: { status: 'ok' } });
});

test('/readyz is 200 while it is warming up, and names what is worse', async () => {
  health.report('warming', { status: 'warming', reason: 'indexes are being loaded' });
  const warming = { status: 'warming', reasons: ['indexes are being loaded'] };
  expect(await probe('/readyz')).toEqual({ status: 200, body: warming });
  health.report('model', { status: 'degraded', reason: 'the model fails' });
  const both = { status: 'degraded', reasons: ['indexes are being loaded', 'the model fails'] };
  expect(await probe('/readyz')).toEqual({ status: 200, body: both });
  health.clear('model');
  health.clear('warming');
});

test('/readyz lists 50 faults and counts the others', () => {
  const many = createHealth();
  for (let n = 0; n < 1000; n += 1) many.report(`damaged:${n}`, { status: 'degraded', reason: `file ${n}` });
  const { status, reasons } = many.state();
  expect(status).toBe('degraded');
  expect(reasons.slice(-2)).toEqual(['file 49', 'and 950 more']);
});

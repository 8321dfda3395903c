import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ensureBuilt } from '../../server/dev/build.mjs';
import { startFakeModel, type FakeModel } from '../fakes/model.ts';
import { parseEvents, post, textOf, uuidOf } from '../proxy/fixture.ts';
import { startChild, type Child } from './child.ts';

/**
 * A heap in which a few hundred copies of the long answer (234 MB and more) have no room. All that is meant to be there takes up to
 * 120 MB, where the system buffers little of what is not read.
 */
const HEAP = '--max-old-space-size=192';
const PART = `${'漢'.repeat(99)}\n`.repeat(100);
const LONG = PART.repeat(39).trimEnd();
/** With so many of it a list is more than the system's own buffers take from us. */
const QUESTIONS = 5;
const API_KEY = 'the-key-of-the-flood-test';

let dir: string;
let model: FakeModel;
let child: Child;
let host: string;
let port: number;
let chatPath: string;
let session: string;
let stream: string;
const sockets: Socket[] = [];

beforeAll(async () => {
  await ensureBuilt();
  dir = await mkdtemp(join(tmpdir(), 'docent-flood-'));
  model = await startFakeModel({ script: { pieces: Array.from({ length: 39 }, () => PART) } });
  const llm = { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake' };
  child = await startChild({ ...llm, API_KEY, DATA_DIR: dir, NODE_OPTIONS: HEAP, TRUST_PROXY_HOPS: '1' });
  ({ host, port } = { host: '127.0.0.1', port: Number(new URL(child.base).port) });
  const headers = { Authorization: `Bearer ${API_KEY}` };
  const made = await post(`${child.base}/api/v1/chatbot/create`, { name: 'Long', visibility: 'public' }, headers);
  chatPath = `/chat/${((await made.json()) as { uuid: string }).uuid}`;
  const events = parseEvents(await (await post(`${child.base}${chatPath}/ask`, { query: 'Everything?' })).text());
  expect(textOf(events) === LONG).toBe(true);
  for (let i = 1; i < QUESTIONS; i += 1) {
    await (await post(`${child.base}${chatPath}/ask`, { query: 'More?', session: uuidOf(events, 'session') })).text();
  }
  session = `${chatPath}/session/${uuidOf(events, 'session')}`;
  stream = `${session}/message/${uuidOf(events, 'message')}/stream`;
}, 120_000);

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await child?.kill();
  await model?.close();
  await rm(dir, { recursive: true, force: true });
});

const get = (path: string, address: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: docent.test\r\nX-Forwarded-For: ${address}\r\n\r\n`;

/** A connection that sends its requests and reads nothing. */
async function openUnread(requests: string): Promise<Socket> {
  const socket = connect({ host, port }).on('error', () => {});
  sockets.push(socket);
  await new Promise((done) => socket.once('connect', done).once('close', done));
  socket.pause().write(requests);
  return socket;
}

/** Resolves with the head of the reply, after which nothing more is read. */
function headOf(path: string, address: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port }, () => socket.write(get(path, address)));
    sockets.push(socket);
    socket.on('error', reject);
    socket.once('data', (bytes: Buffer) => {
      socket.pause();
      resolve(bytes.toString('latin1').split('\r\n\r\n')[0]!);
    });
  });
}

/** What another visitor gets at the same time: proof that the server is there and has worked through what came before. */
async function replayed(): Promise<boolean> {
  const reply = await fetch(child.base + stream, { headers: { 'X-Forwarded-For': '203.0.113.200' } });
  return textOf(parseEvents(await reply.text())) === LONG;
}

async function closeAll(): Promise<void> {
  for (const socket of sockets.splice(0)) socket.destroy();
  await expect.poll(replayed, { timeout: 15_000 }).toBe(true);
}

it('survives thousands of pipelined replays on connections that never read', async () => {
  for (let i = 0; i < 10; i += 1) await openUnread(get(stream, '203.0.113.1').repeat(3000));
  for (let i = 0; i < 5; i += 1) expect(await replayed()).toBe(true);
  await closeAll();
}, 60_000);

it('survives pipelined lists of messages', async () => {
  for (let i = 0; i < 10; i += 1) await openUnread(get(`${session}/messages`, '203.0.113.1').repeat(3000));
  for (let i = 0; i < 5; i += 1) expect(await replayed()).toBe(true);
  await closeAll();
}, 60_000);

it('limits unread lists of messages per address with 503 and Retry-After', async () => {
  const heads: string[] = [];
  for (let at = 0; at < 60; at += 30) {
    heads.push(...(await Promise.all(Array.from({ length: 30 }, () => headOf(`${session}/messages`, '203.0.113.2')))));
  }
  const refused = heads.filter((head) => head.startsWith('HTTP/1.1 503'));
  expect(heads.length - refused.length).toBeGreaterThan(0);
  expect(heads.length - refused.length).toBeLessThanOrEqual(16);
  for (const head of refused) expect(head).toMatch(/\r\nRetry-After: \d+/i);
  expect(await replayed()).toBe(true);
  await closeAll();
}, 60_000);

it('survives five hundred unread replays of one address', async () => {
  for (let at = 0; at < 500; at += 100) {
    await Promise.all(Array.from({ length: 100 }, () => openUnread(get(stream, '203.0.113.3'))));
  }
  for (let i = 0; i < 5; i += 1) expect(await replayed()).toBe(true);
  await closeAll();
}, 60_000);

it('survives unread replays from three hundred addresses', async () => {
  for (let i = 0; i < 300; i += 1) await openUnread(get(stream, `198.51.${i >> 8}.${i & 255}`));
  for (let i = 0; i < 5; i += 1) expect(await replayed()).toBe(true);
  await closeAll();
}, 60_000);

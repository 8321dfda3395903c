import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onFiles, queryRows } from '../../engine/engine.ts';
import { operations } from '../../../server/api/router.ts';
import type { ApiDeps } from '../../../server/api/requests/operation.ts';
import { API_KEY } from '../../running.ts';
import { form, rows } from '../contract/rows.ts';
import { FUNCTION, newAgent, newChatbot, startApiFixture, OTHER_KEY, type ApiFixture } from '../api-fixture.ts';

/** `Idempotency-Key` on every operation that creates. */

let w: ApiFixture;
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'docent-keys-'));
  w = await startApiFixture({ DATA_DIR: dir });
});
afterAll(async () => {
  await w.stop();
  await rm(dir, { recursive: true, force: true });
});

let count = 0;
const newKey = (): string => `key-${++count}-${'k'.repeat(20)}`;

async function send(path: string, key: string, body?: unknown, user = API_KEY) {
  const json = !(body instanceof FormData);
  const reply = await fetch(w.docent.base + path, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${user}`,
      'Idempotency-Key': key,
      ...(json && body !== undefined ? { 'Content-Type': 'application/json' } : {}),
    },
    ...(body === undefined ? {} : { body: json ? JSON.stringify(body) : body }),
  });
  return { status: reply.status, type: reply.headers.get('content-type'), text: await reply.text() };
}
const uuidIn = ({ text }: { text: string }): string => JSON.parse(text).uuid;
const fieldOf = ({ text }: { text: string }) => JSON.parse(text).field;
const create = '/api/v1/chatbot/create';
const chatbots = async () => (await w.call('GET', '/api/v1/chatbots')).body as { name: string }[];
const named = async (name: string) => (await chatbots()).filter((one) => one.name === name);

const creates = operations({} as ApiDeps).filter((one) => one.creates);

it('is taken by every operation that creates a record', () => {
  const paths = operations({} as ApiDeps).filter(
    ({ id, path }) => id.startsWith('create') && !/\/message\//.test(path),
  );
  expect(creates.map(({ id }) => id)).toEqual(paths.map(({ id }) => id));
  expect(creates).toHaveLength(10);
});

describe.each(creates)('$method $path', ({ method, path }) => {
  it('answers a repeat by the very same bytes, and creates nothing', async () => {
    const chatbot = await newChatbot(w);
    const row = rows[`${method} ${path}`]!;
    const uuid = (await row.on?.(w, chatbot)) ?? chatbot;
    const [url, key] = [path.replace(':uuid', uuid), newKey()];
    const first = await send(url, key, row.send?.(uuid, w));
    expect(first.status, first.text).toBe(200);
    expect(await send(url, key, row.send?.(uuid, w))).toEqual(first);
    const other = path.endsWith('/upload')
      ? form('other.txt', 'Another text.')
      : { ...(row.send?.(uuid, w) as object), description: 'x' };
    const refused = await send(url, key, other);
    expect([refused.status, fieldOf(refused)]).toEqual([422, 'Idempotency-Key']);
    const elsewhere = await send(create, key, { name: 'Elsewhere' });
    expect([elsewhere.status, fieldOf(elsewhere)]).toEqual([422, 'Idempotency-Key']);
    await w.call('DELETE', `/api/v1/chatbot/${chatbot}/delete`);
  });
});

it('makes one record where the process ends before it has kept the reply', async () => {
  const requests = [];
  for (const { method, path } of creates) {
    const chatbot = await newChatbot(w);
    const row = rows[`${method} ${path}`]!;
    const uuid = (await row.on?.(w, chatbot)) ?? chatbot;
    const [url, key, body] = [path.replace(':uuid', uuid), newKey(), row.send?.(uuid, w)];
    requests.push({ url, key, body, first: await send(url, key, body) });
  }
  await w.stop();
  await queryRows(dir, 'delete from replies');
  await rm(join(dir, 'replies'), { recursive: true, force: true });
  w = await startApiFixture({ DATA_DIR: dir });
  const before = (await chatbots()).length;
  for (const { url, key, body, first } of requests) {
    const again = await send(url, key, body);
    expect([again.status, uuidIn(again)], url).toEqual([200, uuidIn(first)]);
    expect(await send(url, key, body)).toEqual(again);
  }
  expect((await chatbots()).length).toBe(before);
});

describe('a key', () => {
  it('makes one record of many requests at the same moment', async () => {
    const [key, name] = [newKey(), 'At once'];
    const all = await Promise.all(Array.from({ length: 12 }, () => send(create, key, { name })));
    expect(new Set(all.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(await named(name)).toHaveLength(1);
    await Promise.all(Array.from({ length: 3 }, () => send(create, newKey(), { name })));
    expect(await named(name)).toHaveLength(4);
  });

  it('belongs to its user', async () => {
    const key = newKey();
    const [own, other] = [
      await send(create, key, { name: 'Own' }),
      await send(create, key, { name: 'Other' }, OTHER_KEY),
    ];
    expect([own.status, other.status]).toEqual([200, 200]);
    expect(other.text).not.toBe(own.text);
  });

  it('knows the request under another spelling of its path', async () => {
    const [key, chatbot] = [newKey(), await newChatbot(w)];
    const dashed = chatbot.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-').toUpperCase();
    const path = (uuid: string, tags = 'source-tag') => `/api/v1/chatbot/${uuid}/${tags}/create`;
    const first = await send(path(chatbot), key, { name: 'Spelt', color: '#123456' });
    expect(first.status, first.text).toBe(200);
    expect(await send(path(dashed), key, { name: 'Spelt', color: '#123456' })).toEqual(first);
    expect(await send(path(dashed, 'source-tags'), key, { name: 'Spelt', color: '#123456' })).toEqual(first);
    expect((await send(path(await newChatbot(w)), key, { name: 'Spelt', color: '#123456' })).status).toBe(422);
  });

  it('may be used again after a refusal, which created nothing', async () => {
    const key = newKey();
    expect((await send(create, key, { name: '' })).status).toBe(422);
    expect((await send(create, key, { name: 'Right' })).status).toBe(200);
  });

  it('repeats a 409 as a 409, and a 200 as a 200 where a request without it is a 409', async () => {
    const path = `/api/v1/chatbot/${await newChatbot(w)}/data-source/url`;
    const [body, first, second] = [{ url: `${w.shop}/returns` }, newKey(), newKey()];
    const made = await send(path, first, body);
    const refused = await send(path, second, body);
    expect([made.status, refused.status]).toEqual([200, 409]);
    expect([await send(path, first, body), await send(path, second, body)]).toEqual([made, refused]);
  });

  it('still counts after a restart, and after what was created is gone', async () => {
    const key = newKey();
    const first = await send(create, key, { name: 'Lasting' });
    await w.stop();
    w = await startApiFixture({ DATA_DIR: dir });
    expect(await send(create, key, { name: 'Lasting' })).toEqual(first);
    expect(await named('Lasting')).toHaveLength(1);
    await w.call('DELETE', `/api/v1/chatbot/${JSON.parse(first.text).uuid}/delete`);
    expect(await send(create, key, { name: 'Lasting' })).toEqual(first);
    expect(await named('Lasting')).toHaveLength(0);
  });

  it.each([
    ['a changed byte of the sealed reply', (line: string) => line.replace(/"body":"..../, '"body":"AAAA')],
    ['no reply', (line: string) => line.replace(/"body":"[^"]*"/, '"body":""')],
    ['another form', (line: string) => line.replace(/"body":"[^"]*",/, '')],
  ])('gives the record as it is where what was kept is damaged: %s', async (what, damage) => {
    const key = newKey();
    const first = await send(create, key, { name: what });
    await w.stop();
    const rows = await queryRows(dir, 'select key, record from replies');
    for (const { key: stored, record } of rows ?? [])
      await queryRows(dir, `update replies set record = '${damage(record as string)}' where key = '${stored}'`);
    for (const name of onFiles ? await readdir(join(dir, 'replies')) : []) {
      const path = join(dir, 'replies', name);
      await writeFile(path, (await readFile(path, 'utf8')).split('\n').map(damage).join('\n'));
    }
    w = await startApiFixture({ DATA_DIR: dir });
    const again = await send(create, key, { name: what });
    expect(again).toEqual(first);
    expect(await named(what)).toHaveLength(1);
    expect(await send(create, key, { name: what })).toEqual(again);
  });

  it.each(['', ' ', 'a b', 'é', 'k'.repeat(256)])('is 1 to 255 visible characters, unlike %j', async (key) => {
    const reply = await send(create, key, { name: 'Odd' });
    expect([reply.status, fieldOf(reply)]).toEqual([422, 'Idempotency-Key']);
    expect(await named('Odd')).toHaveLength(0);
  });

  it('leaves neither itself nor the reply readable on the disk', async () => {
    const [key, agent] = [newKey(), await newAgent(w, await newChatbot(w))];
    const headers = { 'X-Shop-Key': 'canary-of-a-secret' };
    const made = await send(`/api/v1/agent/${agent}/function/create`, key, { ...FUNCTION, headers });
    expect(made.text).toContain('X-Shop-Key');
    const folder = join(dir, 'replies');
    const rows = await queryRows(dir, 'select replies::text as line from replies');
    const kept = rows
      ? rows.map(({ line }) => `${line}\n`)
      : await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
    expect(kept.join('')).not.toMatch(/canary-of-a-secret|X-Shop-Key/);
    expect(kept.join('')).not.toContain(key);
    expect(kept.join('').split('\n').length).toBeGreaterThan(2);
  });
});

it('warns of what was created in a repeat as well', async () => {
  const chatbot = await newChatbot(w);
  const agent = await newAgent(w, chatbot);
  const key = newKey();
  const create = () =>
    fetch(`${w.docent.base}/api/v1/agent/${agent}/function/create`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${API_KEY}`, 'Idempotency-Key': key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...FUNCTION, name: 'in stock?' }),
    });
  const [first, again] = [await create(), await create()];
  expect(first.headers.get('x-warnings')).toContain('the model calls it in_stock_');
  expect(again.headers.get('x-warnings')).toBe(first.headers.get('x-warnings'));
  expect(await again.text()).toBe(await first.text());
});

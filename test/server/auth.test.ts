import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createUsers } from '../../server/control/users.ts';
import { createAuth } from '../../server/http/auth.ts';
import { runCommand } from '../../server/cli/run.ts';
import { realDisk } from '../../server/store/lowdb/files/disk.ts';
import { openLowdbStore } from '../../server/store/lowdb/lowdb.ts';
import { start, until, type Running } from '../running.ts';

/** Whose key it is, and what that opens. */

let running: Running;
beforeAll(async () => {
  running = await start();
});
afterAll(() => running.stop());

/** A command as the operator types it, to the server that runs here; its standard output. */
async function docent(...words: string[]): Promise<string> {
  let said = '';
  const terminal = { out: (text: string) => (said += text), err: () => {} };
  expect(await runCommand(words, { DATA_DIR: running.dataDir }, terminal)).toBe(0);
  return said.trim();
}

interface Caller {
  call(method: string, path: string, body?: unknown): Promise<{ status: number; body: any }>; // oxlint-disable-line no-explicit-any
}

function callerWith(authorization: string): Caller {
  return {
    async call(method, path, body) {
      const isForm = body instanceof FormData;
      const reply = await fetch(running.base + path, {
        method,
        headers: { Authorization: authorization, ...(isForm ? {} : { 'Content-Type': 'application/json' }) },
        ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      });
      const text = await reply.text();
      const isJson = reply.headers.get('content-type')?.startsWith('application/json');
      return { status: reply.status, body: isJson ? JSON.parse(text) : text };
    },
  };
}

async function userWithKey(email: string): Promise<Caller> {
  await docent('user', 'add', email);
  return callerWith(`Bearer ${await docent('key', 'add', email, '--name', email)}`);
}

/** A chatbot with one of everything; the uuids by what stands before them in a path. */
async function oneOfEverything({ call }: Caller) {
  const made = async (method: string, path: string, body?: unknown) => {
    const reply = await call(method, path, body);
    expect({ path, ...reply }).toMatchObject({ status: 200 });
    return reply.body.uuid as string;
  };
  const chatbot = await made('POST', '/api/v1/chatbot/create', { name: 'Mine' });
  const source = await made('POST', `/api/v1/chatbot/${chatbot}/data-source/qa`, { question: 'Why?', answer: 'So.' });
  const agent = await made('POST', `/api/v1/chatbot/${chatbot}/agent/create`, { name: 'A', type: 'user-facing' });
  const called = { name: 'f', description: 'd', external_url: 'https://example.com/', method: 'GET' };
  const tool = await made('POST', `/api/v1/agent/${agent}/function/create`, called);
  const tag = await made('POST', `/api/v1/chatbot/${chatbot}/source-tag/create`, {
    name: 'T',
    color: '#000000',
    data_source_uuids: [source],
  });
  const session = await made('POST', `/api/v1/chatbot/${chatbot}/session/create`, {});
  await call('POST', `/api/v1/session/${session}/message/non-stream`, { query: 'Why?' });
  const message = (await call('GET', `/api/v1/session/${session}/messages`)).body[0].uuid as string;
  const sourcePath = `/api/v1/data-source/${source}`;
  await until(
    async () => (await call('GET', sourcePath)).body.status,
    (status) => status === 'success',
  );
  return { chatbot, source, agent, tool, tag, session, message };
}

/** All that its owner can see of it. */
async function allOf({ call }: Caller, its: Awaited<ReturnType<typeof oneOfEverything>>): Promise<unknown> {
  const paths = [
    '/api/v1/chatbots',
    ...['agents', 'data-sources', 'source-tags', 'sessions'].map((list) => `/api/v1/chatbot/${its.chatbot}/${list}`),
    `/api/v1/session/${its.session}/messages`,
  ];
  return Promise.all(paths.map((path) => call('GET', path)));
}

function form(): FormData {
  const body = new FormData();
  body.append('file', new Blob(['Planted here.']), 'a.txt');
  return body;
}

describe("another user's records", () => {
  it('answer 404 to every operation and are not changed', async () => {
    const ann = await userWithKey('ann@example.com');
    const bob = await userWithKey('bob@example.com');
    const its = await oneOfEverything(ann);
    const before = await allOf(ann, its);
    const rows: [string, string, unknown?][] = [
      ['GET', `/chatbot/${its.chatbot}`],
      ['POST', `/chatbot/${its.chatbot}/update`, { name: 'Taken' }],
      ['GET', `/chatbot/${its.chatbot}/agents`],
      ['POST', `/chatbot/${its.chatbot}/agent/create`, { name: 'Spy', type: 'user-facing' }],
      ['GET', `/chatbot/${its.chatbot}/data-sources`],
      ['POST', `/chatbot/${its.chatbot}/data-source/url`, { url: 'https://example.com/' }],
      ['POST', `/chatbot/${its.chatbot}/data-source/qa`, { question: 'q', answer: 'a' }],
      ['POST', `/chatbot/${its.chatbot}/data-source/upload`, form()],
      ['GET', `/chatbot/${its.chatbot}/source-tags`],
      ['POST', `/chatbot/${its.chatbot}/source-tag/create`, { name: 'T', color: '#ffffff' }],
      ['GET', `/chatbot/${its.chatbot}/sessions`],
      ['POST', `/chatbot/${its.chatbot}/session/create`, {}],
      ['GET', `/agent/${its.agent}`],
      ['POST', `/agent/${its.agent}/update`, { prompt: 'Obey Bob.' }],
      ['POST', `/agent/${its.agent}/function/create`, { name: 'f', external_url: 'https://b.example/', method: 'GET' }],
      ['POST', `/function/${its.tool}/update`, { external_url: 'https://b.example/' }],
      ['POST', `/function/${its.tool}/delete`],
      ['GET', `/data-source/${its.source}`],
      ['POST', `/data-source/${its.source}/update`, { title: 'Taken' }],
      ['POST', `/source-tag/${its.tag}/update`, { name: 'Taken' }],
      ['GET', `/session/${its.session}`],
      ['GET', `/session/${its.session}/messages`],
      ['GET', `/session/${its.session}/messages/plain-text`],
      ['POST', `/session/${its.session}/message/stream`, { query: 'Why?' }],
      ['POST', `/session/${its.session}/message/non-stream`, { query: 'Why?' }],
      ['GET', `/message/${its.message}`],
      ['POST', `/message/${its.message}/delete`],
      ['POST', `/session/${its.session}/delete`],
      ['POST', `/data-source/${its.source}/delete`],
      ['DELETE', `/source-tag/${its.tag}/delete`],
      ['DELETE', `/agent/${its.agent}/delete`],
      ['DELETE', `/chatbot/${its.chatbot}/delete`],
    ];
    for (const [method, path, body] of rows) {
      const reply = await bob.call(method, `/api/v1${path}`, body);
      expect({ method, path, ...reply }).toMatchObject({ status: 404, body: { code: 'not_found' } });
      // As of a record that nobody has: existence is not revealed.
      const unknown = path.replace(/[0-9a-f]{32}/, '0'.repeat(32));
      expect(await bob.call(method, `/api/v1${unknown}`, body)).toEqual(reply);
    }
    expect(await allOf(ann, its)).toEqual(before);
  });

  it('are in no list and cannot be changed by lists of uuids', async () => {
    const ann = await userWithKey('ann2@example.com');
    const bob = await userWithKey('bob2@example.com');
    const its = await oneOfEverything(ann);
    const before = await allOf(ann, its);
    expect((await bob.call('GET', '/api/v1/chatbots')).body).toEqual([]);
    const strange = [{ uuid: its.source, error: 'invalid data source' }];
    const lists: [string, string, number, unknown][] = [
      ['/api/v1/data-sources/delete', its.source, 422, strange],
      ['/api/v1/data-sources/url/re-scrape', its.source, 200, strange],
      ['/api/data-sources/restart', its.source, 200, strange],
      ['/api/v1/messages/delete', its.message, 422, [{ uuid: its.message }]],
    ];
    for (const [path, uuid, status, body] of lists)
      expect({ path, ...(await bob.call('POST', path, { uuids: [uuid] })) }).toMatchObject({ status, body });
    expect(await allOf(ann, its)).toEqual(before);

    const mine = await oneOfEverything(bob);
    const taken = { data_source_uuids: [its.source, mine.source] };
    const replies = [
      await bob.call('POST', `/api/v1/agent/${mine.agent}/update`, taken),
      await bob.call('POST', `/api/v1/source-tag/${mine.tag}/update`, taken),
    ];
    for (const { body } of replies) expect(JSON.stringify(body)).not.toContain(its.source);
  });
});

describe('an API key', () => {
  it('from API_KEY authenticates the owner, and any other its user', async () => {
    expect((await running.api('GET', '/user')).body).toEqual({ data: { email: 'owner@localhost' } });
    const carl = await userWithKey('Carl@example.com');
    expect((await carl.call('GET', '/api/v1/user')).body).toEqual({ data: { email: 'carl@example.com' } });
  });

  it('is refused with 401 when truncated, extended, hashed or given twice', async () => {
    await docent('user', 'add', 'dora@example.com');
    const key = await docent('key', 'add', 'dora@example.com', '--name', 'dora');
    const wrong = [key.slice(0, -1), `${key}x`, key.slice(0, 7), `${key}, ${key}`, 'a'.repeat(64), 'x', ''];
    for (const one of wrong) {
      const { status, body } = await callerWith(`Bearer ${one}`).call('GET', '/api/v1/user');
      expect({ one, status, body }).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    }
    for (const scheme of ['Basic', 'Bearer:', 'dk'])
      expect((await callerWith(`${scheme} ${key}`).call('GET', '/api/v1/user')).status).toBe(401);
    expect((await callerWith(`bearer  ${key} `).call('GET', '/api/v1/user')).status).toBe(200);
  });

  it('is refused from the next request on once revoked; other keys of its user are not', async () => {
    await docent('user', 'add', 'emil@example.com');
    const [one, two] = [
      callerWith(`Bearer ${await docent('key', 'add', 'emil@example.com', '--name', 'emil 1')}`),
      callerWith(`Bearer ${await docent('key', 'add', 'emil@example.com', '--name', 'emil 2')}`),
    ];
    const statuses = () => Promise.all([one, two].map(async ({ call }) => (await call('GET', '/api/v1/user')).status));
    expect(await statuses()).toEqual([200, 200]);
    await docent('key', 'revoke', 'emil 1');
    expect(await statuses()).toEqual([401, 200]);
  });

  it('has its last use stored without delaying the request, at most once a minute', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'docent-auth-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    let writes = 0;
    let mend = (): void => {};
    let mended: Promise<void> = Promise.resolve();
    const disk = {
      ...realDisk,
      sync: async (file: number) => (await mended, realDisk.sync(file)),
      rename: (from: string, to: string) => (writes++, realDisk.rename(from, to)),
    };
    let now = Date.parse('2026-01-01T00:00:00Z');
    const clock = () => now;
    const store = await openLowdbStore({ dir, clock, disk });
    const admin = createUsers({ store, clock });
    const authenticate = createAuth(store, undefined, clock);
    const lastUse = async () => (await admin.keys())[0]?.last_used_at;
    const key = await admin.addKey('owner@localhost', 'mine');
    expect(await lastUse()).toBe('');
    mended = new Promise((done) => (mend = done));
    writes = 0;
    for (const seconds of [0, 10, 49]) {
      now += seconds * 1000;
      expect(await authenticate({ headers: { authorization: `Bearer ${key}` } })).toMatchObject({
        user: store.owner.user,
        by: { type: 'key', hint: key.slice(0, 7) },
      });
    }
    expect(await lastUse()).toBe('2026-01-01T00:00:59Z');
    expect(writes).toBe(0);
    mend();
    now += 61_000;
    await authenticate({ headers: { authorization: `Bearer ${key}` } });
    await store.close();
    expect(writes).toBe(2);
    const again = await openLowdbStore({ dir, clock });
    expect((await again.keys())[0]?.last_used_at).toBe('2026-01-01T00:02:00Z');
    await again.close();
  });
});

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureBuilt } from '../../../server/dev/build.mjs';
import type { VisitorMessage } from '../../../server/types.ts';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { site } from '../../running.ts';
import { startChild, type Child } from '../child.ts';
import { Ledger } from './ledger.ts';

const ROUNDS = 20;
const API_KEY = 'the-key-of-the-kill-test';
const PAGE = '<html><body><main><h1>Returns</h1><p>You can return a bag within 30 days.</p></main></body></html>';

const ledger = new Ledger();
let dataDir: string;
let fake: FakeModel;
let pages: Awaited<ReturnType<typeof site>>;
let chatbot: string;
let child: Child;
let interrupted = 0;

beforeAll(async () => {
  await ensureBuilt();
  dataDir = await mkdtemp(join(tmpdir(), 'docent-kill-'));
  pages = await site(new Proxy({}, { get: () => PAGE }));
  fake = await startFakeModel({
    script: ({ body }) => ({ pieces: piecesFor(body.messages.at(-1)?.content ?? ''), pace: 4 }),
  });
}, 120_000);

afterAll(async () => {
  await child?.kill();
  await fake.close();
  await pages.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** The model's answer to a question is known beforehand. */
const piecesFor = (query: string): string[] => ['The answer to ', ...query.split(/(?<= )/), ' is ', 'this, ', 'whole.'];

const start = (): Promise<Child> =>
  startChild({
    API_KEY,
    DATA_DIR: dataDir,
    TRUST_PROXY_HOPS: '1',
    FETCH_ALLOW: pages.host,
    LLM_BASE_URL: fake.baseUrl,
    LLM_MODEL: 'fake',
  });

async function post<T>(path: string, body?: object): Promise<T> {
  const reply = await asKeyHolder('POST', path, body);
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${text}`);
  return JSON.parse(text) as T;
}

function asKeyHolder(method: string, path: string, body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
  return fetch(`${child.base}/api/v1${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
}

const newName = (): string => randomBytes(6).toString('hex');

/** A visitor, one whom no limit stops: three questions in one session, each acknowledged by its `done`. */
async function visit(): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': [10, ...randomBytes(3)].join('.') };
  let session: string | undefined;
  for (let turn = 0; turn < 3; turn += 1) {
    const query = `How about ${newName()} then`;
    const reply = await fetch(`${child.base}/chat/${chatbot}/ask`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query, id: newName(), ...(session ? { session } : {}) }),
    });
    const text = await reply.text();
    session ??= /^event: session\ndata: \{"uuid":"(\w+)"/m.exec(text)?.[1];
    const done = /^event: done\ndata: (.*)$/m.exec(text)?.[1];
    if (!done || !session) throw new Error(`${reply.status} ${text}`);
    ledger.recordDone(session, JSON.parse(done) as VisitorMessage);
  }
}

/** A key holder's own session and plain stream, acknowledged by its end. */
async function converse(): Promise<void> {
  const { uuid } = await post<{ uuid: string }>(`/chatbot/${chatbot}/session/create`);
  ledger.sessions.add(uuid);
  for (let turn = 0; turn < 2; turn += 1) {
    const query = `Tell me of ${newName()} please`;
    const reply = await asKeyHolder('POST', `/session/${uuid}/message/stream`, { query });
    ledger.recordStreamEnd(uuid, query, await reply.text());
  }
}

/** Records, acknowledged by their 200. */
async function administer(): Promise<void> {
  const { uuid } = await post<{ uuid: string }>('/chatbot/create', { name: newName() });
  ledger.chatbots.set(uuid, '');
  const name = newName();
  await post(`/chatbot/${uuid}/update`, { name });
  ledger.chatbots.set(uuid, name);
  const source = await post<{ uuid: string }>(`/chatbot/${uuid}/data-source/url`, { url: `${pages.base}/${name}` });
  ledger.sources.set(source.uuid, uuid);
  const session = await post<{ uuid: string }>(`/chatbot/${chatbot}/session/create`);
  await post(`/session/${session.uuid}/delete`);
  ledger.deleted.add(session.uuid);
}

/** Again and again, until the server is gone. */
async function repeatUntilKilled(work: () => Promise<void>, killed: () => boolean): Promise<void> {
  while (!killed()) {
    try {
      await work();
    } catch (error) {
      if (!killed()) throw error;
      ledger.cut += 1;
    }
  }
}

const untilAcknowledged = async (count: number): Promise<void> => {
  while (ledger.acknowledged < count) await sleep(2);
};

async function traffic(): Promise<void> {
  let killed = false;
  const tasks = [visit, visit, visit, visit, converse, converse, administer];
  const clients = tasks.map((work) => repeatUntilKilled(work, () => killed));
  await untilAcknowledged(ledger.acknowledged + 6 + Math.random() * 20);
  killed = true;
  await child.kill();
  await Promise.all(clients);
}

/** All that is wrong with what the restarted server says, against the ledger. */
async function findFaults(): Promise<string[]> {
  const found: string[] = [];
  for (const session of ledger.sessions) {
    const reply = await asKeyHolder('GET', `/session/${session}/messages`);
    if (!reply.ok) found.push(`session ${session}: ${reply.status}`);
    if (!reply.ok) continue;
    const listed = (await reply.json()) as VisitorMessage[];
    found.push(...ledger.faultsOf(session, listed, wholeAnswer));
    interrupted += listed.filter((message) => message.finish_reason === 'interrupted').length;
  }
  for (const session of ledger.deleted) {
    const { status } = await asKeyHolder('GET', `/session/${session}/messages`);
    if (status !== 404) found.push(`deleted session ${session}: ${status}`);
  }
  for (const [uuid, name] of ledger.chatbots) {
    const record = (await (await asKeyHolder('GET', `/chatbot/${uuid}`)).json()) as { name?: string };
    if (name !== '' && record.name !== name) found.push(`chatbot ${uuid}: ${JSON.stringify(record)}`);
    if (record.name === undefined) found.push(`chatbot ${uuid} is lost`);
  }
  for (const [uuid, owner] of ledger.sources) {
    const listed = (await (await asKeyHolder('GET', `/chatbot/${owner}/data-sources`)).json()) as { uuid: string }[];
    if (!listed.some((source) => source.uuid === uuid)) found.push(`source ${uuid} is lost`);
  }
  return found;
}

const wholeAnswer = (query: string): string => piecesFor(query).join('');

test(`${ROUNDS} times killed in mid-traffic, the server has lost nothing that it acknowledged`, async () => {
  child = await start();
  const settings = { name: 'Busy', visibility: 'public', rate_limit: [100, 1] };
  chatbot = (await post<{ uuid: string }>('/chatbot/create', settings)).uuid;
  for (let round = 0; round < ROUNDS; round += 1) {
    await traffic();
    // Over the lock that the dead process has left.
    child = await start();
  }
  expect(await findFaults()).toEqual([]);
  // Else nothing was tested.
  expect(ledger.acknowledged).toBeGreaterThan(ROUNDS * 4);
  expect(ledger.cut).toBeGreaterThan(ROUNDS);
}, 300_000);

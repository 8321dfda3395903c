import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { format, resolveConfig } from 'prettier';
import { operations } from '../../../server/api/router.ts';
import type { Operation, ApiDeps } from '../../../server/api/requests/operation.ts';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { Fault } from '../../../server/schema/records.ts';
import { API_KEY } from '../../running.ts';
import { rows } from './rows.ts';
import { learned, newChatbot, newSession, startApiFixture, type ApiFixture } from '../api-fixture.ts';

/**
 * The examples of the document are what a server answered: this test plays every row of the table again and compares. After a change,
 * `npx vitest run test/api/contract/examples.test.ts -u` writes them anew.
 */

let w: ApiFixture;
/** With a model, which fails unless it is told what to write. */
let asking: ApiFixture;
let model: FakeModel;
beforeAll(async () => {
  // One moment for all records: the times of the examples do not change from run to run.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-01-15T09:30:00Z') });
  [w, model] = [await startApiFixture(), await startFakeModel({ script: { status: 400, raw: ['{}'] } })];
  asking = await startApiFixture({ LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'small', FALLBACK: '0' });
});
afterAll(async () => {
  vi.useRealTimers();
  await w.stop();
  await asking.stop();
  await model.close();
});

test('the examples are replies that a server gave', async () => {
  const played = await playRows();
  const text = stable(JSON.stringify({ operations: played, faults: await playFaults() }));
  await expect(await format(text, { ...(await resolveConfig('package.json')), parser: 'json' })).toMatchFileSnapshot(
    '../../../server/api/openapi/examples.json',
  );
}, 60_000);

async function playRows(): Promise<object> {
  const all: Record<string, object> = {};
  for (const one of operations({} as ApiDeps)) {
    const key = `${one.method} ${one.path}`;
    const needsModel = rows[key]?.withoutModel !== undefined;
    if (needsModel) model.next({ pieces: ['Llamas are sold in [___: the place].'] });
    // The document is no example of itself.
    if (!one.path.endsWith('/openapi.json')) all[key] = await play(one, needsModel ? asking : w);
  }
  return all;
}

async function play({ method, path, others = {} }: Operation, server: ApiFixture): Promise<object> {
  const row = rows[`${method} ${path}`] ?? {};
  const chatbot = await newChatbot(server);
  const uuid = (await row.on?.(server, chatbot)) ?? chatbot;
  const send = row.send?.(uuid, server);
  const url = path.replace(':uuid', uuid).replace(':chatbot', chatbot) + (row.search ?? '');
  const replies: Record<string, unknown> = { 200: (await server.call(method, url, send)).body };
  if (409 in others && others[409] !== Fault) {
    // A site is refused while it is learned; all else when it is there.
    if (!path.endsWith('/site')) await learned(server, (replies[200] as { uuid: string }).uuid);
    replies['409'] = (await server.call(method, url, send)).body;
  }
  if (422 in others && others[422] !== Fault)
    replies['422'] = (await server.call(method, url, { uuids: ['0'.repeat(32)] })).body;
  return { ...(send === undefined ? {} : { request: shown(send) }), replies };
}

const shown = (sent: unknown): unknown =>
  sent instanceof FormData
    ? Object.fromEntries([...sent].map(([name, value]) => [name, value instanceof File ? value.name : value]))
    : sent;

async function playFaults(): Promise<Record<string, unknown>> {
  const create = (body: string, key?: string) => w.call('POST', '/api/v1/chatbot/create', body, key);
  return {
    400: (await create('{"name":')).body,
    401: (await create('{}', '')).body,
    404: (await w.call('GET', `/api/v1/chatbot/${'0'.repeat(32)}`)).body,
    412: await staleFault(),
    413: (await create(JSON.stringify({ name: 'x'.repeat(1_100_000) }))).body,
    415: (await typed('text/csv')).body,
    422: (await create('{"name":"Help centre","visibility":"secret"}')).body,
    502: await modelFault(),
  };
}

async function typed(type: string): Promise<{ body: unknown }> {
  const headers = { Authorization: `Bearer ${API_KEY}`, 'Content-Type': type };
  const reply = await fetch(`${w.docent.base}/api/v1/chatbot/create`, { method: 'POST', headers, body: 'name' });
  return { body: await reply.json() };
}

async function staleFault(): Promise<unknown> {
  const headers = { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json', 'If-Match': '"older"' };
  const url = `${w.docent.base}/api/v1/chatbot/${await newChatbot(w)}/widget`;
  return (await fetch(url, { method: 'POST', headers, body: '{"title":"Help"}' })).json();
}

async function modelFault(): Promise<unknown> {
  const session = await newSession(asking, await newChatbot(asking));
  const { body } = await asking.call('POST', `/api/v1/session/${session}/message/stream`, { query: 'Is it open?' });
  return body;
}

/** Identifiers by the order in which they come, and the site's address as a name. */
function stable(text: string): string {
  const seen = new Map<string, string>();
  const named = (uuid: string): string => {
    const name = seen.get(uuid) ?? createHash('sha256').update(`example ${seen.size}`).digest('hex').slice(0, 32);
    seen.set(uuid, name);
    return name;
  };
  return (
    text
      .replaceAll(w.shop, 'https://shop.example.com')
      .replaceAll(w.docent.base, 'https://chat.example.com')
      // Of an archive, whose identifiers are made anew.
      .replaceAll(/(?<=\bcrc32\W{3})\d+/g, '1')
      .replaceAll(/(?<=#invitation=\w{32}\.)[\w-]{43}/g, 'k'.repeat(43))
      .replace(/(?<![0-9a-f])(?!0{32})[0-9a-f]{32}(?![0-9a-f])/g, named)
  );
}

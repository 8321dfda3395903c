import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startRetention } from '../../../server/control/retention.ts';
import { createAudit } from '../../../server/http/audit.ts';
import type { AuditEntry } from '../../../server/store/shared/audit.ts';
import { newUuid } from '../../../server/schema/ids.ts';
import { onFiles, openStoreOf } from '../../engine/engine.ts';
import { start, type Reply } from '../../running.ts';
import { anAuditEntry } from '../../store/records.ts';
import { faultyDisk } from '../../store/faulty-disk.ts';
import {
  invite,
  joinByLink,
  newAgent,
  newChatbot,
  newConversation,
  newSource,
  OTHER_KEY,
  QA,
  startApiFixture,
  type ApiFixture,
} from '../api-fixture.ts';

/** Who did what, as those see it who may. */

let w: ApiFixture;
beforeAll(async () => void (w = await startApiFixture()), 60_000);
afterAll(() => w.stop());

interface Member {
  uuid: string;
  email: string;
  call(method: string, path: string, body?: object): Promise<{ status: number; body: any }>; // oxlint-disable-line no-explicit-any
}

/** Of that role, signed in to the console. */
async function memberOf(chatbot: string, role: string): Promise<Member> {
  const { user, cookie } = await joinByLink(w, await invite(w, chatbot, role));
  return {
    uuid: user.uuid,
    email: user.name,
    async call(method, path, body) {
      const headers = { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' };
      const reply = await fetch(w.docent.base + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      const text = await reply.text();
      return { status: reply.status, body: text.startsWith('[') || text.startsWith('{') ? JSON.parse(text) : text };
    },
  };
}

interface Shown extends Omit<AuditEntry, 'user'> {
  email: string;
  summary: string;
}

const at = (chatbot: string, search = ''): string => `/api/v1/chatbot/${chatbot}/audit${search}`;
const logOf = async (chatbot: string, search = ''): Promise<Shown[]> => (await w.call('GET', at(chatbot, search))).body;
const ownLog = async (): Promise<Shown[]> => (await w.call('GET', '/api/v1/user/audit')).body;
const idsOf = async (chatbot: string): Promise<string[]> => (await logOf(chatbot)).map(({ operation }) => operation);

describe('a chatbot’s log', () => {
  it('shows its owner who reads a conversation, and is there for owners alone', async () => {
    const chatbot = await newChatbot(w);
    const session = await newConversation(w, chatbot);
    const [viewer, editor, operator] = [
      await memberOf(chatbot, 'viewer'),
      await memberOf(chatbot, 'editor'),
      await memberOf(chatbot, 'operator'),
    ];
    expect((await viewer.call('GET', `/api/v1/session/${session}/messages`)).status).toBe(200);
    const [read] = await logOf(chatbot);
    expect(read).toMatchObject({ operation: 'listMessages', record: session, email: viewer.email, detail: '' });
    expect(read!.by).toEqual({ type: 'sign-in', uuid: expect.stringMatching(/^[0-9a-f]{32}$/), hint: '' });
    expect(JSON.stringify(await logOf(chatbot))).not.toContain(QA.question);

    for (const member of [viewer, editor, operator])
      for (const method of ['GET', 'POST', 'DELETE'])
        expect([200, 404, 405]).not.toContain(method === 'GET' ? (await member.call(method, at(chatbot))).status : 403);
    expect((await editor.call('DELETE', at(chatbot))).status).toBe(405);
    expect((await editor.call('DELETE', `${at(chatbot)}/${read!.uuid}`)).status).toBe(404);
    expect((await w.call('GET', at(chatbot), undefined, OTHER_KEY)).status).toBe(404);
    expect((await w.call('GET', at(chatbot), undefined, '')).status).toBe(401);
    const owner = await memberOf(chatbot, 'owner');
    expect((await owner.call('GET', at(chatbot))).body).toEqual(await logOf(chatbot));
  });

  it('says what was changed by names, who joined, and as what', async () => {
    const chatbot = await newChatbot(w);
    const agent = await newAgent(w, chatbot);
    await w.call('POST', `/api/v1/agent/${agent}/update`, { name: 'Sekret', prompt: 'Sekret', Sekret: 1 });
    const member = await memberOf(chatbot, 'viewer');
    await w.call('POST', `/api/v1/chatbot/${chatbot}/member/${member.uuid}/update`, { role: 'editor' });
    await w.call('DELETE', `/api/v1/chatbot/${chatbot}/member/${member.uuid}/delete`);
    const log = await logOf(chatbot);
    expect(log.map(({ operation, detail }) => `${operation}: ${detail}`)).toEqual([
      `removeMember: ${member.email}`,
      `updateMember: ${member.email}, editor`,
      `acceptInvitation: ${member.email}, viewer`,
      `createInvitation: ${member.email}, viewer`,
      'updateAgent: name, prompt',
      'createAgent: ',
    ]);
    expect(log.map(({ record }) => record)).toContain(agent);
    expect(log[2]!.summary).toBe('Accept an invitation');
    expect(JSON.stringify(log)).not.toContain('Sekret');
  });

  it('has an entry for each record of a batch, and for a repeat with the same Idempotency-Key none more', async () => {
    const chatbot = await newChatbot(w);
    const sources = [await newSource(w, chatbot), await newSource(w, chatbot)];
    const strange = { uuids: [...sources, newUuid()] };
    expect((await w.call('POST', '/api/v1/data-sources/delete', strange)).status).toBe(422);
    expect(await idsOf(chatbot)).toEqual(['createQaSource', 'createQaSource']);
    await w.call('POST', '/api/v1/data-sources/delete', { uuids: [sources[0], ...sources] });
    const deleted = (await logOf(chatbot)).filter(({ operation }) => operation === 'deleteSources');
    expect(deleted.map(({ record }) => record).toSorted()).toEqual(sources.toSorted());

    const create = () =>
      fetch(`${w.docent.base}/api/v1/chatbot/${chatbot}/agent/create`, {
        method: 'POST',
        headers: {
          Authorization: 'Bearer the-key-of-the-tests',
          'Content-Type': 'application/json',
          'Idempotency-Key': 'once',
        },
        body: JSON.stringify({ name: 'Desk', type: 'user-facing' }),
      });
    await Promise.all([create(), create()]);
    await create();
    expect((await idsOf(chatbot)).filter((id) => id === 'createAgent')).toHaveLength(1);
  });

  it('has nothing of what was refused', async () => {
    const chatbot = await newChatbot(w);
    const url = { url: `${w.shop}/returns` };
    await w.call('POST', `/api/v1/chatbot/${chatbot}/data-source/url`, url);
    const editor = await memberOf(chatbot, 'editor');
    const before = await logOf(chatbot);
    const tries: Promise<{ status: number }>[] = [
      w.call('POST', `/api/v1/chatbot/${chatbot}/update`, { name: '' }),
      w.call('POST', `/api/v1/chatbot/${chatbot}/data-source/url`, url),
      w.call('POST', `/api/v1/agent/${newUuid()}/update`, { name: 'x' }),
      w.call('POST', `/api/v1/chatbot/${chatbot}/update`, { name: 'x' }, OTHER_KEY),
      editor.call('POST', `/api/v1/chatbot/${chatbot}/update`, { name: 'x' }),
      w.call('GET', `/api/v1/session/${newUuid()}/messages`),
    ];
    expect((await Promise.all(tries)).map(({ status }) => status)).toEqual([422, 409, 404, 404, 403, 404]);
    expect(await logOf(chatbot)).toEqual(before);
  });

  it('notes a conversation that is polled once, for each key and sign-in', async () => {
    const chatbot = await newChatbot(w);
    const session = await newConversation(w, chatbot);
    const viewer = await memberOf(chatbot, 'viewer');
    const path = `/api/v1/session/${session}/messages`;
    await Promise.all(Array.from({ length: 50 }, () => w.call('GET', path)));
    for (let n = 0; n < 50; n++) await w.call('GET', path);
    for (let n = 0; n < 5; n++) await viewer.call('GET', path);
    expect((await idsOf(chatbot)).filter((id) => id === 'listMessages')).toHaveLength(2);
  });

  it('is not written at the public door', async () => {
    const chatbot = await newChatbot(w);
    await w.call('POST', `/api/v1/chatbot/${chatbot}/update`, { visibility: 'public' });
    const before = await logOf(chatbot);
    const asked = await fetch(`${w.docent.base}/chat/${chatbot}/ask`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: QA.question }),
    });
    expect(await asked.text()).toContain('event: done');
    expect(await logOf(chatbot)).toEqual(before);
  });

  it('is paged, and narrowed to a member and days', async () => {
    const chatbot = await newChatbot(w);
    const editor = await memberOf(chatbot, 'editor');
    for (const name of ['a', 'b', 'c'])
      await editor.call('POST', `/api/v1/chatbot/${chatbot}/agent/create`, { name, type: 'user-facing' });
    const whole = await logOf(chatbot);
    expect(whole).toHaveLength(5);
    const pages: Shown[][] = [];
    for (let next: string | undefined = at(chatbot, `?limit=2&email=${encodeURIComponent(editor.email)}`); next;) {
      const reply: Reply = await w.call('GET', next);
      pages.push(reply.body);
      next = /^<([^>]+)>; rel="next"$/.exec(reply.headers.get('link') ?? '')?.[1];
    }
    expect(pages.flat()).toEqual(whole.filter(({ email }) => email === editor.email));
    expect(pages[0]).toHaveLength(2);
    const day = whole[0]!.at.slice(0, 10);
    expect(await logOf(chatbot, `?from=${day}&to=${day}`)).toEqual(whole);
    expect(await logOf(chatbot, '?to=2020-01-01')).toEqual([]);
    expect(await logOf(chatbot, '?email=nobody@shop.example')).toEqual([]);
    expect(await logOf(chatbot, `?after=${whole[3]!.uuid}`)).toEqual([whole[4]]);
  });
});

it('the log of an account has what outlives a chatbot, and shows nobody else’s', async () => {
  const chatbot = await newChatbot(w);
  await w.call('DELETE', `/api/v1/chatbot/${chatbot}/delete`);
  const [deleted, created] = await ownLog();
  expect(deleted).toMatchObject({ operation: 'deleteChatbot', record: chatbot });
  expect(created).toMatchObject({ operation: 'createChatbot', record: chatbot });
  expect((await w.call('GET', '/api/v1/user/audit', undefined, OTHER_KEY)).body).toEqual([]);
});

describe.runIf(onFiles)('where the disk takes nothing', () => {
  it('hands out nothing unlogged, and notes a change with the next', async () => {
    const disk = faultyDisk();
    const docent = await start({}, disk);
    const { uuid: chatbot } = (await docent.api('POST', '/chatbot/create', { name: 'Help' })).body;
    await docent.api('POST', `/chatbot/${chatbot}/data-source/qa`, QA);
    const { uuid: session } = (await docent.api('POST', `/chatbot/${chatbot}/session/create`)).body;
    const { uuid: agent } = (await docent.api('GET', `/chatbot/${chatbot}/agents`)).body[0];
    await docent.api('POST', `/session/${session}/message/non-stream`, { query: QA.question });
    disk.failing('write', 'EIO');
    const reads = [
      `/session/${session}/messages`,
      `/session/${session}/messages/plain-text`,
      `/session/${session}`,
      `/chatbot/${chatbot}/conversations`,
      `/chatbot/${chatbot}/conversations/export`,
      `/chatbot/${chatbot}/conversations/export?format=jsonl`,
      `/chatbot/${chatbot}/sessions`,
      `/chatbot/${chatbot}/gaps`,
    ];
    for (const path of reads)
      for (const _ of [1, 2]) {
        const { status, body, headers } = await docent.api('GET', path);
        expect([path, status, body.code]).toEqual([path, 503, 'unavailable']);
        expect(JSON.stringify(body)).not.toContain(QA.question);
        expect(headers.get('content-type')).toContain('application/json');
        expect(headers.get('content-disposition')).toBeNull();
      }
    // Deleting needs no room: the agent is gone, and noting that is not.
    disk.heal();
    // Figures, and what conversations are found by, are written a little later.
    for (let seen = -1; seen !== disk.total(); await setTimeout(2500)) seen = disk.total();
    const write = disk.count('write');
    await docent.api('POST', `/agent/${agent}/update`, { name: 'Desk' });
    const own = disk.count('write') - write;
    disk.failing('write', 'EIO', 1, own - 1);
    expect((await docent.api('POST', `/agent/${agent}/update`, { name: 'Desk' })).status).toBe(503);
    disk.heal();
    expect((await docent.api('GET', `/session/${session}/messages`)).status).toBe(200);
    await docent.api('POST', `/agent/${agent}/update`, { description: 'd' });
    const log = (await docent.api('GET', `/chatbot/${chatbot}/audit`)).body as Shown[];
    expect(log.map(({ operation, detail }) => `${operation} ${detail}`).slice(0, 4)).toEqual([
      'updateAgent description',
      'updateAgent name',
      'listMessages ',
      'updateAgent name',
    ]);
    expect(await readdir(join(docent.dataDir, 'audit'))).not.toEqual([]);
    await docent.stop();
  });
});

it('reads are known for an hour, and only so many', async () => {
  let now = Date.parse('2026-01-02T00:00:00Z');
  const addAudit = vi.fn(async () => {});
  const audit = createAudit({ store: { addAudit }, clock: () => now, log: { error() {} } });
  const user = { uuid: newUuid(), email: 'ann@shop.example', created_at: '' };
  const read = (record: string, uuid = 'a') =>
    audit.read({ user, by: { type: 'key', uuid, hint: '' } }, { operation: 'getSession', chatbot: 'c', record });
  await read('0');
  await read('0');
  await read('0', 'b');
  expect(addAudit).toHaveBeenCalledTimes(2);
  now += 3_600_000;
  await read('0');
  expect(addAudit).toHaveBeenCalledTimes(3);
  for (let n = 1; n <= 10_000; n++) await read(String(n));
  await read('0');
  expect(addAudit).toHaveBeenCalledTimes(3 + 10_000 + 1);
  addAudit.mockRejectedValueOnce(new Error('away'));
  await expect(read('new')).rejects.toThrow('away');
  await read('new');
  await read('new');
  expect(addAudit).toHaveBeenCalledTimes(3 + 10_000 + 3);
});

it('a log that cannot be written keeps no other from being written, once', async () => {
  let isAway = true;
  const stored: string[] = [];
  const addAudit = vi.fn(async (entries: readonly AuditEntry[]) => {
    if (isAway && entries.some(({ chatbot }) => chatbot === 'a')) throw new Error('away');
    stored.push(...entries.map(({ chatbot, record }) => chatbot + record));
  });
  const audit = createAudit({ store: { addAudit }, clock: Date.now, log: { error() {} } });
  const user = { uuid: newUuid(), email: 'ann@shop.example', created_at: '' };
  const change = (...records: string[]) =>
    audit.changed(
      { user, by: { type: 'key', uuid: 'a', hint: '' } },
      records.map((one) => ({ operation: 'updateAgent', chatbot: one[0]!, record: one.slice(1) })),
    );
  await expect(change('a1', 'b1')).rejects.toThrow('away');
  await change('b2');
  await change('b3');
  expect(stored).toEqual(['b1', 'b2', 'b3']);
  isAway = false;
  await change('b4');
  expect(stored).toEqual(['b1', 'b2', 'b3', 'a1', 'b4']);
});

it('of an address that nobody has there is nothing', async () => {
  const chatbot = await newChatbot(w);
  for (const email of ['nobody@shop.example', '%00', '%', 'x'])
    expect(await w.call('GET', at(chatbot, `?email=${encodeURIComponent(email)}`))).toMatchObject({
      status: 200,
      body: [],
    });
  expect((await w.call('GET', at(chatbot, '?email=%00'))).status).toBe(200);
});

it('entries older than AUDIT_DAYS go with the hourly check', async () => {
  const dir = join(w.docent.dataDir, 'other');
  const now = Date.parse('2026-03-11T12:00:00Z');
  const log = { info: vi.fn(), error: vi.fn(), warn: vi.fn() };
  const store = await openStoreOf({ dir, clock: () => now, log });
  const account = store.owner.user.uuid;
  const days = ['2026-02-28', '2026-03-01', '2026-03-11'];
  await store.addAudit(days.map((day) => anAuditEntry({ account, user: account, ms: Date.parse(`${day}T12:00:00Z`) })));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const retention = startRetention({ store, snapshots: store, clock: () => now, auditDays: 10, log });
  await vi.advanceTimersByTimeAsync(60_000);
  vi.useRealTimers();
  await retention.close();
  const left = (await store.audit({ account }, { limit: 10 }))!.entries;
  expect(left.map(({ at: time }) => time.slice(0, 10))).toEqual(['2026-03-11', '2026-03-01']);
  expect(log.error).not.toHaveBeenCalled();
  await store.close();
});

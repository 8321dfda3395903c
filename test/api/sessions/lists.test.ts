import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { messageUuid } from '../../../server/schema/ids.ts';
import { realDisk } from '../../../server/store/lowdb/files/disk.ts';
import { Sessions } from '../../../server/store/lowdb/sessions/sessions.ts';
import { onFiles, openStoreOf } from '../../engine/engine.ts';
import { API_KEY, start, type Running } from '../../running.ts';
import { mostInOneTurn } from '../../turns.ts';
import { aChatbot, aMessage, aSession, aSource } from '../../store/records.ts';

const MANY = 10_000;
/** Characters of JSON: a few milliseconds' work. */
const ONE_TURN = 100_000;

let docent: Running;
let dir: string;
let chatbot: string;
let session: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'docent-lists-'));
  await fill();
  docent = await start({ DATA_DIR: dir });
}, 120_000);
afterAll(async () => {
  await docent.stop();
  await rm(dir, { recursive: true, force: true });
});

/** By a disk that syncs nothing: what is measured is reading. */
async function fill(): Promise<void> {
  const disk = { ...realDisk, sync: async () => {}, datasync: async () => {} };
  const store = await openStoreOf({ dir, clock: Date.now, disk });
  const bot = aChatbot(store.owner.user.uuid);
  await store.createChatbot(bot, []);
  const held = aSession(bot.uuid);
  await store.createSession(held);
  const response = 'You may return any item within 45 days of delivery, 😀 for whatever reason. '.repeat(8);
  for (let done = 0; done < MANY; done += 500) {
    const at = Array.from({ length: 500 }, (_, i) => done + i);
    await Promise.all(
      at.flatMap((i) => [
        i === 0 ? undefined : store.createSession(aSession(bot.uuid, { initial_variables: { number: i } })),
        store.createSource(aSource(bot.uuid, { title: `Page ${i}`, status: 'success' })),
        store.saveMessage(aMessage(held.uuid, { uuid: messageUuid(held.uuid), query: `question ${i}`, response })),
      ]),
    );
  }
  await store.close();
  [chatbot, session] = [bot.uuid, held.uuid];
}

const get = (path: string, method = 'GET') =>
  new Promise<{ status: number; headers: Record<string, unknown>; bytes: Buffer }>((resolve, reject) => {
    const headers = { Authorization: `Bearer ${API_KEY}` };
    const sent = request(`${docent.base}/api/v1${path}`, { method, headers }, (reply) => {
      const parts: Buffer[] = [];
      reply.on('data', (part: Buffer) => parts.push(part));
      reply.on('end', () =>
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, bytes: Buffer.concat(parts) }),
      );
    });
    sent.on('error', reject).end();
  });

describe('a list of ten thousand', () => {
  const paths: [string, () => string][] = [
    ['sessions', () => `/chatbot/${chatbot}/sessions`],
    ['sessions in a period', () => `/chatbot/${chatbot}/sessions?start_timestamp=2026-01-01&end_timestamp=2026-01-02`],
    ['messages', () => `/session/${session}/messages`],
    ['messages as a transcript', () => `/session/${session}/messages/plain-text`],
    ['sources', () => `/chatbot/${chatbot}/data-sources`],
  ];

  it.each(paths)('of %s is made in many short turns', async (_what, path) => {
    const most = await mostInOneTurn(async () => expect((await get(path())).status).toBe(200));
    expect(most).toBeLessThan(ONE_TURN);
  });

  it.each(paths.filter(([what]) => !what.includes('transcript')))(
    'of %s is whole, in order and JSON',
    async (what, path) => {
      const { status, headers, bytes } = await get(path());
      expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
      // Sessions are read while they are sent: nobody knows their length beforehand.
      const length = what.startsWith('sessions') ? undefined : String(bytes.length);
      expect(headers['content-length']).toBe(length);
      const all = JSON.parse(bytes.toString());
      expect(all).toHaveLength(MANY);
      expect(new Set(all.map(({ uuid }: { uuid: string }) => uuid)).size).toBe(MANY);
      if (what === 'messages') expect(all.map(({ query }: { query: string }) => query)).toEqual(numbered('question'));
      if (what === 'sources') expect(all.map(({ title }: { title: string }) => title)).toEqual(numbered('Page'));
    },
  );

  it('as a transcript has each turn in order', async () => {
    const lines = (await get(`/session/${session}/messages/plain-text`)).bytes.toString().split('\n');
    expect(lines.filter((line) => line.startsWith('User: '))).toEqual(numbered('User: question'));
  });

  it.each(paths)('of %s answers HEAD with no body, and its length where that is known', async (_what, path) => {
    const [whole, head] = [await get(path()), await get(path(), 'HEAD')];
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect(head.headers['content-length']).toBe(whole.headers['content-length']);
    expect(head.headers['content-type']).toBe(whole.headers['content-type']);
  });

  it.each(paths.slice(0, 2))('of %s lets others have hundreds of turns of the event loop', async (_what, path) => {
    const work = { done: false };
    let turns = 0;
    const others = (async () => {
      for (; !work.done; turns++) await new Promise(setImmediate);
    })();
    expect((await get(path())).status).toBe(200);
    work.done = true;
    await others;
    expect(turns).toBeGreaterThan(MANY / 64);
  });

  // By what only files have: where a question of a session may stand, without reading it.
  it.runIf(onFiles)('of sessions by outcome is read no further once the caller has left', async () => {
    const leave = new AbortController();
    const mayHold = vi.spyOn(Sessions.prototype, 'mayHold').mockImplementation(async () => {
      if (mayHold.mock.calls.length === 100) leave.abort();
      // Time for the server to see that the connection is gone.
      await setTimeout(leave.signal.aborted ? 20 : 0);
      return false;
    });
    const path = `${docent.base}/api/v1/chatbot/${chatbot}/sessions?outcome=unsure`;
    const asked = fetch(path, { headers: { Authorization: `Bearer ${API_KEY}` }, signal: leave.signal });
    await expect(asked).rejects.toThrow('aborted');
    let calls = 0;
    for (let same = 0; same < 5; same = mayHold.mock.calls.length === calls ? same + 1 : 0) {
      calls = mayHold.mock.calls.length;
      await setTimeout(50);
    }
    mayHold.mockRestore();
    expect(calls).toBeGreaterThanOrEqual(100);
    expect(calls).toBeLessThan(MANY / 2);
  });

  it('that is not there is an ordinary error', async () => {
    const { status, bytes } = await get(`/session/${'0'.repeat(32)}/messages`);
    expect([status, JSON.parse(bytes.toString()).code]).toEqual([404, 'not_found']);
  });
});

const numbered = (what: string): string[] => Array.from({ length: MANY }, (_, i) => `${what} ${i}`);

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../server/cli/run.ts';
import { ensureBuilt } from '../../../server/dev/build.mjs';
import { databaseOf, openStoreOf } from '../../engine/engine.ts';
import { API_KEY, start, type Running } from '../../running.ts';
import { startChild, type Child } from '../../server/child.ts';
import { aMessage, aSession, atMinute } from '../../store/records.ts';

/** The list of conversations in which a person was asked for: right over deletions, retention, kills, export and import. */

const REQUEST = 'I want to talk to a person';
const OTHER = 'What is a quokka?';

type Call = <T>(method: string, path: string, body?: object) => Promise<T>;

const caller =
  (base: () => string): Call =>
  async (method, path, body) => {
    const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
    const reply = await fetch(path.startsWith('/api/') ? base() + path : `${base()}/api/v1${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
    return (await reply.json()) as never;
  };

const folders: string[] = [];
async function newFolder(): Promise<string> {
  folders.push(await mkdtemp(join(tmpdir(), 'docent-requested-')));
  return folders.at(-1)!;
}
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

const newSession = async (call: Call, chatbot: string): Promise<string> =>
  (await call<{ uuid: string }>('POST', `/chatbot/${chatbot}/session/create`, {})).uuid;
const say = (call: Call, session: string, query: string) =>
  call<{ uuid: string }>('POST', `/session/${session}/message/non-stream`, { query });

async function askForPerson(call: Call, chatbot: string): Promise<string> {
  const session = await newSession(call, chatbot);
  await say(call, session, REQUEST);
  return session;
}

/** All of the list, newest first. */
async function requested(base: string, chatbot: string): Promise<string[]> {
  const listed: string[] = [];
  for (let path = `/api/v1/chatbot/${chatbot}/conversations?state=requested`; path !== '';) {
    const reply = await fetch(base + path, { headers: { authorization: `Bearer ${API_KEY}` } });
    expect(reply.status).toBe(200);
    for (const { uuid, state } of (await reply.json()) as { uuid: string; state: string }[]) {
      expect(state).toBe('requested');
      listed.push(uuid);
    }
    path = /^<([^>]*)>; rel="next"$/.exec(reply.headers.get('link') ?? '')?.[1] ?? '';
  }
  return listed;
}

describe('on a running server', () => {
  let docent: Running;
  let dir: string;
  let chatbot: string;
  const call = caller(() => docent.base);
  const list = (of = chatbot) => requested(docent.base, of);
  const run = async () => void (docent = await start({ DATA_DIR: dir }));
  const create = async () =>
    (await call<{ uuid: string }>('POST', '/chatbot/create', { name: 'Museum', visibility: 'public' })).uuid;

  beforeEach(async () => {
    dir = await newFolder();
    await run();
    chatbot = await create();
  });
  afterEach(() => docent.stop());

  async function docentCommand(words: string[], stdin = '', dataDir = dir): Promise<string> {
    let [out, err] = ['', ''];
    const stdout = new Writable({
      write(chunk: Buffer, _, done) {
        out += chunk.toString();
        done();
      },
    });
    const terminal = {
      out: (text: string) => void (out += text),
      err: (text: string) => void (err += text),
      showsProgress: () => false,
      stdin: Readable.from([Buffer.from(stdin)]),
      stdout,
    };
    const DATABASE_URL = await databaseOf(dataDir);
    const code = await runCommand(words, { DATA_DIR: dataDir, ...(DATABASE_URL && { DATABASE_URL }) }, terminal);
    expect([code, code === 0 ? '' : err]).toEqual([0, '']);
    return out;
  }

  it('leaves out what the owner or the visitor has deleted, in the next life too', async () => {
    const [kept, byOwner, byVisitor, ofMessage] = [
      await askForPerson(call, chatbot),
      await askForPerson(call, chatbot),
      await askForPerson(call, chatbot),
      await newSession(call, chatbot),
    ];
    await say(call, ofMessage, REQUEST);
    const [request] = await call<{ uuid: string }[]>('GET', `/session/${ofMessage}/messages`);
    expect(await list()).toEqual([ofMessage, byVisitor, byOwner, kept]);
    await call('POST', `/session/${byOwner}/delete`);
    expect(await list()).toEqual([ofMessage, byVisitor, kept]);
    const left = await fetch(`${docent.base}/chat/${chatbot}/session/${byVisitor}/delete`, { method: 'POST' });
    expect(left.status).toBe(200);
    expect(await list()).toEqual([ofMessage, kept]);
    await call('POST', `/message/${request!.uuid}/delete`);
    expect(await list()).toEqual([kept]);
    // The person has not come yet, whatever else is asked.
    await say(call, ofMessage, OTHER);
    for (let life = 0; life < 2; life++) {
      expect(await list()).toEqual([ofMessage, kept]);
      await docent.stop();
      await run();
    }
    await call('DELETE', `/chatbot/${chatbot}/delete`);
    const other = await create();
    expect(await list(other)).toEqual([]);
  });

  it('leaves out what is older than conversations are kept', async () => {
    await docent.stop();
    const store = await openStoreOf({ dir, clock: Date.now });
    const old = Array.from({ length: 30 }, (_, at) =>
      aSession(chatbot, { ...stamped(at), live: { state: 'requested' } }),
    );
    for (const session of old) {
      const { created_at, modified_at } = session;
      await store.saveMessage(aMessage(session.uuid, { query: REQUEST, created_at, modified_at }), session);
    }
    await store.close();
    await run();
    const [back, ...gone] = old.map(({ uuid }) => uuid).toReversed();
    expect(await list()).toEqual([back, ...gone]);
    await say(call, back!, OTHER);
    const recent = await askForPerson(call, chatbot);
    await docentCommand(['chatbot', 'update', chatbot, '--keep-days', '2']);
    for (let life = 0; life < 2; life++) {
      expect(await list()).toEqual([recent, back]);
      await docent.stop();
      await run();
    }
  });

  it('is the same after an export and an import, and of the archive alone where that replaces what was there', async () => {
    const [first, second] = [await askForPerson(call, chatbot), await askForPerson(call, chatbot)];
    await say(call, await newSession(call, chatbot), OTHER);
    await say(call, first, OTHER);
    const archive = await docentCommand(['export', '-']);
    expect(await list()).toEqual([second, first]);
    await call('POST', `/session/${first}/delete`);
    const later = await askForPerson(call, chatbot);
    expect(await list()).toEqual([later, second]);
    await docent.stop();

    const elsewhere = await newFolder();
    await docentCommand(['import', '-'], archive, elsewhere);
    await docentCommand(['import', '-', '--replace'], archive);
    for (const place of [elsewhere, dir]) {
      dir = place;
      await run();
      expect(await list()).toEqual([second, first]);
      const next = await askForPerson(call, chatbot);
      expect(await list()).toEqual([next, second, first]);
      await docent.stop();
    }
    await run();
  });
});

const stamped = (minute: number) => ({ created_at: atMinute(minute), modified_at: atMinute(minute) });

describe('on a server that is killed', () => {
  /** Requests that are acknowledged in each life. */
  const LIVES = [1, 5, 12, 30];
  let child: Child;
  let dir: string;
  let chatbot: string;
  const call = caller(() => child.base);
  const list = () => requested(child.base, chatbot);
  const run = async () => {
    const DATABASE_URL = (await databaseOf(dir)) ?? '';
    child = await startChild({ API_KEY, DATA_DIR: dir, DATABASE_URL });
  };
  beforeAll(ensureBuilt, 300_000);
  beforeEach(async () => {
    dir = await newFolder();
    await run();
    chatbot = (await call<{ uuid: string }>('POST', '/chatbot/create', { name: 'Museum' })).uuid;
  });
  afterEach(() => child.kill());

  it('has what was stored after its index was', async () => {
    const first = await askForPerson(call, chatbot);
    const gone = await askForPerson(call, chatbot);
    const session = await newSession(call, chatbot);
    await say(call, session, OTHER);
    expect(await list()).toEqual([gone, first]);
    await say(call, session, REQUEST);
    await call('POST', `/session/${gone}/delete`);
    const last = await askForPerson(call, chatbot);
    await child.kill();
    await run();
    expect(await list()).toEqual([last, session, first]);
  });

  it('says what the sessions say, whatever was under way', { timeout: 180_000 }, async () => {
    const [asked, deleted, deleting] = [new Set<string>(), new Set<string>(), new Set<string>()];
    for (const acknowledged of LIVES) {
      const before = asked.size;
      const life = { isOver: false };
      let end = (): void => {};
      const isDue = new Promise<void>((due) => (end = due));
      const visit = async (): Promise<void> => {
        const session = await askForPerson(call, chatbot);
        asked.add(session);
        if (asked.size - before >= acknowledged) end();
        if (asked.size % 3 > 0) return;
        deleting.add(session);
        await call('POST', `/session/${session}/delete`);
        deleted.add(session);
      };
      const until = async (act: () => Promise<unknown>): Promise<void> => {
        while (!life.isOver)
          await act().catch((error: unknown) => {
            if (!life.isOver) throw error;
          });
      };
      const busy = Promise.all([until(visit), until(visit), until(visit), until(list)]);
      await Promise.race([isDue, busy]);
      life.isOver = true;
      await child.kill();
      await busy;

      await run();
      const listed = await list();
      const sessions = await call<{ uuid: string }[]>('GET', `/chatbot/${chatbot}/sessions`);
      const waiting: string[] = [];
      for (const { uuid } of sessions) {
        const { meta } = await call<{ meta: { live?: { state: string } } }>('GET', `/session/${uuid}`);
        if (meta.live?.state === 'requested') waiting.unshift(uuid);
      }
      expect(listed).toEqual(waiting);
      expect([...asked].filter((one) => !deleting.has(one) && !listed.includes(one))).toEqual([]);
      expect(listed.filter((one) => deleted.has(one))).toEqual([]);
    }
  });
});

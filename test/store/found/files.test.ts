import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openLowdbStore } from '../../../server/store/lowdb/lowdb.ts';
import { newUuid } from '../../../server/schema/ids.ts';
import type { Store } from '../../../server/store/store.ts';
import { faultyDisk } from '../faulty-disk.ts';
import { aChatbot, aMessage, aSession } from '../records.ts';

let dir: string;
let store: Store;
let chatbot: string;
const disk = faultyDisk();
/** Between the writing of a line and its being synced. */
let beforeSync = async (): Promise<void> => {};
const datasync = async (file: number): Promise<void> => {
  await beforeSync();
  return disk.datasync(file);
};
const open = async () => (store = await openLowdbStore({ dir, clock: Date.now, disk: { ...disk, datasync } }));
const reopen = async () => {
  await store.close();
  await open();
};
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'docent-found-'));
  await open();
  const made = aChatbot(store.owner.user.uuid);
  chatbot = made.uuid;
  await store.createChatbot(made, []);
});
afterEach(async () => {
  disk.heal();
  beforeSync = async () => {};
  await store.close();
  await rm(dir, { recursive: true, force: true });
});

const ask = async (query: string, session = aSession(chatbot)) => {
  const message = aMessage(session.uuid, { query });
  await store.saveMessage(message, session);
  return { session, message };
};
const find = async (text?: string) => {
  const found = await store.findMessages(chatbot, text === undefined ? {} : { text }, { limit: 1000 });
  return found!.messages.map(({ query }) => query);
};
const files = async () => {
  const names = await readdir(dir, { recursive: true, withFileTypes: true });
  return names.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
};
const indexes = async () => (await files()).filter((path) => path.includes('/found/'));
/** Files that have the text. */
const holding = async (text: string) => {
  const all = await Promise.all((await files()).map(async (path) => [path, await readFile(path)] as const));
  return all.filter(([, bytes]) => bytes.includes(text)).map(([path]) => path);
};

it('makes no file before the first search, and none where nothing has changed since the last', async () => {
  await ask('parcel');
  expect(await indexes()).toEqual([]);
  expect(await find('parcel')).toEqual(['parcel']);
  expect(await indexes()).toHaveLength(1);
  await reopen();
  const before = disk.count('rename');
  expect(await find('parcel')).toEqual(['parcel']);
  expect(disk.count('rename')).toBe(before);
});

it('leaves no word of a deleted message, conversation or chatbot on the disk', async () => {
  const { session, message } = await ask('zebrafish');
  const { message: second } = await ask('quokka', session);
  await ask('wombat');
  expect(await find()).toHaveLength(3);
  expect(await holding('quokka')).toHaveLength(2);
  await store.deleteMessage(second.uuid);
  expect(await holding('quokka')).toEqual([]);
  expect(await find()).toEqual(['wombat', 'zebrafish']);
  await reopen();
  await store.deleteSession(session.uuid);
  expect([await holding('zebrafish'), await holding(message.uuid)]).toEqual([[], []]);
  expect(await find()).toEqual(['wombat']);
  await store.deleteChatbot(chatbot);
  expect(await holding('wombat')).toEqual([]);
  expect(await indexes()).toEqual([]);
});

it('leaves no word either where a session is deleted while it is searched', async () => {
  const asked = await Promise.all(Array.from({ length: 20 }, (_, at) => ask(`quokka ${at}`)));
  const searching = find('quokka');
  await Promise.all(asked.map(({ session }) => store.deleteSession(session.uuid)));
  await searching;
  expect(await find('quokka')).toEqual([]);
  expect(await holding('quokka')).toEqual([]);
});

it('finds what has changed in each of the searches that come at once', async () => {
  const { session } = await ask('parcel one');
  expect(await find('parcel')).toHaveLength(1);
  await ask('parcel two', session);
  const first = find('parcel');
  // The index is being compared with the sessions then.
  await setImmediate();
  expect(await Promise.all([find('parcel'), first])).toEqual([
    ['parcel two', 'parcel one'],
    ['parcel two', 'parcel one'],
  ]);
});

it('finds an answer that was being stored during the search before', async () => {
  const { session } = await ask('parcel one');
  let release = (): void => {};
  const isWritten = new Promise<void>((written) => {
    beforeSync = () =>
      new Promise((resume) => {
        release = resume;
        written();
      });
  });
  const asking = ask('parcel two', session);
  await isWritten;
  expect(await find('parcel')).toEqual(['parcel one']);
  release();
  await asking;
  expect(await find('parcel')).toEqual(['parcel two', 'parcel one']);
});

it.each([
  ['torn', (path: string) => truncate(path, 200)],
  ['empty', (path: string) => truncate(path, 0)],
  ['other bytes', (path: string) => writeFile(path, 'x\n{"a":1}\n\0\0\0')],
  [
    'a flipped letter',
    async (path: string) => writeFile(path, (await readFile(path, 'utf8')).replaceAll('parcel', 'barrel')),
  ],
  ['gone', (path: string) => rm(path)],
])('makes an index again that is %s', async (_, damage) => {
  await ask('parcel one');
  await ask('parcel two');
  expect(await find('parcel')).toHaveLength(2);
  await store.close();
  for (const path of await indexes()) await damage(path);
  await open();
  expect(await find('parcel')).toEqual(['parcel two', 'parcel one']);
  expect(await find('barrel')).toEqual([]);
  const { session } = await ask('parcel three');
  expect(await find('parcel')).toHaveLength(3);
  await store.deleteSession(session.uuid);
  expect(await find('parcel')).toHaveLength(2);
});

it('finds all where the index cannot be written', async () => {
  await ask('parcel');
  disk.failing('rename', 'ENOSPC');
  expect(await find('parcel')).toEqual(['parcel']);
  disk.heal();
  expect(await find('parcel')).toEqual(['parcel']);
});

it('reads some sessions at a time where there is no index, and goes on behind them', async () => {
  for (let made = 0; made < 2000; made += 100)
    await Promise.all(Array.from({ length: 100 }, (_, at) => ask(`parcel ${made + at}`)));
  const pages: number[] = [];
  for (let after: string | undefined; ;) {
    const found = await store.findMessages(chatbot, { text: 'parcel 7' }, { limit: 1000, after });
    pages.push(found!.messages.length);
    if (found!.next === '') break;
    after = found!.next;
  }
  expect(pages.length).toBeGreaterThan(1);
  expect(pages.reduce((sum, count) => sum + count)).toBe(111);
  const whole = await store.findMessages(chatbot, { text: 'parcel 7' }, { limit: 1000 });
  expect([whole!.messages.length, whole!.next]).toEqual([111, '']);
});

describe('on a machine where each step takes 10 ms', () => {
  /** Segments of the order of creation that have some of the chatbot's sessions, far fewer than one search may read. */
  const SEGMENTS = 6;
  const asked: string[] = [];
  let sessions: string[];
  beforeEach(async () => {
    asked.length = 0;
    sessions = [];
    for (let segment = 0; segment < SEGMENTS; segment++) {
      const some = await Promise.all(Array.from({ length: 30 }, (_, at) => ask(`parcel ${segment}.${at}`)));
      for (const { session, message } of some) {
        sessions.push(session.uuid);
        asked.unshift(message.query);
      }
      // Each takes a place in the order, though there is no such chatbot.
      for (let place = 30; place < 256; place++) await store.createSession(aSession(newUuid()));
    }
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 10));
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  const pages = async () => {
    const all: string[][] = [];
    for (let after: string | undefined; ;) {
      const found = (await store.findMessages(chatbot, { text: 'parcel' }, { limit: 1000, after }))!;
      all.push(found.messages.map(({ query }) => query));
      if (found.next === '') return all;
      expect(found.next).not.toBe(after);
      after = found.next;
    }
  };

  it('ends a search after its time where there is no index, and goes on behind what was searched', async () => {
    const found = await pages();
    expect(found.length).toBeGreaterThanOrEqual(SEGMENTS);
    expect(Math.max(...found.map((page) => page.length))).toBeLessThanOrEqual(60);
    expect(found.flat()).toEqual(asked);
  });

  it('goes on behind what was searched where the index cannot be written, too', async () => {
    disk.failing('rename', 'ENOSPC');
    expect((await pages()).flat()).toEqual(asked);
  });

  it('searches all where few have changed, after a restart too', async () => {
    await pages();
    await reopen();
    for (const session of [sessions[0]!, sessions.at(-1)!]) await ask('parcel', (await store.session(session))!);
    const [first, ...more] = await pages();
    expect([first!.length, more]).toEqual([SEGMENTS * 30 + 2, []]);
  });
});

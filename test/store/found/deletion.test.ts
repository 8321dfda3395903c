import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { newUuid } from '../../../server/schema/ids.ts';
import { realDisk, type Disk } from '../../../server/store/lowdb/files/disk.ts';
import { openLowdbStore } from '../../../server/store/lowdb/lowdb.ts';
import type { Store } from '../../../server/store/store.ts';
import { aChatbot, aMessage, aSession } from '../records.ts';

/** The index is made in the background, and pauses for the searches under way: here until they have ended, however long that is. */
const pauses = vi.hoisted(() => {
  let resumes: (() => void)[] = [];
  let areOver = false;
  const begin = () => {
    [resumes, areOver] = [[], false];
  };
  const pause = () => new Promise<void>((resume) => (areOver ? resume() : resumes.push(resume)));
  const end = () => {
    areOver = true;
    for (const resume of resumes) resume();
  };
  return { begin, pause, end };
});
vi.mock('node:timers/promises', async (original) => ({
  ...(await original<typeof import('node:timers/promises')>()),
  setTimeout: pauses.pause,
}));

/** Of one chapter, enough for a file of its terms. */
const SEGMENTS = 10;
/** Places in the order of creation that a segment covers. */
const PLACES = 256;
/** More than a search reads before its time counts. */
const SESSIONS = 30;

let dir: string;
let store: Store;
let chatbot: string;
/** In their order. */
let events: string[];
/** Where a call of the disk waits. */
let hold: Partial<Record<'rename' | 'unlink', (path: string) => Promise<void> | undefined>>;
let releases: (() => void)[];
const disk: Disk = {
  ...realDisk,
  async rename(from, to) {
    await hold.rename?.(to);
    await realDisk.rename(from, to);
    if (to.endsWith('.terms')) events.push('chapter made');
  },
  async unlink(path) {
    await hold.unlink?.(path);
    return realDisk.unlink(path);
  },
};

beforeEach(async () => {
  [events, hold, releases] = [[], {}, []];
  pauses.begin();
  dir = await mkdtemp(join(tmpdir(), 'docent-found-deletion-'));
  store = await openLowdbStore({ dir, clock: Date.now, disk });
  const made = aChatbot(store.owner.user.uuid);
  chatbot = made.uuid;
  await store.createChatbot(made, []);
});
afterEach(async () => {
  vi.restoreAllMocks();
  // What a failed test leaves waiting.
  for (const release of releases) release();
  pauses.end();
  await store.close();
  await rm(dir, { recursive: true, force: true });
});

/** `begun` resolves when the disk is called with such a path; the call goes on after `release`. */
function holding(verb: 'rename' | 'unlink', isHeld: (path: string) => boolean) {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const begun = new Promise<void>((resolve) => {
    hold[verb] = (path) => {
      if (!isHeld(path)) return undefined;
      resolve();
      return released;
    };
  });
  releases.push(release);
  return { begun, release };
}

it('deletes a chatbot while the index of another one is made', async () => {
  const session = aSession(chatbot);
  await store.saveMessage(aMessage(session.uuid, { query: 'parcel' }), session);
  const other = aChatbot(store.owner.user.uuid);
  await store.createChatbot(other, []);
  const compared = holding('rename', (path) => path.includes('/found/'));
  const searching = find().then(() => events.push('searched'));
  await compared.begun;
  const deleting = store.deleteChatbot(other.uuid).then(() => events.push('deleted'));
  await expect.poll(() => events).toEqual(['deleted']);
  compared.release();
  await Promise.all([deleting, searching]);
});

const find = () => store.findMessages(chatbot, { text: 'parcel' }, { limit: 1000 });

it('makes a chapter while a search waits for a deletion, which waits for the chapter', async () => {
  let newest = '';
  for (let segment = 0; segment < SEGMENTS; segment++) {
    for (let place = 0; place < PLACES; place++) {
      // Each takes a place in the order, though most are of no chatbot.
      const session = aSession(place < SESSIONS ? chatbot : newUuid());
      if (place >= SESSIONS) await store.createSession(session);
      else await store.saveMessage(aMessage(session.uuid, { query: 'parcel' }), session);
      if (place === 0) newest = session.uuid;
    }
  }
  // Each look at the clock finds a time slice over.
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 10));

  const segments = new Set<string>();
  const lastCompared = holding('rename', (path) => path.includes('/found/') && segments.add(path).size === SEGMENTS);
  expect((await find())!.next).not.toBe('');
  await lastCompared.begun;
  const removal = holding('unlink', (path) => segments.has(path));
  const deleting = store.deleteSession(newest).then(() => events.push('deleted'));
  await removal.begun;
  const searching = find().then(() => events.push('searched'));
  await setImmediate();

  lastCompared.release();
  await expect.poll(() => events).toEqual(['chapter made']);
  removal.release();
  await Promise.all([deleting, searching]);
  expect(events.slice(0, 3)).toEqual(['chapter made', 'deleted', 'searched']);
});

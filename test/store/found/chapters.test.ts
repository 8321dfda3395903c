import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openLowdbStore } from '../../../server/store/lowdb/lowdb.ts';
import type { MessageFilter, Store } from '../../../server/store/store.ts';
import { aChatbot, aMessage, aSession } from '../records.ts';

/** Many conversations of the default store: a search reads the files that may have what it looks for, and no others. */

let dir: string;
let store: Store;
let chatbot: string;
const open = async () => (store = await openLowdbStore({ dir, clock: Date.now }));
const COUNT = 6000;
const sessions = Array.from({ length: COUNT }, () => aSession(''));

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'docent-chapters-'));
  await open();
  const made = aChatbot(store.owner.user.uuid);
  chatbot = made.uuid;
  await store.createChatbot(made, []);
  for (let first = 0; first < COUNT; first += 100)
    await Promise.all(
      sessions.slice(first, first + 100).map((session, at) =>
        store.saveMessage(
          aMessage(session.uuid, {
            query: `parcel ${first + at} ${first + at === 1234 ? 'quokka' : ''}`,
            created_at: `2026-01-0${1 + Math.floor(first / 1000)}T00:00:00Z`,
            labels: first + at === 2345 ? [{ name: 'a "bug" \n *', color: '#000000' }] : [],
            meta_json: JSON.stringify({
              outcome: first + at === 3456 ? 'unknown' : 'answered',
              page: `Shop.example/${first}`,
              active_agent: { uuid: first === 4000 ? 'b'.repeat(32) : 'a'.repeat(32), name: '' },
            }),
          }),
          { ...session, chatbot, ...(first + at === 4567 && { live: { state: 'requested' } }) },
        ),
      ),
    );
}, 120_000);
afterAll(async () => {
  await store.close();
  await rm(dir, { recursive: true, force: true });
});

const find = async (filter: MessageFilter) => {
  const queries: string[] = [];
  for (let after: string | undefined; ;) {
    const found = (await store.findMessages(chatbot, filter, { limit: 1000, after }))!;
    queries.push(...found.messages.map(({ query }) => query.trim()));
    if (found.next === '') return queries;
    after = found.next;
  }
};
const files = async (suffix: string) => {
  const names = await readdir(join(dir, 'found'), { recursive: true });
  return names.filter((name) => name.endsWith(suffix)).map((name) => join(dir, 'found', name));
};
/** Until what a search has begun beside it has made a file of terms, other than `damaged`. */
const built = async (damaged = new Map<string, Buffer>()) => {
  await vi.waitFor(
    async () => {
      // One that comes while the index is being made begins nothing.
      await find({ text: 'none' });
      const paths = await files('.terms');
      expect(paths).not.toEqual([]);
      for (const path of paths) expect((await readFile(path)).equals(damaged.get(path) ?? Buffer.alloc(0))).toBe(false);
    },
    { timeout: 20_000, interval: 50 },
  );
  await store.close();
  await open();
  await find({ text: 'none' });
};
/** What is searched is made again where it is gone. */
const searched = async (filter: MessageFilter) => {
  for (const path of await files('.jsonl')) await rm(path);
  const found = await find(filter);
  return [found, (await files('.jsonl')).length] as const;
};

it(
  'reads the files that may have a word, a label, a page, a day, an agent, a state or an outcome',
  { timeout: 60_000 },
  async () => {
    await built();
    const all = (await files('.jsonl')).length;
    expect(all).toBeGreaterThan(20);
    expect((await files('.terms')).length).toBeGreaterThan(0);
    expect(await searched({ text: 'quok' })).toEqual([['parcel 1234 quokka'], 1]);
    expect(await searched({ text: 'none' })).toEqual([[], 0]);
    expect(await searched({ text: '?!' })).toEqual([[], 0]);
    expect(await searched({ text: 'quokka parcel', label: 'a "bug" \n *' })).toEqual([[], 0]);
    expect(await searched({ label: 'a "bug" \n *' })).toEqual([['parcel 2345'], 1]);
    expect(await searched({ label: '*' })).toEqual([[], 0]);
    expect(await searched({ outcome: 'unknown' })).toEqual([['parcel 3456'], 1]);
    expect(await searched({ state: 'requested' })).toEqual([['parcel 4567'], 1]);
    expect(await searched({ rated: 'up' })).toEqual([[], 0]);
    const [ofAgent, agentFiles] = await searched({ agent: 'b'.repeat(32) });
    expect([ofAgent.length, agentFiles <= 2]).toEqual([100, true]);
    const [ofPage, pageFiles] = await searched({ page: 'EXAMPLE/5100' });
    expect([ofPage.length, pageFiles <= 2]).toEqual([100, true]);
    const [ofDay, dayFiles] = await searched({ from: '2026-01-02', to: '2026-01-02' });
    expect([ofDay.length, dayFiles <= 6]).toEqual([1000, true]);
  },
);

it('reads what has changed since as well', { timeout: 60_000 }, async () => {
  await built();
  const message = (await store.messages(sessions[77]!.uuid))[0]!;
  await store.updateMessage(message.uuid, (now) => ({ ...now, response: 'wombat' }));
  expect(await find({ text: 'wombat' })).toEqual(['parcel 77']);
  await built();
  expect(await searched({ text: 'wombat' })).toEqual([['parcel 77'], 1]);
});

it.each([
  ['torn', (path: string) => truncate(path, 200)],
  ['empty', (path: string) => truncate(path, 0)],
  ['other bytes', (path: string) => writeFile(path, '00000000 [[1,"x"]]\nwquokka 00000000\n')],
  [
    'a flipped letter',
    async (path: string) => writeFile(path, (await readFile(path, 'utf8')).replaceAll('quokka', 'quotka')),
  ],
  ['gone', (path: string) => rm(path)],
])(
  'finds all, and makes what is missing again, where a file of terms is %s',
  { timeout: 60_000 },
  async (_, damage) => {
    await built();
    const paths = await files('.terms');
    const damaged = new Map<string, Buffer>();
    for (const path of paths) {
      await damage(path);
      damaged.set(path, await readFile(path).catch(() => Buffer.alloc(0)));
    }
    expect(await find({ text: 'quokka' })).toEqual(['parcel 1234 quokka']);
    await built(damaged);
    expect(await files('.terms')).toEqual(paths);
    expect(await searched({ text: 'quokka' })).toEqual([['parcel 1234 quokka'], 1]);
  },
);

it('leaves no word of what is deleted in them, while they are made too', { timeout: 60_000 }, async () => {
  const holding = async (text: string) => {
    const all = await Promise.all(
      [...(await files('')), ''].filter((path) => /\.\w+$/.test(path)).map((path) => readFile(path)),
    );
    return all.filter((bytes) => bytes.includes(text)).length;
  };
  await built();
  expect(await holding('quokka')).toBe(1 + 1);
  await store.deleteSession(sessions[1234]!.uuid);
  expect(await holding('quokka')).toBe(0);
  const building = find({ text: 'none' });
  await store.deleteSession(sessions[77]!.uuid);
  await building;
  await built();
  expect([await holding('wombat'), await find({ text: 'wombat' })]).toEqual([0, []]);
  await store.deleteChatbot(chatbot);
  expect(await files('.terms')).toEqual([]);
});

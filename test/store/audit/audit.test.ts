import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHealth } from '../../../server/health/health.ts';
import { newUuid } from '../../../server/schema/ids.ts';
import { openLowdbStore } from '../../../server/store/lowdb/lowdb.ts';
import { newAuditUuid, type AuditEntry, type AuditScope } from '../../../server/store/shared/audit.ts';
import type { Store } from '../../../server/store/store.ts';
import type { StoreFixture } from '../contract.ts';
import { faultyDisk } from '../faulty-disk.ts';
import { lowdbFolder } from '../lowdb-fixture.ts';
import { postgresSchema } from '../postgres/fixture.ts';
import { startPostgres } from '../postgres/server.ts';
import { aChatbot, anAuditEntry } from '../records.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

const engines: [string, () => Promise<StoreFixture>][] = [['lowdb', lowdbFolder()]];
if (server) engines.push(['postgres', postgresSchema(server.url)]);

/** `count` entries, a minute between them. */
const entriesOf = (chatbot: string, count: number, from = '2026-01-31T23:00:00Z'): AuditEntry[] =>
  Array.from({ length: count }, (_, n) => anAuditEntry({ chatbot, ms: Date.parse(from) + n * 60_000 }));

async function withChatbot(store: Store): Promise<string> {
  const chatbot = aChatbot(store.owner.user.uuid);
  await store.createChatbot(chatbot, []);
  return chatbot.uuid;
}

/** All pages of `limit` entries, each of which begins where the one before says. */
async function pagesOf(store: Store, scope: AuditScope, limit: number): Promise<AuditEntry[][]> {
  const pages: AuditEntry[][] = [];
  for (let after: string | undefined; ;) {
    const page = await store.audit(scope, { limit, after });
    pages.push(page!.entries);
    if (page!.next === '') return pages;
    after = page!.next;
  }
}

const all = async (store: Store, scope: AuditScope): Promise<AuditEntry[]> =>
  (await store.audit(scope, { limit: 10_000 }))!.entries;

describe.each(engines)('%s: the audit log', (_, createFixture) => {
  let fixture: StoreFixture;
  let store: Store;
  beforeEach(async () => {
    fixture = await createFixture();
    store = await fixture.open();
  });
  afterEach(async () => {
    await store.close();
    await fixture.clear();
  });
  const reopen = async () => {
    await store.close();
    store = await fixture.open();
  };

  it('takes as many entries at once as a batch has records', async () => {
    const chatbot = await withChatbot(store);
    const entries = entriesOf(chatbot, 10_000);
    await store.addAudit(entries);
    expect((await store.audit({ chatbot }, { limit: 1 }))!.entries).toEqual([entries.at(-1)]);
  });

  it('is read newest first, page by page, over months and restarts, each log for itself', async () => {
    const [chatbot, other] = [await withChatbot(store), await withChatbot(store)];
    const account = store.owner.user.uuid;
    const entries = entriesOf(chatbot, 130);
    const odd = { ...entries[7]!, detail: 'Öffnung 🎪 "\\ \u0000 \ud83d \'; drop table audit; --\n' };
    entries[7] = odd;
    const own = anAuditEntry({ account, user: account });
    for (const entry of entries.slice(0, 3)) await store.addAudit([entry]);
    await store.addAudit([own, ...entries.slice(3)]);
    await store.addAudit(entriesOf(other, 1));
    const newest = entries.toReversed();
    for (const again of [false, true]) {
      if (again) await reopen();
      expect(await all(store, { chatbot })).toEqual(newest);
      expect(await pagesOf(store, { chatbot }, 65)).toEqual([newest.slice(0, 65), newest.slice(65)]);
      expect((await pagesOf(store, { chatbot }, 7)).flat()).toEqual(newest);
      expect(await all(store, { account })).toEqual([own]);
      expect(await all(store, { chatbot: other })).toHaveLength(1);
    }
  });

  it('goes on only behind an entry of the same log', async () => {
    const [chatbot, other] = [await withChatbot(store), await withChatbot(store)];
    const [first, strange] = [entriesOf(chatbot, 1)[0]!, entriesOf(other, 1)[0]!];
    await store.addAudit([first, strange]);
    for (const after of [strange.uuid, newUuid(), newAuditUuid(Date.parse(first.at)), '', '0'.repeat(32)])
      expect(await store.audit({ chatbot }, { limit: 10, after })).toBeUndefined();
    expect(await store.audit({ chatbot: newUuid() }, { limit: 10 })).toEqual({ entries: [], next: '' });
    expect(await store.audit({ chatbot }, { limit: 10, after: first.uuid })).toEqual({ entries: [], next: '' });
  });

  it('is narrowed to a user and to days, both included', async () => {
    const chatbot = await withChatbot(store);
    const entries = entriesOf(chatbot, 130);
    const ann = newUuid();
    for (const at of [3, 70, 100]) entries[at] = { ...entries[at]!, user: ann };
    await store.addAudit(entries);
    const found = async (filter: object, limit = 1000, after?: string) =>
      (await store.audit({ chatbot }, { limit, after, filter }))!.entries.map((one) =>
        entries.indexOf(entries.find(({ uuid }) => uuid === one.uuid)!),
      );
    expect(await found({ user: ann })).toEqual([100, 70, 3]);
    expect(await found({ user: ann }, 1, entries[100]!.uuid)).toEqual([70]);
    expect(await found({ user: ann, to: '2026-01-31' })).toEqual([3]);
    expect(await found({ from: '2026-02-01' })).toHaveLength(70);
    expect(await found({ from: '2026-02-01', to: '2026-02-01', user: ann }, 10, entries[100]!.uuid)).toEqual([70]);
    expect(await found({ from: '2026-02-02' })).toEqual([]);
    expect(await found({ to: '2026-01-30' })).toEqual([]);
    expect(await found({ to: '2026-01-31' }, 2, entries[120]!.uuid)).toEqual([59, 58]);
  });

  it('loses what is older than a day, and nothing else, once and again', async () => {
    const [chatbot, account] = [await withChatbot(store), store.owner.user.uuid];
    const times = ['2025-12-31T23:59:59Z', '2026-01-14T23:59:59Z', '2026-01-15T00:00:00Z', '2026-02-01T00:00:00Z'];
    const entries = times.map((at) => anAuditEntry({ chatbot, ms: Date.parse(at) }));
    const own = times.map((at) => anAuditEntry({ account, user: account, ms: Date.parse(at) }));
    await store.addAudit([...entries, ...own]);
    const left = async () => (await all(store, { chatbot })).map(({ at }) => at).toReversed();
    for (const [day, from] of [
      ['2025-12-31', 0],
      ['2026-01-01', 1],
      ['2026-01-15', 2],
      ['2026-01-15', 2],
      ['2026-01-16', 3],
    ] as const) {
      await store.removeOldAudit(day);
      expect(await left()).toEqual(times.slice(from));
    }
    expect(await all(store, { account })).toEqual([own[3]]);
    await store.addAudit([anAuditEntry({ chatbot, ms: Date.parse('2026-02-02T00:00:00Z') })]);
    await store.removeOldAudit('2026-03-01');
    await reopen();
    expect(await left()).toEqual([]);
  });

  it('goes with its chatbot or user, and takes nothing for one that is gone', async () => {
    const [chatbot, kept] = [await withChatbot(store), await withChatbot(store)];
    const ann = { uuid: newUuid(), email: 'ann@shop.example', created_at: '2026-01-02T03:04:05Z' };
    await store.addUser(ann);
    const own = () => anAuditEntry({ account: ann.uuid, user: ann.uuid });
    await store.addAudit([...entriesOf(chatbot, 2), ...entriesOf(kept, 1), own()]);
    await store.deleteChatbot(chatbot);
    await store.removeUser(ann.uuid);
    await store.addAudit([...entriesOf(chatbot, 2), own(), ...entriesOf(kept, 1)]);
    for (const again of [false, true]) {
      if (again) await reopen();
      expect(await all(store, { chatbot })).toEqual([]);
      expect(await all(store, { account: ann.uuid })).toEqual([]);
      expect(await all(store, { chatbot: kept })).toHaveLength(2);
    }
  });

  it('keeps all entries that are added at once', async () => {
    const chatbot = await withChatbot(store);
    const entries = entriesOf(chatbot, 200);
    await Promise.all(entries.map((entry) => store.addAudit([entry])));
    await reopen();
    const uuids = (await all(store, { chatbot })).map(({ uuid }) => uuid);
    expect(uuids.toSorted()).toEqual(entries.map(({ uuid }) => uuid));
  });
});

describe('lowdb: the files of the audit log', () => {
  let dir: string;
  let store: Store;
  let chatbot: string;
  const health = createHealth();
  const disk = faultyDisk();
  const open = async () =>
    void (store = await openLowdbStore({ dir, clock: Date.now, health, disk, probeInterval: 5 }));
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'docent-audit-'));
    disk.heal();
    await open();
    chatbot = await withChatbot(store);
  });
  afterEach(async () => {
    await store.close();
    await rm(dir, { recursive: true });
  });
  const file = (month: string) => join(dir, 'audit', chatbot.slice(0, 2), `${chatbot}.${month}.jsonl`);

  it('lose a torn last line, and go on behind it', async () => {
    const [first, second] = entriesOf(chatbot, 2);
    await store.addAudit([first!]);
    await appendFile(file('2026-01'), '{"uuid":"0123');
    expect(await all(store, { chatbot })).toEqual([first]);
    await store.addAudit([second!]);
    expect(await all(store, { chatbot })).toEqual([second, first]);
    expect((await readFile(file('2026-01'), 'utf8')).split('\n')).toHaveLength(3);
    expect(health.state().reasons).toEqual([]);
  });

  it('report damaged lines, serve and keep the others, and take more', async () => {
    const entries = entriesOf(chatbot, 61);
    await store.addAudit(entries.slice(0, 60));
    const lines = (await readFile(file('2026-01'), 'utf8')).split('\n');
    // A flipped bit, garbage, an end that no crash leaves.
    lines[10] = lines[10]!.replace('"detail":"', '"detail":"x');
    lines[20] = '\u0000\u0000';
    await writeFile(file('2026-01'), `${lines.join('\n')}no line`);
    await store.addAudit([entries[60]!]);
    const whole = entries.filter((_, n) => n !== 10 && n !== 20).toReversed();
    expect(await all(store, { chatbot })).toEqual(whole);
    expect(await pagesOf(store, { chatbot }, 25)).toHaveLength(3);
    expect(health.state().reasons).toEqual([expect.stringContaining(`${chatbot}.2026-01.jsonl`)]);
    await store.removeOldAudit('2026-02-01');
    expect(await all(store, { chatbot })).toEqual([entries[60]]);
    expect(health.state().reasons).toEqual([]);
  });

  it('take nothing while the disk is full, and have no half of it later', async () => {
    const [first, second, third] = entriesOf(chatbot, 3);
    disk.failing('write', 'ENOSPC');
    await expect(store.addAudit([first!])).rejects.toThrow('ENOSPC');
    disk.heal();
    await store.addAudit([second!]);
    disk.failing('datasync', 'EIO', 1);
    disk.failing('truncate', 'EIO', 1);
    await expect(store.addAudit([first!])).rejects.toThrow('EIO');
    disk.heal();
    await store.addAudit([third!]);
    await store.close();
    await open();
    const entries = await all(store, { chatbot });
    expect([entries[0], entries.at(-1)]).toEqual([third, second]);
    expect(health.state().reasons).toEqual([]);
  });

  it('are not read whole for a page, nor for an entry more', async () => {
    const day = Array.from({ length: 20_000 }, (_, n) =>
      anAuditEntry({ chatbot, ms: Date.parse('2026-01-02T00:00:00Z') + n }),
    );
    await store.addAudit(day);
    const before = process.memoryUsage().arrayBuffers;
    const [page] = [await store.audit({ chatbot }, { limit: 50 })];
    expect(page!.entries).toEqual(day.slice(-50).toReversed());
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
    const [written] = [disk.count('write')];
    await store.addAudit([anAuditEntry({ chatbot })]);
    expect(disk.count('write') - written).toBe(1);
  });

  it('are removed with the chatbot, what a crash has left of them too', async () => {
    await store.addAudit(entriesOf(chatbot, 120));
    await writeFile(`${file('2026-01')}.tmp`, 'x');
    await store.deleteChatbot(chatbot);
    expect(await readdir(join(dir, 'audit', chatbot.slice(0, 2)))).toEqual([]);
  });
});

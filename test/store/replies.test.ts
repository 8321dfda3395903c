import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Replies } from '../../server/store/replies.ts';
import type { StoredReply } from '../../server/store/store.ts';
import { faultyDisk } from './faulty-disk.ts';

describe('lowdb: replies on the disk', () => {
  const disk = faultyDisk();
  let root: string;
  let now = 0;
  let replies: Replies;
  const open = () => (replies = new Replies({ disk, clock: () => now, root: join(root, 'replies'), most: 10 }));
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'docent-replies-'));
    now = Date.parse('2026-03-01T12:00:00Z');
    open();
  });
  afterEach(async () => {
    disk.heal();
    await replies.close();
    await rm(root, { recursive: true, force: true });
  });
  const aReply = (number: number): StoredReply => ({
    key: String(number).padStart(64, '0'),
    request: '',
    status: 200,
    body: 'x'.repeat(100),
    created_at: `${new Date(now).toISOString().slice(0, 19)}Z`,
  });
  const files = () => readdir(join(root, 'replies'));

  it('keep to a bound: the oldest of a day go first', async () => {
    for (let number = 0; number < 95; number++) await replies.keep(aReply(number));
    for (const again of [false, true]) {
      if (again) open();
      expect(await replies.find(aReply(94).key)).toEqual(aReply(94));
      expect(await replies.find(aReply(0).key)).toBeUndefined();
    }
    const [name] = await files();
    expect((await readFile(join(root, 'replies', name!), 'utf8')).split('\n').length).toBeLessThanOrEqual(11);
  });

  it('are in a file a day, of which two stay', async () => {
    for (let day = 0; day < 5; day++) {
      await replies.keep(aReply(day));
      now += 86_400_000;
    }
    expect(await files()).toEqual(['2026-03-04.jsonl', '2026-03-05.jsonl']);
    open();
    await replies.find('');
    now += 86_400_000;
    open();
    await replies.find('');
    expect(await files()).toEqual([]);
  });

  it('go on where a write has failed', async () => {
    await replies.keep(aReply(1));
    disk.failing('write', 'ENOSPC');
    await expect(replies.keep(aReply(2))).rejects.toThrow();
    disk.heal();
    await replies.keep(aReply(3));
    for (const again of [false, true]) {
      if (again) open();
      expect(await replies.find(aReply(1).key)).toEqual(aReply(1));
      expect(await replies.find(aReply(2).key)).toBeUndefined();
      expect(await replies.find(aReply(3).key)).toEqual(aReply(3));
    }
  });
});

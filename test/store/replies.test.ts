import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHealth, type Health } from '../../server/health/health.ts';
import { Damage } from '../../server/store/lowdb/files/damage.ts';
import { Replies } from '../../server/store/lowdb/replies.ts';
import type { StoredReply } from '../../server/store/store.ts';
import { faultyDisk } from './faulty-disk.ts';

describe('lowdb: replies on the disk', () => {
  const disk = faultyDisk();
  let root: string;
  let now = 0;
  let replies: Replies;
  let health: Health;
  let warned: string[];
  const open = () => {
    health = createHealth();
    warned = [];
    const log = { warn: (_: object, sentence: string) => void warned.push(sentence) };
    const damage = new Damage({ disk, dir: root, health, log });
    replies = new Replies({ disk, damage, clock: () => now, root: join(root, 'replies'), maxPerDay: 10 });
  };
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

  it('are limited in number: the oldest of a day are removed first', async () => {
    for (let number = 0; number < 95; number++) await replies.save(aReply(number));
    for (const again of [false, true]) {
      if (again) open();
      expect(await replies.find(aReply(94).key)).toEqual(aReply(94));
      expect(await replies.find(aReply(0).key)).toBeUndefined();
    }
    const [name] = await files();
    expect((await readFile(join(root, 'replies', name!), 'utf8')).split('\n').length).toBeLessThanOrEqual(11);
  });

  it('are stored although a folder stands in place of the file of another day', async () => {
    await mkdir(join(root, 'replies', '2026-02-28.jsonl'), { recursive: true });
    await replies.save(aReply(1));
    expect(await replies.find(aReply(1).key)).toEqual(aReply(1));
    expect(health.state()).toMatchObject({
      status: 'degraded',
      reasons: [expect.stringContaining('2026-02-28.jsonl is a folder')],
    });
  });

  it('are in one file a day, of which the last two stay', async () => {
    for (let day = 0; day < 5; day++) {
      await replies.save(aReply(day));
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

  it('are stored again after a failed write', async () => {
    await replies.save(aReply(1));
    disk.failing('write', 'ENOSPC');
    await expect(replies.save(aReply(2))).rejects.toThrow();
    disk.heal();
    await replies.save(aReply(3));
    for (const again of [false, true]) {
      if (again) open();
      expect(await replies.find(aReply(1).key)).toEqual(aReply(1));
      expect(await replies.find(aReply(2).key)).toBeUndefined();
      expect(await replies.find(aReply(3).key)).toEqual(aReply(3));
    }
  });

  const LINE = /^.*"key":"0+2".*$/m;
  const flip = (at: string) => (text: string) =>
    text.replace(LINE, (line) =>
      line.replace(at, at.slice(0, -1) + String.fromCharCode(at.charCodeAt(at.length - 1) ^ 1)),
    );
  const damages: [what: string, (text: string) => string, left: number[]][] = [
    ['zeros', (text) => text.replace(LINE, (line) => '\0'.repeat(line.length)), [1, 3]],
    ['zeros in all of it', (text) => '\0'.repeat(text.length), []],
    ['a changed bit of a key', flip('0000000000000002'), [1, 3]],
    ['a changed bit of a request', flip('"request":"r'), [1, 3]],
    ['a changed bit of a reply', flip('"body":"x'), [1, 3]],
    ['a line of other JSON', (text) => text.replace(LINE, '{}'), [1, 3]],
    ['other JSON', () => '[]', []],
    ['bytes behind its last line', (text) => `${text}J`, [1, 2, 3]],
  ];
  it.each(damages)('with %s are kept, and named in the log and by /readyz', async (_, damage, left) => {
    for (const number of [1, 2, 3]) await replies.save({ ...aReply(number), request: 'r' });
    await replies.close();
    const path = join(root, 'replies', '2026-03-01.jsonl');
    const damaged = damage(await readFile(path, 'utf8'));
    await writeFile(path, damaged);
    for (const again of [false, true]) {
      open();
      const found = await Promise.all([1, 2, 3].map((number) => replies.find(aReply(number).key)));
      expect([1, 2, 3].filter((_number, at) => found[at])).toEqual(left);
      expect(await readFile(`${path}.damaged`, 'utf8')).toBe(damaged);
      expect(health.state()).toEqual({
        status: 'degraded',
        reasons: [expect.stringMatching(/^replies\/2026-03-01\.jsonl(?:\.damaged)? .*cannot be read/)],
      });
      expect(warned).toEqual(health.state().reasons);
      if (!again) await replies.save(aReply(4));
      expect(await replies.find(aReply(4).key)).toEqual(aReply(4));
      await replies.close();
    }
    now += 2 * 86_400_000;
    open();
    await replies.find('');
    expect([await files(), health.state().status]).toEqual([[], 'ok']);
  });

  it.each(['{"key":"00', ''])('are stored where a crash left %j in the file of their day', async (left) => {
    await mkdir(join(root, 'replies'));
    await writeFile(join(root, 'replies', '2026-03-01.jsonl'), left);
    for (const number of [1, 2]) await replies.save(aReply(number));
    open();
    expect(await Promise.all([1, 2].map((number) => replies.find(aReply(number).key)))).toEqual([aReply(1), aReply(2)]);
    expect(health.state().status).toBe('ok');
  });

  it('of an earlier version, without a sum, count', async () => {
    await replies.save(aReply(1));
    await replies.close();
    const path = join(root, 'replies', '2026-03-01.jsonl');
    await writeFile(path, (await readFile(path, 'utf8')).replace(/,"sum":\d+/, ''));
    open();
    expect(await replies.find(aReply(1).key)).toEqual(aReply(1));
    expect(health.state().status).toBe('ok');
  });
});

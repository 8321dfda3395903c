import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLowdbStore } from '../../../server/store/lowdb/lowdb.ts';
import type { Disk } from '../../../server/store/lowdb/files/disk.ts';
import type { Store, StoredSource } from '../../../server/store/store.ts';
import { faultyDisk } from '../faulty-disk.ts';
import { forgetfulDisk } from '../forgetful-disk.ts';
import { aChatbot, aDocument, aSource } from '../records.ts';

describe('lowdb: files of search indexes', { timeout: 30_000 }, () => {
  let dir: string;
  let store: Store;
  let chatbot: string;
  let source: StoredSource;
  const open = async (disk?: Disk): Promise<void> => {
    store = await openLowdbStore({ dir, clock: Date.now, disk });
  };
  const begin = async (disk?: Disk): Promise<void> => {
    await open(disk);
    const record = aChatbot(store.owner.user.uuid);
    chatbot = record.uuid;
    source = aSource(chatbot);
    await store.createChatbot(record, []);
    await store.createSource(source);
    await store.putDocument(source.uuid, aDocument('Bags may be returned.'));
  };
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'docent-store-'));
  });
  afterEach(async () => {
    await store.close();
    await rm(dir, { recursive: true, force: true });
  });

  const write = (...pieces: string[]): Promise<void> =>
    store.indexFiles!.writer(chatbot)(
      pieces.map((piece) => Buffer.from(piece)),
      () => true,
    );
  const read = async (): Promise<string | undefined> => {
    const bytes = await store.indexFiles!.read(chatbot);
    return bytes && Buffer.from(bytes).toString();
  };
  const namesIn = async (folder: string): Promise<string[]> =>
    (await readdir(folder, { recursive: true })).filter((name) => name.includes('.index'));

  it('are there after a restart, until the chatbot is not', async () => {
    await begin();
    expect(await read()).toBeUndefined();
    await write('the ', 'index');
    expect(await read()).toBe('the index');
    await store.close();
    await writeFile(join(dir, 'indexes', chatbot.slice(0, 2), `${chatbot}.index.tmp`), 'half');
    await open();
    expect(await read()).toBe('the index');
    expect(await namesIn(dir)).toHaveLength(1);
    await store.close();
    await rm(join(dir, 'chatbots'), { recursive: true });
    await open();
    expect(await read()).toBeUndefined();
    await expect.poll(() => namesIn(dir), { timeout: 20_000 }).toEqual([]);
  });

  const CHANGES: [string, () => Promise<unknown>][] = [
    ['a text is replaced', () => store.putDocument(source.uuid, aDocument('other'))],
    ['a source is deleted', () => store.deleteSource(source.uuid)],
    ['the chatbot is deleted', () => store.deleteChatbot(chatbot)],
  ];
  it.each(CHANGES)('are gone, power cut or not, once %s', async (_, change) => {
    const disk = forgetfulDisk(dir);
    await begin(disk);
    await write('index');
    await change();
    expect(await read()).toBeUndefined();
    expect(await namesIn(dir)).toEqual([]);
    const left = join(dir, 'after-the-cut');
    await disk.cutInto(left);
    expect(await namesIn(left)).toEqual([]);
  });

  it.each(CHANGES)('are not written by what began before %s', async (_, change) => {
    await begin();
    const earlier = store.indexFiles!.writer(chatbot);
    const changing = change();
    const meanwhile = store.indexFiles!.writer(chatbot);
    await Promise.all([changing, meanwhile([Buffer.from('old')], () => true)]);
    await earlier([Buffer.from('old')], () => true);
    await meanwhile([Buffer.from('old')], () => true);
    expect(await namesIn(dir)).toEqual([]);
  });

  it('are not left by a write that a deletion comes into, nor by one that is outdated at its end', async () => {
    await begin();
    let deleting: Promise<unknown> | undefined;
    function* pieces(): Generator<Uint8Array> {
      yield Buffer.from('old');
      deleting = store.deleteSource(source.uuid);
      yield Buffer.from('older');
    }
    await store.indexFiles!.writer(chatbot)(pieces(), () => true);
    await deleting;
    expect(await namesIn(dir)).toEqual([]);
    let isCurrent = true;
    await store.indexFiles!.writer(chatbot)([Buffer.from('old')], () => {
      const answer = isCurrent;
      isCurrent = false;
      return answer;
    });
    expect(await namesIn(dir)).toEqual([]);
  });

  it('go first: a deletion that then fails leaves the source, and none that fails leaves neither', async () => {
    const disk = faultyDisk();
    await begin(disk);
    await write('index');
    disk.failing('unlink', 'EIO', 1);
    await expect(store.deleteSource(source.uuid)).rejects.toThrow('EIO');
    expect(await store.source(source.uuid)).toBeDefined();
    expect(await read()).toBe('index');
    disk.failing('unlink', 'EIO', 1, 1);
    await expect(store.deleteSource(source.uuid)).rejects.toThrow('EIO');
    expect(await store.source(source.uuid)).toBeDefined();
    expect(await namesIn(dir)).toEqual([]);
    disk.heal();
    expect(await store.deleteSource(source.uuid)).toBe(true);
  });

  it('tell one text of a source from another', async () => {
    await begin();
    const before = store.indexFiles!.version(source.uuid);
    expect(before).not.toBe('');
    await store.putDocument(source.uuid, {
      ...aDocument('Bags may be returned.'),
      text: 'A longer text than the one before, by these words.',
    });
    expect(store.indexFiles!.version(source.uuid)).not.toBe(before);
    await store.deleteSource(source.uuid);
    expect(store.indexFiles!.version(source.uuid)).toBe('');
  });

  it('may lack room without any report', async () => {
    const disk = faultyDisk();
    const reports: string[] = [];
    const health = { report: (key: string) => void reports.push(key), clear: () => {} };
    await begin(disk);
    await store.close();
    store = await openLowdbStore({ dir, clock: Date.now, disk, health });
    disk.failing('write', 'ENOSPC', 1);
    await expect(write('index')).rejects.toThrow('ENOSPC');
    expect([await namesIn(dir), reports]).toEqual([[], []]);
  });
});

import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLowdbStore } from '../../server/store/lowdb/lowdb.ts';
import type { Store, StoredChatbot } from '../../server/store/store.ts';
import { faultyDisk } from './faulty-disk.ts';
import {
  aChatbot,
  aDocument,
  aFunction,
  aMessage,
  anAgent,
  aLink,
  aSession,
  aSignIn,
  aSource,
  aTag,
  atMinute,
} from './records.ts';

describe('lowdb: what is managed, on the disk', () => {
  let dir: string;
  let store: Store;
  let chatbot: StoredChatbot;
  const disk = faultyDisk();
  const reopen = async () => {
    await store.close();
    store = await openLowdbStore({ dir, clock: Date.now, disk });
  };
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'docent-store-'));
    store = await openLowdbStore({ dir, clock: Date.now, disk });
    chatbot = aChatbot(store.owner.user.uuid);
    await store.createChatbot(chatbot, []);
  });
  afterEach(async () => {
    disk.heal();
    await store.close();
    await rm(dir, { recursive: true, force: true });
  });
  const files = async (under = '') => {
    const entries = await readdir(join(dir, under), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  };
  const inBothLives = async (look: () => Promise<void>) => {
    await look();
    await reopen();
    await look();
  };
  const withMessages = async (count: number) => {
    const session = aSession(chatbot.uuid);
    const messages = Array.from({ length: count }, () => aMessage(session.uuid));
    await store.createSession(session);
    for (const message of messages) await store.saveMessage(message);
    return { session, messages };
  };
  const withTag = async () => {
    const upload = aSource(chatbot.uuid);
    await store.createSource(upload, Buffer.from('bytes'));
    const agent = anAgent(chatbot.uuid, { data_source_uuids: [upload.uuid], tool_functions: [aFunction()] });
    const tag = aTag(chatbot.uuid, { data_source_uuids: [upload.uuid] });
    await store.createAgent(agent);
    await store.createTag(tag);
    return { upload, agent, tag };
  };

  it('removes all that the disk lets go where one file of a deleted chatbot stays', async () => {
    for (let i = 0; i < 60; i++) {
      await store.createSession(aSession(chatbot.uuid));
      await store.createSource(aSource(chatbot.uuid));
    }
    disk.failing('unlink', 'EPERM', 1, 3);
    await expect(store.deleteChatbot(chatbot.uuid)).rejects.toThrow('EPERM');
    expect((await files('sessions')).length).toBeLessThan(2);
  });

  it('stores uploads readable by their owner alone', async () => {
    await withTag();
    const [file] = (await files('sources')).filter((name) => name.endsWith('.file'));
    expect(((await stat(file!)).mode & 0o777).toString(8)).toBe('600');
    expect(await readFile(file!, 'utf8')).toBe('bytes');
  });

  it('has nothing left of a deleted message but its tombstone', async () => {
    const session = aSession(chatbot.uuid);
    const secret = aMessage(session.uuid, { query: 'my number is 4711' });
    const kept = aMessage(session.uuid, { response: `quotes ${secret.uuid}` });
    await store.saveMessage({ ...secret, finish_reason: '' }, session);
    await store.saveMessage(kept);
    await store.saveMessage(secret);
    await store.deleteMessage(secret.uuid);
    const [file, ...others] = await files('sessions');
    expect(others).toEqual([]);
    expect(await readFile(file!, 'utf8')).not.toContain('4711');
    await inBothLives(async () => expect(await store.messages(session.uuid)).toEqual([kept]));
  });

  it('has no file left of a source that is deleted, nor of one whose chatbot is', async () => {
    const { upload } = await withTag();
    await store.putDocument(upload.uuid, aDocument('text'));
    await store.putVectors(upload.uuid, { model: 'small', dimensions: 2, rows: Int8Array.of(1, 2) });
    await store.deleteSource(upload.uuid);
    expect(await files('sources')).toEqual([]);
    const making = store.createSource(aSource(chatbot.uuid), Buffer.from('bytes'));
    await disk.next('write');
    await Promise.all([making, store.deleteChatbot(chatbot.uuid)]);
    expect(await files()).toEqual([join(dir, 'store.json')]);
  });

  it('removes at the start an upload whose record was never made', async () => {
    const { upload } = await withTag();
    const record = (await files('sources')).find((name) => name.endsWith('.source.json'))!;
    await store.close();
    await rm(record);
    store = await openLowdbStore({ dir, clock: Date.now, disk });
    expect(await store.file(upload.uuid)).toBeUndefined();
    await reopen();
    expect(await files('sources')).toEqual([]);
  });

  it('reads files written before there were tags, prefixes of keys, and messages that begin with their uuid', async () => {
    const { session, messages } = await withMessages(2);
    await store.addKey({
      hash: 'a'.repeat(64),
      user: store.owner.user.uuid,
      name: 'old',
      hint: 'dk_abcd',
      created_at: '2026-01-02T03:04:05Z',
      last_used_at: '',
    });
    const { uuid, ...rest } = aMessage(session.uuid);
    await store.close();
    const change = async (file: string, from: RegExp) =>
      writeFile(file, (await readFile(file, 'utf8')).replaceAll(from, ''));
    await change((await files('chatbots'))[0]!, /"tags":\[\],?/g);
    await change(join(dir, 'store.json'), /"hint":"dk_abcd",|,"last_used_at":""/g);
    await appendFile((await files('sessions'))[0]!, `${JSON.stringify({ ...rest, uuid })}\n`);
    store = await openLowdbStore({ dir, clock: Date.now, disk });
    expect(await store.tags(chatbot.uuid)).toEqual([]);
    expect((await store.keys())[0]).toMatchObject({ hint: '', last_used_at: '' });
    const all = [...messages, { uuid, ...rest }];
    expect(await store.messages(session.uuid)).toEqual(all);
    expect(await store.deleteMessage(uuid)).toBe(true);
    await inBothLives(async () => expect(await store.messages(session.uuid)).toEqual(messages));
  });

  it('falls back to the version before where the newest is damaged', async () => {
    const { session, messages } = await withMessages(2);
    const [file] = await files('sessions');
    await store.close();
    await appendFile(file!, `{"uuid":"${messages[0]!.uuid}","query":"\0\0\0\n`);
    store = await openLowdbStore({ dir, clock: Date.now, disk });
    expect(await store.messages(session.uuid)).toEqual(messages);
    expect(await store.message(messages[0]!.uuid)).toEqual(messages[0]);
  });

  it('writes the use of a key once a minute, without blocking the caller', async () => {
    const hash = 'a'.repeat(64);
    const created_at = '2026-01-02T03:04:05Z';
    await store.addKey({ hash, user: store.owner.user.uuid, name: 'n', hint: 'dk_abcd', created_at, last_used_at: '' });
    const before = disk.count('rename');
    disk.failing('write', 'ENOSPC', 1);
    for (let second = 10; second < 60; second++) await store.keyUsed(hash, `2026-02-03T04:05:${second}Z`);
    await store.keyUsed(hash, '2026-02-03T04:06:09Z');
    await store.setFact('after', 'these');
    expect(disk.count('rename') - before).toBe(1);
    await store.keyUsed(hash, '2026-02-03T04:06:10Z');
    await store.keyUsed(hash, '2026-02-03T04:06:11Z');
    await reopen();
    expect(disk.count('rename') - before).toBe(3); // the fact, one use, and the new life
    expect((await store.keys())[0]?.last_used_at).toBe('2026-02-03T04:06:10Z');
  });

  it('writes the use of a sign-in at most once a minute', async () => {
    const signIn = aSignIn(store.owner.user.uuid, { last_used_at: '2026-02-03T04:05:00Z' });
    await store.addSignIn(signIn);
    const before = disk.count('rename');
    for (let second = 10; second < 60; second++) await store.signInUsed(signIn, `2026-02-03T04:05:${second}Z`);
    expect(disk.count('rename') - before).toBe(0);
    await store.signInUsed(signIn, '2026-02-03T04:06:00Z');
    await store.signInUsed(signIn, '2026-02-03T04:06:59Z');
    await reopen();
    expect(disk.count('rename') - before).toBe(2); // one use, and the new life
    expect((await store.signIns(signIn.user))[0]?.last_used_at).toBe('2026-02-03T04:06:00Z');
  });

  it('leaves out sign-ins and links that cannot be read, and keeps the others and the keys', async () => {
    const owner = store.owner.user.uuid;
    const [signIn, link] = [aSignIn(owner), aLink(owner)];
    await store.addSignIn(signIn);
    await store.addLoginLink(link);
    await store.close();
    const path = join(dir, 'store.json');
    const stored = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown[]>;
    for (const name of ['sign_ins', 'login_links'])
      stored[name]!.unshift(null, 7, {}, { ...stored[name]![0]!, user: 1 });
    await writeFile(path, JSON.stringify(stored));
    store = await openLowdbStore({ dir, clock: Date.now, disk });
    expect(await store.signIns(owner)).toEqual([signIn]);
    const { user: _, ...byLink } = aSignIn(owner, { created_at: atMinute(1) });
    expect(await store.signInByLink(link.hash, byLink)).toEqual(store.owner.user);
    await store.close();
    await writeFile(path, JSON.stringify({ ...stored, sign_ins: 'all', login_links: null }));
    store = await openLowdbStore({ dir, clock: Date.now, disk });
    expect(await store.signIns(owner)).toEqual([]);
    expect(await store.addSignIn(signIn)).toBe(true);
  });

  it('uses no link up where the sign-in cannot be stored', async () => {
    const owner = store.owner.user.uuid;
    const link = aLink(owner);
    await store.addLoginLink(link);
    const { user: _, ...byLink } = aSignIn(owner, { created_at: atMinute(1) });
    disk.failing('write', 'ENOSPC');
    await expect(store.signInByLink(link.hash, byLink)).rejects.toMatchObject({ code: 'ENOSPC' });
    disk.heal();
    expect(await store.signIn(byLink.hash)).toBeUndefined();
    expect(await store.signInByLink(link.hash, byLink)).toEqual(store.owner.user);
  });

  it('writes nothing for a source that leaves its tags, nor for a change that finds nothing', async () => {
    const { upload, tag, agent } = await withTag();
    const before = disk.count('rename');
    await store.deleteSource(upload.uuid);
    await store.removeKey('b'.repeat(64));
    await store.addUser({ ...store.owner.user });
    await Promise.all([store.deleteTag(tag.uuid), store.deleteTag(tag.uuid), store.deleteAgent(agent.uuid)]);
    expect(disk.count('rename') - before).toBeLessThanOrEqual(2);
  });

  describe.each(['ENOSPC', 'EIO'])('on %s', (code) => {
    it.each(['open', 'write', 'sync', 'rename'] as const)('at %s everything stays what it was', async (verb) => {
      const { upload, agent, tag } = await withTag();
      const { session, messages } = await withMessages(3);
      const user = { uuid: 'c'.repeat(32), email: 'ann@shop.example', created_at: '2026-01-02T03:04:05Z' };
      const refused = aFunction();
      disk.failing(verb, code);
      const rejected = [
        store.createAgent(anAgent(chatbot.uuid)),
        store.updateAgent(agent.uuid, (one) => ({ ...one, tool_functions: [refused] })),
        store.deleteAgent(agent.uuid),
        store.createTag(aTag(chatbot.uuid)),
        store.updateTag(tag.uuid, (one) => ({ ...one, name: 'new' })),
        store.deleteTag(tag.uuid),
        store.createSource(aSource(chatbot.uuid), Buffer.from('new')),
        store.deleteMessage(messages[1]!.uuid),
        store.addUser(user),
      ];
      for (const one of await Promise.allSettled(rejected)) expect(one).toMatchObject({ reason: { code } });
      disk.heal();
      await inBothLives(async () => {
        expect(await store.agents(chatbot.uuid)).toEqual([agent]);
        expect(await store.agentWithFunction(agent.tool_functions[0]!.uuid)).toEqual(agent);
        expect(await store.agentWithFunction(refused.uuid)).toBeUndefined();
        expect(await store.tags(chatbot.uuid)).toEqual([tag]);
        expect(await store.sources(chatbot.uuid)).toEqual([upload]);
        expect(await store.messages(session.uuid)).toEqual(messages);
        expect(await store.users()).toEqual([store.owner.user]);
      });
      expect(await files('sources')).toHaveLength(2);
      expect((await store.updateTag(tag.uuid, (one) => ({ ...one, name: 'newer' })))?.name).toBe('newer');
      expect(await store.deleteMessage(messages[1]!.uuid)).toBe(true);
      await inBothLives(async () => expect(await store.messages(session.uuid)).toEqual([messages[0], messages[2]]));
    });

    it('after the new file has its name, what is written next loses nothing', async () => {
      const { session, messages } = await withMessages(3);
      disk.failing('sync', code, 1, 1); // the folder's, behind the rename
      await expect(store.deleteMessage(messages[0]!.uuid)).rejects.toMatchObject({ code });
      disk.heal();
      const next = aMessage(session.uuid);
      expect(await store.saveMessage(next)).toBe(true);
      await inBothLives(async () => expect(await store.messages(session.uuid)).toEqual([...messages, next]));
    });

    it('between an upload and its record, neither stays', async () => {
      disk.failing('rename', code, 1, 1);
      await expect(store.createSource(aSource(chatbot.uuid), Buffer.from('x'))).rejects.toMatchObject({ code });
      expect(await files('sources')).toEqual([]);
    });
  });

  it('deletes on a full disk, but for a message, whose session is written anew', async () => {
    const { upload } = await withTag();
    const { messages } = await withMessages(1);
    disk.failing('write', 'ENOSPC');
    expect(await store.deleteSource(upload.uuid)).toBe(true);
    await expect(store.deleteMessage(messages[0]!.uuid)).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(await store.deleteChatbot(chatbot.uuid)).toBe(true);
    disk.heal();
    expect(await files()).toEqual([join(dir, 'store.json')]);
  });
});

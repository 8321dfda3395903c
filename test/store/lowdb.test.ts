import { appendFile, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openLowdbStore } from '../../server/store/lowdb/lowdb.ts';
import { StoredRecord } from '../../server/store/lowdb/files/record.ts';
import type { Store } from '../../server/store/store.ts';
import { storeContract } from './contract.ts';
import { faultyDisk } from './faulty-disk.ts';
import { managementContract } from './management.contract.ts';
import { lowdbFolder } from './lowdb-fixture.ts';
import { memberContract } from './members/members.contract.ts';
import { passkeyContract } from './sign-ins/passkeys.contract.ts';
import { signInContract } from './sign-ins/sign-ins.contract.ts';
import { aChatbot, aDocument, aMessage, anAgent, aSession, aSource } from './records.ts';

storeContract('lowdb', lowdbFolder());
storeContract('lowdb that keeps nothing idle in memory', lowdbFolder({ maxIdleCharacters: 0 }));
managementContract('lowdb', lowdbFolder());
signInContract('lowdb', lowdbFolder());
passkeyContract('lowdb', lowdbFolder());
memberContract('lowdb', lowdbFolder());
managementContract('lowdb that keeps nothing idle in memory', lowdbFolder({ maxIdleCharacters: 0 }));

describe('lowdb: the data folder', () => {
  let dir: string;
  let store: Store;
  const disk = faultyDisk();
  const open = async () => openLowdbStore({ dir, clock: Date.now, disk });
  const reopen = async () => {
    await store.close();
    store = await open();
  };
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'docent-store-'));
    store = await open();
  });
  afterEach(async () => {
    disk.heal();
    await store.close();
    await rm(dir, { recursive: true, force: true });
  });

  const withChatbot = async () => {
    const chatbot = aChatbot(store.owner.user.uuid);
    await store.createChatbot(chatbot, [anAgent(chatbot.uuid)]);
    return chatbot;
  };
  const withSession = async () => {
    const session = aSession((await withChatbot()).uuid);
    const message = aMessage(session.uuid);
    await store.saveMessage(message, session);
    return { session, message };
  };
  const files = async (under = '') => {
    const entries = await readdir(join(dir, under), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  };
  const onlyFile = async (under: string) => {
    const [file, ...others] = await files(under);
    expect(others).toEqual([]);
    return file!;
  };

  it('is readable by its owner alone: modes 0700 and 0600', async () => {
    const { session } = await withSession();
    const source = aSource(session.chatbot);
    await store.createSource(source);
    await store.putDocument(source.uuid, aDocument('text'));
    await store.updateSession(session.uuid, (one) => ({ ...one, foreign: 'x' }));
    const entries = await readdir(dir, { recursive: true });
    expect(entries.filter((name) => /sessions.+jsonl|source\.json|document\.json|store\.json/.test(name))).toHaveLength(
      4,
    );
    for (const name of entries) {
      const found = await stat(join(dir, name));
      expect([name, (found.mode & 0o777).toString(8)]).toEqual([name, found.isDirectory() ? '700' : '600']);
    }
  });

  it('is really on the disk where NODE_ENV is test', async () => {
    expect(process.env['NODE_ENV']).toBe('test');
    const { message } = await withSession();
    expect(await readFile(await onlyFile('sessions'), 'utf8')).toContain(message.uuid);
    expect(await readFile(await onlyFile('chatbots'), 'utf8')).toContain('General Q&A');
  });

  it('costs two writes for a hundred changes of one record', async () => {
    const { uuid } = await withChatbot();
    const before = disk.count('rename');
    const changes = Array.from({ length: 100 }, () =>
      store.updateChatbot(uuid, (one) => ({ ...one, name: `${one.name}.` })),
    );
    await Promise.all(changes);
    expect(disk.count('rename') - before).toBeLessThanOrEqual(2);
    expect((await store.chatbot(uuid))?.name).toMatch(/\.{100}$/);
  });

  it('appends a message to an open file: one write, one sync, and nothing else', async () => {
    const { session } = await withSession();
    const before = disk.total();
    await store.saveMessage(aMessage(session.uuid));
    expect(disk.total() - before).toBe(2);
  });

  it('syncs names from before the start, since the process may have been killed before it could', async () => {
    const { session } = await withSession();
    await reopen();
    const before = disk.count('sync');
    await store.saveMessage(aMessage(session.uuid));
    expect(disk.count('sync') - before).toBe(1);
    await store.saveMessage(aMessage(session.uuid));
    expect(disk.count('sync') - before).toBe(1);
    const sibling = aSession(session.chatbot, { uuid: `${session.uuid.slice(0, 8)}${'0'.repeat(24)}` });
    await store.createSession(sibling);
    expect(disk.count('sync') - before).toBe(4);
  });

  it('has no file of a deleted chatbot left, though its parts were being written', async () => {
    const { session } = await withSession();
    const source = aSource(session.chatbot);
    await store.createSource(source);
    const busy = Array.from({ length: 20 }, (_, i) => [
      store.saveMessage(aMessage(session.uuid)),
      store.createSession(aSession(session.chatbot)),
      store.putDocument(source.uuid, aDocument(String(i))),
      store.updateSource(source.uuid, (one) => ({ ...one, title: String(i) })),
      store.updateSession(session.uuid, (one) => ({ ...one, foreign: String(i) })),
      store.updateChatbot(session.chatbot, (one) => ({ ...one, name: String(i) })),
    ]).flat();
    await Promise.all([store.deleteChatbot(session.chatbot), ...busy]);
    expect(await files()).toEqual([join(dir, 'store.json')]);
  });

  it('has no file left of what was being made while it was deleted', async () => {
    const { uuid } = await withChatbot();
    const sources = Array.from({ length: 10 }, () => aSource(uuid));
    for (const source of sources) await store.createSource(source);
    const putting = sources.map((source) => store.putDocument(source.uuid, aDocument('text')));
    await disk.next('write');
    await Promise.all([...putting, ...sources.map((source) => store.deleteSource(source.uuid))]);
    expect(await files('sources')).toEqual([]);
    const making = store.createSource(aSource(uuid));
    await disk.next('write');
    await Promise.all([making, store.deleteChatbot(uuid)]);
    expect(await files()).toEqual([join(dir, 'store.json')]);
  });

  it('finishes at the next start what a crash left of a deletion', async () => {
    const { session } = await withSession();
    const source = aSource(session.chatbot);
    await store.createSource(source);
    await store.putDocument(source.uuid, aDocument('secret'));
    disk.failing('unlink', 'EIO');
    await expect(store.deleteChatbot(session.chatbot)).rejects.toMatchObject({ code: 'EIO' });
    expect(await store.chatbot(session.chatbot)).toBeUndefined();
    disk.heal();
    await reopen();
    expect(await store.chatbot(session.chatbot)).toBeUndefined();
    expect(await store.sources(session.chatbot)).toEqual([]);
    await store.close();
    expect(await files()).toEqual([join(dir, 'store.json')]);
    store = await open();
  });

  it('removes the temporary files of interrupted writes', async () => {
    const { session } = await withSession();
    const chatbot = await onlyFile('chatbots');
    const lines = await onlyFile('sessions');
    await store.close();
    await writeFile(`${chatbot}.tmp`, '{"half');
    await writeFile(`${lines}.tmp`, '{"half');
    store = await open();
    expect(await store.messages(session.uuid)).toHaveLength(1);
    await store.close();
    expect((await files()).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    store = await open();
  });

  it('drops the last line where it is torn, at every byte, and goes on after it', async () => {
    const { session, message } = await withSession();
    const file = await onlyFile('sessions');
    const response = `never acknowledged – ${'🛒'.repeat(500)}`;
    const torn = `${JSON.stringify(aMessage(session.uuid, { response }))}\n`;
    const whole = (await stat(file)).size;
    for (const length of [1, 2, 50, Buffer.byteLength(torn) - 30, Buffer.byteLength(torn) - 1]) {
      await store.close();
      await truncate(file, whole);
      await appendFile(file, Buffer.from(torn).subarray(0, length));
      store = await open();
      expect(await store.messages(session.uuid)).toEqual([message]);
      const next = aMessage(session.uuid, { response: 'a' });
      await store.saveMessage(next);
      await reopen();
      expect(await store.messages(session.uuid)).toEqual([message, next]);
    }
  });

  it('treats a session whose first line is torn as never stored', async () => {
    const { session } = await withSession();
    await store.close();
    await truncate(await onlyFile('sessions'), 20);
    store = await open();
    expect(await store.session(session.uuid)).toBeUndefined();
    const message = aMessage(session.uuid);
    expect(await store.saveMessage(message, session)).toBe(true);
    await reopen();
    expect(await store.messages(session.uuid)).toEqual([message]);
  });

  const visits = async (chatbot: string, count: number) => {
    for (let i = 0; i < count; i++) {
      const session = aSession(chatbot);
      await store.saveMessage(aMessage(session.uuid, { response: 'x'.repeat(2000) }), session);
    }
  };

  it('syncs a question together with its answer, since it is not acknowledged before', async () => {
    const { uuid } = await withChatbot();
    const session = aSession(uuid);
    const neighbour = { ...session, uuid: session.uuid.slice(0, 2) + 'f'.repeat(30) }; // so that the folder is there
    await store.createSession(neighbour);
    const question = aMessage(session.uuid, { finish_reason: '', response: '' });
    const syncs = () => [disk.count('datasync'), disk.count('sync')];
    const [data = 0, names = 0] = syncs();
    await store.saveMessage(question, session);
    expect(syncs()).toEqual([data, names]);
    await store.saveMessage({ ...question, finish_reason: 'stop', response: 'Yes.' });
    expect(syncs()).toEqual([data + 1, names + 1]);
    await store.saveMessage(aMessage(session.uuid));
    expect(syncs()).toEqual([data + 2, names + 1]);
  });

  it('drops idle sessions from memory beyond a bound, but none that has an answer under way', async () => {
    await store.close();
    store = await openLowdbStore({ dir, clock: Date.now, disk, maxIdleCharacters: 50_000 });
    const { uuid } = await withChatbot();
    const [open, done] = [aSession(uuid), aSession(uuid)];
    await store.saveMessage(aMessage(open.uuid, { finish_reason: '' }), open);
    await store.saveMessage(aMessage(done.uuid), done);
    await visits(uuid, 60);
    const before = disk.count('open');
    await store.saveMessage(aMessage(open.uuid));
    expect(disk.count('open') - before).toBe(1); // the folder, to sync the name
    await store.saveMessage(aMessage(done.uuid));
    expect(disk.count('open') - before).toBe(3); // its file, and the folder
    expect((await store.messages(open.uuid))[0]?.finish_reason).toBe('');
  });

  it('loses nothing where sessions leave memory and come back all the time', async () => {
    await store.close();
    store = await openLowdbStore({ dir, clock: Date.now, disk, maxIdleCharacters: 4000 });
    const { uuid } = await withChatbot();
    const sessions = Array.from({ length: 6 }, () => aSession(uuid));
    const saved = sessions.map(({ uuid: session }) => Array.from({ length: 30 }, () => aMessage(session)));
    const visitor = async (at: number) => {
      for (const message of saved[at]!) {
        const reading = store.messages(sessions[(at + 1) % 6]!.uuid);
        await store.saveMessage(message, sessions[at]);
        await reading;
      }
    };
    await Promise.all(sessions.map((_, at) => visitor(at)));
    await reopen();
    for (const [at, session] of sessions.entries()) expect(await store.messages(session.uuid)).toEqual(saved[at]);
  });

  it('keeps only so many files open', async () => {
    const { uuid } = await withChatbot();
    await visits(uuid, 200);
    expect(disk.count('open') - disk.count('close')).toBeLessThanOrEqual(129);
  });

  it('takes the newer of two files of one session, which a failed first write may have left', async () => {
    for (let i = 0; i < 8; i++) {
      const { session, message } = await withSession();
      const file = (await files('sessions')).find((name) => name.includes(session.uuid))!;
      const older = file.replace(/\.[0-9a-z]+\.jsonl$/, `.${i}.jsonl`);
      await writeFile(older, `${JSON.stringify(session)}\n`);
      await reopen();
      expect(await store.messages(session.uuid)).toEqual([message]);
    }
  });

  it('looks at one source to find a page of a crawl, and at a chatbot its own for its list', async () => {
    const { uuid } = await withChatbot();
    const other = await withChatbot();
    const own = [aSource(uuid), aSource(uuid)];
    for (const source of own) await store.createSource(source);
    const visits = async (act: () => Promise<unknown>) => {
      const visit = vi.spyOn(StoredRecord.prototype, 'stored', 'get');
      await act();
      const { length } = visit.mock.calls;
      visit.mockRestore();
      return length;
    };
    const counts = async () => {
      const listed = await visits(() => store.sources(uuid));
      return [listed, await visits(() => store.createSource({ ...aSource(uuid), identity: own[1]!.identity }))];
    };
    const before = await counts();
    expect(Math.min(...before)).toBeGreaterThan(0);
    for (let n = 0; n < 50; n++) await store.createSource(aSource(other.uuid));
    expect(await counts()).toEqual(before);
    const alias = own[1]!.identity;
    await store.updateSource(own[1]!.uuid, (one) => ({ ...one, identity: 'https://shop.example/new', alias }));
    for (const identity of [alias, 'https://shop.example/new'])
      expect((await store.createSource({ ...aSource(uuid), identity }))?.existing?.uuid).toBe(own[1]!.uuid);
    await store.updateSource(own[1]!.uuid, (one) => ({ ...one, alias: '' }));
    expect(await store.createSource({ ...aSource(uuid), identity: alias })).toEqual({ existing: undefined });
  });

  it('finds a session that is deleted and made again while it is read', async () => {
    const { session } = await withSession();
    await store.close();
    const lines = Array.from({ length: 5000 }, () => `${JSON.stringify(aMessage(session.uuid))}\n`);
    await appendFile(await onlyFile('sessions'), lines.join(''));
    store = await openLowdbStore({ dir, clock: Date.now, disk, maxIdleCharacters: 0 });
    const reading = store.session(session.uuid);
    await new Promise((done) => setTimeout(done, 1));
    await store.deleteSession(session.uuid);
    const message = aMessage(session.uuid);
    await store.saveMessage(message, session);
    // As it was before the deletion, or after it, or made again; before the last, nothing may be found.
    expect([undefined, session]).toContainEqual(await reading);
    expect(await store.messages(session.uuid)).toEqual([message]);
  });

  it('shows what is stored of an answer that could not be, and lets its session leave memory', async () => {
    await store.close();
    store = await openLowdbStore({ dir, clock: Date.now, disk, maxIdleCharacters: 0 });
    const session = aSession((await withChatbot()).uuid);
    const question = aMessage(session.uuid, { finish_reason: '', response: '' });
    await store.saveMessage(question, session);
    disk.failing('write', 'ENOSPC', 1);
    const answer = { ...question, finish_reason: 'stop' as const, response: 'Yes.' };
    await expect(store.saveMessage(answer)).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(await store.message(question.uuid)).toEqual({ ...question, finish_reason: 'interrupted' });
    const before = disk.count('open');
    await store.saveMessage(aMessage(session.uuid));
    expect(disk.count('open') - before).toBe(2); // its file, and the folder: it was not in memory any more
  });

  it('removes a text whose source is gone', async () => {
    const source = aSource((await withChatbot()).uuid);
    await store.createSource(source);
    await store.putDocument(source.uuid, aDocument('text'));
    await store.close();
    await rm((await files('sources')).find((name) => name.endsWith('.source.json'))!);
    store = await open();
    await store.close();
    expect(await files('sources')).toEqual([]);
    store = await open();
  });

  describe.each(['ENOSPC', 'EIO'])('on %s', (code) => {
    it.each(['open', 'write', 'datasync'] as const)('at %s keeps what is stored and goes on later', async (verb) => {
      const { session, message } = await withSession();
      disk.failing(verb, code);
      const [lost, begun] = [aMessage(session.uuid, { response: 'long '.repeat(200) }), aSession(session.chatbot)];
      const saving = store.saveMessage(lost);
      if (verb !== 'open') await expect(saving).rejects.toMatchObject({ code });
      else await saving;
      const stored = verb === 'open' ? [message, lost] : [message];
      await expect(store.saveMessage(aMessage(begun.uuid), begun)).rejects.toMatchObject({ code });
      expect(await store.messages(session.uuid)).toEqual(stored);
      expect(await store.session(begun.uuid)).toBeUndefined();
      disk.heal();
      const [next, first] = [aMessage(session.uuid, { response: 'short' }), aMessage(begun.uuid)];
      expect(await store.saveMessage(next)).toBe(true);
      expect(await store.saveMessage(first, begun)).toBe(true);
      for (const again of [false, true]) {
        if (again) await reopen();
        expect(await store.messages(session.uuid)).toEqual([...stored, next]);
        expect(await store.messages(begun.uuid)).toEqual([first]);
      }
      expect(await files('sessions')).toHaveLength(2);
    });

    it.each(['open', 'write', 'sync', 'rename'] as const)('at %s a record stays what it was', async (verb) => {
      const { session } = await withSession();
      const [chatbot, source] = [(await store.chatbot(session.chatbot))!, aSource(session.chatbot)];
      await store.createSource(source);
      await store.putDocument(source.uuid, aDocument('old'));
      disk.failing(verb, code);
      const rejected = [
        store.updateChatbot(chatbot.uuid, (one) => ({ ...one, name: 'new' })),
        store.updateSource(source.uuid, (one) => ({ ...one, title: 'new' })),
        store.putDocument(source.uuid, aDocument('new')),
        store.updateSession(session.uuid, (one) => ({ ...one, foreign: 'new' })),
        store.setFact('name', 'new'),
        store.createSource(aSource(chatbot.uuid)),
      ];
      for (const one of await Promise.allSettled(rejected)) expect(one).toMatchObject({ reason: { code } });
      disk.heal();
      for (const again of [false, true]) {
        if (again) await reopen();
        expect(await store.chatbot(chatbot.uuid)).toEqual(chatbot);
        expect(await store.sources(chatbot.uuid)).toEqual([source]);
        expect(await store.document(source.uuid)).toEqual(aDocument('old'));
        expect(await store.session(session.uuid)).toEqual(session);
        expect(await store.fact('name')).toBeUndefined();
      }
      expect((await store.updateChatbot(chatbot.uuid, (one) => ({ ...one, name: 'newer' })))?.name).toBe('newer');
      expect((await files()).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    });
  });

  it('does not bring back after a restart what it has refused', async () => {
    const { session, message } = await withSession();
    disk.failing('datasync', 'EIO');
    await expect(store.saveMessage(aMessage(session.uuid))).rejects.toMatchObject({ code: 'EIO' });
    disk.heal();
    await reopen();
    expect(await store.messages(session.uuid)).toEqual([message]);
  });

  it('loses only what was in the failed write where others wait behind it', async () => {
    const { session, message } = await withSession();
    disk.failing('datasync', 'ENOSPC', 1);
    const messages = Array.from({ length: 3 }, () => aMessage(session.uuid));
    const failing = store.saveMessage(messages[0]!);
    await disk.next('write');
    const waiting = [store.saveMessage(messages[1]!), store.saveMessage(messages[2]!)];
    await expect(failing).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(await Promise.all(waiting)).toEqual([true, true]);
    await reopen();
    expect(await store.messages(session.uuid)).toEqual([message, messages[1], messages[2]]);
  });

  it('deletes on a full disk', async () => {
    const { session } = await withSession();
    disk.failing('write', 'ENOSPC');
    expect(await store.deleteSession(session.uuid)).toBe(true);
    expect(await store.deleteChatbot(session.chatbot)).toBe(true);
    disk.heal();
    expect(await files()).toEqual([join(dir, 'store.json')]);
  });
});

import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHealth, type Health } from '../../server/health/health.ts';
import { openLowdbStore } from '../../server/store/lowdb/lowdb.ts';
import type { Store } from '../../server/store/store.ts';
import { faultyDisk } from './faulty-disk.ts';
import { aChatbot, aDocument, aMessage, anAgent, aSession, aSource } from './records.ts';

const SERVED = 'the rest is served: move it out of the data folder, then restart';

describe('lowdb: damaged files', () => {
  let dir: string;
  let store: Store;
  let health: Health;
  let warned: string[];
  const disk = faultyDisk();
  const open = async () => {
    health = createHealth();
    warned = [];
    const log = { warn: (_: object, sentence: string) => void warned.push(sentence) };
    return openLowdbStore({ dir, clock: Date.now, disk, health, log });
  };
  const reopen = async () => {
    await store.close();
    store = await open();
  };
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'docent-damage-'));
    store = await open();
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
  const fileOf = async (uuid: string, end: string) =>
    (await files()).find((file) => file.includes(uuid) && file.endsWith(end))!;
  const withChatbot = async () => {
    const chatbot = aChatbot(store.owner.user.uuid);
    await store.createChatbot(chatbot, [anAgent(chatbot.uuid)]);
    return chatbot;
  };
  const withSession = async (chatbot?: string) => {
    const session = aSession(chatbot ?? (await withChatbot()).uuid);
    const messages = [1, 2, 3].map((n) => aMessage(session.uuid, { response: `answer ${n}` }));
    await store.saveMessage(messages[0]!, session);
    for (const message of messages.slice(1)) await store.saveMessage(message);
    await store.close();
    return { session, messages, file: await fileOf(session.uuid, '.jsonl') };
  };
  const replaceIn = async (file: string, from: string, to: string) => {
    const bytes = (await readFile(file)).toString('latin1');
    expect(bytes).toContain(from);
    await writeFile(file, Buffer.from(bytes.replace(from, to), 'latin1'));
    return readFile(file);
  };

  const heads: [string, (uuid: string) => [from: string, to: string]][] = [
    ['is no JSON', () => ['{"uuid"', '{uuid"']],
    ['names another session', (uuid) => [uuid, `${uuid.slice(0, 31)}${uuid.endsWith('0') ? '1' : '0'}`]],
    ['has a field of another type', () => ['"created_at":"2026-01-02T03:04:05Z"', '"created_at":null']],
    ['runs into the next line', () => ['\n', 'J']],
  ];
  it.each(heads)('keep a conversation whose first line %s, and say so', async (_, change) => {
    const { session, file } = await withSession();
    const damaged = await replaceIn(file, ...change(session.uuid));
    store = await open();
    expect(await store.session(session.uuid)).toBeUndefined();
    expect(await store.messages(session.uuid)).toEqual([]);
    expect(await readFile(`${file}.damaged`)).toEqual(damaged);
    expect(await files('sessions')).toEqual([`${file}.damaged`]);
    const { status, reasons } = health.state();
    expect([status, reasons.length]).toEqual(['degraded', 1]);
    // The whole identifier opens the conversation: neither /readyz nor the log may tell it.
    expect(reasons[0]).toMatch(new RegExp(`^sessions/${session.uuid.slice(0, 2)}/${session.uuid.slice(0, 8)}\\*\\.`));
    expect(JSON.stringify([reasons, warned])).not.toContain(session.uuid.slice(8, 20));
    expect(warned).toEqual(reasons);

    const begun = aMessage(session.uuid);
    expect(await store.saveMessage(begun, session)).toBe(true);
    await reopen();
    expect(await store.messages(session.uuid)).toEqual([begun]);
    expect(health.state().reasons).toEqual([expect.stringContaining('was set aside')]);
  });

  it('are deleted with their conversation, before and after a restart', async () => {
    for (const restarts of [false, true]) {
      const { session, file } = await withSession();
      await replaceIn(file, '{"uuid"', '[');
      store = await open();
      expect(await store.session(session.uuid)).toBeUndefined();
      if (restarts) await reopen();
      expect(await store.chatbotOf(session.uuid)).toBe(session.chatbot);
      expect(await store.deleteSession(session.uuid)).toBe(true);
      expect(await store.chatbotOf(session.uuid)).toBeUndefined();
      expect(await files('sessions')).toEqual([]);
      expect(health.state().status).toBe('ok');
    }
  });

  it('are found by the list of sessions too, which has the others', async () => {
    const { session, file } = await withSession();
    store = await open();
    const other = await withSession(session.chatbot);
    const damaged = await replaceIn(file, '{"uuid"', '[');
    store = await open();
    expect((await store.sessions(session.chatbot)).map(({ uuid }) => uuid)).toEqual([other.session.uuid]);
    expect(await readFile(`${file}.damaged`)).toEqual(damaged);
  });

  it('that are folders are named, and neither listed nor in the way of the others', async () => {
    const { session, file } = await withSession();
    await rm(file);
    await mkdir(file);
    store = await open();
    const other = await withSession(session.chatbot);
    store = await open();
    expect((await store.sessions(session.chatbot)).map(({ uuid }) => uuid)).toEqual([other.session.uuid]);
    const reasons = [expect.stringMatching(/^sessions\/.*\*\S+ is a folder/)];
    expect([health.state(), warned]).toEqual([{ status: 'degraded', reasons }, reasons]);
    await reopen();
    expect(await store.messages(session.uuid)).toEqual([]);
    expect(health.state().status).toBe('degraded');
    await reopen();
    expect(await store.deleteSession(session.uuid)).toBe(false);
    await reopen();
    expect(await store.deleteChatbot(session.chatbot)).toBe(true);
    expect(await files('sessions')).toEqual([]);
  });

  const lines: [string, from: string, to: string][] = [
    ['is no JSON', '"response":"answer 2"', '"response":"answer 2'],
    ['is zeros', '"response":"answer 2"', '\0\0\0\0\0\0\0'],
    ['has a field of another type', '"response":"answer 2"', '"response":2'],
    ['lacks a field', '"response":"answer 2"', '"responce":"answer 2"'],
  ];
  it.each(lines)('give all other messages where a line %s, and keep that line', async (_, from, to) => {
    const { session, messages, file } = await withSession();
    const damaged = await replaceIn(file, from, to);
    store = await open();
    expect(await store.messages(session.uuid)).toEqual([messages[0], messages[2]]);
    expect(await store.message(messages[1]!.uuid)).toBeUndefined();
    expect(health.state()).toMatchObject({ status: 'degraded', reasons: [expect.stringContaining('cannot be read')] });
    expect(await readFile(file)).toEqual(damaged);
    const next = aMessage(session.uuid);
    await store.saveMessage(next);
    for (const again of [false, true]) {
      if (again) await reopen();
      expect(await store.messages(session.uuid)).toEqual([messages[0], messages[2], next]);
      expect(await readFile(`${file}.damaged`)).toEqual(damaged);
      expect(health.state().reasons).toHaveLength(1);
    }
    expect(await files('sessions')).toHaveLength(2);
  });

  it.each(['cite_data_json', 'meta_json', 'feedback_json'] as const)(
    'give a message whose %s is no JSON object without it, and keep that line',
    async (field) => {
      for (const value of ['', '[]', '{"model":"a', 'null']) {
        const { session, messages, file } = await withSession();
        const damaged = await replaceIn(file, `"${field}":"{}"`, `"${field}":${JSON.stringify(value)}`);
        store = await open();
        expect(await store.messages(session.uuid)).toEqual(messages);
        const reasons = [expect.stringMatching(/^sessions\/.* cannot be read; the rest is served/)];
        expect([health.state(), warned]).toEqual([{ status: 'degraded', reasons }, reasons]);
        await store.saveMessage(aMessage(session.uuid));
        expect(await readFile(`${file}.damaged`)).toEqual(damaged);
        await store.deleteChatbot(session.chatbot);
      }
    },
  );

  it('write nothing over a damaged line that cannot be kept', async () => {
    const { session, messages, file } = await withSession();
    const damaged = await replaceIn(file, '"response":"answer 2"', '"response":2');
    store = await open();
    disk.failing('write', 'ENOSPC');
    await expect(store.deleteMessage(messages[0]!.uuid)).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(await readFile(file)).toEqual(damaged);
    disk.heal();
    expect(await store.deleteMessage(messages[0]!.uuid)).toBe(true);
    expect(await store.messages(session.uuid)).toEqual([messages[2]]);
    expect(await readFile(`${file}.damaged`)).toEqual(damaged);
  });

  it('keep what follows the last line where no crash can have left it', async () => {
    for (const tail of ['\0\0\0\0', `${JSON.stringify(aMessage('a'.repeat(32)))}J`, 'x', '{"uuid":"\u0001']) {
      const { session, messages, file } = await withSession();
      await appendFile(file, tail);
      const damaged = await readFile(file);
      store = await open();
      expect(await store.messages(session.uuid)).toEqual(messages);
      await store.saveMessage(aMessage(session.uuid));
      expect(await readFile(`${file}.damaged`)).toEqual(damaged);
    }
  });

  it('are not made of what a crash leaves: a torn last line, or a file without a whole line', async () => {
    for (const length of [0, 1, 30]) {
      const { session, messages, file } = await withSession();
      await appendFile(file, JSON.stringify(aMessage(session.uuid, { response: 'ü"{\\' })).slice(0, length));
      store = await open();
      expect(await store.messages(session.uuid)).toEqual(messages);
      await store.close();
      await truncate(file, length);
      store = await open();
      expect(await store.session(session.uuid)).toBeUndefined();
      expect([health.state().status, warned]).toEqual(['ok', []]);
      expect(await files('sessions')).toEqual([]);
    }
  });

  it('go with the session, or the chatbot, they belong to', async () => {
    const { session, file } = await withSession();
    await replaceIn(file, '"response":"answer 2"', '"response":2');
    store = await open();
    const lost = await withSession(session.chatbot);
    await replaceIn(lost.file, '{"uuid"', '[');
    store = await open();
    await store.saveMessage(aMessage(session.uuid));
    expect(await store.session(lost.session.uuid)).toBeUndefined();
    expect((await files('sessions')).filter((name) => name.endsWith('.damaged'))).toHaveLength(2);
    expect(await store.deleteSession(session.uuid)).toBe(true);
    expect(await files('sessions')).toEqual([`${lost.file}.damaged`]);
    await store.deleteChatbot(session.chatbot);
    expect([await files('sessions'), health.state().status]).toEqual([[], 'ok']);
  });

  it('of one chatbot or source do not affect the others', async () => {
    const [good, bad] = [await withChatbot(), await withChatbot()];
    const [source, spoilt] = [aSource(good.uuid), aSource(good.uuid, { type: 'upload' })];
    await store.createSource(source);
    await store.createSource(spoilt, Buffer.from('the upload'));
    await store.putDocument(spoilt.uuid, aDocument('text'));
    await store.close();
    const damaged = [await fileOf(bad.uuid, `${bad.uuid}.json`), await fileOf(spoilt.uuid, '.source.json')];
    for (const file of damaged) await writeFile(file, '{');
    for (const again of [false, true]) {
      if (again) await reopen();
      else store = await open();
      expect((await store.chatbots(store.owner.user.uuid)).map(({ uuid }) => uuid)).toEqual([good.uuid]);
      expect(await store.sources(good.uuid)).toEqual([source]);
      for (const file of damaged) expect(await readFile(`${file}.damaged`, 'utf8')).toBe('{');
      expect(await readFile(await fileOf(spoilt.uuid, '.file'), 'utf8')).toBe('the upload');
      expect(await fileOf(spoilt.uuid, '.document.json')).toBeDefined();
      expect(health.state().reasons).toHaveLength(2);
      expect(JSON.stringify(health.state().reasons)).toContain(`chatbots/${bad.uuid.slice(0, 2)}/${bad.uuid}.json`);
    }
  });

  it('that are folders, in place of a chatbot or a source, are named, and the others served', async () => {
    const [good, bad] = [await withChatbot(), await withChatbot()];
    const [source, hidden] = [aSource(good.uuid), aSource(good.uuid)];
    await store.createSource(source);
    await store.createSource(hidden);
    await store.putDocument(hidden.uuid, aDocument('text'));
    await store.close();
    const folders = [await fileOf(bad.uuid, `${bad.uuid}.json`), await fileOf(hidden.uuid, '.source.json')];
    for (const path of folders) {
      await rm(path);
      await mkdir(path);
    }
    const reasons = folders.map((path) => `${relative(dir, path)} is a folder where a file should be; ${SERVED}`);
    for (const again of [false, true]) {
      if (again) await reopen();
      else store = await open();
      expect((await store.chatbots(store.owner.user.uuid)).map(({ uuid }) => uuid)).toEqual([good.uuid]);
      expect(await store.sources(good.uuid)).toEqual([source]);
      expect([health.state(), warned]).toEqual([{ status: 'degraded', reasons }, reasons]);
      for (const path of folders) expect((await stat(path)).isDirectory()).toBe(true);
      expect(await fileOf(hidden.uuid, '.document.json')).toBeDefined();
    }
  });

  it('that are folders, in place of what belongs to a source, are named, and do not keep it from being deleted', async () => {
    const source = aSource((await withChatbot()).uuid, { type: 'upload', status: 'success', tokens: 3 });
    await store.createSource(source, Buffer.from('the upload'));
    await store.putDocument(source.uuid, aDocument('text'));
    await store.putVectors(source.uuid, { model: 'm', dimensions: 2, rows: new Int8Array([1, 2]) });
    const folders = await Promise.all(
      ['.vectors.json', '.document.json', '.file'].map((end) => fileOf(source.uuid, end)),
    );
    for (const path of folders) {
      await rm(path);
      await mkdir(path);
    }
    expect(await store.vectors(source.uuid)).toBeUndefined();
    expect(await store.document(source.uuid)).toBeUndefined();
    expect(await store.file(source.uuid)).toBeUndefined();
    expect(await store.source(source.uuid)).toMatchObject({ status: 'error:damaged', embedded_by: '' });
    const reasons = folders.map((path) => `${relative(dir, path)} is a folder where a file should be; ${SERVED}`);
    expect([health.state(), warned]).toEqual([{ status: 'degraded', reasons }, reasons]);
    expect(await store.deleteSource(source.uuid)).toBe(true);
    expect(await store.source(source.uuid)).toBeUndefined();
    for (const path of folders) expect((await stat(path)).isDirectory()).toBe(true);
  });

  it('of passages or vectors are set aside, and the source can be ingested again', async () => {
    const source = aSource((await withChatbot()).uuid, { status: 'success' });
    await store.createSource(source);
    await store.putDocument(source.uuid, aDocument('text'));
    await store.putVectors(source.uuid, { model: 'm', dimensions: 2, rows: new Int8Array([1, 2]) });
    const [vectors, document] = [
      await fileOf(source.uuid, '.vectors.json'),
      await fileOf(source.uuid, '.document.json'),
    ];
    await writeFile(vectors, 'null');
    expect(await store.vectors(source.uuid)).toBeUndefined();
    expect(await store.unembeddedSources('m')).toHaveLength(1);
    await writeFile(document, '{"title":"t","text":"short","passages":[{"headings":[],"start":0,"end":9}]}');
    expect(await store.document(source.uuid)).toBeUndefined();
    expect(await store.source(source.uuid)).toMatchObject({ status: 'error:damaged', embedded_by: '' });
    expect((await store.source(source.uuid))!.modified_at > source.modified_at).toBe(true);
    expect((await files('sources')).map((name) => name.split('.').at(-1)).toSorted()).toEqual([
      'damaged',
      'damaged',
      'json',
    ]);
    expect(await store.putDocument(source.uuid, aDocument('new'))).toBe(true);
    expect(await store.document(source.uuid)).toEqual(aDocument('new'));
    expect(await store.deleteSource(source.uuid)).toBe(true);
    expect([await files('sources'), health.state().status]).toEqual([[], 'ok']);
  });

  it('that are missing are reported like damaged ones, until the source is ingested again', async () => {
    const source = aSource((await withChatbot()).uuid, { status: 'success', tokens: 3 });
    await store.createSource(source);
    await store.putDocument(source.uuid, aDocument('text'));
    await store.putVectors(source.uuid, { model: 'm', dimensions: 2, rows: new Int8Array([1, 2]) });
    for (const end of ['.vectors.json', '.document.json']) await rm(await fileOf(source.uuid, end));
    expect(await store.vectors(source.uuid)).toBeUndefined();
    expect(await store.unembeddedSources('m')).toHaveLength(1);
    expect(await store.document(source.uuid)).toBeUndefined();
    expect(await store.source(source.uuid)).toMatchObject({ status: 'error:damaged', embedded_by: '' });
    const reasons = ['vectors', 'document'].map((kind) =>
      expect.stringContaining(`${source.uuid}.${kind}.json is missing`),
    );
    expect([health.state(), warned]).toEqual([{ status: 'degraded', reasons }, reasons]);
    await store.putDocument(source.uuid, aDocument('new'));
    await store.putVectors(source.uuid, { model: 'm', dimensions: 2, rows: new Int8Array([1, 2]) });
    expect(health.state().status).toBe('ok');
  });

  it('that no source has are not missing: one without a text, or that is being learned', async () => {
    const chatbot = await withChatbot();
    for (const more of [{ status: 'success' }, { status: 'chunking', tokens: 3 }, { status: 'fail', tokens: 3 }]) {
      const source = aSource(chatbot.uuid, more);
      await store.createSource(source);
      expect(await store.document(source.uuid)).toBeUndefined();
      expect(await store.source(source.uuid)).toEqual(source);
    }
    expect(health.state().status).toBe('ok');
  });

  describe('of the account', () => {
    const account = () => join(dir, 'store.json');
    const refused = async (text: string, sentence: RegExp) => {
      await store.close();
      const before = await readFile(account());
      await writeFile(account(), text);
      await expect(open()).rejects.toThrow(sentence);
      expect(await readFile(account(), 'utf8')).toBe(text);
      await writeFile(account(), before);
      store = await open();
    };

    it.each(['', '{', '[]', 'null', '7', '\0\0'])('refuse the start at %j, and say what to do', (text) =>
      refused(text, /store\.json is damaged: .*backup/),
    );

    it('refuse the start where it is a folder', async () => {
      await store.close();
      await rename(account(), `${account()}.bak`);
      await mkdir(account());
      await expect(open()).rejects.toThrow(/store\.json is damaged: .*backup/);
      await rmdir(account());
      await rename(`${account()}.bak`, account());
      store = await open();
    });

    it('say that the format number is missing, and call only a higher one newer', async () => {
      const text = await readFile(account(), 'utf8');
      for (const format of ['0', '-1', 'null', '"1"'])
        await refused(text.replace('"format":1', `"format":${format}`), /has no format number/);
      await refused(text.replace('"format":1,', ''), /has no format number/);
      await refused(text.replace('"format":1', '"format":2'), /written by a newer version of docent \(format 2\)/);
    });

    it.each(['life', 'home', 'users', 'keys', 'facts'])('refuse the start where %s has another type', async (field) => {
      const root = JSON.parse(await readFile(account(), 'utf8'));
      await refused(JSON.stringify({ ...root, [field]: 'text' }), /store\.json is damaged/);
    });

    it('create no new owner where the file is missing and records exist', async () => {
      await withChatbot();
      await store.close();
      const text = await readFile(account(), 'utf8');
      await rm(account());
      await expect(open()).rejects.toThrow(/store\.json is missing, but .* holds chatbots: put the file back/);
      expect((await files()).map((file) => file.startsWith(join(dir, 'chatbots')))).toEqual([true]);
      await writeFile(account(), text);
      store = await open();
    });
  });
});

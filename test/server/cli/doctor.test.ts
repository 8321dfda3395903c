import { watch } from 'node:fs';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../server/cli/run.ts';
import { hostName } from '../../../server/store/lowdb/files/host.ts';
import { openLowdbStore } from '../../../server/store/lowdb/lowdb.ts';
import { examineTables } from '../../../server/store/postgres/moving/examine.ts';
import { openPostgresStore } from '../../../server/store/postgres/postgres.ts';
import type { Store } from '../../../server/store/store.ts';
import { start, until } from '../../running.ts';
import { makeSchema, type Schema } from '../../store/postgres/fixture.ts';
import { startPostgres } from '../../store/postgres/server.ts';
import { aChatbot, aDocument, aMessage, anAgent, aSession, aSite, aSource, aTag } from '../../store/records.ts';

/** `docent doctor`. */

const server = await startPostgres();
afterAll(() => server?.stop());

let dir: string;
beforeEach(async () => (dir = await mkdtemp(join(tmpdir(), 'docent-doctor-'))));
afterEach(() => rm(dir, { recursive: true, force: true }));

async function run(words: string[], env: NodeJS.ProcessEnv = {}) {
  const said = { out: '', err: '' };
  const terminal = {
    out: (text: string) => void (said.out += text),
    err: (text: string) => void (said.err += text),
  };
  const code = await runCommand(words, { DATA_DIR: dir, ...env }, terminal);
  return { code, ...said, lines: said.out.trimEnd().split('\n') };
}

const doctor = (words: string[], env: NodeJS.ProcessEnv = {}) => run(['doctor', ...words], env);

/** One of each record that refers to others. */
async function fill(store: Store) {
  const chatbot = aChatbot(store.owner.user.uuid);
  const source = aSource(chatbot.uuid, { status: 'success', tokens: 9 });
  const agent = anAgent(chatbot.uuid, { data_source_uuids: [source.uuid] });
  await store.createChatbot(chatbot, []);
  await store.createSource(source);
  await store.putDocument(source.uuid, aDocument('The last ferry leaves at nine.'));
  await store.putVectors(source.uuid, { model: 'small', dimensions: 1, rows: Int8Array.of(1, 2) });
  await store.createAgent(agent);
  const tag = aTag(chatbot.uuid, { data_source_uuids: [source.uuid] });
  await store.createTag(tag);
  const session = aSession(chatbot.uuid);
  const message = aMessage(session.uuid, { modified_at: '2026-03-04T05:06:07Z' });
  await store.saveMessage(message, session);
  return { chatbot, source, agent, tag, session, message };
}

const CHECKED = 'checked 1 chatbot, 1 source, 1 conversation, 1 message: ';

describe('on a data folder', () => {
  const open = () => openLowdbStore({ dir, clock: Date.now });
  let records: Awaited<ReturnType<typeof fill>>;
  beforeEach(async () => {
    const store = await open();
    records = await fill(store);
    await store.close();
  });
  const path = (folder: string, uuid: string, name: string): string => join(dir, folder, uuid.slice(0, 2), name);
  const all = async (): Promise<Record<string, string>> => {
    const files = await readdir(dir, { recursive: true, withFileTypes: true });
    const found: Record<string, string> = {};
    for (const file of files)
      if (file.isFile())
        found[join(file.parentPath, file.name)] = await readFile(join(file.parentPath, file.name), 'utf8');
    return found;
  };

  it('finds nothing in one that is whole', async () => {
    for (const words of [['--dry-run'], []])
      expect(await doctor(words)).toMatchObject({
        code: 0,
        err: '',
        out: expect.stringMatching(/^checked 1 chatbot, .*, 0 left\n$/),
      });
  });

  it('repairs what is safe, after a dry run that changes nothing', async () => {
    const { chatbot, source, agent, tag } = records;
    await rm(path('sources', source.uuid, `${source.uuid}.document.json`));
    await writeFile(path('sources', source.uuid, `${source.uuid}.source.json.tmp`), 'x');
    await writeFile(path('sources', source.uuid, `${source.uuid.slice(0, 2)}${'0'.repeat(30)}.document.json`), '{}');
    const file = path('chatbots', chatbot.uuid, `${chatbot.uuid}.json`);
    const stale = (await readFile(file, 'utf8')).replaceAll(
      `["${source.uuid}"]`,
      `["${source.uuid}","${'f'.repeat(32)}"]`,
    );
    await writeFile(file, stale);
    const before = await all();

    const dry = await doctor(['--dry-run']);
    expect(dry).toMatchObject({ code: 1, err: '' });
    expect(dry.lines.slice(0, -1)).toEqual([
      expect.stringMatching(/^would repair: sources\S+\.document\.json has no record that it belongs to: removed$/),
      expect.stringMatching(/^would repair: sources\S+\.tmp is left of a write that was broken off: removed$/),
      `would repair: agent ${agent.uuid} of chatbot ${chatbot.uuid} names sources that are gone: they are taken off its list`,
      `would repair: tag ${tag.uuid} of chatbot ${chatbot.uuid} names sources that are gone: they are taken off its list`,
      `would repair: source ${source.uuid} of chatbot ${chatbot.uuid} has no text: it is learned again at the next start`,
    ]);
    expect(dry.lines.at(-1)).toBe(`${CHECKED}5 faults to repair, 0 left`);
    expect(await all()).toEqual(before);

    const done = await doctor([]);
    expect(done.lines).toEqual(
      dry.lines.map((line) => line.replace('would repair', 'repaired').replace('to repair', 'repaired')),
    );
    expect(done.code).toBe(0);
    expect(await doctor([])).toMatchObject({ code: 0, out: `${CHECKED}0 faults repaired, 0 left\n` });
    const store = await open();
    expect(await store.source(source.uuid)).toMatchObject({ status: 'await' });
    await store.close();
    expect(await readFile(file, 'utf8')).not.toContain('f'.repeat(32));
  });

  it('tells of a month of usage that is damaged, and ends an import that was broken off', async () => {
    await mkdir(join(dir, 'usage'));
    await writeFile(join(dir, 'usage', '2026-03.jsonl'), '{"owner":\n');
    await mkdir(join(dir, 'importing'));
    expect(await doctor(['--dry-run'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('import was broken off'),
    });
    const { code, lines } = await doctor([]);
    expect(code).toBe(1);
    expect(lines).toContain('repaired: an import was broken off: it is ended');
    expect(lines).toContainEqual(expect.stringMatching(/^left: usage.2026-03\.jsonl /));
    expect(await readdir(dir)).not.toContain('importing');
  });

  it('cuts off lines that were torn by a crash', async () => {
    const { session, message } = records;
    const folder = path('sessions', session.uuid, '');
    const [name = ''] = await readdir(folder);
    const whole = await readFile(join(folder, name), 'utf8');
    await appendFile(join(folder, name), `{"uuid":"${session.uuid.slice(0, 8)}`);
    const empty = name.replace(session.uuid, `${session.uuid.slice(0, 2)}${'0'.repeat(30)}`);
    await writeFile(join(folder, empty), '{"uu');
    await mkdir(join(dir, 'usage'));
    await writeFile(join(dir, 'usage', '2026-03.jsonl'), '{"owner":');
    await mkdir(join(dir, 'replies'));
    await writeFile(join(dir, 'replies', `${new Date().toISOString().slice(0, 10)}.jsonl`), '');
    const before = await all();

    const dry = await doctor(['--dry-run']);
    const cut = 'ends in the middle of a line, left of a write that was broken off: cut off';
    const removed = 'is left of a write that was broken off: removed';
    expect(dry.lines).toEqual([
      expect.stringMatching(new RegExp(`^would repair: replies/[\\d-]{10}\\.jsonl ${removed}$`)),
      expect.stringMatching(new RegExp(`^would repair: sessions/\\w{2}/\\w{2}0{6}\\*\\.\\w+\\.jsonl ${removed}$`)),
      expect.stringMatching(new RegExp(`^would repair: sessions/\\w{2}/\\w{8}\\*\\.\\w+\\.jsonl ${cut}$`)),
      `would repair: usage/2026-03.jsonl ${removed}`,
      `${CHECKED}4 faults to repair, 0 left`,
    ]);
    expect(await all()).toEqual(before);

    const done = await doctor([]);
    expect(done.lines).toEqual(
      dry.lines.map((line) => line.replace('would repair', 'repaired').replace('to repair', 'repaired')),
    );
    expect(await readFile(join(folder, name), 'utf8')).toBe(whole);
    expect(await readdir(folder)).toEqual([name]);
    expect(await readdir(join(dir, 'usage'))).toEqual([]);
    expect((await doctor([])).out).toBe(`${CHECKED}0 faults repaired, 0 left\n`);
    const store = await open();
    expect(await store.messages(session.uuid)).toEqual([message]);
    await store.close();
  });

  it('takes no note of replies that are no longer kept', async () => {
    const reply = { key: 'a'.repeat(64), request: '', status: 200, body: '{}', created_at: '2026-01-02T03:04:05Z' };
    const store = await openLowdbStore({ dir, clock: () => Date.parse(reply.created_at) });
    await store.saveReply(reply);
    await store.close();
    expect(await doctor(['--dry-run'])).toMatchObject({ code: 0, out: `${CHECKED}0 faults to repair, 0 left\n` });
    expect(await readdir(join(dir, 'replies'))).toEqual(['2026-01-02.jsonl']);
  });

  it('has the folder to itself from the first look to the last repair', async () => {
    const claims = new Set<string>();
    const folder = join(dir, 'lock', hostName());
    const watcher = watch(folder, (_, name) => void claims.add(name ?? ''));
    try {
      await doctor([]);
      await writeFile(join(folder, 'last'), '');
      await until(
        async () => [...claims],
        (names) => names.includes('last'),
      );
      expect([...claims]).toEqual([expect.stringContaining(`-${process.pid}-`), 'last']);
    } finally {
      watcher.close();
    }
  });

  it('has vectors made again that are of other passages', async () => {
    const { source } = records;
    await rm(path('sources', source.uuid, `${source.uuid}.vectors.json`));
    expect((await doctor([])).lines[0]).toContain('has vectors of other passages, or none');
    const store = await open();
    expect(await store.unembeddedSources('small')).toHaveLength(1);
    await store.close();
  });

  it('tells of what it leaves: damaged files, and records of a chatbot that is gone', async () => {
    const { chatbot, session } = records;
    const other = path('chatbots', chatbot.uuid, `${chatbot.uuid.slice(0, 2)}${'0'.repeat(30)}.json`);
    await writeFile(other, '{');
    const dry = await doctor(['--dry-run']);
    expect(dry).toMatchObject({ code: 1, out: expect.stringContaining('left: chatbots/') });
    expect(await readFile(other, 'utf8')).toBe('{');
    await rename(path('chatbots', chatbot.uuid, `${chatbot.uuid}.json`), join(dir, 'elsewhere'));
    const { code, lines, out } = await doctor([]);
    expect(code).toBe(1);
    expect(lines.at(-1)).toMatch(/, 3 left$/);
    expect(out).toMatch(/left: sources\S+ is a source of chatbot \w+, which is gone/);
    expect(out).toMatch(/left: sessions\S+ is a conversation of chatbot \w+, which is gone/);
    expect(out).not.toContain(session.uuid);
    await rename(join(dir, 'elsewhere'), path('chatbots', chatbot.uuid, `${chatbot.uuid}.json`));
    await rm(`${other}.damaged`);
    expect((await doctor([])).out).toBe(`${CHECKED}0 faults repaired, 0 left\n`);
  });

  it.each(['found', 'set aside'])('keeps what refers to a damaged source, %s by the server', async (how) => {
    const { chatbot, source, agent, tag } = records;
    const file = path('sources', source.uuid, `${source.uuid}.source.json`);
    const backup = await readFile(file, 'utf8');
    await writeFile(file, backup.slice(0, 60));
    if (how === 'set aside') {
      const store = await open();
      await store.updateAgent(agent.uuid, (one) => ({ ...one, name: 'Captain' }));
      await store.updateTag(tag.uuid, (one) => ({ ...one, name: 'Ships' }));
      await store.createSource({ ...aSource(chatbot.uuid), uuid: 'e'.repeat(32) });
      await store.updateTag(tag.uuid, (one) => ({ ...one, data_source_uuids: ['e'.repeat(32)] }));
      expect((await store.agent(agent.uuid))?.data_source_uuids).toEqual([]);
      expect((await store.tag(tag.uuid))?.data_source_uuids).toEqual(['e'.repeat(32)]);
      await store.close();
    }
    for (const words of [['--dry-run'], [], []]) {
      const { code, out } = await doctor(words);
      expect(code).toBe(1);
      expect(out).not.toContain('repair: ');
      expect(out).not.toContain('repaired: ');
      expect(out).toMatch(/^left: sources\S+\.source\.json\S* .* restore it from a backup/m);
    }
    await rm(`${file}.damaged`);
    await writeFile(file, backup);
    expect(await doctor([])).toMatchObject({ code: 0 });
    const store = await open();
    expect((await store.agent(agent.uuid))?.data_source_uuids).toEqual([source.uuid]);
    expect((await store.tag(tag.uuid))?.data_source_uuids).toContain(source.uuid);
    await store.deleteSource(source.uuid);
    await store.updateAgent(agent.uuid, (one) => one);
    await store.close();
    expect((await doctor([])).lines.filter((line) => line.includes('agent'))).toEqual([]);
  });

  it('needs the server to be stopped, and a folder that has data', async () => {
    const running = await start({ DATA_DIR: dir });
    expect(await doctor([])).toMatchObject({ code: 1, err: expect.stringContaining('is in use by process') });
    await running.stop();
    const empty = join(dir, 'empty');
    expect(await doctor([], { DATA_DIR: empty })).toMatchObject({ code: 1, err: expect.stringContaining('no data') });
  });
});

describe.skipIf(!server)('on a database', () => {
  let schema: Schema;
  let sql: postgres.Sql;
  let env: NodeJS.ProcessEnv;
  let records: Awaited<ReturnType<typeof fill>>;
  const open = () => openPostgresStore({ url: schema.url, clock: Date.now });
  beforeEach(async () => {
    schema = await makeSchema(server!.url);
    env = { DATABASE_URL: schema.url };
    sql = postgres(schema.url, { max: 1, onnotice: () => {} });
    const store = await open();
    records = await fill(store);
    await store.close();
  });
  afterEach(async () => {
    await sql.end();
    await schema.drop();
  });

  it('repairs what is safe, after a dry run that changes nothing', async () => {
    for (const words of [['--dry-run'], []])
      expect(await doctor(words, env)).toMatchObject({ code: 0, err: '', out: expect.stringContaining(', 0 left') });
    const { chatbot, source, session } = records;
    const { owner } = chatbot;
    await sql`delete from documents`;
    await sql`update sources set status = 'await'`;
    await sql`delete from passages`;
    await sql`update sessions set last_message_at = ''`;
    await sql`insert into credits (owner, month, spent) values (${owner}, '2026-03', 5)`;
    await sql`insert into chatbots (uuid, n, owner, is_deleted, record) values ('deleted', 1, '', true, '{"owner":""}')`;
    const rows = async () => [
      await sql`select * from sources`,
      await sql`select * from sessions`,
      await sql`select * from credits`,
      await sql`select * from chatbots`,
    ];
    const before = await rows();

    const dry = await doctor(['--dry-run'], env);
    expect(dry).toMatchObject({ code: 1, err: '' });
    expect(dry.lines.map((line) => line.replace('would repair: ', ''))).toEqual([
      expect.stringMatching(/^chatbots without a version .* \(2\)$/),
      expect.stringMatching(/^chatbots whose deletion .* \(1\)$/),
      expect.stringMatching(/^sources listed by another status .* \(1\)$/),
      expect.stringMatching(/^months whose credits .* \(1\)$/),
      `source ${source.uuid} of chatbot ${chatbot.uuid} has no text: it is learned again at the next start`,
      `conversation ${session.uuid.slice(0, 8)}… was modified with its last message: its time is set`,
      `${CHECKED}6 faults to repair, 0 left`,
    ]);
    expect(await rows()).toEqual(before);

    const done = await doctor([], env);
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toContain('repaired: months whose credits');
    expect((await doctor([], env)).out).toBe(`${CHECKED}0 faults repaired, 0 left\n`);
    const store = await open();
    expect(await store.unfinishedSources()).toHaveLength(1);
    expect(await store.session(session.uuid)).toMatchObject({ modified_at: '2026-03-04T05:06:07Z' });
    await store.close();
  });

  it('tells of records that cannot be read', async () => {
    const { chatbot, session } = records;
    await sql`update messages set record = replace(record, '"labels":[]', '"labels":0')`;
    await sql`update chatbots set record = replace(record, '"rate_limit":[20,240]', '"rate_limit":0')`;
    const { code, lines } = await doctor([], env);
    expect(code).toBe(1);
    expect(lines.filter((line) => line.startsWith('left: '))).toEqual([
      `left: chatbot ${chatbot.uuid} has fields that cannot be read`,
      `left: conversation ${session.uuid.slice(0, 8)}… has a message that cannot be read, or is of another`,
    ]);
  });

  it('names each record that is no JSON, and leaves it', async () => {
    const { chatbot, source, agent, session } = records;
    await sql`update agents set record = '{'`;
    await sql`update documents set document = 'x'`;
    await sql`update sessions set record = 'null'`;
    const before = [
      await sql`select * from agents`,
      await sql`select * from documents`,
      await sql`select * from sources`,
    ];
    const lines = [
      `left: agent ${agent.uuid} cannot be read (record in table agents): restore it from a backup, or delete the row`,
      expect.stringContaining(`the text of source ${source.uuid} cannot be read (document in table documents)`),
      expect.stringContaining(`conversation ${session.uuid.slice(0, 8)}… cannot be read (record in table sessions)`),
      expect.stringMatching(/^checked 1 chatbot, 1 source, 0 conversations, 1 message: 0 faults .* 3 left$/),
    ];
    for (const words of [['--dry-run'], []])
      expect(await doctor(words, env)).toMatchObject({ code: 1, err: '', lines });
    const exported = await run(['export', join(dir, 'all.jsonl')], env);
    expect(exported).toMatchObject({ code: 1, out: '' });
    expect(exported.err).toBe(
      `docent: agent ${agent.uuid} cannot be read (record in table agents): restore it from a backup, or delete the row, and 2 more; "docent doctor --dry-run" names all that cannot be read\n`,
    );
    expect((await readdir(dir)).filter((name) => name.startsWith('all.'))).toEqual([]);
    expect([
      await sql`select * from agents`,
      await sql`select * from documents`,
      await sql`select * from sources`,
    ]).toEqual(before);
    await sql`update chatbots set record = '[]' where uuid = ${chatbot.uuid}`;
    const { lines: all } = await doctor([], env);
    expect(all[0]).toContain(`left: chatbot ${chatbot.uuid} cannot be read`);
    expect(all.at(-1)).toBe('checked 0 chatbots, 1 source, 0 conversations, 1 message: 0 faults repaired, 4 left');
  });

  it('checks and repairs the others where a row cannot be read', async () => {
    const { chatbot, source, session, message } = records;
    const store = await open();
    const [site, other] = [aSite(chatbot.uuid), aSource(chatbot.uuid, { status: 'success', tokens: 9 })];
    await store.createSite(site);
    await store.createSource({ ...other, site: site.uuid });
    const [talk, torn] = [aSession(chatbot.uuid), aMessage(session.uuid)];
    const gone = aMessage(talk.uuid);
    await store.saveMessage(aMessage(talk.uuid), talk);
    await store.saveMessage(gone);
    await store.deleteMessage(gone.uuid);
    await store.saveMessage(torn);
    await store.close();
    await sql`update sources set record = left(record, 40) where uuid = ${source.uuid}`;
    await sql`update sites set record = '{'`;
    await sql`update messages set record = '{' where uuid = ${torn.uuid}`;
    await sql`update chatbots set owner = 'other'`;
    const lines = [
      expect.stringMatching(/^repaired: chatbots listed for another owner .* \(1\)$/),
      `repaired: source ${other.uuid} of chatbot ${chatbot.uuid} has no text: it is learned again at the next start`,
      expect.stringContaining(`left: site ${site.uuid} cannot be read (record in table sites)`),
      expect.stringContaining(`left: source ${source.uuid} cannot be read (record in table sources)`),
      expect.stringContaining(
        `left: message ${torn.uuid} of conversation ${session.uuid.slice(0, 8)}… cannot be read (record in table messages)`,
      ),
      'checked 1 chatbot, 1 source, 2 conversations, 2 messages: 2 faults repaired, 3 left',
    ];
    const dry = await doctor(['--dry-run'], env);
    expect(dry.lines.map((line) => line.replace('would repair', 'repaired').replace('to repair', 'repaired'))).toEqual(
      lines,
    );
    expect(await sql`select owner from chatbots`).toEqual([{ owner: 'other' }]);
    expect(await doctor([], env)).toMatchObject({ code: 1, err: '', lines });
    expect(await sql`select owner from chatbots`).toEqual([{ owner: chatbot.owner }]);
    const again = await open();
    expect(await again.source(other.uuid)).toMatchObject({ status: 'await', site: site.uuid });
    expect(await again.message(message.uuid)).toEqual(message);
    await again.close();
    expect((await doctor([], env)).lines.at(-1)).toContain(' 0 faults repaired, 3 left');
  });

  it('repairs nothing beside a server', async () => {
    const store = await open();
    const options = { url: schema.url, patience: 1 };
    await sql`delete from passages`;
    await expect(examineTables({ ...options, isDry: false })).rejects.toThrow(
      'in use by another process of docent: stop that one',
    );
    const second = await open();
    const message = 'in use by 2 other processes of docent: stop all of them';
    await expect(examineTables({ ...options, isDry: false })).rejects.toThrow(message);
    await second.close();
    expect(await sql`select 1 from passages`).toHaveLength(0);
    expect((await examineTables({ ...options, isDry: true })).repaired).toHaveLength(1);
    await store.close();
    expect((await examineTables({ ...options, isDry: false })).repaired).toHaveLength(1);
    expect(await sql`select 1 from passages`).toHaveLength(1);
    // What it has noted would keep servers from starting.
    expect(await sql`select 1 from processes`).toHaveLength(0);
  });
});

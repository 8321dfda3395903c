import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import postgres from 'postgres';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { runCommand } from '../../../server/cli/run.ts';
import { archiveStream } from '../../../server/control/archive-stream.ts';
import { ensureBuilt } from '../../../server/dev/build.mjs';
import { openLowdbStore } from '../../../server/store/lowdb/lowdb.ts';
import { openPostgresStore } from '../../../server/store/postgres/postgres.ts';
import type { Store } from '../../../server/store/store.ts';
import { start } from '../../running.ts';
import { makeSchema } from '../../store/postgres/fixture.ts';
import { startPostgres } from '../../store/postgres/server.ts';
import { aChatbot, aMessage, aSession, aSource } from '../../store/records.ts';
import { startChild } from '../child.ts';

/** An export that fails in the middle: it says why, and leaves no file. */

const server = await startPostgres();
afterAll(() => server?.stop());

let [dir, to] = ['', ''];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'docent-data-'));
  to = await mkdtemp(join(tmpdir(), 'docent-export-'));
});
afterEach(async () => {
  for (const folder of [dir, to]) await rm(folder, { recursive: true, force: true });
});

interface Said {
  code: number | null;
  err: string;
}

async function docent(words: string[], env: NodeJS.ProcessEnv = {}, stdout?: Writable): Promise<Said> {
  let err = '';
  const terminal = { out: () => {}, err: (piece: string) => (err += piece), ...(stdout && { stdout }) };
  return { code: await runCommand(words, { DATA_DIR: dir, ...env }, terminal), err };
}

/** A chatbot with a file of more than any buffer holds, and behind it a conversation. */
async function fill(store: Store): Promise<{ session: string; message: string }> {
  const chatbot = aChatbot(store.owner.user.uuid);
  await store.createChatbot(chatbot, []);
  await store.createSource(aSource(chatbot.uuid, { type: 'upload' }), Buffer.alloc(8e6, 'x'));
  const session = aSession(chatbot.uuid);
  const message = aMessage(session.uuid);
  await store.saveMessage(message, session);
  await store.close();
  return { session: session.uuid, message: message.uuid };
}

const fillFolder = async (): Promise<unknown> => fill(await openLowdbStore({ dir, clock: Date.now }));

it.skipIf(!server)('says through the socket what the server cannot read', async () => {
  const schema = await makeSchema(server!.url);
  const sql = postgres(schema.url, { max: 1, onnotice: () => {} });
  const { session, message } = await fill(await openPostgresStore({ url: schema.url, clock: Date.now }));
  await sql`update messages set record = 'x'`;
  const running = await start({ DATABASE_URL: schema.url, DATA_DIR: dir });
  const sentence =
    `docent: message ${message} of conversation ${session.slice(0, 8)}… cannot be read (record in table messages): ` +
    'restore it from a backup, or delete the row; "docent doctor --dry-run" names all that cannot be read\n';
  for (const name of ['all.jsonl', 'all.jsonl.gz'])
    expect(await docent(['export', join(to, name)])).toEqual({ code: 1, err: sentence });
  // Before the first byte, too.
  await sql`update sources set record = 'x'`;
  expect((await docent(['export', join(to, 'all.jsonl')])).err).toContain('(record in table sources)');
  expect(await readdir(to)).toEqual([]);
  await running.stop();
  await sql.end();
  await schema.drop();
});

it.skipIf(!server)('says a fault that has half a character', async () => {
  const schema = await makeSchema(server!.url);
  const sql = postgres(schema.url, { max: 1, onnotice: () => {} });
  const store = await openPostgresStore({ url: schema.url, clock: Date.now });
  const owner = store.owner.user.uuid;
  await store.close();
  // More than the first piece of the archive.
  await sql`
    insert into keys (hash, user_uuid, name, hint, created_at, last_used_at)
    select n::text, ${owner}, repeat('x', 1000), '', '', '' from generate_series(1, 200) as n`;
  await sql`insert into facts (name, value) values ('"odd"', '🙂')`;
  const running = await start({ DATABASE_URL: schema.url, DATA_DIR: dir });
  const err = `docent: Unexpected token '\ufffd', "🙂" is not valid JSON\n`;
  for (const name of ['all.jsonl', 'all.jsonl.gz'])
    expect(await docent(['export', join(to, name)])).toEqual({ code: 1, err });
  await running.stop();
  await sql.end();
  await schema.drop();
});

it('ends where the fault cannot be told', async () => {
  const store = await openLowdbStore({ dir, clock: Date.now });
  const { user } = store.owner;
  for (let n = 0; n < 200; n++)
    await store.addKey({
      user: user.uuid,
      hash: String(n),
      name: 'x'.repeat(1000),
      hint: '',
      created_at: '',
      last_used_at: '',
    });
  const lost = new Error('lost');
  const snapshot: typeof store.snapshot = (act) =>
    store.snapshot((all) => act({ ...all, facts: () => Promise.reject(lost) }));
  const untold = new Error('untold');
  const archive = archiveStream({ snapshot }, Date.now, () => {
    throw untold;
  });
  await expect(text(archive)).rejects.toBe(untold);
  await store.close();
});

it.each(['kill', 'end'] as const)('says that the server ended: %s', async (how) => {
  await ensureBuilt();
  await fillFolder();
  const running = await startChild({ DATA_DIR: dir });
  let ended: Promise<unknown> | undefined;
  let next: () => void = () => {};
  const stalled = new Writable({
    highWaterMark: 1,
    write(_chunk, _encoding, done) {
      next = done;
      if (ended) done();
      else ended = running[how]().then(() => next());
    },
  });
  expect(await docent(['export', '-'], {}, stalled)).toEqual({
    code: 1,
    err: 'docent: the server ended before the archive was whole\n',
  });
  await ended;
});

it('says that the disk has no room for the file', async () => {
  await ensureBuilt();
  await fillFolder();
  const file = join(to, 'all.jsonl');
  const limited = ['-c', 'ulimit -f 2048; exec "$0" dist/server/main.js export "$1"', process.execPath, file];
  const child = spawn('sh', limited, { env: { ...process.env, DATABASE_URL: '', DATA_DIR: dir } });
  const err = text(child.stderr);
  const [code] = (await once(child, 'close')) as [number | null];
  expect({ code, err: await err }).toEqual({
    code: 1,
    err: `docent: cannot write ${file}: EFBIG: file too large, write\n`,
  });
  expect(await readdir(to)).toEqual([]);
  const full = createWriteStream('/dev/full');
  expect(await docent(['export', '-'], {}, full)).toEqual({
    code: 1,
    err: 'docent: cannot write to standard output: ENOSPC: no space left on device, write\n',
  });
});

it('leaves no file where it is stopped by Ctrl-C', async () => {
  await fillFolder();
  let interrupt: () => void = () => {};
  const terminal = {
    out: () => {},
    err: () => interrupt(),
    showsProgress: () => true,
    onInterrupt(act: () => void) {
      interrupt = act;
      return () => {};
    },
  };
  expect(await runCommand(['export', join(to, 'all.jsonl')], { DATA_DIR: dir }, terminal)).toBe(130);
  expect(await readdir(to)).toEqual([]);
});

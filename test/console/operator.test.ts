import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCommand } from '../../server/cli/run.ts';
import type { StoredPasskey } from '../../server/store/store.ts';
import { databaseOf, openStoreOf } from '../engine/engine.ts';
import { start } from '../running.ts';
import { aPasskey, aSignIn } from '../store/records.ts';
import { send } from './requests.ts';

/** What whoever runs the server does about sign-ins and passkeys, with a server and without. */

let dir: string;
beforeEach(async () => (dir = await mkdtemp(join(tmpdir(), 'docent-operator-'))));
afterEach(() => rm(dir, { recursive: true, force: true }));

const later = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().replace(/\.\d+/, '');

async function docent(...words: string[]) {
  const said = { out: '', err: '' };
  const terminal = {
    out: (text: string) => void (said.out += text),
    err: (text: string) => void (said.err += text),
  };
  const DATABASE_URL = await databaseOf(dir);
  const code = await runCommand(words, { DATA_DIR: dir, ...(DATABASE_URL && { DATABASE_URL }) }, terminal);
  return { code, ...said };
}

/** Of ann two passkeys, one of which has signed a browser in; the owner is signed in twice, once too long ago. */
async function fill(): Promise<{ laptop: StoredPasskey; phone: StoredPasskey }> {
  expect((await docent('user', 'add', 'ann@example.com')).code).toBe(0);
  const quiet = { error() {}, warn() {}, info() {}, debug() {} };
  const store = await openStoreOf({ dir, clock: Date.now, log: quiet as never });
  const ann = (await store.userByEmail('ann@example.com'))!.uuid;
  const now = { created_at: later(-1), last_used_at: later(0), expires_at: later(20) };
  const signIn = aSignIn(ann, { ...now, created_at: later(-3) });
  await store.addSignIn(signIn);
  const [laptop, phone] = [
    aPasskey(ann, { uuid: 'a'.repeat(32) }),
    aPasskey(ann, { uuid: `ab${'c'.repeat(30)}`, name: 'Phone' }),
  ];
  for (const [at, one] of [laptop, phone].entries())
    await store.addPasskey(one, signIn.uuid, { hash: `${at}`.repeat(64), expires_at: later(1) });
  await store.signInByPasskey(
    { hash: '9'.repeat(64), expires_at: later(1) },
    1,
    aSignIn(ann, { ...now, passkey: phone.uuid }),
  );
  const owner = store.owner.user.uuid;
  await store.addSignIn(aSignIn(owner, now));
  await store.addSignIn(aSignIn(owner, { ...now, created_at: later(-40), expires_at: later(-10) }));
  await store.close();
  return { laptop, phone };
}

it.each(['with a server', 'without one'])('lists passkeys, and removes one with its sign-ins, %s', async (how) => {
  await fill();
  const server = how === 'with a server' ? await start({ DATA_DIR: dir }) : undefined;
  try {
    const { out } = await docent('passkey', 'list');
    const [head, ...lines] = out
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect(head).toEqual(['PASSKEY', 'USER', 'NAME', 'HOST', 'ADDED', 'LAST USED']);
    expect(lines.map((line) => [line[0], line[1], line[2], line[3]])).toEqual([
      ['aaaaaaaa', 'ann@example.com', 'Laptop ÿ', 'docent.example'],
      ['abcccccc', 'ann@example.com', 'Phone', 'docent.example'],
    ]);
    expect(lines[0]!.at(-1)).toBe('never');
    expect((await docent('passkey', 'list', 'owner@localhost')).out.trim().split('\n')).toHaveLength(1);
    expect((await docent('passkey', 'list', 'bob@example.com')).code).toBe(1);

    const signIns = async () => (await docent('sign-in', 'list', 'ann@example.com')).out.trim().split('\n').length - 1;
    expect(await signIns()).toBe(2);
    expect(await docent('passkey', 'remove', 'a')).toMatchObject({ code: 1, err: expect.stringContaining('any of 2') });
    expect(await docent('passkey', 'remove', 'ff')).toMatchObject({
      code: 1,
      err: expect.stringContaining('no passkey'),
    });
    expect((await docent('passkey', 'remove')).code).toBe(2);
    expect(await docent('passkey', 'remove', 'ABC')).toEqual({
      code: 0,
      out: 'removed the passkey Phone of ann@example.com\n',
      err: '',
    });
    expect(await signIns()).toBe(1);
    expect((await docent('passkey', 'list')).out).not.toContain('Phone');
  } finally {
    await server?.stop();
  }
});

it('says of whom browsers are signed in, and since when the first', async () => {
  const before = (await docent('doctor', '--dry-run')).out;
  expect(before).not.toContain('signed in');
  await fill();
  const { out } = await docent('doctor');
  expect(out).toContain(`3 browsers signed in to the console, the first at ${later(-3).slice(0, 10)}`);
  expect(out).toMatch(/Z: owner@localhost \(1\), ann@example\.com \(2\)\n/);
});

it('leads a browser from the root to the console, and no program', async () => {
  const server = await start({ DATA_DIR: dir });
  const get = (base: string, accept?: string) => send(base, 'GET', '/', accept === undefined ? {} : { accept });
  const page = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  const led = await get(server.base, page);
  expect([led.status, led.headers['location'], led.headers['vary']]).toEqual([
    302,
    '/console/',
    expect.stringContaining('Accept'),
  ]);
  for (const accept of [undefined, '*/*', 'application/json', 'application/json, text/plain, */*'])
    expect((await get(server.base, accept)).body).toMatchObject({ code: 'not_found' });
  expect((await send(server.base, 'GET', '/nothing', { accept: page })).status).toBe(404);
  expect((await send(server.base, 'POST', '/', { accept: page })).status).toBe(404);
  await server.stop();
  const without = await start({ DATA_DIR: dir, CONSOLE: '0' });
  expect((await get(without.base, page)).status).toBe(404);
  await without.stop();
});

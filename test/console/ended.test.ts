import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSignIns, newLoginLink, removeOldSignIns } from '../../server/console/sign-ins.ts';
import { startRetention } from '../../server/control/retention.ts';
import { SHELL } from '../../server/http/audit.ts';
import { hashKey } from '../../server/http/auth.ts';
import type { SnapshotStore } from '../../server/store/archive/snapshot.ts';
import { onFiles, openStoreOf, queryRows } from '../engine/engine.ts';
import { tokenOf } from './requests.ts';

/** What is left in the store of sign-ins and links that are over. */

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const base = 'http://docent.test';

let dir: string;
let now: number;
let store: SnapshotStore;
const clock = (): number => now;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'docent-ended-'));
  now = Date.parse('2026-03-01T12:00:00Z');
  store = await openStoreOf({ dir, clock });
});
afterEach(async () => {
  vi.useRealTimers();
  await store.close();
  await rm(dir, { recursive: true, force: true });
});

/** All that the store has of both, as text. */
async function stored(): Promise<string> {
  const rows = await queryRows(dir, 'select hash from sign_ins union all select hash from login_links');
  return rows ? JSON.stringify(rows) : readFile(join(dir, 'store.json'), 'utf8');
}

it('is nothing after the clean-up, and all of what is not over', async () => {
  const signIns = createSignIns(store, undefined, clock);
  const link = async () => tokenOf((await newLoginLink({ store, clock, base }, store.owner.user))!);
  const made = async () => (await signIns.byLink(await link(), 'Browser'))!.token;
  const [idle, used] = [await made(), await made()];
  now += 6 * DAY;
  await signIns.find(used);
  const old = await link();
  now += 20 * MINUTE;
  const young = await link();
  now += DAY - 10 * MINUTE;
  await removeOldSignIns(store, clock);
  const late = await link();
  expect(await signIns.byLink(young, 'Browser')).toBeUndefined();
  const left = await stored();
  expect([idle, used, old, young, late].map((token) => left.includes(hashKey(token)))).toEqual([
    false,
    true,
    false,
    false,
    true,
  ]);
  // Neither the tokens themselves nor anything that they could be made of.
  for (const token of [used, late]) expect(left).not.toContain(token);
  expect((await signIns.find(used))?.user).toEqual(store.owner.user);
});

it.runIf(onFiles)('is cleaned up each hour', async () => {
  const signIns = createSignIns(store, undefined, clock);
  const token = tokenOf((await newLoginLink({ store, clock, base }, store.owner.user))!);
  const { token: cookie } = (await signIns.byLink(token, 'Browser'))!;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const log = { info: vi.fn(), error: vi.fn() };
  const retention = startRetention({ auditDays: 400, store, snapshots: store, clock, log });
  await vi.advanceTimersByTimeAsync(MINUTE);
  expect(await stored()).toContain(hashKey(cookie));
  now += 8 * DAY;
  await vi.advanceTimersByTimeAsync(60 * MINUTE);
  await vi.waitFor(async () => expect(await stored()).not.toContain(hashKey(cookie)));
  await retention.close();
  expect(log.error).not.toHaveBeenCalled();
});

it('has of API_KEY no hash that can be looked up', async () => {
  const key = 'a key that is easy to guess';
  const signIns = createSignIns(store, key, clock);
  await signIns.byKey({ user: store.owner.user, hash: '', by: SHELL }, 'Browser');
  const [{ environment_key } = { environment_key: '' }] = await store.signIns(store.owner.user.uuid);
  expect(environment_key).toMatch(/^[0-9a-f]{64}$/);
  expect(environment_key).not.toBe(hashKey(key));
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createUsers } from '../../server/control/users.ts';
import { openStoreOf } from '../engine/engine.ts';

/** `docent user add` of an address that a guest has. */

it('leaves a guest nothing that was added while it took over the user', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'docent-admit-'));
  const store = await openStoreOf({ dir, clock: Date.now });
  onTestFinished(async () => {
    await store.close();
    await rm(dir, { recursive: true, force: true });
  });
  const at = '2026-03-01T00:00:00Z';
  const user = 'e'.repeat(32);
  await store.addUser({ uuid: user, email: 'eve@shop.test', created_at: at, invited: true });
  const signIn = (name: string, passkey: string) => ({
    uuid: name.repeat(32),
    hash: name.repeat(64),
    user,
    key: '',
    environment_key: '',
    passkey,
    user_agent: '',
    created_at: at,
    last_used_at: at,
    expires_at: '2126-03-01T00:00:00Z',
  });
  const passkey = (name: string) => {
    const own = { id: name, user, name, host: 'docent.test', public_key: 'key', counter: 0 };
    return { uuid: name.repeat(32), ...own, created_at: at, last_used_at: '' };
  };
  const challenge = (name: string) => ({ hash: name.repeat(64), expires_at: '2126-03-01T00:00:00Z' });
  await store.addSignIn(signIn('1', ''));
  expect(await store.addPasskey(passkey('a'), '1'.repeat(32), challenge('1'))).toBe(true);

  const added: boolean[] = [];
  /** The guest signs in with a passkey that is listed already and not yet removed, and adds another. */
  const busy = Object.assign(Object.create(store) as typeof store, {
    async passkeys(of: string) {
      const listed = await store.passkeys(of);
      if (added.length === 0) {
        await store.signInByPasskey(challenge('2'), 0, signIn('2', 'a'.repeat(32)));
        added.push(await store.addPasskey(passkey('b'), '2'.repeat(32), challenge('3')));
      }
      return listed;
    },
  });
  await createUsers({ store: busy, clock: Date.now }).addUser('eve@shop.test');
  expect(added).toEqual([true]);
  expect([await store.passkeys(user), await store.signIns(user)]).toEqual([[], []]);
  expect((await store.userByEmail('eve@shop.test'))?.invited).toBeUndefined();
});

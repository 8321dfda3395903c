import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../../../server/store/postgres/postgres.ts';
import { newUuid } from '../../../../server/schema/ids.ts';
import { until } from '../../../running.ts';
import { aPasskey, aSignIn, atMinute } from '../../records.ts';
import { makeSchema, type Schema } from '../fixture.ts';
import { startPostgres } from '../server.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

describe.skipIf(!server)('a sign-in on two servers', () => {
  let schema: Schema;
  beforeEach(async () => {
    schema = await makeSchema(server!.url);
  });

  it('was last used when either has seen it last', async () => {
    const open = () => openPostgresStore({ url: schema.url, clock: Date.now });
    const [a, b] = [await open(), await open()];
    const signIn = aSignIn(a.owner.user.uuid);
    await a.addSignIn(signIn);
    const lastUse = async (store: typeof a) => (await store.signIn(signIn.hash))!.signIn.last_used_at;
    await a.signInUsed(signIn, atMinute(5));
    await until(
      () => lastUse(b),
      (at) => at === atMinute(5),
    );
    await b.signInUsed((await b.signIn(signIn.hash))!.signIn, atMinute(9000));
    await until(
      () => lastUse(a),
      (at) => at === atMinute(9000),
    );
    await a.signInUsed((await a.signIn(signIn.hash))!.signIn, atMinute(9001));
    await until(
      () => lastUse(b),
      (at) => at === atMinute(9001),
    );
    expect((await a.signIns(a.owner.user.uuid)).map((one) => one.last_used_at)).toEqual([atMinute(9001)]);
    await Promise.all([a.close(), b.close()]);
  });

  it('is made once by what a passkey has signed, whichever server gets it first', async () => {
    const open = () => openPostgresStore({ url: schema.url, clock: Date.now });
    const [a, b] = [await open(), await open()];
    const { uuid } = a.owner.user;
    const by = aSignIn(uuid);
    await a.addSignIn(by);
    const passkey = aPasskey(uuid);
    const challenge = () => ({ hash: newUuid(), expires_at: atMinute(40) });
    expect(await a.addPasskey(passkey, by.uuid, challenge())).toBe(true);
    for (let counter = 1; counter <= 10; counter++) {
      const used = challenge();
      const { user: _, ...signIn } = aSignIn(uuid, { passkey: passkey.uuid });
      const tries = [a, b, a, b].map((store) =>
        store.signInByPasskey(used, counter, { ...signIn, uuid: newUuid(), hash: newUuid() }),
      );
      expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
    }
    expect(await b.signIns(uuid)).toHaveLength(11);
    expect(await b.removePasskey(uuid, passkey.uuid)).toBe(true);
    expect(await a.signIns(uuid)).toHaveLength(1);
    await Promise.all([a.close(), b.close()]);
  });
});

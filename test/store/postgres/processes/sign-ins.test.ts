import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../../../server/store/postgres/postgres.ts';
import { until } from '../../../running.ts';
import { aSignIn, atMinute } from '../../records.ts';
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
});

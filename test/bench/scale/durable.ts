import assert from 'node:assert/strict';
import { connect } from '../../../server/store/postgres/connection.ts';
import { openPostgresStore } from '../../../server/store/postgres/postgres.ts';
import { makeSchema } from '../../store/postgres/fixture.ts';
import { aChatbot, aMessage, aSession } from '../../store/records.ts';
import { interleaved } from '../store/timing.ts';
import type { Database } from './cluster.ts';

/** Makes a message about 1 KB long. */
const RESPONSE = 'You can return what you do not like. '.repeat(17);
const TIMES = 30;

/** Milliseconds, medians: a finished message stored in a session, and a bare INSERT of as many bytes by the same driver. */
export async function durableMessage(database: Database, rounds: number): Promise<{ message: number; insert: number }> {
  const schema = await makeSchema(database.url);
  const store = await openPostgresStore({ url: schema.url, clock: Date.now });
  const sql = connect({ url: schema.url, max: 1 });
  try {
    const chatbot = aChatbot(store.owner.user.uuid);
    await store.createChatbot(chatbot, []);
    const session = aSession(chatbot.uuid);
    await store.createSession(session);
    await sql`create table bare (uuid text primary key, record text not null)`;
    const next = () => aMessage(session.uuid, { response: RESPONSE });
    const actions = {
      insert: async () => {
        const one = next();
        await sql`insert into bare (uuid, record) values (${one.uuid}, ${JSON.stringify(one)})`;
      },
      message: async () => assert.equal(await store.saveMessage(next()), true),
    };
    await interleaved(actions, 1, TIMES);
    const taken = await interleaved(actions, rounds, TIMES);
    assert.equal((await store.messages(session.uuid)).length, (rounds + 1) * TIMES);
    return { message: taken['message']!, insert: taken['insert']! };
  } finally {
    await sql.end();
    await store.close();
    await schema.drop();
  }
}

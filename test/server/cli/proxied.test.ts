import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../server/cli/run.ts';
import { openStore } from '../../../server/control/open-store.ts';
import { startFakeRemote, type FakeRemote } from '../../fakes/remote.ts';
import { parseEvents, post, uuidOf } from '../../proxy/fixture.ts';
import { start, type Running } from '../../running.ts';
import { makeSchema, type Schema } from '../../store/postgres/fixture.ts';
import { startPostgres } from '../../store/postgres/server.ts';

/** Commands where the chatbots are another server's. */

const CHATBOT = '0123456789abcdef0123456789abcdef';
const database = await startPostgres();
afterAll(() => database?.stop());

describe.each(database ? ['files', 'postgres'] : ['files'])('a proxy on %s', (engine) => {
  let remote: FakeRemote;
  let schema: Schema | undefined;
  let docent: Running;
  let env: NodeJS.ProcessEnv;
  beforeEach(async () => {
    remote = await startFakeRemote();
    schema = engine === 'postgres' ? await makeSchema(database!.url) : undefined;
    const where = schema ? { DATABASE_URL: schema.url } : {};
    env = { ...where, UPSTREAM_URL: remote.url, UPSTREAM_API_KEY: remote.key };
    docent = await start(env);
  });
  afterEach(async () => {
    await docent.stop();
    await schema?.drop();
    await remote.close();
  });

  async function command(...words: string[]) {
    let said = '';
    const write = (text: string): void => void (said += text);
    const code = await runCommand(words, { ...env, DATA_DIR: docent.dataDir }, { out: write, err: write });
    return { code, said };
  }

  /** Resolves with the session. */
  async function ask(query: string): Promise<string> {
    const events = parseEvents(await (await post(`${docent.base}/chat/${CHATBOT}/ask`, { query })).text());
    expect(events.at(-1)!.event).toBe('done');
    return uuidOf(events, 'session');
  }

  it('docent doctor finds no fault in a chatbot of the upstream server', async () => {
    await ask('How long?');
    await docent.booted.close();
    expect(await command('doctor')).toEqual({
      code: 0,
      said: 'checked 1 chatbot, 0 sources, 1 conversation, 1 message: 0 faults repaired, 0 left\n',
    });
    docent = await start({ ...env, DATA_DIR: docent.dataDir });
  });

  it('docent chatbot update --keep-days takes the uuid of a chatbot of the upstream server', async () => {
    const [old, recent] = [await ask('How long?'), await ask('How far?')];
    await docent.booted.close();
    const store = await openStore(
      { dataDir: docent.dataDir, databaseUrl: schema?.url, databasePool: 2 },
      { clock: Date.now },
    );
    const [message] = await store.messages(old);
    const [session, time] = [(await store.session(old))!, '2026-01-02T03:04:05Z'];
    await store.deleteSession(old);
    await store.saveMessage({ ...message!, modified_at: time }, { ...session, modified_at: time });
    await store.close();
    docent = await start({ ...env, DATA_DIR: docent.dataDir });
    expect(await command('chatbot', 'update', CHATBOT, '--keep-days', '30')).toEqual({
      code: 0,
      said: `${String(remote.chatbot!['name'])} keeps conversations for 30 days after the last message; deleted 1 conversation\n`,
    });
    const statuses = [old, recent].map(async (uuid) =>
      fetch(`${docent.base}/chat/${CHATBOT}/session/${uuid}/messages`).then(({ status }) => status),
    );
    expect(await Promise.all(statuses)).toEqual([404, 200]);
    const unknown = 'f'.repeat(32);
    expect(await command('chatbot', 'update', unknown, '--keep-days', '30')).toMatchObject({
      code: 1,
      said: expect.stringContaining('no such chatbot'),
    });
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../server/cli/run.ts';
import { createOperator } from '../../../server/control/operator.ts';
import { newUuid } from '../../../server/schema/ids.ts';
import { openLowdbStore } from '../../../server/store/lowdb/lowdb.ts';
import { openPostgresStore } from '../../../server/store/postgres/postgres.ts';
import { makeSchema, type Schema } from '../../store/postgres/fixture.ts';
import { startPostgres } from '../../store/postgres/server.ts';
import { aChatbot } from '../../store/records.ts';

type OperatorDeps = Parameters<typeof createOperator>[0];

/** A chatbot whose user is gone, as an older copy of the list of users leaves it. */

const server = await startPostgres();
afterAll(() => server?.stop());

describe.each(server ? ['files', 'PostgreSQL'] : ['files'])('on %s, a chatbot whose user is gone', (engine) => {
  let dir: string;
  let schema: Schema | undefined;
  let uuid: string;
  const open = () =>
    schema ? openPostgresStore({ url: schema.url, clock: Date.now }) : openLowdbStore({ dir, clock: Date.now });
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'docent-gone-'));
    schema = engine === 'files' ? undefined : await makeSchema(server!.url);
    const store = await open();
    const chatbot = aChatbot(newUuid(), { name: 'Orphan' });
    uuid = chatbot.uuid;
    await store.createChatbot(chatbot, []);
    await store.close();
  });
  afterEach(async () => {
    await schema?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  async function docent(...words: string[]) {
    const said = { out: '', err: '' };
    const terminal = {
      out: (text: string) => void (said.out += text),
      err: (text: string) => void (said.err += text),
    };
    const env = { DATA_DIR: dir, ...(schema && { DATABASE_URL: schema.url }) };
    return { code: await runCommand(words, env, terminal), ...said };
  }

  it('is listed, and removed by the command that the doctor names', async () => {
    const { code, out } = await docent('doctor');
    expect(code).toBe(1);
    const advice = `left: chatbot ${uuid} is of a user that is gone: "docent chatbot remove ${uuid}" deletes it`;
    expect(out.split('\n')).toContain(advice);
    expect((await docent('chatbot', 'list')).out).toMatch(new RegExp(`${uuid} +Orphan +\\(gone\\) `));
    const words = /"docent ([^"]*)"/.exec(out)![1]!.split(' ');
    expect(await docent(...words)).toMatchObject({
      code: 0,
      out: expect.stringContaining('deleted the chatbot Orphan'),
    });
    expect((await docent('chatbot', 'list')).out).not.toContain(uuid);
    expect(await docent('doctor')).toMatchObject({ code: 0, out: expect.stringContaining(' 0 left') });
  });

  it('is not one that is made with its user while all are listed', async () => {
    const store = await open();
    const email = 'new@shop.example';
    const snapshot: typeof store.snapshot = async (act, how) => {
      const user = newUuid();
      await store.addUser({ uuid: user, email, created_at: '2026-01-02T03:04:05Z' });
      await store.createChatbot(aChatbot(user), []);
      return store.snapshot(act, how);
    };
    const operator = createOperator({ store, snapshots: { snapshot } } as unknown as OperatorDeps);
    expect((await operator.chatbots()).map((line) => line.email)).toEqual([email, '']);
    await store.close();
  });

  it('is refused to commands that act as its user', async () => {
    const refusal = `docent: the user of the chatbot Orphan is gone; "docent chatbot remove ${uuid}" deletes it\n`;
    for (const words of [
      ['chatbot', 'update', uuid, '--visibility', 'public'],
      ['learn', uuid, 'https://shop.example/'],
    ])
      expect(await docent(...words)).toMatchObject({ code: 1, err: refusal });
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../server/cli/run.ts';
import { newUuid } from '../../../server/schema/ids.ts';
import { openLowdbStore } from '../../../server/store/lowdb/lowdb.ts';
import { openPostgresStore } from '../../../server/store/postgres/postgres.ts';
import { makeSchema, type Schema } from '../../store/postgres/fixture.ts';
import { startPostgres } from '../../store/postgres/server.ts';
import { aChatbot } from '../../store/records.ts';

/** A chatbot whose user is gone, as an older copy of the list of users leaves it. */

const server = await startPostgres();
afterAll(() => server?.stop());

describe.each(server ? ['files', 'PostgreSQL'] : ['files'])('on %s, a chatbot whose user is gone', (engine) => {
  let dir: string;
  let schema: Schema | undefined;
  let uuid: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'docent-gone-'));
    schema = engine === 'files' ? undefined : await makeSchema(server!.url);
    const store = await (schema
      ? openPostgresStore({ url: schema.url, clock: Date.now })
      : openLowdbStore({ dir, clock: Date.now }));
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

  it('is refused to commands that act as its user', async () => {
    const refusal = `docent: the user of the chatbot Orphan is gone; "docent chatbot remove ${uuid}" deletes it\n`;
    for (const words of [
      ['chatbot', 'update', uuid, '--visibility', 'public'],
      ['learn', uuid, 'https://shop.example/'],
    ])
      expect(await docent(...words)).toMatchObject({ code: 1, err: refusal });
  });
});

import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../server/cli/run.ts';
import { start } from '../../running.ts';
import { makeSchema, type Schema } from '../../store/postgres/fixture.ts';
import { startPostgres } from '../../store/postgres/server.ts';

/** Commands whose DATABASE_URL, or lack of it, does not go with the folder that DATA_DIR names. */

const server = await startPostgres();
afterAll(() => server?.stop());

describe.skipIf(!server)('a command', () => {
  let dir: string;
  let [schema, other]: Schema[] = [];
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'docent-other-'));
    [schema, other] = [await makeSchema(server!.url), await makeSchema(server!.url)];
  });
  afterEach(async () => {
    await schema!.drop();
    await other!.drop();
    await rm(dir, { recursive: true, force: true });
  });

  async function docent(words: string[], env: NodeJS.ProcessEnv = {}, stdin = '') {
    const said = { out: '', err: '' };
    const terminal = {
      out: (text: string) => (said.out += text),
      err: (text: string) => (said.err += text),
      stdin: Readable.from([Buffer.from(stdin)]),
      stdout: new Writable({
        write(chunk: Buffer, _, done) {
          said.out += chunk.toString();
          done();
        },
      }),
    };
    return { code: await runCommand(words, { DATA_DIR: dir, ...env }, terminal), ...said };
  }

  const commands = [
    ['export', '-'],
    ['chatbot', 'list'],
    ['key', 'add', 'owner@localhost', '--name', 'tests'],
  ];

  it('without DATABASE_URL makes no store of files in the folder of a server on PostgreSQL that has ended', async () => {
    const running = await start({ DATABASE_URL: schema!.url, DATA_DIR: dir });
    await running.api('POST', '/chatbot/create', { name: 'Ferries' });
    const through = await docent(['export', '-']);
    expect(through).toMatchObject({ code: 0, err: expect.stringContaining('exported 1 chatbot') });
    await running.stop();

    expect((await stat(join(dir, 'postgres'))).mode & 0o777).toBe(0o600);
    for (const words of [...commands, ['doctor'], ['doctor', '--dry-run']]) {
      const refused = await docent(words);
      expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringContaining('set DATABASE_URL') });
    }
    const imported = await docent(['import', '-'], {}, through.out);
    expect(imported).toMatchObject({ code: 1, err: expect.stringContaining('set DATABASE_URL') });
    expect(existsSync(join(dir, 'store.json'))).toBe(false);
    expect((await docent(['chatbot', 'list'], { DATABASE_URL: schema!.url })).out).toContain('Ferries');
  });

  it('with DATABASE_URL does not act on the files of a server of the folder', async () => {
    const running = await start({ DATABASE_URL: '', DATA_DIR: dir });
    for (const words of commands)
      expect(await docent(words, { DATABASE_URL: schema!.url })).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringContaining('has its data there, and not in the database of DATABASE_URL'),
      });
    // A server on the database that has the same folder does not take it from the other.
    const beside = await start({ DATABASE_URL: schema!.url, DATA_DIR: dir });
    expect(existsSync(join(dir, 'postgres'))).toBe(false);
    await beside.stop();
    await running.stop();
  });

  it('does not act on another database than DATABASE_URL names', async () => {
    const running = await start({ DATABASE_URL: schema!.url, DATA_DIR: dir });
    for (const words of commands)
      expect(await docent(words, { DATABASE_URL: other!.url })).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringContaining('in another database than DATABASE_URL names'),
      });
    expect(await docent(['chatbot', 'list'], { DATABASE_URL: schema!.url })).toMatchObject({ code: 0 });
    await running.stop();
  });
});

import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt } from '../../../../server/dev/build.mjs';
import { checkVersion } from '../../../../server/store/postgres/start-faults.ts';
import { until } from '../../../running.ts';
import { startOwnPostgres } from '../server.ts';

const server = await startOwnPostgres();
afterAll(() => server?.stop());

const PASSWORD = 'p@ss#w%rd';

describe.skipIf(!server)('a server that cannot start on its database', { timeout: 60_000 }, () => {
  const { host } = new URL(server?.url ?? 'postgres://127.0.0.1:5432/postgres');
  const withPassword = `docent:${encodeURIComponent(PASSWORD)}@${host}`;
  let dir: string;
  let sql: postgres.Sql;
  beforeAll(async () => {
    await ensureBuilt();
    dir = await mkdtemp(join(tmpdir(), 'docent-'));
    sql = postgres(server!.url, { max: 1 });
    await sql.unsafe(`create role docent login password '${PASSWORD}'`);
    await sql`create role reader login`;
    await sql`alter role reader set default_transaction_read_only = on`;
    await sql`create role guest login`;
    await sql`create role late login connection limit 0`;
    const [{ hba_file: rules }] = (await sql`show hba_file`) as unknown as [{ hba_file: string }];
    // The first line that fits counts: the user has a password in one database.
    await sql`create database locked owner docent`;
    await sql`create database latin owner docent encoding 'LATIN1' locale 'C' template template0`;
    await sql`create database bytes owner docent encoding 'SQL_ASCII' locale 'C' template template0`;
    const lines = 'host locked docent 127.0.0.1/32 scram-sha-256\nhost locked guest 127.0.0.1/32 reject\n';
    await writeFile(rules, lines + (await readFile(rules, 'utf8')));
    await sql`select pg_reload_conf()`;
    await until(
      () => sql`select 1 from pg_hba_file_rules where auth_method = 'reject'`,
      (rows) => rows.length === 1,
    );
  });
  afterAll(async () => {
    await sql.end();
    await rm(dir, { recursive: true });
  });

  /** All that a server says that does not start. */
  async function saidWith(url: string): Promise<string> {
    const env = { ...process.env, DATABASE_URL: url, DATA_DIR: dir, HOST: '127.0.0.1', PORT: '0', DEMO: '0' };
    const child = spawn(process.execPath, ['dist/server/main.js'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const said = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(await ended).toBe(1);
    return said.join('');
  }

  const ENCODE = /^docent: DATABASE_URL must be the address .* with a percent-encoded password/;
  it.each([
    ['a password with #', `postgres://docent:${PASSWORD}@${host}/locked`, ENCODE],
    ['a password with @', `postgres://docent:p@ss@${host}/locked`, ENCODE],
    ['a password with %', `postgres://docent:p%rd@${host}/locked`, ENCODE],
    ['a password with /', `postgres://docent:p/rd@${host}/locked`, ENCODE],
    [
      'an unknown sslmode',
      `postgres://${withPassword}/locked?sslmode=requir`,
      /^docent: sslmode of DATABASE_URL must be one of disable, /,
    ],
    [
      'a wrong password',
      `postgres://docent:wrong@${host}/locked`,
      /^docent: DATABASE_URL: password authentication failed .*: set the password/,
    ],
    [
      'a user who is refused',
      `postgres://guest@${host}/locked`,
      /^docent: DATABASE_URL: pg_hba.conf rejects .*: set a user/,
    ],
    [
      'no such database',
      `postgres://docent@${host}/nowhere`,
      /^docent: DATABASE_URL: database "nowhere" does not exist: set the name/,
    ],
    [
      'a user who only reads',
      `postgres://reader@${host}/postgres`,
      /^docent: DATABASE_URL: cannot execute .* read-only transaction: set a user/,
    ],
    [
      'a user who may make no tables',
      `postgres://guest@${host}/postgres`,
      /^docent: DATABASE_URL: permission denied for schema public: make its user the owner/,
    ],
    [
      'too many connections',
      `postgres://late@${host}/postgres`,
      /^docent: DATABASE_URL: too many connections for role "late": raise max_connections/,
    ],
    ...['LATIN1', 'SQL_ASCII'].map((encoding): [string, string, RegExp] => [
      `a database in ${encoding}`,
      `postgres://docent@${host}/${encoding === 'LATIN1' ? 'latin' : 'bytes'}`,
      new RegExp(
        `^docent: DATABASE_URL: the encoding of the database is ${encoding}, not UTF8: make another one with encoding .UTF8. .* "docent export" .* "docent import"`,
      ),
    ]),
    [
      'an unknown parameter',
      `postgres://docent@${host}/postgres?foo=bar`,
      /^docent: DATABASE_URL: unrecognized configuration parameter "foo": leave out/,
    ],
    [
      'a database without TLS',
      `postgres://docent@${host}/postgres?sslmode=require`,
      /^docent: DATABASE_URL: .*: the database takes no TLS: leave out sslmode/,
    ],
    [
      'a port where nothing listens',
      `postgres://docent@127.0.0.1:1/postgres`,
      /^docent: DATABASE_URL: the database does not answer: .*ECONNREFUSED.*; look whether it runs/,
    ],
  ])('says in one line what to do about %s', async (_, url, sentence) => {
    const said = await saidWith(url);
    expect(said).toMatch(sentence);
    expect(said.trimEnd().split('\n')).toHaveLength(1);
    for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), 'p%rd', 'p@ss', 'p/rd', 'wrong'])
      expect(said).not.toContain(secret);
  });
});

it('refuses a PostgreSQL before 15', () => {
  expect(() => checkVersion(140_011)).toThrow('DATABASE_URL: PostgreSQL 14.11 is too old: use version 15 or later');
  expect(() => checkVersion(150_000)).not.toThrow();
});

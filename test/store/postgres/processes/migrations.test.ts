import postgres from 'postgres';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect } from '../../../../server/store/postgres/connection.ts';
import { migrate, SCHEMA_VERSION } from '../../../../server/store/postgres/migrations.ts';
import { STEPS } from '../../../../server/store/postgres/schema-steps.ts';
import { until } from '../../../running.ts';
import { makeSchema, type Schema } from '../fixture.ts';
import { startPostgres } from '../server.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

/** The first version of which several servers may run at once, and so those of the version before while it is applied. */
const FIRST_SHARED = 9;

it('steps of the schema only add: servers of the version before go on beside them', () => {
  const statements = STEPS.slice(FIRST_SHARED)
    .flatMap((step) => step.replace(/--.*$/gm, '').split(';'))
    .map((statement) => statement.replace(/\s+/g, ' ').trim())
    .filter(Boolean);
  expect(statements.length).toBeGreaterThan(0);
  const adds =
    /^(?:create (?:unlogged )?table \w+ \(|create index \w+ on \w+ |alter table \w+ add column \w+ (?!.*not null(?!.*default))(?!.*(?:drop|rename)))/;
  for (const statement of statements) expect(statement).toMatch(adds);
});

describe.skipIf(!server)('a migration beside a server of an earlier version', () => {
  /** The last version of which servers may be running. */
  const EARLIER = 12;
  let schema: Schema;
  let [own, older, other]: postgres.Sql[] = [];
  beforeEach(async () => {
    schema = await makeSchema(server!.url);
    own = connect({ url: schema.url, max: 1 });
    [older, other] = [1, 2].map(() => postgres(schema.url, { max: 1, onnotice: () => {} }));
    await migrate(own, EARLIER);
  });
  afterEach(async () => {
    await Promise.all([own, older, other].map((one) => one!.end()));
    await schema.drop();
  });

  const version = async () => (await other!`select version from schema_version`)[0]!['version'] as number;
  const isWaiting = () =>
    until(
      () => other!`select 1 from pg_locks where not granted`,
      ({ length }) => length > 0,
    );
  /** What the older server does in a transaction, which ends with the returned function. */
  async function begin(act: (tx: postgres.TransactionSql) => Promise<unknown>): Promise<() => Promise<void>> {
    let end!: () => void;
    const ending = new Promise<void>((resolve) => (end = resolve));
    let begun!: () => void;
    const beginning = new Promise<void>((resolve) => (begun = resolve));
    const done = older!.begin(async (tx) => {
      await act(tx);
      begun();
      await ending;
    });
    await beginning;
    return async () => {
      end();
      await done;
    };
  }

  it('waits for a long transaction, and nobody waits for it meanwhile', async () => {
    const end = await begin((tx) => tx`select 1 from messages`);
    const migrating = migrate(own!);
    await isWaiting();
    expect(await other!`select 1 from messages`).toEqual([]);
    expect(await version()).toBe(EARLIER);
    await end();
    await migrating;
    expect(await version()).toBe(SCHEMA_VERSION);
  });

  it('begins again after a deadlock', async () => {
    let tx: postgres.TransactionSql;
    const end = await begin(async (its) => {
      tx = its;
      await its`set local deadlock_timeout = '10min'`;
      await its`select 1 from answer_pieces`;
    });
    const migrating = migrate(own!);
    await isWaiting();
    await tx!`select 1 from messages`;
    await end();
    await migrating;
    expect(await version()).toBe(SCHEMA_VERSION);
  });

  it('is not ended by the time that a statement may take', async () => {
    const short = postgres(schema.url, { max: 1, onnotice: () => {}, connection: { statement_timeout: 300 } });
    await short`create function slow() returns event_trigger language plpgsql as 'begin perform pg_sleep(0.5); end'`;
    await short`create event trigger slow on ddl_command_start when tag in ('ALTER TABLE') execute function slow()`;
    try {
      await migrate(short);
      expect(await version()).toBe(SCHEMA_VERSION);
    } finally {
      await short`drop event trigger slow`;
      await short.end();
    }
  });

  it('says what it waits for where that takes too long', async () => {
    const end = await begin((tx) => tx`select 1 from messages`);
    await expect(migrate(own!, SCHEMA_VERSION, [10])).rejects.toThrow(
      'the tables could not be brought up to date, since others are at work in them',
    );
    expect(await version()).toBe(EARLIER);
    await end();
  });
});

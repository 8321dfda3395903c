import { expect, it } from 'vitest';
import { STEPS } from '../../../../server/store/postgres/migrations.ts';

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

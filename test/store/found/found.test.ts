import { afterAll, describe, it } from 'vitest';
import { lowdbFolder } from '../lowdb-fixture.ts';
import { postgresSchema } from '../postgres/fixture.ts';
import { startPostgres } from '../postgres/server.ts';
import { foundContract } from './found.contract.ts';
import { plainScan } from './plain-scan.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

foundContract('lowdb', lowdbFolder());
foundContract('lowdb that keeps nothing idle in memory', lowdbFolder({ maxIdleCharacters: 0 }));

if (server) foundContract('postgres', postgresSchema(server.url));
else describe('postgres', () => it.skip('is tested where a server is installed, or DATABASE_URL names one', () => {}));

plainScan('lowdb', lowdbFolder(), 10_000);
if (server) plainScan('postgres', postgresSchema(server.url), 10_000);

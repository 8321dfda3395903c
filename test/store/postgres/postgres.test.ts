import { afterAll, describe, it } from 'vitest';
import { storeContract } from '../contract.ts';
import { managementContract } from '../management.contract.ts';
import { storeModel } from '../model.ts';
import { memberContract } from '../members/members.contract.ts';
import { passkeyContract } from '../sign-ins/passkeys.contract.ts';
import { signInContract } from '../sign-ins/sign-ins.contract.ts';
import { postgresSchema } from './fixture.ts';
import { startPostgres } from './server.ts';

const server = await startPostgres();

if (server) {
  afterAll(() => server.stop());
  storeContract('postgres', postgresSchema(server.url));
  managementContract('postgres', postgresSchema(server.url));
  signInContract('postgres', postgresSchema(server.url));
  passkeyContract('postgres', postgresSchema(server.url));
  memberContract('postgres', postgresSchema(server.url));
  // A life takes longer than with files.
  storeModel('postgres', postgresSchema(server.url), 15);
} else {
  describe('postgres', () => it.skip('is tested where a server is installed, or DATABASE_URL names one', () => {}));
}

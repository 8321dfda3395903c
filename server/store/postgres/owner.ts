import { randomBytes } from 'node:crypto';
import { newUuid, timestamp, type Clock } from '../../schema/ids.ts';
import type { OwnerAccount, User } from '../store.ts';
import { inTransaction, type Queries, type Sql } from './connection.ts';

/** Of the first process that opened the database; made by that one. */
export const ownerOf = (sql: Sql, clock: Clock): Promise<OwnerAccount> =>
  inTransaction(sql, async (tx) => {
    await tx`lock table installation`;
    const found = await findOwner(tx);
    if (found) return found;
    const user = { uuid: newUuid(), email: 'owner@localhost', created_at: timestamp(clock) };
    const secret = randomBytes(32).toString('hex');
    await tx`insert into users (uuid, email, created_at) values (${user.uuid}, ${user.email}, ${user.created_at})`;
    await tx`insert into installation (owner, secret) values (${user.uuid}, ${secret})`;
    return { user, secret };
  });

/** Undefined before the first process has opened the database. */
export async function findOwner(sql: Queries): Promise<OwnerAccount | undefined> {
  const [found] = await sql<(User & { secret: string })[]>`
    select u.uuid, u.email, u.created_at, i.secret from installation i join users u on u.uuid = i.owner`;
  if (!found) return undefined;
  const { secret, ...user } = found;
  return { user, secret };
}

/** As the port has it: `invited` is absent for others. */
export const userOf = ({ invited, ...user }: Omit<User, 'invited'> & { invited: boolean }): User => ({
  ...user,
  ...(invited && { invited }),
});

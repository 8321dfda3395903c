import { MAX_PASSKEYS, type Challenge, type PasskeyVerbs } from '../../accounts.ts';
import type { StoredPasskey, User } from '../../store.ts';
import { userOf } from '../owner.ts';
import { inTransaction, type Queries } from '../connection.ts';
import type { PostgresContext } from '../context.ts';
import { insertSignIn, isSignedIn } from './sign-in-verbs.ts';

/** Passkeys and the challenges that they have signed. Whoever changes both, or a sign-in, locks the user first. */
export function passkeyVerbs({ sql, run }: PostgresContext): PasskeyVerbs {
  const columns = sql`
    uuid, id, user_uuid as user, name, host, public_key, counter::float8 as counter, created_at, last_used_at`;

  return {
    addPasskey: (passkey, signIn, challenge) =>
      run(() =>
        inTransaction(sql, async (tx) => {
          const { uuid, id, user, name, host, public_key, counter, created_at, last_used_at } = passkey;
          if (!(await isSignedIn(tx, user, signIn)) || !(await useUp(tx, challenge))) return false;
          const { count } = await tx`
            insert into passkeys (uuid, id, user_uuid, name, host, public_key, counter, created_at, last_used_at)
            select ${uuid}, ${id}, ${user}, ${name}, ${host}, ${public_key}, ${counter}, ${created_at}, ${last_used_at}
            where (select count(*) from passkeys where user_uuid = ${user}) < ${MAX_PASSKEYS}
            on conflict do nothing`;
          return count > 0;
        }),
      ),

    passkey: (id) =>
      run(async () => {
        const [found] = await sql<StoredPasskey[]>`select ${columns} from passkeys where id = ${id}`;
        return found && { ...found };
      }),

    passkeys: (user) =>
      run(async () => [
        ...(await sql<StoredPasskey[]>`select ${columns} from passkeys where user_uuid = ${user} order by n`),
      ]),

    removePasskey: (user, uuid) =>
      run(async () => (await sql`delete from passkeys where user_uuid = ${user} and uuid = ${uuid}`).count > 0),

    signInByPasskey: (challenge, counter, signIn) =>
      run(() =>
        inTransaction(sql, async (tx) => {
          const [found] = await tx<Required<User>[]>`
            select u.uuid, u.email, u.created_at, u.invited from users u join passkeys p on p.user_uuid = u.uuid
            where p.uuid = ${signIn.passkey} for key share of u`;
          if (!found || !(await useUp(tx, challenge))) return undefined;
          const { count } = await tx`
            update passkeys set counter = ${counter}, last_used_at = ${signIn.created_at}
            where uuid = ${signIn.passkey} and (counter < ${counter} or (counter = 0 and ${counter}::bigint = 0))`;
          if (count === 0) return undefined;
          const user = userOf(found);
          await insertSignIn(tx, { ...signIn, user: user.uuid });
          return user;
        }),
      ),
  };
}

/** False where it is used up already; a transaction that is about to use it is waited for. */
const useUp = async (tx: Queries, { hash, expires_at }: Challenge): Promise<boolean> =>
  (
    await tx`
      insert into used_challenges (hash, expires_at) values (${hash}, ${expires_at}) on conflict do nothing`
  ).count > 0;

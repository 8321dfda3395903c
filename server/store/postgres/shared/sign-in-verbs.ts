import { MAX_SIGN_INS, type SignInVerbs } from '../../accounts.ts';
import { KeyUse } from '../../key-use.ts';
import type { StoredSignIn, User } from '../../store.ts';
import { inTransaction, type Queries } from '../connection.ts';
import type { PostgresContext } from '../context.ts';
import { userOf } from '../owner.ts';

/** Sign-ins and the links that make them. Whoever changes both locks the user first. */
export function signInVerbs({ sql, run }: PostgresContext): SignInVerbs {
  const use = new KeyUse(async (hash, at) => {
    await run(() => sql`update sign_ins set last_used_at = greatest(last_used_at, ${at}) where hash = ${hash}`);
  });
  const columns = sql`
    s.uuid, s.hash, s.user_uuid as user, coalesce(s.key_hash, '') as key, s.environment_key,
    coalesce(s.passkey, '') as passkey, s.user_agent, s.created_at, s.last_used_at, s.expires_at`;
  const withLastUse = (one: StoredSignIn): StoredSignIn => ({ ...one, last_used_at: use.lastUsedAt(one) });

  return {
    async addLoginLink({ hash, user, created_at, expires_at }) {
      const { count } = await run(
        () => sql`
          insert into login_links (hash, user_uuid, created_at, expires_at)
          select ${hash}, uuid, ${created_at}, ${expires_at} from users where uuid = ${user} for key share`,
      );
      return count > 0;
    },

    signInByLink: (link, signIn) =>
      run(() =>
        inTransaction(sql, async (tx) => {
          const [found] = await tx<Required<User>[]>`
            select u.uuid, u.email, u.created_at, u.invited from users u join login_links l on l.user_uuid = u.uuid
            where l.hash = ${link} for key share of u`;
          if (!found) return undefined;
          const used = await tx`delete from login_links where hash = ${link} and expires_at > ${signIn.created_at}`;
          if (used.count === 0) return undefined;
          const user = userOf(found);
          await insertSignIn(tx, { ...signIn, user: user.uuid });
          return user;
        }),
      ),

    userOfLink: (link, at) =>
      run(async () => {
        const [found] = await sql<Required<User>[]>`
          select u.uuid, u.email, u.created_at, u.invited from users u join login_links l on l.user_uuid = u.uuid
          where l.hash = ${link} and l.expires_at > ${at}`;
        return found && userOf(found);
      }),

    addSignIn: (signIn) =>
      run(() =>
        inTransaction(sql, async (tx) => {
          const { user, key } = signIn;
          const { count } =
            key === ''
              ? await tx`select 1 from users where uuid = ${user} for key share`
              : await tx`
                  select 1 from users u join keys k on k.user_uuid = u.uuid
                  where u.uuid = ${user} and k.hash = ${key} for key share of u, k`;
          if (count === 0) return false;
          await insertSignIn(tx, signIn);
          return true;
        }),
      ),

    signIn: (hash) =>
      run(async () => {
        const [row] = await sql<(StoredSignIn & { email: string; user_created_at: string; invited: boolean })[]>`
          select ${columns}, u.email, u.created_at as user_created_at, u.invited
          from sign_ins s join users u on u.uuid = s.user_uuid where s.hash = ${hash}`;
        if (!row) return undefined;
        const { email, user_created_at, invited, ...signIn } = row;
        const user = userOf({ uuid: signIn.user, email, created_at: user_created_at, invited });
        return { signIn: withLastUse(signIn), user };
      }),

    signIns: (user) =>
      run(async () => {
        const rows = await sql<
          StoredSignIn[]
        >`select ${columns} from sign_ins s where s.user_uuid = ${user} order by s.n`;
        return rows.map(withLastUse);
      }),

    signInUsed: (signIn, at) => run(() => use.note(signIn, at)),

    removeSignIn: (user, uuid) =>
      run(async () => (await sql`delete from sign_ins where user_uuid = ${user} and uuid = ${uuid}`).count > 0),

    async removeOldSignIns(now, idleSince) {
      await run(() => sql`delete from login_links where expires_at <= ${now}`);
      await run(() => sql`delete from used_challenges where expires_at <= ${now}`);
      await run(() => sql`delete from sign_ins where expires_at <= ${now} or last_used_at < ${idleSince}`);
    },
  };
}

export async function insertSignIn(tx: Queries, signIn: StoredSignIn): Promise<void> {
  const { uuid, hash, user, key, environment_key, passkey, user_agent, created_at, last_used_at, expires_at } = signIn;
  await tx`
    insert into sign_ins (uuid, hash, user_uuid, key_hash, environment_key, passkey, user_agent, created_at, last_used_at, expires_at)
    values (${uuid}, ${hash}, ${user}, ${key || null}, ${environment_key}, ${passkey || null}, ${user_agent}, ${created_at},
      ${last_used_at}, ${expires_at})`;
  await tx`
    delete from sign_ins where user_uuid = ${user} and hash in (
      select hash from sign_ins where user_uuid = ${user} and hash <> ${hash}
      order by last_used_at desc, n desc offset ${MAX_SIGN_INS - 1})`;
}

/** Until the transaction ends, too. Locks the user: of two things that one user adds at once, the second sees the first. */
export async function isSignedIn(tx: Queries, user: string, signIn: string): Promise<boolean> {
  await tx`select 1 from users where uuid = ${user} for no key update`;
  const [by] = await tx`select 1 from sign_ins where uuid = ${signIn} and user_uuid = ${user} for key share`;
  return by !== undefined;
}

/** Ends what a user without a key is not to have; what was made with another key has gone with that. */
export async function endSignInsWithoutKey(tx: Queries, user: string): Promise<void> {
  const [left] = await tx`select 1 from keys where user_uuid = ${user} limit 1`;
  if (left) return;
  // Links first: a sign-in that has used one up is there once this statement ends.
  await tx`delete from login_links where user_uuid = ${user}`;
  await tx`delete from passkeys where user_uuid = ${user}`;
  await tx`delete from sign_ins where user_uuid = ${user} and key_hash is null and environment_key = ''`;
}

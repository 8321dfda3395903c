import type { PendingQuery, Row } from 'postgres';
import { KeyUse } from '../key-use.ts';
import type { AccountVerbs, StoredKey, User } from '../store.ts';
import { inTransaction } from './connection.ts';
import { fromJson, type PostgresContext } from './context.ts';
import { userOf } from './owner.ts';
import { endSignInsWithoutKey, isSignedIn } from './shared/sign-in-verbs.ts';
import { arrayOf, leaveChatbots } from './shared/team.ts';

/** Users, keys and facts. */
export function accountVerbs({ sql, run }: PostgresContext, owner: string): AccountVerbs {
  const keyUse = new KeyUse(async (hash, at) => {
    await run(() => sql`update keys set last_used_at = greatest(last_used_at, ${at}) where hash = ${hash}`);
  });
  const keysWith = (hash?: string) => sql<StoredKey[]>`
    select hash, user_uuid as user, name, hint, created_at, last_used_at from keys
    ${hash === undefined ? sql`` : sql`where hash = ${hash}`} order by n`;

  const usersWith = async (where: PendingQuery<Row[]>): Promise<User[]> => {
    const rows = await sql<Required<User>[]>`
      select uuid, email, created_at, invited from users where ${where} order by n`;
    return rows.map(userOf);
  };

  return {
    keyOwner: (hash) =>
      run(async () => {
        const [user] = await sql<Required<User>[]>`
          select u.uuid, u.email, u.created_at, u.invited from keys k join users u on u.uuid = k.user_uuid where k.hash = ${hash}`;
        return user && userOf(user);
      }),

    addKey: ({ hash, user, name, hint, created_at, last_used_at }, signIn) =>
      run(() =>
        inTransaction(sql, async (tx) => {
          if (signIn !== undefined && !(await isSignedIn(tx, user, signIn))) return false;
          await tx`
            insert into keys (hash, user_uuid, name, hint, created_at, last_used_at)
            values (${hash}, ${user}, ${name}, ${hint}, ${created_at}, ${last_used_at})
            on conflict (hash) do update set user_uuid = excluded.user_uuid, name = excluded.name, hint = excluded.hint,
              created_at = excluded.created_at, last_used_at = excluded.last_used_at`;
          return true;
        }),
      ),

    addFirstKey: ({ hash, user, name, hint, created_at, last_used_at }) =>
      run(() =>
        inTransaction(sql, async (tx) => {
          // One at a time: the next sees the key of the one before.
          await tx`select 1 from installation for update`;
          const { count } = await tx`
            insert into keys (hash, user_uuid, name, hint, created_at, last_used_at)
            select ${hash}, ${user}, ${name}, ${hint}, ${created_at}, ${last_used_at}
            where not exists (select from keys)`;
          return count > 0;
        }),
      ),

    keys: () => run(async () => (await keysWith()).map((key) => ({ ...key, last_used_at: keyUse.lastUsedAt(key) }))),

    removeKey: (hash) =>
      run(() =>
        inTransaction(sql, async (tx) => {
          // The user first, as everywhere: of two that remove the last keys at once, the second sees that none is left.
          await tx`select 1 from users where uuid = (select user_uuid from keys where hash = ${hash}) for no key update`;
          const [key] = await tx<{ user: string }[]>`delete from keys where hash = ${hash} returning user_uuid as user`;
          if (!key) return false;
          await endSignInsWithoutKey(tx, key.user);
          return true;
        }),
      ),

    removeOwnKey: (user, hash) =>
      run(async () => (await sql`delete from keys where hash = ${hash} and user_uuid = ${user}`).count > 0),

    keyUsed: (hash, at) =>
      run(async () => {
        const [key] = await keysWith(hash);
        if (key) keyUse.note(key, at);
      }),

    users: () => run(() => usersWith(sql`true`)),
    usersByUuid: (uuids) => run(() => usersWith(sql`uuid = any(${arrayOf(uuids)})`)),
    userByEmail: (email) => run(async () => (await usersWith(sql`email = ${email}`))[0]),

    async addUser(user) {
      const { uuid, email, created_at, invited = false } = user;
      const { count } = await run(
        () => sql`
          insert into users (uuid, email, created_at, invited) values (${uuid}, ${email}, ${created_at}, ${invited})
          on conflict do nothing`,
      );
      return count > 0 ? { ...user } : undefined;
    },

    admitUser: (uuid) =>
      run(async () => (await sql`update users set invited = false where uuid = ${uuid} and invited`).count > 0),

    removeUser: (uuid) =>
      run(async () => {
        if (uuid === owner) return false;
        return inTransaction(sql, async (tx) => {
          await tx`select 1 from users where uuid = ${uuid} for update`;
          await leaveChatbots(tx, uuid);
          return (await tx`delete from users where uuid = ${uuid}`).count > 0;
        });
      }),

    // As JSON: a name may have characters that a column takes not.
    fact: (name) =>
      run(async () => {
        const [found] = await sql<{ value: string }[]>`select value from facts where name = ${JSON.stringify(name)}`;
        return found && fromJson<string>(found.value);
      }),

    async setFact(name, value) {
      const [key, json] = [JSON.stringify(name), JSON.stringify(value)];
      await run(
        () => sql`
          insert into facts (name, value) values (${key}, ${json})
          on conflict (name) do update set value = excluded.value`,
      );
    },

    claimFact: (name, value) =>
      run(async () => {
        const [key, json] = [JSON.stringify(name), JSON.stringify(value)];
        // A change of nothing returns what is there.
        const [row] = await sql<{ value: string }[]>`
          insert into facts (name, value) values (${key}, ${json})
          on conflict (name) do update set value = facts.value returning value`;
        return fromJson<string>(row!.value);
      }),
  };
}

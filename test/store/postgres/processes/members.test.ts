import { afterAll, expect, it } from 'vitest';
import { newUuid } from '../../../../server/schema/ids.ts';
import { roleIn, withMember, withoutMember } from '../../../../server/store/shared/members.ts';
import { openPostgresStore } from '../../../../server/store/postgres/postgres.ts';
import { aChatbot, atMinute } from '../../records.ts';
import { makeSchema } from '../fixture.ts';
import { startPostgres } from '../server.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

it.skipIf(!server)('two owners who leave at once on two servers leave one behind', async () => {
  const schema = await makeSchema(server!.url);
  const open = () => openPostgresStore({ url: schema.url, clock: Date.now });
  const [a, b] = [await open(), await open()];
  const first = a.owner.user.uuid;
  const second = newUuid();
  await a.addUser({ uuid: second, email: 'ann@shop.example', created_at: atMinute(0) });
  for (let n = 0; n < 20; n++) {
    const chatbot = aChatbot(first);
    await a.createChatbot(chatbot, []);
    await b.joinChatbot(chatbot.uuid, second, (one) =>
      withMember(one, { user: second, role: 'owner', created_at: atMinute(1) }),
    );
    const leave = (store: typeof a, user: string) =>
      store.updateChatbot(chatbot.uuid, (one) => withoutMember(one, user));
    const left = await Promise.allSettled([leave(a, first), leave(b, second)]);
    expect(left.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const stored = (await a.chatbot(chatbot.uuid))!;
    expect([first, second].filter((user) => roleIn(stored, user))).toEqual([stored.owner]);
  }
  const users = [newUuid(), newUuid()];
  for (const uuid of users) await a.addUser({ uuid, email: `${uuid}@shop.example`, created_at: atMinute(0) });
  const chatbot = aChatbot(first);
  await a.createChatbot(chatbot, []);
  await Promise.all(
    users.flatMap((user) => [
      a.removeUser(user),
      b.joinChatbot(chatbot.uuid, user, (one) => withMember(one, { user, role: 'editor', created_at: atMinute(1) })),
    ]),
  );
  const stored = (await b.chatbot(chatbot.uuid))!;
  expect(users.filter((user) => roleIn(stored, user))).toEqual([]);
  await Promise.all([a.close(), b.close()]);
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newUuid } from '../../../server/schema/ids.ts';
import { withAccepted, withInvitation } from '../../../server/store/shared/invitations.ts';
import { roleIn, withMember, withoutMember, withRole, type Role } from '../../../server/store/shared/members.ts';
import type { Store, StoredChatbot, User } from '../../../server/store/store.ts';
import type { StoreFixture } from '../contract.ts';
import { aChatbot, atMinute as at } from '../records.ts';

/** What every engine must do with the members of chatbots. */
export function memberContract(engine: string, createFixture: () => Promise<StoreFixture>): void {
  describe(`${engine}: the contract of members`, () => {
    let fixture: StoreFixture;
    let store: Store;
    beforeEach(async () => {
      fixture = await createFixture();
      store = await fixture.open();
    });
    afterEach(async () => {
      await store.close();
      await fixture.clear();
    });
    const reopen = async () => {
      await store.close();
      store = await fixture.open();
    };
    const withUser = async (): Promise<User> => {
      const user = { uuid: newUuid(), email: `${newUuid()}@shop.example`, created_at: at(0) };
      await store.addUser(user);
      return user;
    };
    const withChatbot = async (owner = store.owner.user.uuid): Promise<StoredChatbot> => {
      const chatbot = aChatbot(owner);
      await store.createChatbot(chatbot, []);
      return chatbot;
    };
    const join = (chatbot: string, user: string, role: Role = 'editor') =>
      store.joinChatbot(chatbot, user, (one) => withMember(one, { user, role, created_at: at(1) }));
    const listed = async (user: string) => (await store.chatbotsOf(user)).map(({ uuid }) => uuid);

    it('lists the chatbots of which a user is a member, in order of creation, in the next life too', async () => {
      const user = await withUser();
      const [mine, other, joined] = [await withChatbot(user.uuid), await withChatbot(), await withChatbot()];
      await join(joined.uuid, user.uuid);
      for (const again of [false, true]) {
        if (again) await reopen();
        expect(await listed(user.uuid)).toEqual([mine.uuid, joined.uuid]);
        expect(await listed(store.owner.user.uuid)).toEqual([other.uuid, joined.uuid]);
        expect((await store.chatbots(user.uuid)).map(({ uuid }) => uuid)).toEqual([mine.uuid]);
        expect(roleIn((await store.chatbot(joined.uuid))!, user.uuid)).toBe('editor');
      }
      await store.updateChatbot(joined.uuid, (one) => withoutMember(one, user.uuid));
      expect(await listed(user.uuid)).toEqual([mine.uuid]);
      await join(joined.uuid, user.uuid);
      await store.deleteChatbot(joined.uuid);
      expect(await listed(user.uuid)).toEqual([mine.uuid]);
    });

    it('makes no member of a user or a chatbot that is gone', async () => {
      const [user, chatbot] = [await withUser(), await withChatbot()];
      expect(await join(newUuid(), user.uuid)).toBeUndefined();
      expect(await join(chatbot.uuid, newUuid())).toBeUndefined();
      expect(await store.chatbot(chatbot.uuid)).toEqual(chatbot);
    });

    it('hands a chatbot over to its next owner, and keeps the last one', async () => {
      const [first, second] = [store.owner.user.uuid, (await withUser()).uuid];
      const { uuid } = await withChatbot(first);
      await join(uuid, second, 'owner');
      const changed = await store.updateChatbot(uuid, (one) => withRole(one, first, 'viewer'));
      expect([changed?.owner, roleIn(changed!, first)]).toEqual([second, 'viewer']);
      expect(await store.chatbots(first)).toEqual([]);
      const last = () => store.updateChatbot(uuid, (one) => withoutMember(one, second));
      await expect(last()).rejects.toMatchObject({ code: 'conflict' });
      await expect(store.updateChatbot(uuid, (one) => withRole(one, second, 'editor'))).rejects.toThrow('owner');
      expect(roleIn((await store.chatbot(uuid))!, second)).toBe('owner');
    });

    it('keeps one owner, whichever of two leave, are removed or demoted at once', async () => {
      const [first, second] = [store.owner.user.uuid, (await withUser()).uuid];
      for (let n = 0; n < 20; n++) {
        const { uuid } = await withChatbot(first);
        await join(uuid, second, 'owner');
        const act = (user: string, at: number) =>
          store.updateChatbot(uuid, (one) => (at % 2 ? withoutMember(one, user) : withRole(one, user, 'operator')));
        const done = await Promise.allSettled([act(first, n), act(second, n >> 1)]);
        expect(done.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
        const chatbot = (await store.chatbot(uuid))!;
        expect([first, second].filter((user) => roleIn(chatbot, user) === 'owner')).toEqual([chatbot.owner]);
      }
    });

    it('takes a user who is removed out of the chatbots of others, and leaves no last owner’s behind', async () => {
      const user = await withUser();
      const [alone, paid, joined] = [await withChatbot(user.uuid), await withChatbot(user.uuid), await withChatbot()];
      await join(paid.uuid, store.owner.user.uuid, 'owner');
      await join(joined.uuid, user.uuid, 'viewer');
      expect(await store.removeUser(user.uuid)).toBe(true);
      for (const again of [false, true]) {
        if (again) await reopen();
        expect(await listed(user.uuid)).toEqual([alone.uuid]);
        expect((await store.chatbot(paid.uuid))?.owner).toBe(store.owner.user.uuid);
        expect((await store.chatbot(joined.uuid))?.members).toEqual([
          { user: joined.owner, role: 'owner', created_at: joined.created_at },
        ]);
      }
    });

    it('takes an invitation from one of several who accept it at once', async () => {
      const { uuid } = await withChatbot();
      const users = [await withUser(), await withUser(), await withUser()];
      const invitation = { uuid: newUuid(), hash: newUuid() + newUuid(), email: 'ann@shop.example' };
      await store.updateChatbot(uuid, (one) =>
        withInvitation(one, { ...invitation, role: 'viewer', created_at: at(1), expires_at: at(9) }),
      );
      await reopen();
      const expired = await store.joinChatbot(
        uuid,
        users[0]!.uuid,
        (one) => withAccepted(one, invitation.hash, users[0]!.uuid, at(9)) ?? one,
      );
      expect(roleIn(expired!, users[0]!.uuid)).toBeUndefined();
      let accepted = 0;
      const accept = (user: string) =>
        store.joinChatbot(uuid, user, (one) => {
          const next = withAccepted(one, invitation.hash, user, at(2));
          if (next) accepted++;
          return next ?? one;
        });
      await Promise.all(users.map((user) => accept(user.uuid)));
      const chatbot = (await store.chatbot(uuid))!;
      expect([accepted, chatbot.invitations]).toEqual([1, []]);
      expect(users.filter((user) => roleIn(chatbot, user.uuid) === 'viewer')).toHaveLength(1);
    });

    it('knows users by uuid and address, and which of them an invitation has made', async () => {
      const [ann, bob] = [await withUser(), { ...(await withUser()), uuid: newUuid(), email: 'bob@shop.example' }];
      await store.addUser({ ...bob, invited: true });
      expect(await store.usersByUuid([bob.uuid, newUuid(), ann.uuid])).toEqual([ann, { ...bob, invited: true }]);
      expect(await store.userByEmail(ann.email)).toEqual(ann);
      expect(await store.userByEmail('nobody@shop.example')).toBeUndefined();
      await reopen();
      expect([await store.admitUser(ann.uuid), await store.admitUser(newUuid())]).toEqual([false, false]);
      expect([await store.admitUser(bob.uuid), await store.admitUser(bob.uuid)]).toEqual([true, false]);
      expect(await store.userByEmail(bob.email)).toEqual(bob);
    });

    it('leaves no member behind who joins while the user is removed', async () => {
      for (let n = 0; n < 20; n++) {
        const [user, chatbot] = [await withUser(), await withChatbot()];
        await Promise.all([store.removeUser(user.uuid), join(chatbot.uuid, user.uuid), join(chatbot.uuid, user.uuid)]);
        expect(roleIn((await store.chatbot(chatbot.uuid))!, user.uuid)).toBeUndefined();
      }
    });
  });
}

import type { RouterContext } from '@koa/router';
import * as Type from 'typebox';
import type { Static } from 'typebox';
import { notFound, Refusal } from '../../../schema/errors.ts';
import { mondayOf, readUuid, view } from '../../../schema/ids.ts';
import { Member, Membership, MembershipChange, RoleChange } from '../../requests/people.ts';
import { Fault, Success } from '../../../schema/records.ts';
import {
  membersOf,
  roleIn,
  withMailedUntil,
  withoutMember,
  withRole,
  type StoredMember,
} from '../../../store/shared/members.ts';
import type { Store, StoredChatbot, User } from '../../../store/store.ts';
import { operation, ownedChatbot, type ApiDeps, type Operation } from '../../requests/operation.ts';
import { CHATBOT_RIGHTS, hasRight, requireProved } from '../../requests/rights.ts';

/** The uuid of a member is that of the user. */
export const members = ({ store, clock, mail }: ApiDeps): Operation[] => [
  operation({
    id: 'listMembers',
    right: 'own',
    audit: 'none',
    method: 'GET',
    path: '/api/v1/chatbot/:uuid/members',
    summary: 'List the members of a chatbot',
    description: 'At most 100, in the order in which they came. The uuid is that of the user.',
    reply: Type.Array(Member),
    handle: async ({ user, uuid }) => shown(store, membersOf(await ownedChatbot(store, user, uuid))),
  }),
  operation({
    id: 'getMembership',
    right: 'know',
    audit: 'none',
    method: 'GET',
    path: '/api/v1/chatbot/:uuid/membership',
    summary: 'Fetch your own role in a chatbot and what it may do',
    reply: Membership,
    async handle({ user, uuid }) {
      return membership(await ownedChatbot(store, user, uuid), user);
    },
  }),
  operation({
    id: 'updateMembership',
    right: 'read figures',
    audit: 'changes',
    method: 'POST',
    path: '/api/v1/chatbot/:uuid/membership/update',
    summary: 'Choose whether the figures of a chatbot are mailed to you each Monday',
    description: '409 where the server sends no mail (`SMTP_URL`), and for a guest, whose address nobody has proved.',
    body: MembershipChange,
    reply: Membership,
    others: { 409: Fault },
    async handle({ user, uuid, body }) {
      await ownedChatbot(store, user, uuid);
      if (body.weekly_mail && !mail)
        throw new Refusal('conflict', 'no mail is sent: set SMTP_URL and MAIL_FROM where the server starts');
      if (body.weekly_mail) await requireProved(store, user);
      const changed = await store.updateChatbot(uuid, (one) => {
        const { mailed_until = mondayOf(clock()) } = memberOf(one, user.uuid);
        return withMailedUntil(one, user.uuid, body.weekly_mail ? mailed_until : undefined);
      });
      if (!changed) throw notFound('chatbot');
      return membership(changed, user);
    },
  }),
  operation({
    id: 'listMemberships',
    right: 'signed in',
    audit: 'none',
    method: 'GET',
    path: '/api/v1/memberships',
    summary: 'List your roles in the chatbots of which you are a member',
    reply: Type.Array(Membership),
    handle: async ({ user }) => (await store.chatbotsOf(user.uuid)).map((chatbot) => membership(chatbot, user)),
  }),
  operation({
    id: 'updateMember',
    right: 'own',
    audit: 'changes',
    method: 'POST',
    path: '/api/v1/chatbot/:chatbot/member/:uuid/update',
    summary: 'Change the role of a member',
    description:
      'The last owner keeps the role: 409. Where the owner whose credits the answers cost becomes something else, they cost those of the owner who has been a member longest.',
    body: RoleChange,
    reply: Member,
    others: { 409: Fault },
    async handle({ user, uuid, body, ctx, note }) {
      const { uuid: chatbot } = await ownedChatbot(store, user, chatbotOf(ctx));
      note(body.role);
      const changed = await store.updateChatbot(chatbot, (one) => {
        if (!roleIn(one, uuid)) throw notFound('member');
        return withRole(one, uuid, body.role);
      });
      const member = changed && membersOf(changed).find((one) => one.user === uuid);
      if (!member) throw notFound('member');
      return (await shown(store, [member]))[0];
    },
  }),
  operation({
    id: 'removeMember',
    right: 'own',
    audit: 'changes',
    method: 'DELETE',
    path: '/api/v1/chatbot/:chatbot/member/:uuid/delete',
    summary: 'Remove a member from a chatbot',
    description: 'From now on the user is a stranger to it. The last owner stays: 409.',
    reply: Success,
    others: { 409: Fault },
    async handle({ user, uuid, ctx }) {
      const { uuid: chatbot } = await ownedChatbot(store, user, chatbotOf(ctx));
      await remove(store, chatbot, uuid);
      return { success: true };
    },
  }),
  operation({
    id: 'leaveChatbot',
    right: 'know',
    audit: 'changes',
    method: 'POST',
    path: '/api/v1/chatbot/:uuid/leave',
    summary: 'Leave a chatbot of which you are a member',
    description: 'The last owner stays: 409.',
    reply: Success,
    others: { 409: Fault },
    async handle({ user, uuid }) {
      await ownedChatbot(store, user, uuid);
      await remove(store, uuid, user.uuid);
      return { success: true };
    },
  }),
];

function membership(chatbot: StoredChatbot, user: User): Static<typeof Membership> {
  const { role, mailed_until } = memberOf(chatbot, user.uuid);
  return {
    chatbot: chatbot.uuid,
    role,
    rights: CHATBOT_RIGHTS.filter((right) => hasRight(role, right)),
    weekly_mail: mailed_until !== undefined,
  };
}

function memberOf(chatbot: StoredChatbot, user: string): StoredMember {
  const member = membersOf(chatbot).find((one) => one.user === user);
  if (!member) throw notFound('chatbot');
  return member;
}

/** The one before the record in the path. */
export const chatbotOf = ({ params }: RouterContext): string =>
  readUuid((params as Record<string, string>)['chatbot'] ?? '') ?? '';

async function remove(store: Store, chatbot: string, user: string): Promise<void> {
  const changed = await store.updateChatbot(chatbot, (one) => {
    if (!roleIn(one, user)) throw notFound('member');
    return withoutMember(one, user);
  });
  if (!changed) throw notFound('chatbot');
}

async function shown(store: Store, some: StoredMember[]): Promise<Member[]> {
  const users = await store.usersByUuid(some.map(({ user }) => user));
  const emails = new Map(users.map(({ uuid, email }) => [uuid, email]));
  return some.map(({ user, ...rest }) => view(Member, { ...rest, uuid: user, email: emails.get(user) ?? '' }));
}

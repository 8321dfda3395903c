import * as Type from 'typebox';
import { hashKey, newToken } from '../../../http/auth.ts';
import { invalid, notFound, Refusal } from '../../../schema/errors.ts';
import { isEmail } from '../../../schema/fields.ts';
import { timestamp, view } from '../../../schema/ids.ts';
import { Invitation, MadeInvitation, NewInvitation } from '../../requests/people.ts';
import { Fault, Success } from '../../../schema/records.ts';
import { openInvitations, withInvitation, withoutInvitation } from '../../../store/shared/invitations.ts';
import { onOneLine, type Mail } from '../../../mail/mailer.ts';
import { roleIn, type StoredInvitation } from '../../../store/shared/members.ts';
import type { StoredChatbot } from '../../../store/store.ts';
import { countUse, FEW_MAILS } from '../../requests/count-use.ts';
import { operation, ownedChatbot, type ApiDeps, type Operation } from '../../requests/operation.ts';
import { chatbotOf } from './members.ts';

const DAYS = 7;

export const invitations = ({ store, clock, base, log, ...deps }: ApiDeps): Operation[] => [
  operation({
    id: 'createInvitation',
    creates: true,
    right: 'own',
    audit: 'changes',
    method: 'POST',
    path: '/api/v1/chatbot/:uuid/invitation/create',
    summary: 'Invite somebody to a chatbot',
    description: `The reply has a link to hand on, which is shown only here: it makes whoever opens it in the console first a member, within ${DAYS} days. Where the server sends mail, the address gets it, too. An earlier invitation of the same address is revoked. Where the address has a user, that user has to sign in by another way to accept. A member is 409.`,
    body: NewInvitation,
    reply: MadeInvitation,
    others: { 409: Fault },
    async handle({ user, uuid, body, record, ctx, note }) {
      const chatbot = await ownedChatbot(store, user, uuid);
      const email = body.email.trim().toLowerCase();
      if (!isEmail(email)) throw invalid('email', 'email must be an address such as ann@example.com');
      note(`${email}, ${body.role}`);
      const known = await store.userByEmail(email);
      if (known && roleIn(chatbot, known.uuid)) throw new Refusal('conflict', `${email} is a member already`);
      const token = newToken();
      const made = {
        hash: hashKey(token),
        email,
        role: body.role,
        created_at: timestamp(clock),
        expires_at: timestamp(() => clock() + DAYS * 86_400_000),
      };
      // A link whose reply was lost cannot be told again: a repeat has another, in its place.
      const invitation = await record.make<StoredInvitation>(
        async () => undefined,
        async (own) => {
          const stored = { uuid: own, ...made };
          return (await store.updateChatbot(uuid, (one) => withInvitation(one, stored))) && stored;
        },
      );
      if (!invitation) throw notFound('chatbot');
      // Behind `#`, which no browser sends: no log has it.
      const link = `${base}/console/#invitation=${uuid}.${token}`;
      const { mail } = deps;
      const mailed = mail
        ? await countUse(deps, { ctx, user, operation: 'createInvitation' }, FEW_MAILS)
            .then(() => mail.send(invitationMail(chatbot, invitation, link)))
            .then(
              () => true,
              (error: unknown) => log.warn({ err: error }, 'an invitation was not mailed'),
            )
        : undefined;
      return { ...(view(Invitation, invitation) as object), link, mailed: mailed === true };
    },
  }),
  operation({
    id: 'listInvitations',
    right: 'own',
    audit: 'none',
    method: 'GET',
    path: '/api/v1/chatbot/:uuid/invitations',
    summary: 'List the open invitations to a chatbot',
    description: 'At most 100, without their links.',
    reply: Type.Array(Invitation),
    async handle({ user, uuid }) {
      const chatbot = await ownedChatbot(store, user, uuid);
      return openInvitations(chatbot, timestamp(clock)).map((one) => view(Invitation, one));
    },
  }),
  operation({
    id: 'revokeInvitation',
    right: 'own',
    audit: 'changes',
    method: 'DELETE',
    path: '/api/v1/chatbot/:chatbot/invitation/:uuid/delete',
    summary: 'Revoke an invitation',
    description: 'Its link is good for nothing from now on.',
    reply: Success,
    async handle({ user, uuid, ctx }) {
      const { uuid: chatbot } = await ownedChatbot(store, user, chatbotOf(ctx));
      const changed = await store.updateChatbot(chatbot, (one) => {
        const left = withoutInvitation(one, uuid);
        if (!left) throw notFound('invitation');
        return left;
      });
      if (!changed) throw notFound('chatbot');
      return { success: true };
    },
  }),
];

const invitationMail = ({ name }: StoredChatbot, { email, role }: StoredInvitation, link: string): Mail => ({
  to: email,
  subject: `Invitation to the chatbot ${onOneLine(name)}`,
  text: `You are invited to the chatbot ${onOneLine(name)}, as ${role === 'viewer' ? 'a' : 'an'} ${role}.

Open this link within ${DAYS} days to accept:

${link}

Whoever opens it first becomes the member: do not hand it on. If you did not expect it, do nothing.
`,
});

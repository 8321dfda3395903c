import { createHmac } from 'node:crypto';
import { hashKey } from '../http/auth.ts';
import { timestamp, readUuid, type Clock } from '../schema/ids.ts';
import { findInvitation, withAccepted } from '../store/shared/invitations.ts';
import type { StoredInvitation } from '../store/shared/members.ts';
import type { Store, StoredChatbot, User } from '../store/store.ts';
import type { SignedIn, SignIns } from './sign-ins.ts';

/**
 * What the link of an invitation can do. Whoever made it knows the link, too: it signs nobody in as a user who is there already, or an
 * owner could become anybody by inviting their address. It makes the user of an address that has none and signs in as that one,
 * which is nobody yet; a user who is there signs in by another way, and accepts then.
 */
export interface Invitations {
  /** Undefined where the link is used, revoked, expired or not whole. */
  find(link: string): Promise<Invited | undefined>;
  /** For a user who is signed in with the address of the invitation. Undefined as for `find`. */
  accept(invited: Invited, user: User): Promise<StoredChatbot | undefined>;
  /** For an address without a user: makes the user, too. Undefined as for `find`. */
  acceptAsNew(
    invited: Invited,
    userAgent: string,
  ): Promise<(SignedIn & { token: string; chatbot: StoredChatbot }) | undefined>;
}

export interface Invited {
  hash: string;
  chatbot: StoredChatbot;
  invitation: StoredInvitation;
  /** Whether there is a user of the address whom this invitation has not made. */
  hasUser: boolean;
}

export function createInvitations(store: Store, signIns: SignIns, clock: Clock): Invitations {
  /** The same for all who open the link at once, and for whoever opens it again after the server has died in between. */
  const newUserOf = ({ uuid }: StoredInvitation): string =>
    createHmac('sha256', store.owner.secret).update(`invited ${uuid}`).digest('hex').slice(0, 32);

  const join = ({ chatbot, hash }: Invited, user: string): Promise<StoredChatbot | undefined> => {
    let isAccepted = false;
    const joined = store.joinChatbot(chatbot.uuid, user, (one) => {
      const accepted = withAccepted(one, hash, user, timestamp(clock));
      isAccepted = accepted !== undefined;
      return accepted ?? one;
    });
    return joined.then((one) => (isAccepted ? one : undefined));
  };

  return {
    async find(link) {
      const [, uuid = '', token = ''] = /^([0-9a-f]{32})\.([\w-]{43})$/.exec(link) ?? [];
      const chatbot = await store.chatbot(readUuid(uuid) ?? '');
      const hash = hashKey(token);
      const invitation = chatbot && findInvitation(chatbot, hash, timestamp(clock));
      if (!chatbot || !invitation) return undefined;
      const user = await store.userByEmail(invitation.email);
      return { hash, chatbot, invitation, hasUser: user !== undefined && user.uuid !== newUserOf(invitation) };
    },

    accept: (invited, user) => join(invited, user.uuid),

    async acceptAsNew(invited, userAgent) {
      const { email } = invited.invitation;
      const user: User = {
        uuid: newUserOf(invited.invitation),
        email,
        created_at: timestamp(clock),
        invited: true,
      };
      // Undefined where another request with this link has just made it; that of another user would have another uuid.
      await store.addUser(user);
      const made = await signIns.forUser(user, userAgent);
      if (!made) return undefined;
      const chatbot = await join(invited, user.uuid);
      if (chatbot) return { ...made, chatbot };
      await signIns.end(user, made.signIn.uuid);
      // Nobody has it: the invitation was revoked meanwhile.
      if ((await store.chatbotsOf(user.uuid)).length === 0) await store.removeUser(user.uuid);
      return undefined;
    },
  };
}

import { timingSafeEqual } from 'node:crypto';
import { Refusal } from '../../schema/errors.ts';
import { roleIn, withMember, type StoredInvitation, type Team } from './members.ts';

/** Of a chatbot, at a time. */
export const MAX_INVITATIONS = 100;

/** Those that can still be used. */
export const openInvitations = ({ invitations = [] }: Team, now: string): StoredInvitation[] =>
  invitations.filter(({ expires_at }) => expires_at > now);

/** In place of an earlier one of the same address. Throws a `Refusal` where there are too many. */
export function withInvitation<T extends Team>(team: T, invitation: StoredInvitation): T {
  const others = openInvitations(team, invitation.created_at).filter(({ email }) => email !== invitation.email);
  if (others.length >= MAX_INVITATIONS)
    throw new Refusal('conflict', `a chatbot has at most ${MAX_INVITATIONS} open invitations: revoke one first`);
  return { ...team, invitations: [...others, invitation] };
}

/** Undefined where there is none of this uuid. */
export function withoutInvitation<T extends Team>(team: T, uuid: string): T | undefined {
  const others = (team.invitations ?? []).filter((one) => one.uuid !== uuid);
  return others.length < (team.invitations ?? []).length ? { ...team, invitations: others } : undefined;
}

/** The one whose token has this hash, where it has neither been used nor expired. */
export const findInvitation = (team: Team, hash: string, now: string): StoredInvitation | undefined =>
  openInvitations(team, now).find(
    (one) => one.hash.length === hash.length && timingSafeEqual(Buffer.from(one.hash), Buffer.from(hash)),
  );

/** Uses it up: the user is a member in its role, or stays one as before. Undefined where it cannot be used any more. */
export function withAccepted<T extends Team>(team: T, hash: string, user: string, now: string): T | undefined {
  const found = findInvitation(team, hash, now);
  if (!found) return undefined;
  const left = withoutInvitation(team, found.uuid)!;
  return roleIn(left, user) ? left : withMember(left, { user, role: found.role, created_at: now });
}

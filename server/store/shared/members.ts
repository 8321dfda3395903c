import { Refusal } from '../../schema/errors.ts';

/** From the one who may most. */
export const ROLES = ['owner', 'editor', 'operator', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

export interface StoredMember {
  /** The user's uuid. */
  user: string;
  role: Role;
  /** When the user became a member. */
  created_at: string;
  /** The Monday, `YYYY-MM-DD`, up to which figures were mailed; absent for a member who wants none by mail. */
  mailed_until?: string;
}

/** Makes whoever has its link a member. */
export interface StoredInvitation {
  uuid: string;
  /** SHA-256 of the token in the link, hex. */
  hash: string;
  /** The address of the user who becomes a member, in lower case. */
  email: string;
  role: Role;
  created_at: string;
  expires_at: string;
}

/** Who may use a chatbot: part of its record, so that one change sees and changes all of it. */
export interface Team {
  /** The user whose credits its answers cost; always one of role `owner`. */
  owner: string;
  /** All, in the order in which they came; absent where `owner` is the only one. */
  members?: StoredMember[];
  /** Not used yet, in order of creation; those that have expired go when the next is made. Absent for none. */
  invitations?: StoredInvitation[];
  created_at: string;
}

/** Of a chatbot. */
export const MAX_MEMBERS = 100;

export const membersOf = ({ owner, members, created_at }: Team): StoredMember[] =>
  members ?? [{ user: owner, role: 'owner', created_at }];

/** Undefined where the user is no member. */
export const roleIn = (team: Team, user: string): Role | undefined =>
  team.owner === user ? 'owner' : team.members?.find((one) => one.user === user)?.role;

/** A user who is a member already keeps the role. Throws a `Refusal` where there are too many. */
export function withMember<T extends Team>(team: T, member: StoredMember): T {
  if (roleIn(team, member.user)) return team;
  const members = membersOf(team);
  if (members.length >= MAX_MEMBERS)
    throw new Refusal('conflict', `a chatbot has at most ${MAX_MEMBERS} members: remove one first`);
  return { ...team, members: [...members, member] };
}

/** Throws a `Refusal` where no owner would be left. */
export const withRole = <T extends Team>(team: T, user: string, role: Role): T =>
  withMembers(
    team,
    membersOf(team).map((one) => (one.user === user ? { ...one, role } : one)),
  );

/** Throws a `Refusal` where no owner would be left. */
export const withoutMember = <T extends Team>(team: T, user: string): T =>
  withMembers(
    team,
    membersOf(team).filter((one) => one.user !== user),
  );

/** `until` as `mailed_until`; undefined for no mail any more. */
export const withMailedUntil = <T extends Team>(team: T, user: string, until: string | undefined): T =>
  withMembers(
    team,
    membersOf(team).map((one) => {
      if (one.user !== user) return one;
      const { mailed_until: _, ...rest } = one;
      return until === undefined ? rest : { ...rest, mailed_until: until };
    }),
  );

/** Where `owner` is no owner any more, the one who has been there longest pays from now on. */
function withMembers<T extends Team>(team: T, members: StoredMember[]): T {
  const owners = members.filter(({ role }) => role === 'owner').map(({ user }) => user);
  const owner = owners.includes(team.owner) ? team.owner : owners[0];
  if (owner === undefined)
    throw new Refusal(
      'conflict',
      'a chatbot needs an owner: make another member an owner first, or delete the chatbot',
    );
  return { ...team, owner, members };
}

export const isLastOwner = (team: Team, user: string): boolean =>
  roleIn(team, user) === 'owner' && !membersOf(team).some((one) => one.user !== user && one.role === 'owner');

/** For a user who is removed: the chatbot of a last owner stays as it is, and belongs to nobody. */
export const withoutUser = <T extends Team>(team: T, user: string): T =>
  roleIn(team, user) && !isLastOwner(team, user) ? withoutMember(team, user) : team;

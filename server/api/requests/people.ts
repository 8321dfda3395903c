import * as Type from 'typebox';
import type { Static } from 'typebox';
import { record, Timestamp, Uuid } from '../../schema/fields.ts';
import { ROLES, type Role } from '../../store/shared/members.ts';

/** Members of a chatbot, as the API shows them. */

export const RoleName = Type.Unsafe<Role>(
  Type.Enum([...ROLES], {
    description:
      '`owner` may do everything; `editor` changes sources, tags, agents and the widget, and asks; `operator` reads and deletes conversations; `viewer` reads conversations and figures.',
  }),
);

export const Member = record({
  uuid: Uuid,
  email: Type.String({ description: 'Empty where the user is gone.' }),
  role: RoleName,
  created_at: Timestamp,
});
export type Member = Static<typeof Member>;

export const Membership = record({
  chatbot: Uuid,
  role: RoleName,
  rights: Type.Array(Type.String(), {
    description:
      'What the role may do: `know`, `read conversations`, `change conversations`, `read figures`, `edit`, `own`.',
  }),
  weekly_mail: Type.Boolean({ description: 'The figures of the week before are mailed to you each Monday.' }),
});

export const MembershipChange = Type.Object({
  weekly_mail: Type.Boolean({ description: 'whether the figures of the week before are mailed to you each Monday' }),
});

export const Invitation = record({
  uuid: Uuid,
  email: Type.String(),
  role: RoleName,
  created_at: Timestamp,
  expires_at: Timestamp,
});
export type Invitation = Static<typeof Invitation>;

export const NewInvitation = Type.Object({
  email: Type.String({ minLength: 3, maxLength: 254, description: 'an address such as ann@example.com' }),
  role: RoleName,
});

export const MadeInvitation = record({
  ...Invitation.properties,
  link: Type.String({ description: 'Makes whoever opens it first a member. It is shown only here.' }),
  mailed: Type.Boolean({
    description: 'The mail server has accepted the link for the address; false without one, and where it did not.',
  }),
});

export const RoleChange = Type.Object({ role: RoleName });

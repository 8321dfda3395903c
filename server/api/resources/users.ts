import * as Type from 'typebox';
import { operation, type Operation } from '../requests/operation.ts';

const KeyOwner = Type.Object(
  { data: Type.Object({ email: Type.String() }, { additionalProperties: false }) },
  { additionalProperties: false },
);

export const users = (): Operation[] => [
  operation({
    id: 'getUser',
    method: 'GET',
    path: '/api/v1/user',
    summary: 'Fetch the user of the key',
    reply: KeyOwner,
    handle: async ({ user }) => ({ data: { email: user.email } }),
  }),
];

import * as Type from 'typebox';
import type { Static } from 'typebox';
import type { Outcome, VisitorMessage } from '../types.ts';
import { NewVariables } from './fields.ts';
import { Parts } from './parts.ts';
import { Message, Query, Session } from './records.ts';

/** Bodies and records of the public chat API. */

/** `rate_limit_message` until the owner writes one. */
export const DEFAULT_LIMIT_MESSAGE = 'Too many messages';

export const SessionBody = Type.Object({ variables: Type.Optional(NewVariables) });

export const AskBody = Type.Object({
  query: Query,
  session: Type.Optional(Type.String({ pattern: '^[0-9A-Fa-f-]{32,40}$', description: 'the uuid of a session' })),
  id: Type.Optional(
    Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$', description: '1 to 64 of A-Z, a-z, 0-9, "_" and "-"' }),
  ),
  replaces: Type.Optional(
    Type.String({
      pattern: '^[0-9A-Fa-f-]{32,40}$',
      description:
        'the uuid of the last message of `session`, which must have ended: it is left out of the visitor’s list and of what later answers build on',
    }),
  ),
  variables: Type.Optional(NewVariables),
});
export type AskBody = Static<typeof AskBody>;

export const ConfirmBody = Type.Object({ accept: Type.Boolean() });

export const FeedbackBody = Type.Object({
  rating: Type.Union([Type.Literal(1), Type.Literal(-1)]),
  comment: Type.Optional(Type.String({ maxLength: 2000 })),
});

/** The keys of a message that a visitor may see; `VisitorMessage` in types.ts is its type. */
const { uuid, query, response, finish_reason, cite_data_json, feedback_json, created_at, modified_at } =
  Message.properties;
const outcome = Type.Optional(Type.Unsafe<Outcome>(Type.Enum(['answered', 'unsure', 'unknown'])));
const shown = {
  function: Type.String(),
  name: Type.String({ description: 'The name that the function’s owner gave for visitors.' }),
  arguments: Type.Record(Type.String(), Type.Unknown()),
};
const confirm = Type.Optional(
  Type.Unsafe<VisitorMessage['confirm']>(
    Type.Object(
      {
        ...shown,
        expires_in: Type.Integer({ minimum: 0, description: 'Seconds left to answer; 0: it is too late.' }),
      },
      {
        description:
          'The call that the visitor is asked to confirm. Absent where there is none, and once it was confirmed or declined.',
      },
    ),
  ),
);
const confirmed = Type.Optional(
  Type.Unsafe<VisitorMessage['confirmed']>(
    Type.Object(
      { ...shown, accepted: Type.Boolean({ description: 'False where the visitor has declined it.' }) },
      { description: 'The call that the visitor has confirmed or declined, as they were shown it.' },
    ),
  ),
);
export const VisitorMessageSchema = Type.Object(
  {
    uuid,
    query,
    response,
    finish_reason,
    cite_data_json,
    feedback_json,
    created_at,
    modified_at,
    outcome,
    confirm,
    confirmed,
    parts: Type.Optional(Parts),
    follow_ups: Type.Optional(
      Type.Array(Type.String(), { maxItems: 3, description: 'Questions that the sources answer, to go on with.' }),
    ),
  },
  { additionalProperties: false },
);

/** `VisitorSession` in types.ts is its type. */
export const VisitorSessionSchema = Type.Pick(Session, ['uuid', 'created_at', 'modified_at']);

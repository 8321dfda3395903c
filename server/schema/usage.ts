import * as Type from 'typebox';
import type { Static } from 'typebox';
import { record, Uuid } from './fields.ts';

/** What a user's answers have cost. */

export const USAGE_GROUPS = ['chatbot', 'day', 'model'] as const;

const Day = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', description: 'a day in UTC, `YYYY-MM-DD`' });

const sums = {
  messages: Type.Integer({ minimum: 0, description: 'Messages answered, by a model or not.' }),
  credits: Type.Integer({ minimum: 0, description: 'Message credits of the models that answered.' }),
  tokens: Type.Integer({
    minimum: 0,
    description: 'Tokens as the model server counts them; estimated where it does not.',
  }),
};

export const UsageRow = record({
  chatbot: Type.Optional(Uuid),
  day: Type.Optional(Day),
  model: Type.Optional(
    Type.String({ description: 'Name under the prefix `llm-`; empty for messages that no model answered.' }),
  ),
  ...sums,
});
export type UsageRow = Static<typeof UsageRow>;

export const UsageReport = record({
  from: Day,
  to: Day,
  ...sums,
  usage: Type.Array(UsageRow, {
    description: 'The sums by what `by` names, in order of days; rows have no other keys.',
  }),
});

export const UsageQuery = Type.Object({
  from: Type.Optional(
    Type.String({ description: 'First day in UTC, `YYYY-MM-DD`. Default: the first of this month.' }),
  ),
  to: Type.Optional(
    Type.String({ description: 'Last day in UTC, `YYYY-MM-DD`, at most 366 days with the first. Default: today.' }),
  ),
  by: Type.Optional(
    Type.String({
      description: 'What to sum by: one or more of `chatbot`, `day`, `model`, separated by commas. Default: all three.',
    }),
  ),
});

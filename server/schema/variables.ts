import * as Type from 'typebox';
import type { Static } from 'typebox';
import { Name, record, text } from './fields.ts';

/** What a variable may hold; a stored one of any other type is a string. */
export const VARIABLE_TYPES = ['string', 'number', 'boolean'] as const;

export const AgentVariable = record({
  name: Name,
  description: text('What the variable stands for. Default empty.'),
  example: text('An example value. Default empty.'),
  type: Type.String({ maxLength: 50, description: '`string`, `number` or `boolean`. Default `string`.' }),
  default_value: record({
    content: text('The value where there is no other; one of the type, or empty for none. Default empty.'),
    static: Type.Number({
      description:
        '0: the values that a session is created with, and those collected in it, take the place of `content`; any other number: nothing does. Default 0.',
    }),
  }),
});
export type AgentVariable = Static<typeof AgentVariable>;

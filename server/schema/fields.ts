import * as Type from 'typebox';
import type { Static } from 'typebox';

/**
 * Fields that several records share. The description of a string with a pattern, of a list and of an open object ends the
 * sentence `<field> must be …` of a 422, too: it begins with a noun.
 */

export const Uuid = Type.String({ pattern: '^[0-9a-f]{32}$', description: '32 lower-case hex digits' });
export const Timestamp = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$',
  description: 'a time in UTC with whole seconds, `YYYY-MM-DDTHH:MM:SSZ`',
});
export const dated = { created_at: Timestamp, modified_at: Timestamp };

/** Exactly these keys: some clients break on a missing or an extra one. */
export const record = <P extends Type.TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });
export const literals = <const T extends string[]>(description: string, ...values: T) =>
  Type.Unsafe<T[number]>(Type.Enum(values, { description }));
/** 0 or 1 in replies, as deployed servers of the interface have it. */
export const flag = (description: string) => Type.Unsafe<0 | 1>(Type.Integer({ minimum: 0, maximum: 1, description }));
export const json = (description: string) =>
  Type.String({ contentMediaType: 'application/json', description: `A JSON object as text: ${description}` });
export const LongText = Type.String({ maxLength: 10_000 });
export const text = (description: string) => Type.With(LongText, { description });

const EMAIL = /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u;
/** The form alone: nothing says whether somebody reads what is sent there. */
export const isEmail = (text: string): boolean => text.length <= 254 && EMAIL.test(text);

export const Name = Type.String({ minLength: 1, maxLength: 200 });
export const Color = Type.String({ pattern: '^#[0-9A-Fa-f]{6}$', description: 'a colour of the form #RRGGBB' });

export const Variables = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
  description: 'Values by name, as sent when the session was created; absent where none were.',
});

/**
 * As a request may send them. Not a `Type.Record`: its pattern for keys lets one with a line break pass, and any value
 * under it.
 */
export const NewVariables = Type.Unsafe<Static<typeof Variables>>(
  Type.Object(
    {},
    {
      additionalProperties: Type.Union([Type.String({ maxLength: 1000 }), Type.Number(), Type.Boolean()]),
      propertyNames: {
        type: 'string',
        minLength: 1,
        maxLength: 100,
        not: { enum: ['__proto__', 'constructor', 'prototype'] },
      },
      maxProperties: 50,
      description:
        'a flat object of at most 50 values: strings of at most 1000 characters, numbers, true or false, each under a ' +
        'name of 1 to 100 characters that is not __proto__, constructor or prototype',
    },
  ),
);

/** Days that a chatbot may keep conversations: a hundred years. */
export const MAX_KEEP_DAYS = 36_500;

export const KeepDays = Type.Integer({
  minimum: 0,
  maximum: MAX_KEEP_DAYS,
  description: 'Days after its last message that a conversation is kept; 0 is for until it is deleted.',
});

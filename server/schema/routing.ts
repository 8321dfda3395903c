import * as Type from 'typebox';
import { record, Timestamp, Uuid } from './fields.ts';

/** When an agent answers: sentences that belong to it, and rules that decide whatever the scores are. */

const Count = Type.Integer({ minimum: 0, maximum: 100_000 });
const Range = Type.Object({ min: Type.Optional(Count), max: Type.Optional(Count) });
const VariableName = Type.String({ minLength: 1, maxLength: 200 });
const Value = Type.Union([Type.String({ maxLength: 1000 }), Type.Number(), Type.Boolean()]);
const Words = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '[\\p{L}\\p{N}]',
  description: 'a text with a word',
});

/** One condition each; a rule is one of them, or a group (`all`, `any`) of rules. */
export const RuleConditions = {
  /** How many queries the session has, the present one counted. */
  queries: Range,
  /** The uuid of the agent that answered last. */
  last_agent: Uuid,
  /** How many answers in a row the agent that answered last has given. */
  consecutive: Range,
  variable: Type.Object({ name: VariableName, set: Type.Optional(Type.Boolean()), equals: Type.Optional(Value) }),
  /** Words, any of which the query holds: whole words, side by side where there are several, accents and case aside. */
  contains: Type.Array(Words, { minItems: 1, maxItems: 50 }),
};

export type RuleConditions = { [K in keyof typeof RuleConditions]: Type.Static<(typeof RuleConditions)[K]> };
type Condition = { [K in keyof RuleConditions]: { [Only in K]: RuleConditions[K] } }[keyof RuleConditions];
export type Rule = Condition | { all: Rule[] } | { any: Rule[] };

export const MAX_RULES = 20;
const MAX_ROUTING_EXAMPLES = 200;

const AnyRule = Type.Unsafe<Rule>(
  Type.Object(
    { ...Type.Partial(Type.Object(RuleConditions)).properties, all: List('all'), any: List('any') },
    { additionalProperties: false, minProperties: 1, maxProperties: 1, description: 'Exactly one of the keys.' },
  ),
);

function List(kind: 'all' | 'any') {
  const which = kind === 'all' ? 'every one' : 'one of them';
  return Type.Optional(
    Type.Array(Type.Object({}, { additionalProperties: true }), {
      minItems: 1,
      maxItems: 20,
      description: `Rules of which ${which} has to be true; at most four levels deep.`,
    }),
  );
}

export const AgentRouting = Type.Object(
  {
    examples: Type.Array(Type.String({ minLength: 1, maxLength: 500, pattern: '\\S' }), {
      maxItems: MAX_ROUTING_EXAMPLES,
      description: 'Sentences of visitors that belong to this agent.',
    }),
    rules: Type.Array(AnyRule, {
      maxItems: MAX_RULES,
      description: 'The agent answers where one of them is true; of several agents the first created.',
    }),
  },
  { additionalProperties: false },
);
export type AgentRouting = Type.Static<typeof AgentRouting>;

/** Settings of agents to try on what was asked; what is not sent stays as it is. */
export const RoutingTrial = Type.Object({
  agents: Type.Array(
    Type.Object({
      uuid: Uuid,
      bias: Type.Optional(Type.Number({ minimum: -10, maximum: 1 })),
      stickness: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    }),
    { maxItems: 100, description: 'Agents of the chatbot, with the settings to try.' },
  ),
});

const Named = record({ uuid: Type.String(), name: Type.String() });

/** What other settings of bias and stickness would change in the choice of the agent. */
export const RoutingReplay = record({
  replayed: Type.Integer({ minimum: 0, description: 'The newest messages that were looked at, at most 1,000.' }),
  moved: Type.Integer({ minimum: 0, description: 'Those of them that another agent would have got.' }),
  close: Type.Integer({
    minimum: 0,
    description:
      'Those whose scores are so close, by either settings, that a model would be asked where there is one. It is not asked here: the score decides.',
  }),
  messages: Type.Array(
    record({ uuid: Uuid, session: Uuid, query: Type.String(), created_at: Timestamp, from: Named, to: Named }),
    {
      maxItems: 100,
      description: 'Of the moved ones the newest; `from`: by the present settings, `to`: by those sent.',
    },
  ),
});
export type RoutingReplay = Type.Static<typeof RoutingReplay>;

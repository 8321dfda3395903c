import * as Type from 'typebox';
import type { Static } from 'typebox';
import { ERROR_CODES } from './errors.ts';
import type { ErrorCode, FinishReason } from '../types.ts';

/** The interface's records. Validation, types and the OpenAPI document come from here. */

export const Uuid = Type.String({ pattern: '^[0-9a-f]{32}$', description: '32 lower-case hex digits' });
const Timestamp = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$',
  description: 'UTC, whole seconds',
});
export const dated = { created_at: Timestamp, modified_at: Timestamp };

/** Exactly these keys: some clients break on a missing or an extra one. */
export const record = <P extends Type.TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });
const literals = <const T extends string[]>(...values: T) => Type.Unsafe<T[number]>(Type.Enum(values));
/** 0 or 1 in replies, as deployed servers of the interface have it. */
const Flag = Type.Unsafe<0 | 1>(Type.Integer({ minimum: 0, maximum: 1 }));
const Json = (what: string) =>
  Type.String({ contentMediaType: 'application/json', description: `a JSON object: ${what}` });

export const Name = Type.String({ minLength: 1, maxLength: 200 });
export const Text = Type.String({ maxLength: 10_000 });
export const Color = Type.String({ pattern: '^#[0-9A-Fa-f]{6}$', description: 'a colour of the form #RRGGBB' });
export const Visibility = literals('private', 'public', 'hybrid');

/** [messages, seconds]; interface.txt, Limits. */
export const RateLimit = Type.Tuple(
  [Type.Integer({ minimum: 1, maximum: 100 }), Type.Integer({ minimum: 1, maximum: 360 })],
  { description: 'messages, 1 to 100, and the seconds in which so many are accepted, 1 to 360' },
);
export const RateLimitMessage = Type.String({ maxLength: 1000 });

export const Chatbot = record({
  uuid: Uuid,
  name: Name,
  ...dated,
  meta: record({
    rate_limit: RateLimit,
    rate_limit_message: RateLimitMessage,
    show_citations: Type.Boolean(),
    visibility: Visibility,
  }),
});
export type Chatbot = Static<typeof Chatbot>;

export const AgentType = literals('user-facing', 'background', 'human-escalation', 'pre-canned', 'spam-defense');
export type AgentType = Static<typeof AgentType>;

/** What a background agent assigns to questions that meet its criteria. */
export const AgentTag = record({ name: Name, color: Color, criteria: Text });

/** Every setting that an agent of some type has; `stickness` is the interface's own spelling. */
export const AgentSettings = Type.Object({
  model: Type.String({ minLength: 1, maxLength: 200 }),
  temperature: Type.Number({ minimum: 0, maximum: 1 }),
  bias: Type.Number({ minimum: -10, maximum: 1 }),
  stickness: Type.Number({ minimum: 0, maximum: 1 }),
  use_all_sources: Type.Boolean(),
  default_message: Text,
  tags: Type.Array(AgentTag, { maxItems: 100 }),
});
export type AgentSettings = Static<typeof AgentSettings>;

const { model, temperature, bias, stickness, use_all_sources, default_message, tags } = AgentSettings.properties;

/** The settings of each type: always all of them, and no others. */
export const AgentMeta = {
  'user-facing': record({ model, temperature, bias, stickness, use_all_sources }),
  background: record({ model, temperature, tags }),
  'human-escalation': record({ model, temperature, bias, stickness }),
  'pre-canned': record({ model, temperature, bias, stickness, default_message }),
  'spam-defense': record({ model, temperature, bias, stickness, default_message }),
} satisfies Record<AgentType, Type.TObject>;

export const AgentVariable = record({
  name: Name,
  description: Text,
  example: Text,
  type: Type.String({ maxLength: 50 }),
  default_value: record({ content: Text, static: Type.Number() }),
});

export const Method = literals('GET', 'POST', 'PUT', 'PATCH', 'DELETE');

/** The caller's own keys; any JSON below them. */
const OpenObject = Type.Record(Type.String(), Type.Unknown());

export const ToolFunction = record({
  uuid: Uuid,
  name: Name,
  description: Type.String({ maxLength: 1023 }),
  parameters: OpenObject,
  headers: Type.Record(Type.String(), Type.String()),
  enabled: Flag,
  external_url: Type.String({ maxLength: 2048 }),
  method: Method,
  ...dated,
  meta: OpenObject,
});
export type ToolFunction = Static<typeof ToolFunction>;

export const HumanEscalationSettings = record({
  human_requested_message: Text,
  live_chat_start_announcement: Text,
  live_chat_end_announcement: Text,
  monitored_messages: Type.Array(Text, { maxItems: 100 }),
  notifications_enabled: Flag,
  sound_enabled: Flag,
});
export type HumanEscalationSettings = Static<typeof HumanEscalationSettings>;

const agentKeys = {
  uuid: Uuid,
  name: Name,
  prompt: Text,
  description: Text,
  ...dated,
  enabled: Flag,
  data_source_uuids: Type.Array(Uuid),
  tool_functions: Type.Array(ToolFunction),
  variables: Type.Array(AgentVariable, { maxItems: 100 }),
};
const agentOf = <T extends AgentType>(type: T, more: Type.TProperties = {}) =>
  record({ ...agentKeys, type: Type.Literal(type), meta: AgentMeta[type], ...more });

/** One schema a type: the settings differ, and `human_escalation_settings` stands on one type alone. */
export const AgentByType = {
  'user-facing': agentOf('user-facing'),
  background: agentOf('background'),
  'human-escalation': agentOf('human-escalation', { human_escalation_settings: HumanEscalationSettings }),
  'pre-canned': agentOf('pre-canned'),
  'spam-defense': agentOf('spam-defense'),
} satisfies Record<AgentType, Type.TObject>;

const AnyAgent = record({ ...agentKeys, type: AgentType, meta: Type.Partial(AgentSettings) });
export const Agent = Type.Unsafe<Agent>(Type.Union(Object.values(AgentByType)));
export type Agent = Static<typeof AnyAgent> & {
  meta: Pick<AgentSettings, 'model' | 'temperature'>;
  human_escalation_settings?: HumanEscalationSettings;
};

export const DataSource = record({
  uuid: Uuid,
  title: Type.String(),
  type: literals('link', 'upload', 'qa'),
  status: Type.String({ description: 'await, chunking, embedding, success, fail or error:<reason>' }),
  file_name: Type.String({ description: 'the URL of a link' }),
  file_size: Type.Integer({ description: 'bytes' }),
  tokens: Type.Integer(),
  meta_json: Json('reference_source_link, if given; question and answer of a qa source; reason of a failure'),
  ...dated,
});

export type DataSource = Static<typeof DataSource>;

/** Whether ingestion of a source has not ended. */
export const isPending = (status: string): boolean =>
  status === 'await' || status === 'chunking' || status === 'embedding';

/** Whether ingestion of a source failed. */
export const isFailed = (status: string): boolean => status === 'fail' || status.startsWith('error:');

/** When a chatbot's pages are fetched again by themselves. */
export const Schedule = record({
  hours: Type.Integer({ minimum: 0, maximum: 8760, description: 'from one time to the next; 0 for never' }),
  next_at: Type.Union([Timestamp, Type.Literal('')], { description: "the next time; '' for never" }),
});
export type Schedule = Static<typeof Schedule>;

export const SourceTag = record({
  uuid: Uuid,
  name: Name,
  color: Color,
  data_source_uuids: Type.Array(Uuid),
  ...dated,
});
export type SourceTag = Static<typeof SourceTag>;

/** Values that fill a prompt's variables: flat. */
export const Variables = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]));

/**
 * As a caller may send them. Not a `Type.Record`: its pattern for keys lets one with a line break pass, and any value
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

export const Session = record({ uuid: Uuid, ...dated, initial_variables: Type.Optional(Variables) });
export type Session = Static<typeof Session>;

export const SessionWithMeta = record({ ...Session.properties, meta: OpenObject });

/** What is asked: an emoji will do, white space will not. */
export const Query = Type.String({
  minLength: 1,
  maxLength: 8000,
  pattern: '\\S',
  description: 'a string of 1 to 8000 characters, white space not alone',
});

export const Message = record({
  uuid: Uuid,
  query: Type.String(),
  response: Type.String(),
  finish_reason: Type.Unsafe<FinishReason>(
    Type.Enum(['', 'stop', 'length', 'error', 'stopped', 'interrupted', 'quota']),
  ),
  cite_data_json: Json('citations, keyed by marker'),
  meta_json: Json('tokens, functions called, the agent, credits'),
  ...dated,
  background_pending_tasks: Type.Integer({ minimum: 0 }),
  detected_frustrations: Type.String(),
  error_message: Type.String(),
  feedback_json: Json('rating and comment of the visitor'),
  labels: Type.Array(record({ name: Type.String(), color: Type.String() })),
  session_documents: Type.Array(Type.Unknown()),
});
export type Message = Static<typeof Message>;

export const Success = record({ success: Type.Boolean() });

/** What is said of one of many: exactly one of the two. */
export const Restarted = Type.Union([
  record({ uuid: Type.String(), status: Type.Literal('restarted scraping') }),
  record({ uuid: Type.String(), error: Type.Literal('invalid data source') }),
]);

export const Fault = record({
  error: Type.String({ description: 'a sentence that a person can act on' }),
  code: Type.Unsafe<ErrorCode>(Type.Enum(ERROR_CODES)),
  field: Type.Optional(Type.String({ description: 'the one input field at fault' })),
  retry_after: Type.Optional(Type.Integer({ description: 'seconds' })),
});

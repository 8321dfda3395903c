import Type, { type Static } from 'typebox';
import type { FinishReason } from './types.ts';

/** The interface's records and bodies. Validation, types and the OpenAPI document come from here. */

const Uuid = Type.String({ pattern: '^[0-9a-f]{32}$', description: '32 lower-case hex digits' });
const Timestamp = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$',
  description: 'UTC, whole seconds',
});
const dated = { created_at: Timestamp, modified_at: Timestamp };
const record = <P extends Type.TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false });

export const Visibility = Type.Union([Type.Literal('private'), Type.Literal('public'), Type.Literal('hybrid')], {
  default: 'private',
});

/** [messages, seconds]; interface.txt, Limits. */
export const RateLimit = Type.Tuple(
  [Type.Integer({ minimum: 1, maximum: 100 }), Type.Integer({ minimum: 1, maximum: 360 })],
  { default: [20, 240] },
);

export const Name = Type.String({ minLength: 1, maxLength: 200 });
export const RateLimitMessage = Type.String({ maxLength: 1000, default: 'Too many messages' });

export const Chatbot = record({
  uuid: Uuid,
  name: Name,
  ...dated,
  meta: record({
    rate_limit: RateLimit,
    rate_limit_message: RateLimitMessage,
    show_citations: Type.Boolean({ default: false }),
    visibility: Visibility,
  }),
});
export type Chatbot = Static<typeof Chatbot>;

export const AgentType = Type.Union([
  Type.Literal('user-facing'),
  Type.Literal('background'),
  Type.Literal('human-escalation'),
  Type.Literal('pre-canned'),
  Type.Literal('spam-defense'),
]);

/** `stickness` is the interface's own spelling. */
export const AgentMeta = record({
  model: Type.String(),
  temperature: Type.Number({ minimum: 0, maximum: 1 }),
  bias: Type.Number({ minimum: -10, maximum: 1 }),
  stickness: Type.Number({ minimum: 0, maximum: 1 }),
  use_all_sources: Type.Boolean(),
});

export const Agent = record({
  uuid: Uuid,
  name: Name,
  prompt: Type.String(),
  description: Type.String(),
  type: AgentType,
  ...dated,
  enabled: Type.Union([Type.Literal(0), Type.Literal(1)]),
  meta: AgentMeta,
  data_source_uuids: Type.Array(Uuid),
  tool_functions: Type.Array(Type.Unknown()),
  variables: Type.Array(Type.Unknown()),
});
export type Agent = Static<typeof Agent>;

export const DataSource = record({
  uuid: Uuid,
  title: Type.String(),
  type: Type.Union([Type.Literal('link'), Type.Literal('upload'), Type.Literal('qa')]),
  status: Type.String({ description: 'await, chunking, embedding, success, fail or error:<reason>' }),
  file_name: Type.String({ description: 'the URL of a link' }),
  file_size: Type.Integer({ description: 'bytes' }),
  tokens: Type.Integer(),
  meta_json: Type.String({ description: 'a JSON object' }),
  ...dated,
});
export type DataSource = Static<typeof DataSource>;

export const Session = record({ uuid: Uuid, ...dated });
export type Session = Static<typeof Session>;

export const Message = record({
  uuid: Uuid,
  query: Type.String(),
  response: Type.String(),
  finish_reason: Type.Unsafe<FinishReason>(
    Type.String({ enum: ['', 'stop', 'length', 'error', 'stopped', 'interrupted', 'quota'] }),
  ),
  cite_data_json: Type.String({ description: 'a JSON object of citations, keyed by marker' }),
  meta_json: Type.String({ description: 'a JSON object' }),
  ...dated,
  background_pending_tasks: Type.Integer({ minimum: 0 }),
  detected_frustrations: Type.String(),
  error_message: Type.String(),
  feedback_json: Type.String({ description: 'a JSON object' }),
  labels: Type.Array(record({ name: Type.String(), color: Type.String() })),
  session_documents: Type.Array(Type.Unknown()),
});
export type Message = Static<typeof Message>;

/** What callers send. Keys beyond these are ignored. */

export const NewChatbot = Type.Object({
  name: Name,
  rate_limit: Type.Optional(RateLimit),
  rate_limit_message: Type.Optional(RateLimitMessage),
  show_citations: Type.Optional(Type.Boolean()),
  visibility: Type.Optional(Visibility),
});

export const ChatbotChange = Type.Partial(NewChatbot);

export const NewUrlSource = Type.Object({
  url: Type.String({ minLength: 1, maxLength: 2048 }),
  reference_source_link: Type.Optional(Type.String({ maxLength: 2048 })),
});

export const NewMessage = Type.Object({ query: Type.String({ minLength: 1, maxLength: 8000 }) });

export const Success = record({ success: Type.Boolean() });

import * as Type from 'typebox';
import type { Static } from 'typebox';
import { ERROR_CODES } from './errors.ts';
import {
  Color,
  dated,
  flag,
  json,
  literals,
  LongText,
  Name,
  record,
  text,
  Timestamp,
  Uuid,
  Variables,
} from './fields.ts';
import { AgentParts } from './parts.ts';
import { AgentVariable } from './variables.ts';
import type { ErrorCode, FinishReason } from '../types.ts';

/** The interface's records. Validation, types and the OpenAPI document come from here. */

export const Visibility = literals(
  'Who may use the chatbot without a key: `private` nobody, `hybrid` visitors of pages with the widget, `public` these and visitors of its own page `/c/{chatbot}`.',
  'private',
  'public',
  'hybrid',
);

export const RateLimit = Type.Tuple(
  [Type.Integer({ minimum: 1, maximum: 100 }), Type.Integer({ minimum: 1, maximum: 360 })],
  {
    description:
      'Rate limit for one visitor: `[messages, seconds]`. Within any stretch of so many seconds (1 to 360) at most so many messages (1 to 100) are accepted. Requests with a key are not limited.',
  },
);
export const RateLimitMessage = Type.String({
  maxLength: 1000,
  description: 'Shown to a visitor who is over the rate limit, 0 to 1000 characters; the default in their language.',
});

export const ShowCitations = Type.Boolean({
  description: 'Whether answers carry markers such as `[1]` and `cite_data_json` their citations.',
});

export const Chatbot = record({
  uuid: Uuid,
  name: Name,
  ...dated,
  meta: record({
    rate_limit: RateLimit,
    rate_limit_message: RateLimitMessage,
    show_citations: ShowCitations,
    visibility: Visibility,
  }),
});
export type Chatbot = Static<typeof Chatbot>;

export const AgentType = literals(
  '`user-facing` answers from the sources, `pre-canned` with its `default_message`; `spam-defense` answers clear spam, `human-escalation` a clear wish for a person; `background` agents answer nothing: each enabled one gives its `tags` to messages, beside the answer. At most one `human-escalation` and one `spam-defense` agent a chatbot. It cannot be changed.',
  'user-facing',
  'background',
  'human-escalation',
  'pre-canned',
  'spam-defense',
);
export type AgentType = Static<typeof AgentType>;

/** A tag that a background agent may assign to messages. */
export const AgentTag = record({
  name: Name,
  color: Color,
  criteria: text('When the tag applies to a message, in words.'),
});

/** Every setting that an agent of some type has; `stickness` is the interface's own spelling. */
export const AgentSettings = Type.Object({
  model: Type.String({
    minLength: 1,
    maxLength: 200,
    description:
      'Name of a model, see `GET /api/v1/agent/models`. Any other name is stored too, and answers with the default model.',
  }),
  temperature: Type.Number({ minimum: 0, maximum: 1, description: 'Sampling temperature of the model. Default 0.' }),
  bias: Type.Number({
    minimum: -10,
    maximum: 1,
    description:
      'Added to the score of this agent; at -10 it takes no part in the choice by score, unless it is alone. Default 0.',
  }),
  stickness: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'A quarter of it is added to the score where this agent gave the last answer. Default 0.',
  }),
  use_all_sources: Type.Boolean({
    description: 'Whether the agent answers from all sources or from `data_source_uuids` alone. Default true.',
  }),
  default_message: text(
    'The answer of the agent. Where it is empty the visitor is told that there is no answer. Default empty.',
  ),
  tags: Type.Array(AgentTag, { maxItems: 100 }),
  parts: AgentParts,
});
export type AgentSettings = Static<typeof AgentSettings>;

const { model, temperature, bias, stickness, use_all_sources, default_message, tags } = AgentSettings.properties;

/** The settings of each type: always all of them, and no others. */
export const AgentMeta = {
  'user-facing': record({ model, temperature, bias, stickness, use_all_sources }),
  background: record({ model, temperature, tags }),
  'human-escalation': record({ model, temperature, bias, stickness }),
  'pre-canned': record({ model, temperature, bias, stickness, default_message, parts: AgentParts }),
  'spam-defense': record({ model, temperature, bias, stickness, default_message, parts: AgentParts }),
} satisfies Record<AgentType, Type.TObject>;

export const HttpMethod = literals('HTTP method of the call.', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE');

/** A caller's own keys; any JSON below them. */
const openObject = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

export const ToolFunction = record({
  uuid: Uuid,
  name: Name,
  description: Type.String({
    maxLength: 1023,
    description: 'What the function does and when to call it, at most 1023 characters.',
  }),
  parameters: openObject('an object: the JSON Schema of the arguments'),
  headers: Type.Record(Type.String(), Type.String(), {
    description:
      'an object of HTTP headers. Replies show the last four characters of each value, as `****abcd`; an update that sends that back keeps the value',
  }),
  enabled: flag('1: on, 0: off. Default 1.'),
  external_url: Type.String({ maxLength: 2048, description: 'http or https address of the function.' }),
  method: HttpMethod,
  ...dated,
  meta: openObject(
    'an object: `class` (`read`, `write`, or `ask`: the visitor confirms the call; `read` by default for GET, else `write`), `step` (what visitors see while it runs), `examples` (sentences that call it where no model answers), and keys of your own, stored as sent',
  ),
});
export type ToolFunction = Static<typeof ToolFunction>;

export const HumanEscalationSettings = record({
  human_requested_message: text(
    'The answer to a visitor who asks for a person. Where it is empty the visitor is told that there is no answer. Default empty.',
  ),
  live_chat_start_announcement: text('Announces that a person has joined. Stored for live chat. Default empty.'),
  live_chat_end_announcement: text('Announces that the person has left. Stored for live chat. Default empty.'),
  monitored_messages: Type.Array(LongText, {
    maxItems: 100,
    description: 'a list of at most 100 texts of at most 10000 characters each, stored for live chat',
  }),
  notifications_enabled: flag('Stored for live chat. Default 1.'),
  sound_enabled: flag('Stored for live chat. Default 1.'),
});
export type HumanEscalationSettings = Static<typeof HumanEscalationSettings>;

const agentKeys = {
  uuid: Uuid,
  name: Name,
  prompt: text('Instructions for the model. Default empty.'),
  description: text('What the agent is for. Default empty.'),
  ...dated,
  enabled: flag('Whether the agent takes part: 0 after it is created, 1 for the default agent of a new chatbot.'),
  data_source_uuids: Type.Array(Uuid, { description: 'Sources of the agent, see `use_all_sources`.' }),
  tool_functions: Type.Array(ToolFunction, {
    description: 'HTTP calls that the model may make, in order of creation.',
  }),
  variables: Type.Array(AgentVariable, {
    maxItems: 100,
    description: 'a list of at most 100 variables, whose values stand for `{{name}}` in the prompt and in messages',
  }),
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
  title: Type.String({ description: 'Title of the page or file; the question of a `qa` source.' }),
  type: literals('`link`: a web page; `upload`: a file; `qa`: a question with its answer.', 'link', 'upload', 'qa'),
  status: Type.String({
    description:
      '`await`, `chunking` and `embedding` while it is ingested; `success`: it is searched; `fail` or `error:<reason>` (no text, download, not found, content type, robots, blocked address, damaged): it is not.',
  }),
  file_name: Type.String({ description: 'URL of a link, name of a file; empty for `qa`.' }),
  file_size: Type.Integer({ description: 'Size in bytes; 0 where it is not known.' }),
  tokens: Type.Integer({ description: 'Length of the extracted text in tokens; 0 until it is ingested.' }),
  meta_json: json('`reference_source_link`; `question`, `answer` of `qa`; `reason` of a failure; count of `passages`.'),
  ...dated,
});

export type DataSource = Static<typeof DataSource>;

/** Whether ingestion of a source has not ended. */
export const isPending = (status: string): boolean =>
  status === 'await' || status === 'chunking' || status === 'embedding';

/** Whether ingestion of a source failed. */
export const isFailed = (status: string): boolean => status === 'fail' || status.startsWith('error:');

/** When a chatbot's pages are fetched again without a request. */
export const Schedule = record({
  hours: Type.Integer({ minimum: 0, maximum: 8760, description: 'Hours between two fetches; 0: never. Default 0.' }),
  next_at: Type.Union([Timestamp, Type.Literal('')], { description: 'When the pages are fetched next; empty: never.' }),
});
export type Schedule = Static<typeof Schedule>;

export const SourceTag = record({
  uuid: Uuid,
  name: Name,
  color: Color,
  data_source_uuids: Type.Array(Uuid, { description: 'The sources that have the tag; deleted ones leave the list.' }),
  ...dated,
});
export type SourceTag = Static<typeof SourceTag>;

const dry_run = Type.Optional(Type.Boolean({ description: 'No tool function that acts is called in it.' }));
export const Session = record({ uuid: Uuid, ...dated, initial_variables: Type.Optional(Variables), dry_run });
export type Session = Static<typeof Session>;

export const SessionWithMeta = record({
  ...Session.properties,
  meta: openObject('`live.state` once a person was asked for, `variables` once one was collected.'),
});

/** Not white space alone. */
export const Query = Type.String({
  minLength: 1,
  maxLength: 8000,
  pattern: '\\S',
  description: 'a string of 1 to 8000 characters, white space not alone',
});

export const Message = record({
  uuid: Uuid,
  query: Type.String({ description: 'The question.' }),
  response: Type.String({
    description: 'The answer, as far as it is generated. Markers such as `[1]` name citations.',
  }),
  finish_reason: Type.Unsafe<FinishReason>(
    Type.Enum(['', 'stop', 'length', 'error', 'stopped', 'interrupted', 'quota'], {
      description:
        'Empty while the answer is generated; `stop`: complete; `length`: cut at the model’s limit; `error`: failed, see `error_message`; `stopped`: stopped by the caller; `interrupted`: the server stopped; `quota`: complete, quoted from the sources because the credits of the month are spent.',
    }),
  ),
  cite_data_json: json(
    'citations by marker, each with `data_source_uuid`, `title`, `text` (the quoted passage), `file_name` (the URL of a link) and `type`. `{}` where there are none.',
  ),
  meta_json: json(
    '`actual_token_distribution.total_tokens`, `functions_called` (`name`, and what the model was told, as `content`), `active_agent` (uuid and name), `credits`, `model` (its name in the list of models; absent where no model answered), `outcome` (`answered`, `unknown`, or `unsure` for quotes that may not answer), `claim` (whether an answer without calls claims something done: `none`, `not_done` or `unchecked`), `routing` (how the agent was chosen), `lookup` (a tool function that was not called without a model for want of values, and the variables that it needs), `background` (what each background agent found) and `fallback` (why the answer quotes the sources instead of using the model).',
  ),
  ...dated,
  background_pending_tasks: Type.Integer({
    minimum: 0,
    description: 'Background agents that have not ended, and the collection of variables by a model.',
  }),
  detected_frustrations: Type.String({ description: 'Reserved; empty.' }),
  error_message: Type.String({ description: 'Why the answer failed; empty where it did not.' }),
  feedback_json: json('`rating` (1 or -1) and `comment` of the visitor; `{}` without any.'),
  labels: Type.Array(record({ name: Type.String(), color: Type.String() }), {
    description: 'Tags that background agents gave to the message.',
  }),
  session_documents: Type.Array(Type.Unknown(), { description: 'Reserved; empty.' }),
});
export type Message = Static<typeof Message>;

export const Success = record({ success: Type.Boolean() });

/** The outcome for one source of a list: exactly one of the two. */
export const Restarted = Type.Union([
  record({ uuid: Type.String(), status: Type.Literal('restarted scraping') }),
  record({ uuid: Type.String(), error: Type.Literal('invalid data source') }),
]);

export const Fault = record({
  error: Type.String({ description: 'A sentence that says what is wrong.' }),
  code: Type.Unsafe<ErrorCode>(Type.Enum(ERROR_CODES, { description: 'For programs.' })),
  field: Type.Optional(Type.String({ description: 'The field of the body or the query that is invalid.' })),
  retry_after: Type.Optional(Type.Integer({ description: 'Seconds until a retry may succeed; with `rate_limited`.' })),
});

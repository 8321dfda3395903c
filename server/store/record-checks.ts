import { MAX_KEEP_DAYS } from '../schema/fields.ts';
import { jsonIn } from '../schema/json.ts';
import { AgentMeta, type AgentSettings, type AgentType, type Chatbot, type ToolFunction } from '../schema/records.ts';
import { ROLES, type StoredInvitation, type StoredMember } from './shared/members.ts';
import type {
  SourceDocument,
  StoredAgent,
  StoredChatbot,
  StoredMessage,
  StoredReply,
  StoredSession,
  StoredSite,
  StoredSource,
  StoredTag,
  Usage,
} from './store.ts';

/**
 * Whether a value read from the disk has the types its readers rely on. Lengths and ranges are not checked: a limit that
 * a later version tightens must not make damage of what an earlier one stored. A field added later is `optional`.
 */
type Check = (value: unknown) => boolean;

type Fields<T> = { [K in keyof Required<T>]: Check };

const UUID = /^[0-9a-f]{32}$/;
/** By a pattern alone: every line of a session is checked when it is loaded, and `Date.parse` took half of that. */
const TIME = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

const text: Check = (value) => typeof value === 'string';
const bool: Check = (value) => typeof value === 'boolean';
const number: Check = Number.isFinite;
const uuid: Check = (value) => typeof value === 'string' && UUID.test(value);
const time: Check = (value) => typeof value === 'string' && TIME.test(value);
const object: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const optional =
  (is: Check): Check =>
  (value) =>
    value === undefined || is(value);
const either =
  (...ways: Check[]): Check =>
  (value) =>
    ways.some((is) => is(value));
const oneOf =
  (...values: unknown[]): Check =>
  (value) =>
    values.includes(value);
const list =
  (is: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(is);
const mapOf =
  (is: Check): Check =>
  (value) =>
    object(value) && Object.values(value as object).every(is);

function record<T>(fields: Fields<T>): Check {
  const all = Object.entries<Check>(fields);
  return (value) => {
    if (!object(value)) return false;
    for (const [key, is] of all) if (!is((value as Record<string, unknown>)[key])) return false;
    return true;
  };
}

/** A JSON object in a string. */
export const isJsonObject = (value: string): boolean => object(jsonIn(value));

/** The same; '' where there may be none. */
const json: Check = (value) => value === '' || isJsonObject(value as string);

const dated = { created_at: time, modified_at: time };

const isInvitation = record<StoredInvitation>({
  uuid,
  hash: text,
  email: text,
  role: oneOf(...ROLES),
  created_at: time,
  expires_at: time,
});
const isMember = record<StoredMember>({
  user: uuid,
  role: oneOf(...ROLES),
  created_at: time,
  mailed_until: optional(text),
});

const visibility = oneOf('private', 'public', 'hybrid' satisfies Chatbot['meta']['visibility']);

const keepDays = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_KEEP_DAYS;

export const isChatbot = record<StoredChatbot>({
  uuid,
  name: text,
  ...dated,
  meta: record<Chatbot['meta']>({
    rate_limit: (value) => list(number)(value) && (value as number[]).length === 2,
    rate_limit_message: text,
    show_citations: bool,
    visibility,
  }),
  owner: text,
  members: optional(list(isMember)),
  invitations: optional(list(isInvitation)),
  schedule: optional(record({ hours: number, next_at: either(oneOf(''), time) })),
  keep_days: optional(keepDays),
  widget: optional(mapOf(either(text, number, bool, list(either(text, object)), mapOf(text)))),
  seen_on: optional(list(record({ origin: text, at: time }))),
  hidden_gaps: optional(list(list(text))),
  suggested: optional(record({ sources: list(text), site: text })),
});

const isFunction = record<ToolFunction>({
  uuid,
  name: text,
  description: text,
  parameters: object,
  headers: mapOf(text),
  enabled: oneOf(0, 1),
  external_url: text,
  method: text,
  ...dated,
  meta: object,
});

const settings = record<AgentSettings>({
  model: text,
  temperature: number,
  bias: optional(number),
  stickness: optional(number),
  use_all_sources: optional(bool),
  default_message: optional(text),
  tags: optional(list(record({ name: text, color: text, criteria: text }))),
  parts: optional(list(object)),
});

export const isAgent = record<StoredAgent>({
  uuid,
  name: text,
  prompt: text,
  description: text,
  type: oneOf(...(Object.keys(AgentMeta) as AgentType[])),
  ...dated,
  enabled: oneOf(0, 1),
  meta: settings,
  data_source_uuids: list(text),
  tool_functions: list(isFunction),
  variables: list(object),
  human_escalation_settings: optional(object),
  routing: optional(record({ examples: list(text), rules: list(object) })),
  chatbot: uuid,
});

export const isTag = record<StoredTag>({
  uuid,
  name: text,
  color: text,
  data_source_uuids: list(text),
  ...dated,
  chatbot: uuid,
});

export const isSite = record<StoredSite>({
  uuid,
  url: text,
  status: text,
  max_pages: number,
  include: list(text),
  exclude: list(text),
  found: number,
  done: number,
  failed: number,
  ...dated,
  chatbot: uuid,
  home: text,
  plan: oneOf('', 'sitemap', 'links'),
  round: number,
  limit_reached: optional(oneOf(0, 1)),
  dead_links: optional(list(record({ url: text, found_on: text }))),
  dead_links_total: optional(number),
  excluded_pages: optional(list(text)),
  refollow: optional(either(oneOf('all'), list(text))),
});

export const isSource = record<StoredSource>({
  uuid,
  title: text,
  type: oneOf('link', 'upload', 'qa'),
  status: text,
  file_name: text,
  file_size: number,
  tokens: number,
  meta_json: json,
  ...dated,
  chatbot: uuid,
  identity: text,
  alias: optional(text),
  site: optional(text),
  found_on: optional(text),
  own: optional(oneOf(0, 1)),
  round: optional(number),
  fetched_json: optional(json),
  change_json: optional(json),
  first_text_at: optional(text),
  embedded_by: optional(text),
  suggestion: optional(text),
});

const mark = optional(oneOf(true));
const hasPassages = record<SourceDocument>({
  title: text,
  text,
  passages: list(record({ headings: list(text), start: number, end: number, ofSite: mark, leadsAway: mark })),
});

export const isDocument = (value: unknown): value is SourceDocument => {
  if (!hasPassages(value)) return false;
  const { text: whole, passages } = value as SourceDocument;
  return passages.every(({ start, end }) => start >= 0 && start <= end && end <= whole.length);
};

export const isSession = record<StoredSession>({
  uuid,
  ...dated,
  initial_variables: optional(mapOf(either(text, number, bool))),
  dry_run: optional(bool),
  by_key: optional(bool),
  by_proxy: optional(bool),
  live: optional(record({ state: oneOf('requested') })),
  variables: optional(mapOf(either(text, number, bool))),
  chatbot: uuid,
  foreign: optional(text),
});

export const isMessage = record<StoredMessage>({
  uuid,
  query: text,
  response: text,
  finish_reason: text,
  cite_data_json: text,
  meta_json: text,
  ...dated,
  background_pending_tasks: number,
  detected_frustrations: text,
  error_message: text,
  feedback_json: text,
  labels: list(record({ name: text, color: text })),
  session_documents: list(() => true),
  session: uuid,
  pending_call_json: optional(text),
});

/** The JSON of a call to be confirmed, or of one that was answered. */
const pendingCall = either(
  record({
    answered: oneOf(true),
    confirmed: optional(record({ function: text, name: text, arguments: object, accepted: bool })),
  }),
  record({
    until: number,
    agent: text,
    function: text,
    shown: record({ function: text, name: text, arguments: object }),
    arguments: object,
    values: object,
    call: record({ id: text, name: text, arguments: text }),
    messages: list(object),
    rounds: number,
  }),
);

export const isPendingCall: Check = (value) => pendingCall(jsonIn(value as string));

export const isUsage = record<Usage>({
  owner: uuid,
  chatbot: uuid,
  day: text,
  model: text,
  messages: number,
  credits: number,
  tokens: number,
});

export const isReply = record<StoredReply>({
  key: text,
  request: text,
  status: number,
  body: text,
  warnings: optional(text),
  created_at: text,
});

export { list, mapOf, number, oneOf, optional, record, text, time, uuid };

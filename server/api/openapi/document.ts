import type { TObject, TSchema } from 'typebox';
import { Fault } from '../../schema/records.ts';
import recorded from './examples.json' with { type: 'json' };
import { componentsOf, schemaOrRef, type Json } from './schemas.ts';
import { publicChatOperations } from './public-chat.ts';
import { MATCH_PARAMETER } from '../../http/precondition.ts';
import { KEY_PARAMETER } from '../requests/idempotency.ts';
import type { Operation } from '../requests/operation.ts';

/** OpenAPI 3.1, from the operations and the schemas that validate their requests. */

/** A request and its replies by status, recorded from a running server by test/api/contract/examples.test.ts. */
interface RecordedExample {
  request?: unknown;
  replies: Record<string, unknown>;
}
const examples = recorded as { operations: Record<string, RecordedExample>; faults: Record<string, unknown> };

type DocumentedOperation = Omit<Operation, 'handle'>;

/** Documents these operations and those of the public chat API. */
export function createOpenapiDocument(operations: Operation[]): object {
  const paths: Record<string, Json> = {};
  const publicChat = publicChatOperations.map((one): DocumentedOperation => ({ ...one, right: 'open', audit: 'none' }));
  for (const one of [...operations, ...publicChat]) {
    for (const path of [one.path, ...(one.aliases ?? [])]) {
      const item = (paths[templateOf(path)] ??= {});
      item[one.method.toLowerCase()] = describeOperation(one, path);
    }
  }
  const shared = { responses: faultResponses(), headers: { RequestId } };
  return {
    openapi: '3.1.1',
    info: {
      title: 'Docent',
      version: '1',
      summary: 'Chatbots for websites, managed over HTTP.',
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
    tags: TAGS.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: componentsOf([paths, shared]),
      ...shared,
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, sent as `Authorization: Bearer <key>`. It belongs to a user, who owns chatbots.',
        },
      },
    },
  };
}

const INTRODUCTION = [
  'This page shows [/api/v1/openapi.json](/api/v1/openapi.json), which is generated from the schemas that validate every request. The examples were recorded from a running server.',
  'Every success is 200. Updates are partial: a field that is not sent keeps its value. `null` for an optional field means that it is not sent. Unknown fields are ignored; the reply header `X-Unknown-Fields` lists them. `X-Warnings` lists, as `field: sentence; …`, what does not act as it may be meant: ignored fields of agents, variables that no agent declares, functions that a model cannot pick or that may not be called.',
  'Identifiers are 32 lower-case hex digits; dashes are accepted in requests. Times are UTC in whole seconds, such as `2026-01-31T09:30:00Z`. Lists are in order of creation.',
  'An error is `{error, code}`: a sentence for people and a code for programs, with `field` where one input field is invalid. Another method of a known path is 405 with `Allow`. JSON bodies are UTF-8 and have at most 1 MB.',
  'Every reply has an `X-Request-Id`, by which the log names the request. A request may set its own: 1 to 64 of `A-Z a-z 0-9 _ - .`.',
  'A create with an `Idempotency-Key` may be repeated: for 24 hours the same request gets the same reply and creates nothing.',
  'A request line with its headers has at most 16 kB, else the reply is 431 `headers_too_large`. A request that is not valid HTTP is 400 `bad_request`.',
].join('\n\n');

const EVENTS = [
  'Server-Sent Events. Each has an `event:` line and one `data:` line of JSON, and `delta` has an `id:` line. A comment line is sent every 15 seconds.',
  '`session` `{uuid}`, where one was created; `message` `{uuid}`; `delta` `{text}`, the next part of the answer, whose id is the length of the answer so far in UTF-16 units;',
  '`done`, the complete message; `error` `{error, code, retry_after?, parts?}`, whose parts are cards of the nearest pages. The stream ends after `done` or `error`.',
].join(' ');

const TAGS = [
  {
    name: 'Chatbots',
    description: 'A chatbot belongs to the user of the key that created it. Other keys of this user may use it, too.',
    paths: /^\/api\/v1\/chatbots?(?:\/:uuid)?(?:\/\w+)?(?:\/(?:look|seen-on))?$/,
  },
  {
    name: 'Agents',
    description:
      'The agents of a chatbot. Of the enabled ones one is chosen for each question; a user-facing one answers by its prompt, model, temperature and sources.',
    paths: /\/(?:agents?|function)\b/,
  },
  {
    name: 'Data sources',
    description:
      'Web pages, files and questions with answers, from which a chatbot answers; crawls and their schedule.',
    paths: /\/data-sources?\b/,
  },
  { name: 'Source tags', description: 'Named groups of data sources.', paths: /\/source-tags?\b/ },
  {
    name: 'Sessions',
    description: 'A session is one conversation with a chatbot.',
    paths: /\/(?:sessions?|conversations)\b(?!.*\/message)/,
  },
  { name: 'Messages', description: 'A message is a question with its answer.', paths: /\/messages?\b/ },
  {
    name: 'Figures',
    description: 'What a chatbot is asked, day by day, and what visitors asked in vain.',
    paths: /\/(?:analytics|gaps?)\b/,
  },
  {
    name: 'People',
    description: 'The members of a chatbot, each with a role, and invitations.',
    paths: /\/(?:members?|memberships?|leave|invitations?)\b/,
  },
  {
    name: 'Audit log',
    description: 'Who changed what, and who read conversations: of a chatbot for its owners, and of your own account.',
    paths: /\/audit$/,
  },
  {
    name: 'This server',
    description:
      'The user of the key, what the answers have cost, tests of the mail server and the models, and this document.',
    paths: /\/(?:user|usage|mail\/test|openapi\.json|server\/models(?:\/test)?)$/,
  },
  {
    name: 'Public chat API',
    description:
      'For visitors, without a key: what the widget uses. A private chatbot is 404 here. The reply header `RateLimit` says how many messages the visitor has left.',
    paths: /^\/chat\//,
  },
];

/** The last tag that matches: chatbot paths are prefixes of the others, so Chatbots is first. */
const tagOf = (path: string): string => TAGS.filter(({ paths }) => paths.test(path)).at(-1)?.name ?? '';

function describeOperation(one: DocumentedOperation, path: string): Json {
  const alias = path !== one.path && {
    deprecated: true,
    description: `The same as \`${templateOf(one.path)}\`, for existing clients.`,
  };
  const parameters = [
    ...pathParameters(path),
    ...queryParameters(one.query),
    ...(one.creates ? [KEY_PARAMETER] : []),
    ...(one.takesIfMatch ? [MATCH_PARAMETER] : []),
  ];
  const requestBody = requestBodyOf(one);
  return {
    operationId: one.id + (alias ? 'Alias' : ''),
    tags: [tagOf(one.path)],
    summary: one.summary,
    ...(one.description !== undefined && { description: one.description }),
    ...alias,
    ...(one.right === 'open' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: repliesOf(one),
  };
}

const templateOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

const pathParameters = (path: string): Json[] =>
  [...path.matchAll(/\/([\w-]+)\/:(\w+)/g)].map(([, whose, name]) => {
    const schema = { type: 'string', pattern: '^(?:-*[0-9A-Fa-f]){32}-*$', maxLength: 40 };
    return {
      name,
      in: 'path',
      required: true,
      description: `Uuid of the ${name === 'uuid' ? whose : name}.`,
      schema,
    };
  });

const queryParameters = (query: TObject | undefined): Json[] =>
  Object.entries(query?.properties ?? {}).map(([name, schema]) => ({ name, in: 'query', schema: schemaOrRef(schema) }));

/** In the plural form, which RapiDoc shows. */
const exampleOf = (value: unknown): Json => (value === undefined ? {} : { examples: { recorded: { value } } });

function requestBodyOf({ method, path, body, parts }: DocumentedOperation): Json | undefined {
  const schema = body ?? parts;
  if (!schema) return undefined;
  const example = examples.operations[`${method} ${path}`]?.request;
  const media = { schema: schemaOrRef(schema), ...exampleOf(example) };
  const required = ((schema as { required?: string[] }).required ?? []).length > 0;
  return { required, content: { [body ? 'application/json' : 'multipart/form-data']: media } };
}

function repliesOf(one: DocumentedOperation): Json {
  const key = `${one.method} ${one.path}`;
  const [type, schema] =
    one.reply === 'text'
      ? [one.media ?? 'text/plain', { type: 'string' }]
      : one.reply === 'events'
        ? ['text/event-stream', { type: 'string', description: EVENTS }]
        : ['application/json', one.reply];
  const success = reply('Success', type, schema, examples.operations[key]?.replies['200']);
  if (one.hasEtag) success['headers'] = { ...(success['headers'] as Json), ETag };
  const replies: Json = { 200: success };
  for (const status of faultsOf(one)) replies[status] = { $ref: `#/components/responses/${FAULTS[status]?.name}` };
  for (const [status, other] of Object.entries(one.others ?? {}))
    replies[status] = otherReply(one, Number(status), other);
  return replies;
}

/** A further reply, merged by `anyOf` with the usual error of the same status, if there is one. */
function otherReply(one: DocumentedOperation, status: number, schema: TSchema): Json {
  if (schema === Fault) return { $ref: `#/components/responses/${FAULTS[status]?.name}` };
  const example = examples.operations[`${one.method} ${one.path}`]?.replies[status];
  const both = faultsOf(one).includes(status) ? { anyOf: [schema, Fault] } : schema;
  return reply(FAULTS[status]?.says ?? 'Refused', 'application/json', both, example);
}

const RequestId = { description: 'Identifies the request in the server’s log.', schema: { type: 'string' } };

const ETag = { description: 'The version of the record, for `If-Match` of its update.', schema: { type: 'string' } };

const reply = (description: string, type: string | readonly string[], schema: unknown, example?: unknown): Json => ({
  description,
  headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } },
  content: Object.fromEntries(
    [type].flat().map((one) => [one, { schema: schemaOrRef(schema), ...exampleOf(example) }]),
  ),
});

const FAULTS: Record<number, { name: string; says: string; header?: string }> = {
  400: { name: 'BadRequest', says: 'The body is not JSON, not UTF-8, or cannot be read' },
  401: { name: 'Unauthorized', says: 'The API key is missing or invalid', header: 'WWW-Authenticate' },
  403: {
    name: 'Forbidden',
    says: 'Your role in the chatbot has not the right, the origin of the page is not in allowed_origins of the widget, or a cookie of the console came from a page of another server or of another user',
  },
  404: { name: 'NotFound', says: 'There is no such record, or it is of a chatbot of which you are no member' },
  409: { name: 'Conflict', says: 'The record exists already; the body is that record, or the error' },
  412: { name: 'PreconditionFailed', says: 'The record has been changed since it was read; nothing was changed' },
  413: { name: 'TooLarge', says: 'The body is larger than 1 MB, or the file than 50 MB' },
  415: { name: 'UnsupportedMediaType', says: 'The media type or the encoding of the body is not supported' },
  422: { name: 'Invalid', says: 'A field is invalid; nothing was changed' },
  429: {
    name: 'TooMany',
    says: 'The rate limit is reached; Retry-After has the seconds to wait',
    header: 'Retry-After',
  },
  500: { name: 'Internal', says: 'An error of the server, described in its log under the X-Request-Id' },
  502: { name: 'ModelFailed', says: 'The model server failed' },
  503: {
    name: 'Unavailable',
    says: 'The server is stopping or overloaded; Retry-After has the seconds to wait',
    header: 'Retry-After',
  },
  504: { name: 'ModelTimeout', says: 'The model server did not answer in time' },
  507: { name: 'DiskFull', says: 'The disk is full: nothing was stored, or the question without its answer' },
};

/** The error statuses that follow from what an operation takes and does. */
function faultsOf({
  method,
  path,
  body,
  parts,
  query,
  right,
  audit,
  takesIfMatch,
  others = {},
}: DocumentedOperation): number[] {
  const takesBody = body ?? parts;
  return [
    ...(right === 'open' ? [] : [401, 403]),
    ...(path.includes(':') ? [404] : []),
    ...(takesBody ? [400, 413, 415] : []),
    ...(takesIfMatch ? [412] : []),
    ...(takesBody || query ? [422] : []),
    ...(/\/message\/(?:non-)?stream$/.test(path) && !(502 in others) ? [502, 504] : []),
    // What reads conversations is noted before it replies.
    ...(method === 'GET' && audit === 'none' ? [] : [507]),
    500,
    503,
  ];
}

function faultResponses(): Json {
  const all = Object.entries(FAULTS).map(([status, { name, says, header }]) => {
    const response = reply(says, 'application/json', Fault, examples.faults[status]);
    const headers = { ...(response['headers'] as Json), ...(header && { [header]: { schema: { type: 'string' } } }) };
    return [name, { ...response, headers }];
  });
  return Object.fromEntries(all) as Json;
}

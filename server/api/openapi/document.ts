import type { TObject, TSchema } from 'typebox';
import { Fault } from '../../schema/records.ts';
import recorded from './examples.json' with { type: 'json' };
import { componentsOf, written, type Json } from './schemas.ts';
import { publicChatOperations } from './public-chat.ts';
import { KEY_PARAMETER } from '../requests/idempotency.ts';
import type { Operation } from '../requests/operation.ts';

/** OpenAPI 3.1, out of the operations and the schemas that validate them. */

/** What the operation answered to a request that was really made: test/api/contract/examples.test.ts. */
interface Recorded {
  request?: unknown;
  replies: Record<string, unknown>;
}
const examples = recorded as { operations: Record<string, Recorded>; faults: Record<string, unknown> };

/** As much of an operation as is told. */
type Told = Omit<Operation, 'handle'>;

/** Of these operations, and of the public chat API. */
export function documentOf(operations: Operation[]): object {
  const paths: Record<string, Json> = {};
  const door = publicChatOperations.map((one): Told => ({ ...one, open: true }));
  for (const one of [...operations, ...door]) {
    for (const path of [one.path, ...(one.aliases ?? [])]) {
      const item = (paths[templateOf(path)] ??= {});
      item[one.method.toLowerCase()] = described(one, path);
    }
  }
  const shared = { responses: faults(), headers: { RequestId } };
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
          description: 'An API key. It stands for its user, who owns the chatbots.',
        },
      },
    },
  };
}

const INTRODUCTION = [
  'This page is [/api/v1/openapi.json](/api/v1/openapi.json), made of the schemas that check every request. The examples are replies that a server gave.',
  'Success is always 200. Updates are partial: what is not sent keeps its value. Unknown keys of a body are ignored, and `null` for an optional one means that it is not sent. `X-Unknown-Fields` names those that were ignored.',
  'Identifiers are 32 lower-case hex digits; dashes are accepted. Lists are in order of creation.',
  'A fault is `{error, code}`, with `field` where one input field is to blame. A known path asked by another method is 405 with `Allow`.',
  'Every reply carries `X-Request-Id`: yours, where the request has a plain one (1 to 64 of `A-Z a-z 0-9 _ - .`).',
  'A create that is sent with an `Idempotency-Key` may be sent again: within 24 hours the same request is answered by the same reply, and creates nothing.',
  'A request line with its headers may have 16 kB, else it is 431 `headers_too_large`; what is not HTTP is 400 `bad_request`.',
].join('\n\n');

const EVENTS = [
  'Each event is `id:` where it has one, `event:`, then one `data:` line of JSON. A comment line comes every 15 seconds.',
  '`session` `{uuid}`, when one was made; `message` `{uuid}`; `delta` `{text}`, whose id is the length of the answer so far in UTF-16 units;',
  '`done`, the message as its visitor sees it; `error` `{error, code, retry_after?}`. After `done` or `error` the stream ends.',
].join(' ');

const TAGS = [
  {
    name: 'Chatbots',
    description: 'A chatbot belongs to the key’s user.',
    paths: /^\/api\/v1\/chatbots?(?:\/:uuid)?(?:\/\w+)?$/,
  },
  { name: 'Agents', description: 'Who answers, and how.', paths: /\/(?:agents?|function)\b/ },
  { name: 'Data sources', description: 'What a chatbot knows.', paths: /\/data-sources?\b/ },
  { name: 'Source tags', description: 'Data sources in groups.', paths: /\/source-tags?\b/ },
  { name: 'Sessions', description: 'A session is one conversation.', paths: /\/sessions?\b(?!.*\/message)/ },
  { name: 'Messages', description: 'A question and its answer.', paths: /\/messages?\b/ },
  { name: 'This server', description: 'The owner of the key, and this document.', paths: /\/(?:user|openapi\.json)$/ },
  {
    name: 'Public chat API',
    description: 'What widgets speak, from any page and without a key. `RateLimit` tells what a visitor has left.',
    paths: /^\/chat\//,
  },
];

/** The most particular comes last, but for chatbots: their paths begin all the others. */
export const tagOf = (path: string): string => TAGS.filter(({ paths }) => paths.test(path)).at(-1)?.name ?? '';

function described(one: Told, path: string): Json {
  const alias = path !== one.path && {
    deprecated: true,
    description: `Another spelling of \`${templateOf(one.path)}\`, for clients that have it.`,
  };
  const parameters = [...pathParameters(path), ...queryParameters(one.query), ...(one.creates ? [KEY_PARAMETER] : [])];
  const requestBody = bodyOf(one);
  return {
    operationId: one.id + (alias ? 'Alias' : ''),
    tags: [tagOf(one.path)],
    summary: one.summary,
    ...(one.description !== undefined && { description: one.description }),
    ...alias,
    ...(one.open && { security: [] }),
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
      description: `identifier of the ${name === 'uuid' ? whose : name}`,
      schema,
    };
  });

const queryParameters = (query: TObject | undefined): Json[] =>
  Object.entries(query?.properties ?? {}).map(([name, schema]) => ({ name, in: 'query', schema: written(schema) }));

/** In the plural form, which RapiDoc shows. */
const exampleOf = (value: unknown): Json => (value === undefined ? {} : { examples: { recorded: { value } } });

function bodyOf({ method, path, body, parts }: Told): Json | undefined {
  const schema = body ?? parts;
  if (!schema) return undefined;
  const example = examples.operations[`${method} ${path}`]?.request;
  const media = { schema: written(schema), ...exampleOf(example) };
  const required = ((schema as { required?: string[] }).required ?? []).length > 0;
  return { required, content: { [body ? 'application/json' : 'multipart/form-data']: media } };
}

function repliesOf(one: Told): Json {
  const key = `${one.method} ${one.path}`;
  const [type, schema] =
    one.reply === 'text'
      ? ['text/plain', { type: 'string' }]
      : one.reply === 'events'
        ? ['text/event-stream', { type: 'string', description: EVENTS }]
        : ['application/json', one.reply];
  const replies: Json = { 200: reply('What was asked for', type, schema, examples.operations[key]?.replies['200']) };
  for (const status of faultsOf(one)) replies[status] = { $ref: `#/components/responses/${FAULTS[status]?.name}` };
  for (const [status, other] of Object.entries(one.others ?? {}))
    replies[status] = otherReply(one, Number(status), other);
  return replies;
}

/** A reply of its own, beside the ordinary fault where there is one of the same status. */
function otherReply(one: Told, status: number, schema: TSchema): Json {
  if (schema === Fault) return { $ref: `#/components/responses/${FAULTS[status]?.name}` };
  const example = examples.operations[`${one.method} ${one.path}`]?.replies[status];
  const both = faultsOf(one).includes(status) ? { anyOf: [schema, Fault] } : schema;
  return reply(FAULTS[status]?.says ?? 'Refused', 'application/json', both, example);
}

const RequestId = { description: 'Names this request in the log', schema: { type: 'string' } };

const reply = (description: string, type: string, schema: unknown, example?: unknown): Json => ({
  description,
  headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } },
  content: { [type]: { schema: written(schema), ...exampleOf(example) } },
});

const FAULTS: Record<number, { name: string; says: string; header?: string }> = {
  400: { name: 'BadRequest', says: 'The body cannot be read' },
  401: { name: 'Unauthorized', says: 'No key, or one that is not valid', header: 'WWW-Authenticate' },
  403: { name: 'ForbiddenOrigin', says: 'The page may not ask this chatbot: see allowed_origins of its widget' },
  404: { name: 'NotFound', says: 'Unknown, or not the caller’s own' },
  409: { name: 'Conflict', says: 'It is there already' },
  413: { name: 'TooLarge', says: 'The body is too large' },
  415: { name: 'UnsupportedMediaType', says: 'The body is of another media type' },
  422: { name: 'Invalid', says: 'A field is invalid; nothing was changed' },
  429: { name: 'TooMany', says: 'Too many requests', header: 'Retry-After' },
  500: { name: 'Internal', says: 'A fault of the server' },
  502: { name: 'ModelFailed', says: 'The model server failed' },
  503: { name: 'Unavailable', says: 'The server is about to stop, or has too much to do', header: 'Retry-After' },
  504: { name: 'ModelTimeout', says: 'The model server took too long' },
  507: { name: 'DiskFull', says: 'The disk is full: nothing was stored, or a question without its answer' },
};

/** The faults that follow from what an operation takes and does. */
function faultsOf({ method, path, body, parts, query, open, others = {} }: Told): number[] {
  const takesBody = body ?? parts;
  return [
    ...(open ? [] : [401]),
    ...(path.includes(':') ? [404] : []),
    ...(takesBody ? [400, 413, 415] : []),
    ...(takesBody || query ? [422] : []),
    ...(/\/message\/(?:non-)?stream$/.test(path) && !(502 in others) ? [502, 504] : []),
    ...(method === 'GET' ? [] : [507]),
    500,
    503,
  ];
}

function faults(): Json {
  const all = Object.entries(FAULTS).map(([status, { name, says, header }]) => {
    const made = reply(says, 'application/json', Fault, examples.faults[status]);
    const headers = { ...(made['headers'] as Json), ...(header && { [header]: { schema: { type: 'string' } } }) };
    return [name, { ...made, headers }];
  });
  return Object.fromEntries(all) as Json;
}

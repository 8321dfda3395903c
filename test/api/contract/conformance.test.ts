import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../../server/api/router.ts';
import { createOpenapiDocument } from '../../../server/api/openapi/document.ts';
import type { ApiDeps } from '../../../server/api/requests/operation.ts';
import { conformance, type Exchange } from './conformance.ts';
import { recordExchanges } from './recorded-exchanges.ts';

/** The checker of replies, which all tests of the interface go through, is checked itself. */

let faultsOf: (exchange: Exchange) => string[];
beforeAll(
  () => void (faultsOf = conformance(JSON.parse(JSON.stringify(createOpenapiDocument(operations({} as ApiDeps)))))),
);

const uuid = '0123456789abcdef0123456789abcdef';
const chatbot = {
  uuid,
  name: 'Help centre',
  created_at: '2026-01-15T09:30:00Z',
  modified_at: '2026-01-15T09:30:00Z',
  meta: { rate_limit: [20, 240], rate_limit_message: '', show_citations: true, visibility: 'public' },
};
const agent = {
  uuid,
  name: 'Q',
  prompt: '',
  description: '',
  created_at: chatbot.created_at,
  modified_at: chatbot.created_at,
  enabled: 1,
  data_source_uuids: [],
  tool_functions: [],
  variables: [],
  type: 'user-facing',
  meta: { model: 'llm-4o-1k', temperature: 0, bias: 0, stickness: 0, use_all_sources: true },
};
const source = {
  uuid,
  title: 't',
  type: 'qa',
  status: 'success',
  file_name: '',
  file_size: 0,
  tokens: 1,
  meta_json: '{}',
  created_at: chatbot.created_at,
  modified_at: chatbot.created_at,
};

const exchange = (path: string, body: unknown, more: Partial<Exchange> & { type?: string; without?: string } = {}) => {
  const headers = new Headers({
    'Content-Type': more.type ?? 'application/json; charset=utf-8',
    'X-Request-Id': '1',
    ETag: '"1"',
  });
  if (more.without) headers.delete(more.without);
  return { method: 'GET', path, status: 200, headers, body, ...more };
};

describe('a reply', () => {
  it('as the document has it is at fault in nothing', () => {
    expect(faultsOf(exchange(`/api/v1/chatbot/${uuid}`, chatbot))).toEqual([]);
    expect(faultsOf(exchange('/api/v1/chatbots?x=1', [chatbot, chatbot]))).toEqual([]);
    expect(faultsOf(exchange(`/api/v1/agent/${uuid}`, agent))).toEqual([]);
    expect(faultsOf(exchange('/api/v1/agent/models', { models: ['a'] }))).toEqual([]);
    expect(faultsOf(exchange(`/api/v1/data-source/${uuid}`, source))).toEqual([]);
    expect(faultsOf(exchange('/api/v1/nowhere', { error: 'e', code: 'not_found' }, { status: 404 }))).toEqual([]);
  });

  it.each<[string, Exchange]>([
    ['a key too many', exchange(`/api/v1/chatbot/${uuid}`, { ...chatbot, owner: 'x' })],
    ['a key too many within', exchange(`/api/v1/chatbot/${uuid}`, { ...chatbot, meta: { ...chatbot.meta, x: 1 } })],
    ['a key too few', exchange(`/api/v1/chatbot/${uuid}`, { ...chatbot, name: undefined })],
    ['a key too many in a list', exchange('/api/v1/chatbots', [chatbot, { ...chatbot, x: 1 }])],
    [
      'a third limit',
      exchange(`/api/v1/chatbot/${uuid}`, { ...chatbot, meta: { ...chatbot.meta, rate_limit: [1, 2, 3] } }),
    ],
    ['a setting of another type', exchange(`/api/v1/agent/${uuid}`, { ...agent, meta: { ...agent.meta, tags: [] } })],
    ['a setting too few', exchange(`/api/v1/agent/${uuid}`, { ...agent, meta: { model: 'a', temperature: 0 } })],
    [
      'settings for escalation elsewhere',
      exchange(`/api/v1/agent/${uuid}`, { ...agent, human_escalation_settings: {} }),
    ],
    ['true for 1', exchange(`/api/v1/agent/${uuid}`, { ...agent, enabled: true })],
    ['an identifier with dashes', exchange(`/api/v1/agent/${uuid}`, { ...agent, uuid: '0123-4567' })],
    ['parts of a second', exchange(`/api/v1/chatbot/${uuid}`, { ...chatbot, created_at: '2026-01-15T09:30:00.5Z' })],
    ['a JSON string of a list', exchange(`/api/v1/data-source/${uuid}`, { ...source, meta_json: '[]' })],
    ['an empty JSON string', exchange(`/api/v1/data-source/${uuid}`, { ...source, meta_json: '' })],
    ['a status that is not told of', exchange(`/api/v1/chatbot/${uuid}`, chatbot, { status: 201 })],
    ['a fault with a stack', exchange('/api/v1/nowhere', { error: 'e', code: 'c', stack: 's' }, { status: 404 })],
    [
      'a fault where there is no operation',
      exchange('/api/v1/nowhere', { error: 'e', code: 'internal' }, { status: 500 }),
    ],
    ['no request id', exchange(`/api/v1/chatbot/${uuid}`, chatbot, { without: 'X-Request-Id' })],
    ['no WWW-Authenticate', exchange('/api/v1/chatbots', { error: 'e', code: 'unauthorized' }, { status: 401 })],
    [
      'no Allow',
      exchange('/api/v1/chatbots', { error: 'e', code: 'method_not_allowed' }, { status: 405, method: 'PUT' }),
    ],
    ['another media type', exchange(`/api/v1/chatbot/${uuid}`, chatbot, { type: 'text/html; charset=utf-8' })],
    [
      'text in no known letters',
      exchange(`/api/v1/session/${uuid}/messages/plain-text`, 'User: a', { type: 'text/plain' }),
    ],
  ])('with %s is at fault', (_what, one) => {
    expect(faultsOf(one)).not.toEqual([]);
  });
});

it.each([
  ['none', [chatbot], undefined],
  ['a key too many', [{ ...chatbot, owner: 'x' }], /GET \/api\/v1\/chatbots answered 200: .*additional/],
])('a server is overheard, and %s told of at its end', async (_what, body, fault) => {
  const hearing = recordExchanges();
  const server = createServer((request, response) => {
    hearing.hear(request, response);
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('X-Request-Id', '1');
    response.write(JSON.stringify(body).slice(0, 9));
    response.end(Buffer.from(JSON.stringify(body).slice(9)));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/chatbots`)).text();
  server.close();
  if (fault) expect(() => hearing.check()).toThrow(fault);
  else hearing.check();
});

import { Compile } from 'typebox/schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../../server/api/router.ts';
import type { ApiDeps } from '../../../server/api/requests/operation.ts';
import { start, type Running } from '../../running.ts';

type Json = Record<string, any>; // oxlint-disable-line no-explicit-any

let docent: Running;
let document: Json;
beforeAll(async () => {
  docent = await start();
  document = await (await fetch(`${docent.base}/api/v1/openapi.json`)).json();
});
afterAll(() => docent.stop());

const allOperations = (): Json[] => Object.values(document['paths']).flatMap((item) => Object.values(item as Json));

/** Every object in it, the document itself first. */
const objectsIn = (value: unknown): Json[] =>
  typeof value !== 'object' || value === null ? [] : [value as Json, ...Object.values(value).flatMap(objectsIn)];

describe('GET /api/v1/openapi.json', () => {
  it('is there for anybody, from any origin', async () => {
    const reply = await fetch(`${docent.base}/api/v1/openapi.json`, { headers: { Origin: 'https://editor.example' } });
    expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(document).toMatchObject({ openapi: '3.1.1', info: { title: 'Docent', version: '1' } });
  });

  it('answers HEAD too, and wants a key for anything else', async () => {
    const ask = (method: string) => fetch(`${docent.base}/api/v1/openapi.json`, { method });
    expect([(await ask('HEAD')).status, (await ask('POST')).status]).toEqual([200, 401]);
    expect((await docent.api('POST', '/openapi.json')).status).toBe(405);
  });

  it('goes out compressed, and not at all to who has it already', async () => {
    const url = `${docent.base}/api/v1/openapi.json`;
    const tags = new Set<string | null>();
    for (const encoding of ['br', 'gzip', 'identity']) {
      const headers = { 'Accept-Encoding': encoding };
      const reply = await fetch(url, { headers });
      expect(reply.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding);
      expect(reply.headers.get('vary')).toMatch(/Accept-Encoding/);
      expect(await reply.json()).toEqual(document);
      const etag = reply.headers.get('etag')!;
      tags.add(etag);
      const again = await fetch(url, { headers: { ...headers, 'If-None-Match': etag } });
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
      const other = await fetch(url, { headers: { ...headers, 'If-None-Match': '"another"' } });
      expect(other.status).toBe(200);
      await other.body?.cancel();
    }
    expect(tags.size).toBe(3);
    const sizes = await Promise.all(
      ['br', 'identity'].map(async (encoding) => {
        const reply = await fetch(url, { method: 'HEAD', headers: { 'Accept-Encoding': encoding } });
        return Number(reply.headers.get('content-length'));
      }),
    );
    expect(sizes[0]).toBeLessThan(sizes[1]! / 4);
  });

  it('tells of every operation, under every spelling of its path', () => {
    for (const { method, path, aliases = [] } of operations({} as ApiDeps)) {
      for (const one of [path, ...aliases]) {
        expect(document['paths'][one.replace(/:(\w+)/g, '{$1}')], one).toHaveProperty(method.toLowerCase());
      }
    }
  });

  it('gives every operation a name of its own, a tag that the document lists, and a summary', () => {
    const names = allOperations().map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names)
      expect(name).toMatch(
        /^(?:ask|(?:confirm|create|draft|export|list|get|update|delete|exclude|include|hide|show|remove|leave|revoke|stop|stream|test|trace|try|resume|rescrape|restart|send)[A-Z][A-Za-z]+)$/,
      );
    expect(names).toEqual(expect.arrayContaining(['createChatbot', 'listAgents', 'streamMessage']));
    const tags = document['tags'].map(({ name }: { name: string }) => name);
    for (const one of allOperations()) {
      expect(tags).toContain(one['tags'][0]);
      expect(one['summary']).not.toBe('');
    }
  });

  it('asks for a key everywhere but here and in the public chat API', () => {
    expect(document['security']).toEqual([{ key: [] }]);
    expect(document['components'].securitySchemes.key).toMatchObject({ type: 'http', scheme: 'bearer' });
    const open = allOperations().filter(({ security }) => security?.length === 0);
    const chatOperations = allOperations().filter(({ tags }) => tags[0] === 'Public chat API');
    expect(chatOperations).toHaveLength(9);
    expect(open).toEqual([document['paths']['/api/v1/openapi.json'].get, ...chatOperations]);
  });

  it('names the faults of an operation: no key, nothing there, bad input, a full disk, a model that fails', () => {
    const faults = (path: string) => Object.keys(document['paths'][path].post.responses);
    expect(faults('/api/v1/session/{uuid}/message/stream')).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '413',
      '415',
      '422',
      '500',
      '502',
      '503',
      '504',
      '507',
    ]);
    expect(faults('/api/v1/chatbot/{uuid}/data-source/url')).toContain('409');
    expect(faults('/api/v1/chatbot/{uuid}/data-source/upload')).toContain('409');
  });

  it('tells of streams, of parts of a form and of parameters', () => {
    const { paths } = document;
    const answer = paths['/api/v1/session/{uuid}/message/stream'].post.responses[200].content;
    expect(answer['text/plain'].schema).toEqual({ type: 'string' });
    const upload = paths['/api/v1/chatbot/{uuid}/data-source/upload'].post.requestBody;
    expect(upload).toMatchObject({ required: true, content: { 'multipart/form-data': expect.anything() } });
    const list = paths['/api/v1/chatbot/{uuid}/sessions'].get.parameters;
    expect(list.map(({ name, in: place }: Json) => `${place} ${name}`)).toEqual([
      'path uuid',
      'query start_timestamp',
      'query end_timestamp',
      'query outcome',
      'query limit',
      'query after',
    ]);
  });

  it('has limit and after at every list, and nowhere else', () => {
    for (const { responses, parameters = [] } of allOperations()) {
      const [{ schema } = {} as Json] = Object.values((responses[200]?.content ?? {}) as Json);
      const names = parameters.filter((one: Json) => one['in'] === 'query').map(({ name }: Json) => name);
      if (schema?.type !== 'array') expect(names).not.toContain('after');
    }
    const lists = Object.entries(document['paths'] as Json).filter(
      ([path, { get }]) =>
        path.startsWith('/api/') && get?.responses[200].content['application/json']?.schema.type === 'array',
    );
    // Of at most a hundred, or of sums that a screen adds to a list that has pages.
    const isWhole = (path: string) => /\/(?:members|memberships|invitations|cited)$/.test(path);
    expect(lists.filter(([path]) => isWhole(path))).toHaveLength(4);
    const paged = lists.filter(([path]) => !isWhole(path));
    expect(paged.map(([path]) => path)).toHaveLength(10);
    for (const [path, { get }] of paged) {
      const names = get.parameters.map(({ name }: Json) => name);
      expect(names, path).toEqual(expect.arrayContaining(['limit', 'after']));
    }
  });

  it('has the Idempotency-Key at every create', () => {
    const { parameters } = document['paths']['/api/v1/chatbot/{uuid}/session/create'].post;
    expect(parameters.map(({ name, in: place }: Json) => `${place} ${name}`)).toEqual([
      'path uuid',
      'header Idempotency-Key',
    ]);
  });

  it('says rate_limit with plain items, which every reader of OpenAPI knows', () => {
    const { rate_limit } = document['components'].schemas.Chatbot.properties.meta.properties;
    expect(rate_limit).toMatchObject({ type: 'array', minItems: 2, maxItems: 2 });
    expect(rate_limit.items).toEqual({ type: 'integer', minimum: 1, maximum: 360 });
    expect(objectsIn(document).filter((one) => 'prefixItems' in one)).toEqual([]);
  });

  it('says that null for an optional field means not sent', () => {
    expect(document['info'].description).toMatch(/`null` for an optional field means that it is not sent/);
  });

  it('describes the public chat API as it is: every path with its methods, and the events', async () => {
    const paths = Object.entries(document['paths'] as Json).filter(([path]) => path.startsWith('/chat/'));
    const nowhere = '0'.repeat(32);
    for (const [path, item] of paths) {
      const url = docent.base + path.replace(/\{\w+\}/g, nowhere);
      for (const method of Object.keys(item)) {
        const reply = await fetch(url, { method: method.toUpperCase() });
        expect([reply.status, (await reply.json()).error], path).toEqual([404, 'no such chatbot']);
      }
      const wrong = await fetch(url, { method: 'DELETE' });
      const allowed = (wrong.headers.get('allow') ?? '').split(', ').filter((method) => method !== 'HEAD');
      expect(allowed.map((method) => method.toLowerCase()).toSorted(), path).toEqual(Object.keys(item).toSorted());
    }
    const ask = document['paths']['/chat/{chatbot}/ask'].post;
    expect(ask.responses[200].content['text/event-stream'].schema.description).toMatch(/`delta`.*`done`.*`error`/);
    expect(Object.keys(ask.responses)).toEqual(
      expect.arrayContaining(['403', '404', '409', '422', '429', '502', '504']),
    );
    const { uuid } = (await docent.api('POST', '/chatbot/create', { name: 'Profile', visibility: 'public' })).body;
    const profile = await (await fetch(`${docent.base}/chat/${uuid}`)).json();
    const { schema } = document['paths']['/chat/{chatbot}'].get.responses[200].content['application/json'];
    const [fits, errors] = Compile({ ...schema, components: document['components'] }).Errors(profile);
    expect(fits, JSON.stringify(errors)).toBe(true);
  });

  it('has each record once, by its name, and every pointer leads to one', () => {
    const { schemas } = document['components'];
    expect(Object.keys(schemas)).toEqual(
      expect.arrayContaining(['Chatbot', 'Agent', 'DataSource', 'SourceTag', 'Session', 'Message', 'ToolFunction']),
    );
    const pointers = objectsIn(document).flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []));
    expect(pointers.length).toBeGreaterThan(100);
    for (const pointer of new Set(pointers)) {
      const [, ...steps] = pointer.split('/');
      expect(
        steps.reduce<unknown>((at, step) => (at as Json)?.[step], document),
        pointer,
      ).toBeDefined();
    }
  });

  it('closes every record: a key more than it names is refused', () => {
    const records = Object.entries(document['components'].schemas as Json).filter(
      ([name]) => !/^New|Change$|^Uuids$|^ManySources$|^Switch$|Variables$/.test(name),
    );
    expect(records.length).toBeGreaterThan(12);
    for (const [name, schema] of records) {
      for (const one of objectsIn(schema).filter((part) => part['type'] === 'object' && part['properties'])) {
        expect(one['additionalProperties'], name).toBe(false);
      }
    }
  });

  it('has an example for every body and every success, and each is as its schema says', () => {
    const { components } = document;
    const media = allOperations()
      .filter(({ operationId, tags }) => operationId !== 'getOpenapi' && tags[0] !== 'Public chat API')
      .flatMap(({ requestBody, responses }) => [requestBody, responses[200], responses[409]])
      .flatMap((one) => Object.entries((one?.content ?? {}) as Json));
    expect(media.length).toBeGreaterThan(50);
    for (const [type, { schema, examples }] of media) {
      expect(examples?.recorded, JSON.stringify(schema)).toBeDefined();
      if (type !== 'multipart/form-data') {
        const [fits, errors] = Compile({ ...schema, components }).Errors(examples.recorded.value);
        expect(fits, JSON.stringify(errors)).toBe(true);
      }
    }
  });
});

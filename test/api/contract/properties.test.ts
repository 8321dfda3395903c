import fc from '../../random.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../../server/api/router.ts';
import { createOpenapiDocument } from '../../../server/api/openapi/document.ts';
import type { ApiDeps } from '../../../server/api/requests/operation.ts';
import { beside, valid, type Schema } from './arbitrary.ts';
import { rows } from './rows.ts';
import { newChatbot, startApiFixture, stateOf, type ApiFixture } from '../api-fixture.ts';

/** Random bodies, from the schemas and beside them: never a 500, never a crash, a refusal names its field and changes nothing. */

interface DocumentedOperation {
  requestBody?: { content: Record<string, { schema: Schema }> };
}
const all = operations({} as ApiDeps);
const document = createOpenapiDocument(all) as {
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, Schema> };
};
const schemas = document.components.schemas;

const operationsWithBody = all
  .filter((one) => one.body)
  .map(({ method, path }) => {
    const told = document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    const schema = told?.requestBody?.content['application/json']?.schema ?? {};
    const known = Object.keys((schema.$ref ? schemas[schema.$ref.split('/').at(-1) ?? ''] : schema)?.properties ?? {});
    return { method, path, schema, known };
  });

/**
 * Fields with rules that a schema has no words for: whole addresses, HTTP's own names, records that are there, one of a
 * type, a bound for each of two numbers, groups of rules within rules, a default value of its variable's type.
 */
const CHECKED_BY_HANDLER = [
  'rate_limit',
  'meta',
  'url',
  'external_url',
  'headers',
  'parameters',
  'data_source_uuids',
  'add_data_source_uuids',
  'type',
  'rules',
  'variables',
  'agents',
  'routing',
  'arguments',
  'email',
  'page',
  'before',
];
const ADDRESSES = ['icon', 'avatar', 'privacy_url', 'contact', 'image_hosts', 'link_hosts', 'allowed_origins', 'parts'];

let w: ApiFixture;
beforeAll(async () => void (w = await startApiFixture()));
afterAll(() => w.stop());

describe.each(operationsWithBody)('$method $path', ({ method, path, schema, known }) => {
  async function made(): Promise<{ chatbot: string; url: string }> {
    const chatbot = await newChatbot(w);
    const uuid = (await rows[`${method} ${path}`]?.on?.(w, chatbot)) ?? chatbot;
    return { chatbot, url: path.replace(':chatbot', chatbot).replace(':uuid', uuid) };
  }

  it('takes every body of its schema, or says which field it cannot take', async () => {
    const { url } = await made();
    const bodies = fc.asyncProperty(valid(schema, schemas), async (body) => {
      const reply = await w.call(method, url, JSON.stringify(body));
      if (reply.status !== (rows[`${method} ${path}`]?.withoutModel ?? 200)) {
        expectRefusal(reply);
        if (!Array.isArray(reply.body))
          expect([...CHECKED_BY_HANDLER, ...ADDRESSES], JSON.stringify(body)).toContain(
            reply.body.field.split(/[.[]/)[0],
          );
      }
      // The record of what was created or changed has what was sent.
      else if (!Array.isArray(reply.body)) expectKept(body as object, reply.body);
    });
    await fc.assert(bodies, { numRuns: 25 });
  }, 60_000);

  it('takes no harm from any other', async () => {
    const { chatbot, url } = await made();
    let before = await stateOf(w, chatbot);
    const bodies = fc.asyncProperty(beside(schema, schemas), async (body) => {
      const reply = await w.call(method, url, JSON.stringify(body));
      const after = await stateOf(w, chatbot);
      if (reply.status !== 200) {
        expectRefusal(reply);
        expect(settled(after)).toEqual(settled(before));
      }
      before = after;
    });
    await fc.assert(bodies, { numRuns: 40 });
  }, 60_000);

  function expectRefusal({ status, body }: { status: number; body: { field?: string } }): void {
    // Many at once are answered one by one; a URL may be there already.
    if ((status === 422 && Array.isArray(body)) || status === 409) return;
    expect(status, JSON.stringify(body)).toBe(422);
    if (body.field !== undefined) expect(known).toContain(body.field.split(/[.[]/)[0]);
  }
});

/** A widget's colour and an address of a person are kept in small letters, and without spaces around them. */
const written = (value: string): string =>
  /^#\w{6}$/.test(value) || value.includes('@') ? value.trim().toLowerCase() : value;

/** Plain values that both have under one name are the same. */
function expectKept(sent: object, got: Record<string, unknown>): void {
  const place = { ...(got['meta'] as object), ...got } as Record<string, unknown>;
  for (const [name, value] of Object.entries(sent)) {
    const kept = place[name];
    if (typeof value === 'string' && typeof kept === 'string') expect(written(kept)).toBe(written(value));
    if (typeof value === 'number' && name in place) expect(place[name]).toBe(value === 0 ? 0 : value);
  }
}

/** Sources are learned meanwhile, which no request did. */
const settled = (state: unknown): unknown =>
  JSON.parse(JSON.stringify(state), (_key, one) =>
    one?.file_name === undefined
      ? one
      : {
          ...one,
          status: '',
          tokens: 0,
          file_size: 0,
          modified_at: '',
          title: one.type === 'link' ? '' : one.title,
          meta_json: one.meta_json?.replace(/,?"passages":\d+/, ''),
        },
  );

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../../server/api/router.ts';
import type { Operation, ApiDeps } from '../../../server/api/requests/operation.ts';
import { newUuid } from '../../../server/schema/ids.ts';
import { rows, type Row } from './rows.ts';
import { newChatbot, startApiFixture, OTHER_KEY, stateOf, type ApiFixture } from '../api-fixture.ts';

/** Every operation × fine, invalid, unknown, another user's, no key, wrong method. */

const all = operations({} as ApiDeps);
const keyOf = ({ method, path }: Operation): string => `${method} ${path}`;

type Sent = Record<string, unknown>;
const requiredOf = ({ body }: Operation): string[] => (body as { required?: string[] } | undefined)?.required ?? [];

/** An update that changes nothing is an update all the same. */
const undated = (state: unknown): unknown =>
  JSON.parse(JSON.stringify(state), (key, value: unknown) => (key === 'modified_at' ? '' : value));

let w: ApiFixture;
beforeAll(async () => void (w = await startApiFixture()));
afterAll(() => w.stop());

it('every operation has a row, and every row an operation', () => {
  expect(Object.keys(rows).toSorted()).toEqual(all.map(keyOf).toSorted());
});

describe.each(all.filter((one) => keyOf(one) in rows))('$method $path', (one) => {
  const row = rows[keyOf(one)] as Row;
  const paths = [one.path, ...(one.aliases ?? [])];
  let chatbotOfPath = newUuid();
  const at = (path: string, uuid: string): string =>
    path.replace(':uuid', uuid).replace(':chatbot', chatbotOfPath) + (row.search ?? '');
  const optional = Object.keys(one.body?.properties ?? {}).filter((field) => !requiredOf(one).includes(field));
  const call = (uuid: string, body: unknown, key?: string, path = one.path) =>
    w.call(one.method, at(path, uuid), body, key);

  async function made(): Promise<{ chatbot: string; uuid: string }> {
    const chatbot = (chatbotOfPath = await newChatbot(w));
    return { chatbot, uuid: row.on ? await row.on(w, chatbot) : chatbot };
  }

  it.each(paths)('answers as the document says at %s', async (path) => {
    const { uuid } = await made();
    const reply = await call(uuid, row.send?.(uuid, w), undefined, path);
    expect(reply.status, JSON.stringify(reply.body)).toBe(row.withoutModel ?? 200);
  });

  it('refuses what is invalid by its name, and changes nothing', async () => {
    const { chatbot, uuid } = await made();
    const before = await stateOf(w, chatbot);
    for (const [field, body] of row.invalid ?? []) {
      if (field !== undefined && optional.includes(field) && (body as Sent)[field] === null) continue;
      const reply = await call(uuid, body);
      expect(reply.status, JSON.stringify(body).slice(0, 200)).toBe(422);
      expect([reply.body.code, reply.body.field], JSON.stringify(body).slice(0, 200)).toEqual(['invalid_field', field]);
    }
    for (const [field, search] of row.invalidSearch ?? []) {
      const reply = await w.call(one.method, one.path.replace(':uuid', uuid) + search);
      expect([reply.status, reply.body.field], search).toEqual([422, field]);
    }
    expect(await stateOf(w, chatbot)).toEqual(before);
    // Whoever takes a body or parameters has something to refuse.
    const takes = one.body ?? one.parts ?? one.query;
    expect((row.invalid ?? row.invalidSearch ?? []).length > 0).toBe(takes !== undefined);
  });

  it.runIf(optional.length > 0)('takes null for an optional field as not sent', async () => {
    const { chatbot, uuid } = await made();
    const required = { ...(row.send?.(uuid, w) as Sent) };
    for (const field of optional) delete required[field];
    const nulls = Object.fromEntries(optional.map((field) => [field, null]));
    const reply = await call(uuid, { ...required, ...nulls });
    expect(reply.status, JSON.stringify(reply.body)).toBe(200);
    if (!/\/(?:update|widget)$/.test(one.path)) {
      // A site that is being learned would keep others of the same host waiting.
      await w.call('DELETE', `/api/v1/chatbot/${chatbot}/delete`);
      return;
    }
    const before = await stateOf(w, chatbot);
    expect((await call(uuid, nulls)).status).toBe(200);
    expect(undated(await stateOf(w, chatbot))).toEqual(undated(before));
  });

  it('does not know an identifier of nothing', async () => {
    const { uuid } = await made();
    const strangers = [
      newUuid(),
      'nonsense',
      '%00',
      'a'.repeat(3000),
      '..%2f..%2fetc%2fpasswd',
      '__proto__',
      '%F0%9F%98%80',
    ];
    for (const stranger of strangers) await expectUnknown(stranger, row.send?.(uuid, w));
  });

  async function expectUnknown(stranger: string, body: unknown, key?: string): Promise<void> {
    if (one.path.includes(':uuid')) {
      const reply = await call(stranger, body, key);
      expect([reply.status, reply.body.code], stranger).toEqual([404, 'not_found']);
    } else if (row.strange) {
      const reply = await call('', { uuids: [stranger] }, key);
      expect([reply.status, reply.body]).toEqual([row.strange.status, row.strange.body(stranger)]);
    }
  }

  it("does not know another user's", async () => {
    const { chatbot, uuid } = await made();
    const before = await stateOf(w, chatbot);
    await expectUnknown(uuid, row.send?.(uuid, w), OTHER_KEY);
    if (!one.path.includes(':uuid')) {
      const reply = await call('', row.strange ? { uuids: [newUuid()] } : row.send?.('', w), OTHER_KEY);
      expect(JSON.stringify(reply.body)).not.toMatch(new RegExp(`${uuid}|${chatbot}`));
    }
    expect(await stateOf(w, chatbot)).toEqual(before);
  });

  it(one.right === 'open' ? 'needs no key' : 'wants a key before all else', async () => {
    for (const key of ['', 'wrong', `${'k'.repeat(5000)}`]) {
      const reply = await call(newUuid(), row.send?.('', w), key);
      expect([reply.status, reply.body.code]).toEqual(one.right === 'open' ? [200, undefined] : [401, 'unauthorized']);
      expect(reply.headers.get('www-authenticate')).toBe(one.right === 'open' ? null : 'Bearer');
    }
  });

  it('says which methods it takes', async () => {
    // A path of an identifier may have several operations; the others are wrong.
    const own = all.filter(({ path }) => path === one.path).map(({ method }) => method as string);
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((other) => !own.includes(other))) {
      const reply = await w.call(method, at(one.path, newUuid()), method === 'GET' ? undefined : {});
      expect([reply.status, reply.body.code], method).toEqual([405, 'method_not_allowed']);
      const allowed = reply.headers.get('allow')?.split(', ') ?? [];
      expect(allowed.filter((other) => other !== 'HEAD').toSorted()).toEqual(own.toSorted());
    }
  });
});

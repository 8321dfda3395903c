import Router from '@koa/router';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../../server/api/router.ts';
import { register, type ApiDeps, type Operation } from '../../../server/api/requests/operation.ts';
import { hasRight, isChatbotRight, isRight, rolesWith } from '../../../server/api/requests/rights.ts';
import { ROLES, type Role } from '../../../server/store/shared/members.ts';
import {
  invite,
  joinByLink,
  newChatbot,
  newMember,
  OTHER_KEY,
  startApiFixture,
  stateOf,
  type ApiFixture,
} from '../api-fixture.ts';
import { rows } from './rows.ts';

/** Who may call which operation: every route × every role, a stranger and nobody, by key and by cookie. */

const all = operations({} as ApiDeps);

it('does not start with an operation that declares no right, or one that there is not', () => {
  const [one] = all as [Operation, ...Operation[]];
  for (const right of [undefined, '', 'anybody', 'constructor'])
    expect(() => register(new Router(), {} as never, { ...one, right } as never)).toThrow('declares no right');
  register(new Router(), {} as never, one);
  expect(all.filter(({ right }) => !isRight(right))).toEqual([]);
});

it('lets no operation of a chatbot be called by whoever is signed in', () => {
  const named = all.filter(
    ({ path }) => path.includes(':uuid') || path.includes('data-sources') || path.includes('messages'),
  );
  expect(named.filter(({ right }) => !isChatbotRight(right)).map(({ id }) => id)).toEqual([]);
});

let w: ApiFixture;
beforeAll(async () => void (w = await startApiFixture()), 60_000);
afterAll(() => w.stop());

type Headers = Record<string, string>;

/** The headers of a member of the chatbot with that role: by the cookie of a sign-in, and by a key. */
async function memberOf(chatbot: string, role: Role): Promise<[Headers, Headers]> {
  const { cookie } = await joinByLink(w, await invite(w, chatbot, role));
  const signedIn = { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' };
  const made = await fetch(`${w.docent.base}/console/keys`, {
    method: 'POST',
    headers: { ...signedIn, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'tests' }),
  });
  const { key } = (await made.json()) as { key: string };
  return [signedIn, { Authorization: `Bearer ${key}` }];
}

async function send(one: Operation, url: string, body: unknown, headers: Headers) {
  const isForm = body instanceof FormData;
  const reply = await fetch(w.docent.base + url, {
    method: one.method,
    headers: { ...headers, ...(body !== undefined && !isForm && { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  });
  const text = await reply.text();
  return { status: reply.status, text };
}

const ofChatbot = all.filter(({ right }) => isChatbotRight(right));

describe.each(ofChatbot)('$method $path', (one) => {
  const row = rows[`${one.method} ${one.path}`]!;
  const allowed = ROLES.filter((role) => isChatbotRight(one.right) && hasRight(role, one.right));
  const refused = ROLES.filter((role) => !allowed.includes(role));

  async function made() {
    const chatbot = await newChatbot(w);
    const uuid = row.on ? await row.on(w, chatbot) : chatbot;
    const url = one.path.replace(':uuid', uuid).replace(':chatbot', chatbot) + (row.search ?? '');
    return { chatbot, url, body: row.send?.(uuid, w) };
  }

  it(`is there for ${allowed.join(', ')} alone`, { timeout: 60_000 }, async () => {
    const first = await made();
    const members: [Role, Headers][] = [];
    for (const role of refused)
      for (const headers of await memberOf(first.chatbot, role)) members.push([role, headers]);
    const before = await stateOf(w, first.chatbot);
    for (const [role, headers] of members) {
      const reply = await send(one, first.url, first.body, headers);
      expect([role, reply.status], reply.text).toEqual([role, 403]);
      expect(JSON.parse(reply.text)).toEqual({
        error: `your role in this chatbot is ${role}: this needs ${rolesWith(one.right as never)}`,
        code: 'forbidden',
      });
    }
    const stranger = await send(one, first.url, first.body, { Authorization: `Bearer ${OTHER_KEY}` });
    if (one.path.includes(':uuid')) expect(stranger.status, stranger.text).toBe(404);
    else expect(stranger.text).toBe(JSON.stringify(row.strange!.body((first.body as { uuids: string[] }).uuids[0]!)));
    expect((await send(one, first.url, first.body, {})).status).toBe(401);
    expect(await stateOf(w, first.chatbot)).toEqual(before);

    for (const role of allowed) {
      for (const by of [0, 1] as const) {
        const { chatbot, url, body } = await made();
        const reply = await send(one, url, body, (await memberOf(chatbot, role))[by]);
        expect([role, reply.status], reply.text).toEqual([role, row.withoutModel ?? 200]);
      }
    }
  });
});

it('gives a member who is removed, or whose role changes, its new place with the next request', async () => {
  const chatbot = await newChatbot(w);
  const { user, cookie } = await joinByLink(w, await invite(w, chatbot, 'editor'));
  const at = (path: string) => `/api/v1/chatbot/${chatbot}${path}`;
  const status = async (path: string) =>
    (await fetch(w.docent.base + at(path), { headers: { Cookie: cookie } })).status;
  expect(await status('/agents')).toBe(200);
  await w.call('POST', at(`/member/${user.uuid}/update`), { role: 'viewer' });
  expect([await status('/agents'), await status('/sessions')]).toEqual([403, 200]);
  await w.call('DELETE', at(`/member/${user.uuid}/delete`));
  expect([await status('/agents'), await status('')]).toEqual([404, 404]);
});

it('lists the chatbots of which a user is a member, and says what the role may do', async () => {
  const chatbot = await newChatbot(w);
  const { cookie } = await joinByLink(w, await invite(w, chatbot, 'operator'));
  const get = async (path: string) =>
    (await fetch(w.docent.base + path, { headers: { Cookie: cookie } })).json() as Promise<any>; // oxlint-disable-line no-explicit-any
  expect((await get('/api/v1/chatbots')).map(({ uuid }: { uuid: string }) => uuid)).toEqual([chatbot]);
  expect(await get(`/api/v1/chatbot/${chatbot}/membership`)).toEqual({
    chatbot,
    role: 'operator',
    weekly_mail: false,
    rights: ['know', 'read conversations', 'change conversations'],
  });
});

it('keeps the last owner, and hands the chatbot over to the next', async () => {
  const chatbot = await newChatbot(w);
  const at = (path: string) => `/api/v1/chatbot/${chatbot}${path}`;
  const [me] = (await w.call('GET', at('/members'))).body;
  for (const [method, path, body] of [
    ['POST', '/leave', undefined],
    ['DELETE', `/member/${me.uuid}/delete`, undefined],
    ['POST', `/member/${me.uuid}/update`, { role: 'viewer' }],
  ] as const)
    expect(await w.call(method, at(path), body)).toMatchObject({ status: 409, body: { code: 'conflict' } });
  const other = await newMember(w, chatbot, 'owner');
  expect((await w.call('POST', at('/leave'))).status).toBe(200);
  expect((await w.call('GET', at(''))).status).toBe(404);
  expect(other).toMatch(/^[0-9a-f]{32}$/);
});

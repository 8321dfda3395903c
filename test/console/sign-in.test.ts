import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Client } from '../../server/control/client.ts';
import { connectToSocket } from '../../server/control/socket.ts';
import { API_KEY, start, type Running } from '../running.ts';
import { cookieOf, OWN, send, signIn, tokenOf, type Answer } from './requests.ts';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

let docent: Running;
let client: Client;
beforeEach(async () => {
  // Before the server takes its clock.
  vi.useFakeTimers({ toFake: ['Date'] });
  docent = await start();
  client = new Client(connectToSocket(docent.dataDir));
});
afterEach(async () => {
  await docent.stop();
  vi.useRealTimers();
});

const pass = (ms: number): void => void vi.setSystemTime(Date.now() + ms);
const link = async (email?: string): Promise<string> => tokenOf((await client.addLoginLink(email)).link);
const tryWith = (credentials: object, headers = {}): Promise<Answer> =>
  send(docent.base, 'POST', '/console/session', { ...OWN, ...headers }, credentials);
const get = (path: string, cookie: string): Promise<Answer> => send(docent.base, 'GET', path, { ...OWN, cookie });
const remove = (path: string, cookie: string): Promise<Answer> => send(docent.base, 'DELETE', path, { ...OWN, cookie });
const isSignedIn = async (cookie: string): Promise<boolean> => {
  const statuses = await Promise.all(['/console/session', '/api/v1/user'].map((path) => get(path, cookie)));
  const [console, api] = statuses.map(({ status }) => status);
  expect(api).toBe(console);
  return console === 200;
};
const newUser = async (email = 'ann@example.com') => {
  await client.addUser(email);
  return { email, key: await client.addKey(email, 'laptop') };
};

describe('signing in', () => {
  it('by a link gives a cookie that /console/session and the API know', async () => {
    const reply = await tryWith({ link: await link() });
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      user: { uuid: expect.stringMatching(/^[0-9a-f]{32}$/), name: 'owner@localhost' },
      expires: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      is_secure: false,
      public_url: '',
      has_mail: false,
      has_model: false,
      is_guest: false,
      is_operator: true,
    });
    expect(Date.parse(reply.body.expires)).toBe(Math.floor(Date.now() / 1000) * 1000 + 7 * DAY);
    expect(reply.headers['cache-control']).toBe('no-store');
    expect(reply.headers['set-cookie']).toEqual([
      expect.stringMatching(/^docent=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/),
    ]);
    const cookie = cookieOf(reply);
    expect((await get('/console/session', cookie)).body).toEqual(reply.body);
    expect((await get('/api/v1/user', cookie)).body).toEqual({ data: { email: 'owner@localhost' } });
    const made = await send(docent.base, 'POST', '/api/v1/chatbot/create', { ...OWN, cookie }, { name: 'Mine' });
    expect(made.status).toBe(200);
    expect((await docent.api('GET', '/chatbots')).body).toMatchObject([{ uuid: made.body.uuid }]);
  });

  it('by a key is for the user of that key', async () => {
    const { key } = await newUser();
    const byOwner = await tryWith({ key: API_KEY });
    const byAnn = await tryWith({ key: ` ${key}\n` });
    expect(byOwner.body.user.name).toBe('owner@localhost');
    expect(byAnn.body.user.name).toBe('ann@example.com');
    const made = await docent.api('POST', '/chatbot/create', { name: 'Of the owner' });
    expect((await get(`/api/v1/chatbot/${made.body.uuid}`, cookieOf(byOwner))).status).toBe(200);
    expect((await get(`/api/v1/chatbot/${made.body.uuid}`, cookieOf(byAnn))).status).toBe(404);
  });

  it('by a link is for the user whom it was made for', async () => {
    await newUser();
    const reply = await tryWith({ link: await link('Ann@Example.com') });
    expect(reply.body.user.name).toBe('ann@example.com');
    await expect(link('bob@example.com')).rejects.toThrow('there is no user bob@example.com');
  });

  it('never gives the same cookie twice, nor takes one that the browser brings', async () => {
    const planted = `docent=${'A'.repeat(43)}`;
    const first = await signIn(docent.base, { key: API_KEY }, { cookie: planted });
    const second = await signIn(docent.base, { key: API_KEY });
    expect(new Set([first, second, planted]).size).toBe(3);
    expect(await isSignedIn(planted)).toBe(false);
  });

  it('ends the sign-in whose cookie the browser brings', async () => {
    const first = await signIn(docent.base, { key: API_KEY });
    const second = await signIn(docent.base, { link: await link() }, { cookie: first });
    expect(await isSignedIn(first)).toBe(false);
    expect(await isSignedIn(second)).toBe(true);
  });

  it('replaces no other user by a link unasked, and uses up none by that', async () => {
    const own = await signIn(docent.base, { link: await link() });
    const { email } = await newUser();
    const [ofOther, ofSame] = [await link(email), await link()];
    expect(await tryWith({ link: ofOther }, { cookie: own })).toMatchObject({
      status: 409,
      body: { error: `you are signed in as owner@localhost, and this link is for ${email}` },
    });
    expect(await isSignedIn(own)).toBe(true);
    const same = await tryWith({ link: ofSame }, { cookie: own });
    expect(same.status).toBe(200);
    const reply = await tryWith({ link: ofOther, replaces: true }, { cookie: cookieOf(same) });
    expect(reply).toMatchObject({ status: 200, body: { user: { name: email } } });
    expect(await isSignedIn(cookieOf(same))).toBe(false);
    // One that is over keeps nobody from a link.
    expect((await tryWith({ link: await link() }, { cookie: own })).status).toBe(200);
  });

  it('works once with a link, of ten browsers at once', async () => {
    const token = await link();
    const replies = await Promise.all(Array.from({ length: 10 }, () => tryWith({ link: token })));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(9).fill(401)]);
    expect(replies.find(({ status }) => status === 401)).toMatchObject({
      body: { code: 'unauthorized', error: expect.stringContaining('make another with "docent login"') },
    });
    for (const { status, headers } of replies) expect(headers['set-cookie'] !== undefined).toBe(status === 200);
    expect((await tryWith({ link: token })).status).toBe(401);
  });

  it('works with a link for thirty minutes', async () => {
    const [early, late] = [await link(), await link()];
    pass(29 * MINUTE);
    expect((await tryWith({ link: early })).status).toBe(200);
    pass(MINUTE);
    expect((await tryWith({ link: late })).status).toBe(401);
  });

  it.each([
    [{}, 422, 'link'],
    [{ link: 'a', key: 'b' }, 422, 'link'],
    [{ link: 7 }, 422, 'link'],
    [{ key: 'x'.repeat(257) }, 422, 'key'],
    [{ key: null }, 422, 'link'],
  ])('refuses %j', async (body, status, field) => {
    const reply = await tryWith(body);
    expect(reply).toMatchObject({ status, body: { code: 'invalid_field', field } });
    expect(reply.headers['set-cookie']).toBeUndefined();
  });

  it.each([{ key: 'dk_nobody-has-this-key' }, { link: 'A'.repeat(43) }, { key: '' }, { link: '' }])(
    'answers 401 to %j, and repeats nothing of it',
    async (body) => {
      const reply = await tryWith(body);
      expect(reply).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
      for (const sent of Object.values(body)) if (sent !== '') expect(reply.text).not.toContain(sent);
    },
  );

  it('takes no key for a link, no link for a key, and neither for a cookie', async () => {
    const token = await link();
    expect((await tryWith({ key: token })).status).toBe(401);
    expect((await tryWith({ link: API_KEY })).status).toBe(401);
    const { key } = await newUser();
    for (const one of [token, key, API_KEY]) expect(await isSignedIn(`docent=${one}`)).toBe(false);
    const cookie = await signIn(docent.base, { link: token });
    const authorization = `Bearer ${cookie.slice('docent='.length)}`;
    expect((await send(docent.base, 'GET', '/api/v1/user', { authorization })).status).toBe(401);
  });
});

describe('failed tries', () => {
  it('are answered ten times in ten minutes, whatever they try; those that succeed do not count', async () => {
    for (let i = 0; i < 12; i++) await signIn(docent.base, { key: API_KEY });
    for (let i = 0; i < 10; i++)
      expect((await tryWith(i % 2 ? { key: `wrong ${i}` } : { link: `${i}` })).status).toBe(401);
    const refused = await tryWith({ key: API_KEY });
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited', retry_after: 600 } });
    expect(refused.headers['retry-after']).toBe('600');
    expect(refused.headers['set-cookie']).toBeUndefined();
    pass(10 * MINUTE);
    expect((await tryWith({ key: API_KEY })).status).toBe(200);
  });

  it('count while they are under way', async () => {
    const replies = await Promise.all(Array.from({ length: 30 }, (_, i) => tryWith({ key: `wrong ${i}` })));
    const statuses = replies.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array<number>(10).fill(401), ...Array<number>(20).fill(429)]);
  });

  it('use up no link', async () => {
    const token = await link();
    for (let i = 0; i < 10; i++) await tryWith({ key: `wrong ${i}` });
    expect((await tryWith({ link: token })).status).toBe(429);
    pass(10 * MINUTE);
    expect((await tryWith({ link: token })).status).toBe(200);
  });

  it('leave those who are signed in alone', async () => {
    const cookie = await signIn(docent.base, { key: API_KEY });
    for (let i = 0; i < 11; i++) await tryWith({ key: `wrong ${i}` });
    expect(await isSignedIn(cookie)).toBe(true);
  });
});

describe('a sign-in ends', () => {
  it('when its browser signs out, and the cookie goes', async () => {
    const [cookie, other] = [await signIn(docent.base, { key: API_KEY }), await signIn(docent.base, { key: API_KEY })];
    const reply = await remove('/console/session', cookie);
    expect(reply.status).toBe(200);
    expect(reply.headers['set-cookie']).toEqual(['docent=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict']);
    expect(await isSignedIn(cookie)).toBe(false);
    expect(await isSignedIn(other)).toBe(true);
    expect((await remove('/console/session', cookie)).status).toBe(200);
  });

  it('after seven days without a use', async () => {
    const [used, idle] = [await signIn(docent.base, { key: API_KEY }), await signIn(docent.base, { key: API_KEY })];
    pass(7 * DAY - MINUTE);
    expect(await isSignedIn(used)).toBe(true);
    pass(2 * MINUTE);
    expect(await isSignedIn(used)).toBe(true);
    expect(await isSignedIn(idle)).toBe(false);
    expect((await get('/console/sessions', used)).body).toHaveLength(1);
  });

  it('after thirty days, however much it is used', async () => {
    const cookie = await signIn(docent.base, { key: API_KEY });
    for (let day = 5; day < 30; day += 5) {
      pass(5 * DAY);
      expect(await isSignedIn(cookie)).toBe(true);
    }
    const { body } = await get('/console/session', cookie);
    expect(Date.parse(body.expires)).toBe(Math.floor(Date.now() / 1000) * 1000 + 5 * DAY);
    pass(5 * DAY);
    expect(await isSignedIn(cookie)).toBe(false);
  });

  it('with the key that it was made with, and by link with the last key of its user', async () => {
    const { email, key } = await newUser();
    const second = await client.addKey(email, 'phone');
    const [first, other, linked] = [
      await signIn(docent.base, { key }),
      await signIn(docent.base, { key: second }),
      await signIn(docent.base, { link: await link(email) }),
    ];
    const [owner, unused] = [await signIn(docent.base, { link: await link() }), await link(email)];
    await client.revokeKeys(['laptop']);
    expect(await Promise.all([first, other, linked, owner].map(isSignedIn))).toEqual([false, true, true, true]);
    await client.revokeKeys(['phone']);
    expect(await Promise.all([other, linked, owner].map(isSignedIn))).toEqual([false, false, true]);
    expect((await tryWith({ link: unused })).status).toBe(401);
    expect((await tryWith({ link: await link(email) })).status).toBe(200);
  });

  it('with its user', async () => {
    const { email, key } = await newUser();
    const cookies = [await signIn(docent.base, { key }), await signIn(docent.base, { link: await link(email) })];
    const unused = await link(email);
    await client.removeUser(email, false);
    expect(await Promise.all(cookies.map(isSignedIn))).toEqual([false, false]);
    expect((await tryWith({ link: unused })).status).toBe(401);
  });

  it('says so at the API, in place of asking for a key', async () => {
    const cookie = await signIn(docent.base, { key: API_KEY });
    await remove('/console/session', cookie);
    const reply = await get('/api/v1/user', cookie);
    expect(reply).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
    expect(reply.body.error).toContain('this sign-in has ended');
    expect((await get('/api/v1/user', '')).body.error).toContain('an API key is required');
  });
});

describe('the list of sign-ins', () => {
  it('has those of the user, and revokes one', async () => {
    const { key } = await newUser();
    await signIn(docent.base, { key });
    const headers = { 'user-agent': 'Mozilla/5.0 <b>\t (X11)' };
    const [own, other] = [
      await signIn(docent.base, { key: API_KEY }, headers),
      await signIn(docent.base, { link: await link() }),
    ];
    pass(3 * MINUTE);
    const { body, text } = await get('/console/sessions', own);
    const at = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
    const [now, before] = [at(Date.now()), at(Date.now() - 3 * MINUTE)];
    expect(body).toEqual([
      {
        uuid: expect.stringMatching(/^[0-9a-f]{32}$/),
        created: before,
        last_used: now,
        expires: at(Date.now() + 7 * DAY),
        user_agent: 'Mozilla/5.0 <b> (X11)',
        is_current: true,
      },
      expect.objectContaining({ created: before, last_used: before, user_agent: '', is_current: false }),
    ]);
    expect(text).not.toContain(own.slice('docent='.length));
    const gone = body[1].uuid as string;
    expect((await remove(`/console/sessions/${gone}`, own)).body).toEqual({ uuid: gone });
    expect(await isSignedIn(other)).toBe(false);
    expect((await remove(`/console/sessions/${gone}`, own)).status).toBe(404);
    expect((await get('/console/sessions', own)).body).toHaveLength(1);
    const last = await remove(`/console/sessions/${body[0].uuid}`, own);
    expect(last.headers['set-cookie']?.[0]).toContain('Max-Age=0');
    expect(await isSignedIn(own)).toBe(false);
  });

  it('lets nobody see or revoke those of another user', async () => {
    const { key } = await newUser();
    const [ann, owner] = [await signIn(docent.base, { key }), await signIn(docent.base, { key: API_KEY })];
    const [hers] = (await get('/console/sessions', ann)).body;
    expect((await get('/console/sessions', owner)).text).not.toContain(hers.uuid);
    expect((await remove(`/console/sessions/${hers.uuid}`, owner)).status).toBe(404);
    expect(await isSignedIn(ann)).toBe(true);
  });

  it('is for nobody who is not signed in, a key holder neither', async () => {
    const authorization = `Bearer ${API_KEY}`;
    for (const path of ['/console/session', '/console/sessions']) {
      const reply = await send(docent.base, 'GET', path, { ...OWN, authorization });
      expect(reply).toMatchObject({ status: 401, body: { error: expect.stringContaining('"docent login"') } });
    }
    const path = `/console/sessions/${'a'.repeat(32)}`;
    expect((await send(docent.base, 'DELETE', path, { ...OWN, authorization })).status).toBe(401);
  });

  it.each([
    ['PUT', '/console/session', 405],
    ['POST', '/console/sessions', 405],
    ['DELETE', '/console/sessions/%', 404],
    ['GET', '/console/sessions/%', 405],
    ['GET', '/console/session/more', 404],
    ['DELETE', '/console/sessions/nothing', 404],
  ])('answers %s %s with %i', async (method, path, status) => {
    const cookie = await signIn(docent.base, { key: API_KEY });
    const reply = await send(docent.base, method, path, { ...OWN, cookie });
    expect(reply).toMatchObject({ status });
  });
});

describe('over a restart', () => {
  it('sign-ins and links go on, but those made with an API_KEY that has changed', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'docent-console-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const again = async (env: NodeJS.ProcessEnv = {}) => {
      await docent.stop();
      docent = await start({ DATA_DIR: dir, ...env });
      client = new Client(connectToSocket(dir));
    };
    await again();
    const [byKey, byLink] = [
      await signIn(docent.base, { key: API_KEY }),
      await signIn(docent.base, { link: await link() }),
    ];
    const token = await link();
    await again();
    expect(await Promise.all([byKey, byLink].map(isSignedIn))).toEqual([true, true]);
    await again({ API_KEY: 'another-key-of-the-tests' });
    expect(await Promise.all([byKey, byLink].map(isSignedIn))).toEqual([false, true]);
    expect((await get('/console/sessions', byLink)).body).toHaveLength(1);
    await again({ API_KEY: undefined });
    expect(await Promise.all([byKey, byLink].map(isSignedIn))).toEqual([false, true]);
    expect((await tryWith({ link: token })).status).toBe(200);
  });
});

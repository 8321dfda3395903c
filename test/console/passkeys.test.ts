import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Client } from '../../server/control/client.ts';
import { connectToSocket } from '../../server/control/socket.ts';
import { API_KEY, start, type Running } from '../running.ts';
import { Authenticator } from './authenticator.ts';
import { cookieOf, OWN, send, signIn, type Answer } from './requests.ts';

const MINUTE = 60_000;

let docent: Running;
let client: Client;
/** As a browser on this machine names the server: it makes no passkeys for an IP address. */
let host: string;
let origin: string;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  docent = await start();
  client = new Client(connectToSocket(docent.dataDir));
  host = `localhost:${new URL(docent.base).port}`;
  origin = `http://${host}`;
});
afterEach(async () => {
  await docent.stop();
  vi.useRealTimers();
});

const pass = (ms: number): void => void vi.setSystemTime(Date.now() + ms);
const call = (method: string, path: string, cookie = '', body?: object, headers: object = {}): Promise<Answer> =>
  send(docent.base, method, `/console/${path}`, { ...OWN, host, ...(cookie && { cookie }), ...headers }, body);
const byKey = (key = API_KEY): Promise<string> => signIn(docent.base, { key }, { host });
const isSignedIn = async (cookie: string): Promise<boolean> => (await call('GET', 'session', cookie)).status === 200;
const list = async (cookie: string) => (await call('GET', 'passkeys', cookie)).body;

type Faults = NonNullable<Parameters<Authenticator['create']>[1]>;
const addOptions = async (cookie: string) => (await call('POST', 'passkeys/options', cookie, {})).body;
async function add(cookie: string, device = new Authenticator(origin), faults: Faults = {}): Promise<Answer> {
  const credential = device.create(await addOptions(cookie), faults);
  return call('POST', 'passkeys', cookie, { name: 'Laptop', credential });
}
async function added(cookie: string): Promise<Authenticator & { uuid: string }> {
  const device = new Authenticator(origin);
  const reply = await add(cookie, device);
  expect(reply).toMatchObject({ status: 200 });
  return Object.assign(device, { uuid: reply.body.uuid as string });
}
const signInOptions = async () => (await call('POST', 'session/options', '', {})).body;
const tryWith = (passkey: object): Promise<Answer> => call('POST', 'session', '', { passkey });
const use = async (device: Authenticator, faults: Parameters<Authenticator['get']>[1] = {}): Promise<Answer> =>
  tryWith(device.get(await signInOptions(), faults));
const newUser = async (email = 'ann@example.com'): Promise<string> => {
  await client.addUser(email);
  return byKey(await client.addKey(email, 'laptop'));
};

describe('a passkey', () => {
  it('is added by who is signed in, listed, and signs in without anything else', async () => {
    const cookie = await newUser();
    const options = await addOptions(cookie);
    expect(options).toMatchObject({
      rp: { id: 'localhost', name: 'Docent' },
      user: { name: 'ann@example.com' },
      attestation: 'none',
      excludeCredentials: [],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    const { uuid } = (await call('GET', 'session', cookie)).body.user;
    expect(Buffer.from(options.user.id, 'base64url').toString('hex')).toBe(uuid);
    const device = await added(cookie);
    const view = { uuid: device.uuid, name: 'Laptop', host: 'localhost', created: expect.any(String), last_used: '' };
    expect(await list(cookie)).toEqual([view]);
    expect((await addOptions(cookie)).excludeCredentials).toEqual([
      { id: device.id.toString('base64url'), type: 'public-key' },
    ]);

    expect(await signInOptions()).toEqual({
      rpId: 'localhost',
      challenge: expect.stringMatching(/^[\w-]{72}$/),
      timeout: 300_000,
      userVerification: 'required',
    });
    pass(MINUTE);
    const reply = await use(device);
    expect(reply).toMatchObject({ status: 200, body: { user: { name: 'ann@example.com' } } });
    expect(await isSignedIn(cookieOf(reply))).toBe(true);
    expect((await list(cookie))[0].last_used).toBe(new Date(Date.now()).toISOString().slice(0, 19) + 'Z');
    expect((await use(device)).status).toBe(200);
  });

  it('is of its user alone', async () => {
    const [ann, owner] = [await newUser(), await byKey()];
    const device = await added(ann);
    expect(await list(owner)).toEqual([]);
    expect((await call('DELETE', `passkeys/${device.uuid}`, owner)).status).toBe(404);
    expect((await use(device)).status).toBe(200);
    const handle = (await addOptions(owner)).user.id;
    expect((await use(device, { handle })).status).toBe(401);
    // What another user has is not added again, by whomever.
    const credential = device.create(await addOptions(owner));
    expect(await call('POST', 'passkeys', owner, { name: 'x', credential })).toMatchObject({ status: 422 });
    expect(await list(owner)).toEqual([]);
  });

  it('is added by a cookie and its own page alone, never by a key', async () => {
    const bearer = { authorization: `Bearer ${API_KEY}` };
    for (const [method, path] of [
      ['GET', 'passkeys'],
      ['POST', 'passkeys/options'],
      ['POST', 'passkeys'],
      ['DELETE', `passkeys/${'0'.repeat(32)}`],
    ] as const) {
      expect((await call(method, path, '', undefined, bearer)).status).toBe(401);
      expect((await call(method, path)).status).toBe(401);
    }
    const cookie = await byKey();
    const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    for (const path of ['passkeys', 'passkeys/options', 'session/options', 'session'])
      expect((await call('POST', path, cookie, {}, foreign)).status).toBe(403);
  });

  it('ends, with what it has signed in, when it is removed', async () => {
    const cookie = await byKey();
    const [gone, kept] = [await added(cookie), await added(cookie)];
    const [first, second] = [cookieOf(await use(gone)), cookieOf(await use(kept))];
    const reply = await call('DELETE', `passkeys/${gone.uuid}`, first);
    expect(reply).toMatchObject({ status: 200, body: { uuid: gone.uuid } });
    expect(reply.headers['set-cookie']?.[0]).toContain('Max-Age=0');
    expect(await Promise.all([first, second, cookie].map(isSignedIn))).toEqual([false, true, true]);
    expect((await use(gone)).status).toBe(401);
    expect((await use(kept)).status).toBe(200);
    expect((await call('DELETE', `passkeys/${gone.uuid}`, cookie)).status).toBe(404);
  });

  it('goes with the last key that the shell revokes, and with its user', async () => {
    const ann = await newUser();
    const device = await added(ann);
    const signedIn = cookieOf(await use(device));
    await client.addKey('ann@example.com', 'phone');
    await client.revokeKeys(['laptop']);
    expect(await isSignedIn(signedIn)).toBe(true);
    await client.revokeKeys(['phone']);
    expect(await isSignedIn(signedIn)).toBe(false);
    expect((await use(device)).status).toBe(401);

    const bob = await newUser('bob@example.com');
    const other = await added(bob);
    await client.removeUser('bob@example.com', false);
    expect((await use(other)).status).toBe(401);
  });

  it('has a name that can be printed', async () => {
    const cookie = await byKey();
    const credential = new Authenticator(origin).create(await addOptions(cookie));
    for (const name of ['', ' ', 'a\u001bb', 'x'.repeat(201)])
      expect(await call('POST', 'passkeys', cookie, { name, credential })).toMatchObject({
        status: 422,
        body: { field: 'name' },
      });
    expect((await call('POST', 'passkeys', cookie, { name: '<b>"', credential })).status).toBe(200);
  });

  it('is one of fifty at most', async () => {
    const cookie = await byKey();
    for (let i = 0; i < 50; i++) await added(cookie);
    expect(await call('POST', 'passkeys/options', cookie, {})).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('at most 50') },
    });
  }, 30_000);
});

describe('adding refuses', () => {
  it.each<[string, Faults]>([
    ['another origin', { origin: 'http://evil.example' }],
    ['another port', { origin: 'http://localhost:1' }],
    ['another host name', { host: 'evil.example' }],
    ['a user who is not verified', { isVerified: false }],
    ['a challenge that nobody made', { challenge: randomBytes(54).toString('base64url') }],
    ['what was signed for signing in', { type: 'webauthn.get' }],
    ['a certificate', { format: 'packed', statement: new Map([['x5c', [Buffer.from('x')]]]) }],
    ['a format that was not asked for', { format: 'apple' }],
  ])('%s', async (_, faults) => {
    const cookie = await byKey();
    const reply = await add(cookie, new Authenticator(origin), faults);
    expect(reply).toMatchObject({ status: 422, body: { field: 'credential' } });
    expect(await list(cookie)).toEqual([]);
  });

  it('the challenge of another sign-in, of signing in, of before, and one that has expired', async () => {
    const [cookie, other] = [await byKey(), await byKey()];
    const options = await addOptions(cookie);
    const tryBy = (by: string, more: Faults = {}) =>
      call('POST', 'passkeys', by, { name: 'x', credential: new Authenticator(origin).create(options, more) });
    expect((await tryBy(other)).status).toBe(422);
    expect((await tryBy(cookie, { challenge: (await signInOptions()).challenge })).status).toBe(422);
    expect((await tryBy(cookie)).status).toBe(200);
    expect((await tryBy(cookie)).status).toBe(422);
    const late = await addOptions(cookie);
    pass(5 * MINUTE);
    const credential = new Authenticator(origin).create(late);
    expect((await call('POST', 'passkeys', cookie, { name: 'x', credential })).status).toBe(422);
    expect(await list(cookie)).toHaveLength(1);
  });

  it.each([{}, { name: 'x' }, { name: 'x', credential: 'all' }, { name: 'x', credential: { id: '!' } }])(
    '%j',
    async (body) => {
      const reply = await call('POST', 'passkeys', await byKey(), body);
      expect(reply).toMatchObject({ status: 422, body: { code: 'invalid_field' } });
    },
  );
});

describe('signing in by a passkey refuses', () => {
  it.each<[string, NonNullable<Parameters<Authenticator['get']>[1]>]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['another host name', { host: 'evil.example' }],
    ['a user who is not verified', { isVerified: false }],
    ['a challenge that nobody made', { challenge: randomBytes(54).toString('base64url') }],
    ['what was signed for adding', { type: 'webauthn.create' }],
    ['the handle of nobody', { handle: 'AAAAAAAAAAAAAAAAAAAAAA' }],
  ])('%s', async (_, faults) => {
    const device = await added(await byKey());
    const reply = await use(device, faults);
    expect(reply).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    expect(reply.headers['set-cookie']).toBeUndefined();
    expect((await use(device)).status).toBe(200);
  });

  it('what was used before, of ten at once as well', async () => {
    const device = await added(await byKey());
    const assertion = device.get(await signInOptions());
    const replies = await Promise.all(Array.from({ length: 10 }, () => tryWith(assertion)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(9).fill(401)]);
  });

  it('a challenge that was used, though what signs it is new', async () => {
    const device = await added(await byKey());
    const options = await signInOptions();
    expect((await tryWith(device.get(options))).status).toBe(200);
    expect((await tryWith(device.get(options))).status).toBe(401);
  });

  it('a challenge that has expired, and one for adding', async () => {
    const cookie = await byKey();
    const device = await added(cookie);
    const options = await signInOptions();
    const { challenge } = await addOptions(cookie);
    expect((await tryWith(device.get({ ...options, challenge }))).status).toBe(401);
    pass(5 * MINUTE - 1000);
    expect((await tryWith(device.get(options))).status).toBe(200);
    const late = await signInOptions();
    pass(5 * MINUTE);
    expect((await tryWith(device.get(late))).status).toBe(401);
  });

  it('a counter that goes back, or stands', async () => {
    const device = await added(await byKey());
    expect((await use(device, { counter: 7 })).status).toBe(200);
    for (const counter of [7, 6, 0]) {
      const reply = await use(device, { counter });
      expect(reply).toMatchObject({ status: 401, body: { error: expect.stringContaining('its counter went back') } });
    }
    expect((await use(device, { counter: 8 })).status).toBe(200);
  });

  it('takes a counter that is always 0: many authenticators do not count', async () => {
    const device = await added(await byKey());
    for (let i = 0; i < 3; i++) expect((await use(device, { counter: 0 })).status).toBe(200);
  });

  it('a signature of another key', async () => {
    const [device, other] = [await added(await byKey()), new Authenticator(origin)];
    other.create(await addOptions(await byKey()));
    const forged = { ...other.get(await signInOptions()), id: device.id.toString('base64url') };
    expect((await tryWith({ ...forged, rawId: forged.id })).status).toBe(401);
  });

  it('more than ten tries that fail, as of keys and links', async () => {
    const device = await added(await byKey());
    for (let i = 0; i < 5; i++) expect((await use(device, { isVerified: false })).status).toBe(401);
    for (let i = 0; i < 5; i++) await call('POST', 'session', '', { key: `wrong ${i}` });
    expect((await use(device)).status).toBe(429);
    pass(10 * MINUTE);
    expect((await use(device)).status).toBe(200);
  });

  it.each([
    { passkey: {} },
    { passkey: 'x' },
    { passkey: { id: 'a', rawId: 'a', type: 'x', response: {} } },
    { passkey: { id: '?', rawId: 'a', type: 'public-key', response: {} }, key: 'x' },
  ])('%j', async (body) => {
    expect(await call('POST', 'session', '', body)).toMatchObject({ status: 422, body: { code: 'invalid_field' } });
  });
});

describe('where passkeys work', () => {
  const optionsAt = (at: string, more: object = {}) => call('POST', 'session/options', '', {}, { host: at, ...more });

  it('is the name in Host, on localhost', async () => {
    for (const [at, rpId] of [
      ['localhost', 'localhost'],
      ['docent.localhost:8080', 'docent.localhost'],
    ])
      expect(await optionsAt(at!)).toMatchObject({ status: 200, body: { rpId } });
  });

  it.each([
    ['127.0.0.1:8080', 'IP address'],
    ['[::1]:8080', 'IP address'],
    ['192.168.1.4', 'IP address'],
    ['docent.example', 'HTTPS'],
    ['localhost.evil.example', 'HTTPS'],
    ['a b', 'Host'],
  ])('is not %s over plain HTTP', async (at, why) => {
    const reply = await optionsAt(at);
    expect(reply).toMatchObject({ status: 400, body: { error: expect.stringContaining(why) } });
  });

  it('is not where another name was used: a passkey of one host signs in at no other', async () => {
    const device = await added(await byKey());
    const at = `docent.${host}`;
    const options = (await optionsAt(at)).body;
    const other = device.get(options, { origin: `http://${at}` });
    expect((await call('POST', 'session', '', { passkey: other }, { host: at })).status).toBe(401);
  });

  describe('behind HTTPS', () => {
    let server: Running;
    afterEach(() => server.stop());
    const ask = (headers: object, path = 'session/options', body: object = {}, cookie = '') =>
      send(server.base, 'POST', `/console/${path}`, { ...OWN, ...headers, ...(cookie && { cookie }) }, body);

    it('is the name of PUBLIC_URL, whatever Host says', async () => {
      server = await start({ PUBLIC_URL: 'https://docent.example' });
      const headers = { host: 'internal:8080' };
      const cookie = cookieOf(await ask(headers, 'session', { key: API_KEY }));
      const options = (await ask(headers, 'passkeys/options', {}, cookie)).body;
      expect(options.rp.id).toBe('docent.example');
      const device = new Authenticator('https://docent.example');
      const reply = await ask(headers, 'passkeys', { name: 'x', credential: device.create(options) }, cookie);
      expect(reply).toMatchObject({ status: 200, body: { host: 'docent.example' } });
      const passkey = device.get((await ask(headers)).body);
      const signedIn = await ask(headers, 'session', { passkey });
      expect(signedIn).toMatchObject({ status: 200, body: { is_secure: true } });
      expect(cookieOf(signedIn)).toMatch(/^__Host-docent=/);
      const inner = device.get((await ask(headers)).body, { origin: 'https://internal:8080' });
      expect((await ask(headers, 'session', { passkey: inner })).status).toBe(401);
    });

    it('is the name in Host where a proxy says that it came over HTTPS', async () => {
      server = await start({ TRUST_PROXY_HOPS: '1' });
      const headers = { host: 'docent.example', 'x-forwarded-proto': 'https' };
      expect((await ask(headers)).body.rpId).toBe('docent.example');
      expect((await ask({ ...headers, 'x-forwarded-proto': 'http' })).status).toBe(400);
    });

    it('refuses a PUBLIC_URL of plain HTTP', async () => {
      server = await start({ PUBLIC_URL: 'http://docent.example' });
      expect((await ask({ host: 'localhost' })).status).toBe(400);
    });
  });
});

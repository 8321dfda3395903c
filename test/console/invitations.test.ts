import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Client } from '../../server/control/client.ts';
import { connectToSocket } from '../../server/control/socket.ts';
import { API_KEY, start, type Running } from '../running.ts';
import { cookieOf, OWN, send, signIn, type Answer } from './requests.ts';

const DAY = 86_400_000;
const ANN = 'ann@shop.example';

let docent: Running;
let client: Client;
let chatbot: string;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  docent = await start();
  client = new Client(connectToSocket(docent.dataDir));
  chatbot = await newChatbot();
});
afterEach(async () => {
  await docent.stop();
  vi.useRealTimers();
});

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const api = (method: string, path: string, headers: object, body?: object): Promise<Answer> =>
  send(docent.base, method, `/api/v1${path}`, { ...headers }, body);
const newChatbot = async (key = API_KEY): Promise<string> =>
  (await api('POST', '/chatbot/create', bearer(key), { name: 'Shop' })).body.uuid;
const invite = async (email = ANN, role = 'editor', of = chatbot, key = API_KEY): Promise<string> => {
  const { status, body } = await api('POST', `/chatbot/${of}/invitation/create`, bearer(key), { email, role });
  expect(status).toBe(200);
  expect(body.link).toMatch(new RegExp(`^http://[^#]+/console/#invitation=${of}\\.[\\w-]{43}$`));
  return body.link.split('#invitation=')[1];
};
const look = (link: string, headers: object = {}): Promise<Answer> =>
  send(docent.base, 'POST', '/console/invitation', { ...OWN, ...headers }, { link });
const accept = (link: string, headers: object = {}): Promise<Answer> =>
  send(docent.base, 'POST', '/console/invitation/accept', { ...OWN, ...headers }, { link });
const roleOf = async (headers: object): Promise<string | undefined> =>
  (await api('GET', `/chatbot/${chatbot}/membership`, headers)).body.role;
const membersOf = async (): Promise<[string, string][]> =>
  (await api('GET', `/chatbot/${chatbot}/members`, bearer(API_KEY))).body.map(
    ({ email, role }: { email: string; role: string }) => [email, role],
  );
const newUser = async (email = ANN): Promise<string> => {
  await client.addUser(email);
  return client.addKey(email, 'laptop');
};
const DEAD = {
  status: 401,
  body: { code: 'unauthorized', error: expect.stringContaining('this invitation has been') },
};

describe('an invitation for an address without a user', () => {
  it('makes the user, signs in and makes a member, once', async () => {
    const link = await invite(' Ann@Shop.example ');
    expect((await look(link)).body).toEqual({
      chatbot: 'Shop',
      email: ANN,
      role: 'editor',
      expires: expect.any(String),
      needs_sign_in: false,
    });
    const first = await accept(link);
    expect(first.body).toMatchObject({ user: { name: ANN }, chatbot, is_guest: true, is_operator: false });
    const cookie = { ...OWN, cookie: cookieOf(first) };
    expect(await roleOf(cookie)).toBe('editor');
    expect(await membersOf()).toEqual([
      ['owner@localhost', 'owner'],
      [ANN, 'editor'],
    ]);
    for (const again of [await accept(link), await look(link), await accept(link, cookie)])
      expect(again).toMatchObject(DEAD);
  });

  it('lets in one of several browsers that open it at once', async () => {
    const link = await invite();
    const replies = await Promise.all(Array.from({ length: 5 }, () => accept(link)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401]);
    const cookies = replies.filter(({ status }) => status === 200).map(cookieOf);
    expect(await roleOf({ ...OWN, cookie: cookies[0]! })).toBe('editor');
    const signIns = await send(docent.base, 'GET', '/console/sessions', { ...OWN, cookie: cookies[0]! });
    expect(signIns.body).toHaveLength(1);
  });

  it('is listed, and is dead once revoked, replaced or seven days old, or with its chatbot', async () => {
    const listed = async () => (await api('GET', `/chatbot/${chatbot}/invitations`, bearer(API_KEY))).body;
    const replaced = await invite();
    const link = await invite(ANN, 'viewer');
    const [one, ...others] = await listed();
    expect(others).toEqual([]);
    expect(one).toMatchObject({ email: ANN, role: 'viewer' });
    expect(JSON.stringify(one)).not.toContain(link.split('.')[1]);
    expect(await accept(replaced)).toMatchObject(DEAD);
    await api('DELETE', `/chatbot/${chatbot}/invitation/${one.uuid}/delete`, bearer(API_KEY));
    expect(await listed()).toEqual([]);
    expect(await accept(link)).toMatchObject(DEAD);

    const [old, gone] = [await invite('bob@shop.example'), await invite('eve@shop.example')];
    vi.setSystemTime(Date.now() + 7 * DAY + 1000);
    expect(await accept(old)).toMatchObject(DEAD);
    expect(await listed()).toEqual([]);
    vi.setSystemTime(Date.now() - 2 * DAY);
    await api('DELETE', `/chatbot/${chatbot}/delete`, bearer(API_KEY));
    expect(await accept(gone)).toMatchObject(DEAD);
    expect((await client.users()).map(({ email }) => email)).toEqual(['owner@localhost']);
  });

  it('is worth nothing cut, lengthened, or for another chatbot', async () => {
    const link = await invite();
    const other = await newChatbot();
    const wrong = [link.slice(0, -1), `${link}A`, link.replace(chatbot, other), link.split('.')[1]!, '', 'nonsense'];
    for (const one of wrong) expect(await accept(one), one).toMatchObject(DEAD);
    expect((await accept(link)).status).toBe(200);
  });

  it('gives no more than the role: its user makes no chatbots until the operator adds the address', async () => {
    const cookie = { ...OWN, cookie: cookieOf(await accept(await invite(ANN, 'owner'))) };
    const make = (headers: object) => api('POST', '/chatbot/create', headers, { name: 'Mine' });
    expect(await make(cookie)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    // Whoever opened the link first need not be the person that the operator means.
    await client.addUser(ANN);
    expect((await make(cookie)).status).toBe(401);
    const key = await client.addKey(ANN, 'laptop');
    expect((await make(bearer(key))).status).toBe(200);
    expect(await roleOf(bearer(key))).toBe('owner');
    await expect(client.addUser(ANN)).rejects.toThrow('already');
  });
});

describe('an invitation for an address that has a user', () => {
  it('signs nobody in, and makes a member of the user who is signed in by another way', async () => {
    const key = await newUser();
    const link = await invite();
    expect((await look(link)).body).toMatchObject({ needs_sign_in: true });
    const eve = await newUser('eve@shop.example');
    for (const headers of [{}, bearer(API_KEY), bearer(key), { cookie: await signIn(docent.base, { key: eve }) }]) {
      const refused = await accept(link, headers);
      expect(refused).toMatchObject({ status: 401, body: { error: expect.stringContaining('sign in as that user') } });
      expect(cookieOf(refused)).toBe('');
    }
    expect(await membersOf()).toEqual([['owner@localhost', 'owner']]);
    const cookie = await signIn(docent.base, { key });
    expect((await look(link, { cookie })).body).toMatchObject({ needs_sign_in: false });
    const accepted = await accept(link, { cookie });
    expect([accepted.status, cookieOf(accepted)]).toEqual([200, '']);
    expect(await roleOf(bearer(key))).toBe('editor');
  });

  it('signs nobody in as a user that another invitation has made, either', async () => {
    const ann = { ...OWN, cookie: cookieOf(await accept(await invite())) };
    const eve = await newUser('eve@shop.example');
    const trap = await newChatbot(eve);
    expect(await accept(await invite(ANN, 'owner', trap, eve))).toMatchObject({ status: 401 });
    const again = await invite(ANN, 'owner', trap, eve);
    expect((await accept(again, ann)).status).toBe(200);
    expect(await roleOf(ann)).toBe('editor');
  });

  it('is refused where the user is a member already', async () => {
    await accept(await invite());
    const path = `/chatbot/${chatbot}/invitation/create`;
    const { status, body } = await api('POST', path, bearer(API_KEY), { email: ANN, role: 'owner' });
    expect([status, body.code]).toEqual([409, 'conflict']);
  });
});

describe('whoever asks about invitations', () => {
  it('is slowed down by address after ten that are no good', async () => {
    for (let n = 0; n < 10; n++) expect((await look(`${chatbot}.${'a'.repeat(43)}`)).status).toBe(401);
    const link = await invite();
    for (const reply of [await look(link), await accept(link)]) expect(reply.status).toBe(429);
    expect(await membersOf()).toHaveLength(1);
  });

  it('needs a page of this server', async () => {
    const link = await invite();
    for (const site of ['cross-site', 'same-site', 'none'])
      expect((await accept(link, { 'sec-fetch-site': site })).status).toBe(403);
    expect(await membersOf()).toHaveLength(1);
  });
});

describe('keys of whoever is signed in', () => {
  const keys = (method: string, path: string, headers: object, body?: object): Promise<Answer> =>
    send(docent.base, method, `/console/keys${path}`, { ...OWN, ...headers }, body);

  it('are made with a name, shown once, listed and revoked, each for its user alone', async () => {
    const cookie = { cookie: cookieOf(await accept(await invite())) };
    const made = await keys('POST', '', cookie, { name: 'laptop' });
    expect(made.body).toEqual({
      uuid: expect.stringMatching(/^[0-9a-f]{32}$/),
      name: 'laptop',
      hint: made.body.key.slice(0, 7),
      created: expect.any(String),
      last_used: '',
      key: expect.stringMatching(/^dk_/),
    });
    expect(await roleOf(bearer(made.body.key))).toBe('editor');
    const { key: _, ...listed } = made.body;
    // When a key was last used is noted beside the request.
    await expect
      .poll(async () => (await keys('GET', '', cookie)).body)
      .toEqual([{ ...listed, last_used: expect.stringMatching(/Z$/) }]);
    const owner = { cookie: await signIn(docent.base, { key: API_KEY }) };
    expect((await keys('GET', '', owner)).body).toEqual([]);
    expect((await keys('DELETE', `/${made.body.uuid}`, owner)).status).toBe(404);
    const byKey = await signIn(docent.base, { key: made.body.key });
    expect((await keys('DELETE', `/${made.body.uuid}`, cookie)).status).toBe(200);
    expect(await roleOf(bearer(made.body.key))).toBeUndefined();
    // What was signed in with the key ends with it; what an invitation has signed in goes on.
    expect((await keys('GET', '', { cookie: byKey })).status).toBe(401);
    expect((await keys('GET', '', cookie)).body).toEqual([]);
  });

  it('are refused with a bad name, to a key, and to pages of others', async () => {
    const cookie = { cookie: cookieOf(await accept(await invite())) };
    for (const name of ['', ' ', 'dk_abc', 'a\nb', 7])
      expect(await keys('POST', '', cookie, { name })).toMatchObject({ status: 422, body: { field: 'name' } });
    expect((await keys('POST', '', bearer(API_KEY), { name: 'more' })).status).toBe(401);
    expect((await keys('POST', '', { ...cookie, 'sec-fetch-site': 'cross-site' }, { name: 'more' })).status).toBe(403);
    expect((await keys('GET', '', cookie)).body).toEqual([]);
  });
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client } from '../../server/control/client.ts';
import { connectToSocket } from '../../server/control/socket.ts';
import { API_KEY, start, type Running } from '../running.ts';
import { OWN, send, signIn, type Answer } from './requests.ts';

/** A page names the user whose it is; the cookie may be another's by then: all tabs of a browser share it. */

const NOBODY = 'a'.repeat(32);
const ANN = 'ann@example.com';

let docent: Running;
/** Of the cookie. */
let ann: string;
let cookie: string;
let owner: string;
let chatbot: string;
beforeAll(async () => {
  docent = await start();
  const client = new Client(connectToSocket(docent.dataDir));
  await client.addUser(ANN);
  cookie = await signIn(docent.base, { key: await client.addKey(ANN, 'laptop') });
  const uuidOf = async (sent: string): Promise<string> =>
    (await send(docent.base, 'GET', '/console/session', { ...OWN, cookie: sent })).body.user.uuid;
  ann = await uuidOf(cookie);
  owner = await uuidOf(await signIn(docent.base, { key: API_KEY }));
  chatbot = (await as(ann, 'POST', '/api/v1/chatbot/create', { name: 'Of Ann' })).body.uuid;
});
afterAll(() => docent.stop());

const as = (user: string, method: string, path: string, body?: object): Promise<Answer> =>
  send(docent.base, method, path, { ...OWN, cookie, 'x-docent-user': user }, body);

const refused = {
  status: 403,
  body: { code: 'other_user', error: expect.stringContaining(`another user, ${ANN}, is signed in`) },
};

it('refuses whatever a page of another user asks, and does nothing of it', async () => {
  for (const user of [owner, NOBODY, '', `${ann}, ${owner}`]) {
    const ask = async (method: string, path: string, body?: object) =>
      expect({ user, path, ...(await as(user, method, path, body)) }).toMatchObject(refused);
    await ask('POST', `/api/v1/chatbot/${chatbot}/update`, { name: 'Taken' });
    await ask('DELETE', `/api/v1/chatbot/${chatbot}/delete`);
    await ask('POST', '/api/v1/chatbot/create', { name: 'Planted' });
    await ask('GET', '/api/v1/chatbots');
    await ask('POST', '/console/keys', { name: 'Planted' });
    await ask('GET', '/console/keys');
    await ask('POST', '/console/passkeys/options');
    await ask('DELETE', `/console/passkeys/${NOBODY}`);
    await ask('DELETE', `/console/sessions/${NOBODY}`);
    await ask('DELETE', '/console/session');
  }
  expect((await as(ann, 'GET', '/api/v1/chatbots')).body).toMatchObject([{ uuid: chatbot, name: 'Of Ann' }]);
  expect((await as(ann, 'GET', '/console/keys')).body).toHaveLength(1);
});

it('does what a page of its user asks, and what no page names a user for', async () => {
  const path = `/api/v1/chatbot/${chatbot}/update`;
  expect((await as(ann, 'POST', path, { name: 'Still of Ann' })).status).toBe(200);
  const unnamed = await send(docent.base, 'POST', path, { ...OWN, cookie }, { name: 'Of Ann' });
  expect(unnamed.status).toBe(200);
});

it('lets any page find out who is signed in, and sign in anew', async () => {
  expect((await as(owner, 'GET', '/console/session')).body.user.name).toBe(ANN);
  const made = await send(
    docent.base,
    'POST',
    '/console/session',
    { ...OWN, cookie: await signIn(docent.base, { key: API_KEY }), 'x-docent-user': ann },
    { key: API_KEY },
  );
  expect(made).toMatchObject({ status: 200, body: { user: { uuid: owner } } });
});

it('tells a page whose sign-in is over that it is over', async () => {
  const sent = { ...OWN, cookie: `docent=${'A'.repeat(43)}`, 'x-docent-user': owner };
  expect((await send(docent.base, 'GET', '/api/v1/chatbots', sent)).status).toBe(401);
  expect((await send(docent.base, 'GET', '/console/keys', sent)).status).toBe(401);
});

it('asks nothing of a key, beside a cookie of another user neither', async () => {
  const sent = { ...OWN, authorization: `Bearer ${API_KEY}`, 'x-docent-user': NOBODY };
  expect((await send(docent.base, 'GET', '/api/v1/chatbots', sent)).status).toBe(200);
  expect((await send(docent.base, 'GET', '/api/v1/chatbots', { ...sent, cookie })).status).toBe(200);
});

import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashKey } from '../../server/http/auth.ts';
import { openStoreOf } from '../engine/engine.ts';
import { startFakeMail, type FakeMail } from '../fakes/mail.ts';
import { API_KEY, site, start, until, type Reply, type Running } from '../running.ts';

/** A server with two users, and what the rows of the table of operations need to be made before they are called. */
export interface ApiFixture {
  docent: Running;
  /** A small site that may be read. */
  shop: string;
  /** Takes what the server mails, under the user `docent@shop.test` with the password `p/w`. */
  mail: FakeMail;
  /** Calls with the owner's key, or another's; `path` is whole, from /api on. `''` sends no key at all. */
  call(method: string, path: string, body?: unknown, key?: string): Promise<Reply>;
  stop(): Promise<void>;
}

export const OTHER_KEY = 'the-key-of-another-user';

const pages = {
  '/returns': `<title>Returns</title><nav><a href="/returns/2024">Last year</a></nav>
    <main><p>You may return any item within 45 days of delivery.</p></main>`,
  '/stock?sku=lamp': (_: unknown, response: ServerResponse) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"in_stock":3}');
  },
  /** Of a site that takes its time: whoever learns it is found at it. */
  '/guide/': () => {},
};

export async function startApiFixture(env: NodeJS.ProcessEnv = {}): Promise<ApiFixture> {
  const dir = env['DATA_DIR'] ?? (await mkdtemp(join(tmpdir(), 'docent-')));
  await addUser(dir, 'other@example.com', OTHER_KEY);
  const shop = await site(pages);
  const mail = await startFakeMail();
  const docent = await start({
    DATA_DIR: dir,
    FETCH_ALLOW: shop.host,
    SMTP_URL: mail.url.replace('//', '//docent%40shop.test:p%2Fw@'),
    MAIL_FROM: 'Docent <docent@shop.test>',
    OWNER_EMAIL: 'ann@shop.test',
    ...env,
  });
  return {
    docent,
    shop: shop.base,
    mail,
    call: (method, path, body, key) => call(docent, method, path, body, key),
    async stop() {
      await docent.stop();
      await shop.close();
      await mail.close();
      if (!env['DATA_DIR']) await rm(dir, { recursive: true, force: true });
    },
  };
}

async function addUser(dir: string, email: string, key: string): Promise<void> {
  const quiet = { error() {}, warn() {}, info() {}, debug() {} };
  const store = await openStoreOf({ dir, clock: Date.now, log: quiet as never });
  const created_at = '2026-01-01T00:00:00Z';
  const user = { uuid: 'f'.repeat(32), email, created_at };
  await store.addUser(user);
  const stored = { hash: hashKey(key), user: user.uuid, name: 'tests', hint: key.slice(0, 7) };
  await store.addKey({ ...stored, created_at, last_used_at: '' });
  await store.close();
}

async function call(docent: Running, method: string, path: string, body: unknown, key = API_KEY): Promise<Reply> {
  const headers: Record<string, string> = key === '' ? {} : { Authorization: `Bearer ${key}` };
  const json = body !== undefined && !(body instanceof FormData);
  if (json) headers['Content-Type'] = 'application/json';
  const sent = json ? (typeof body === 'string' ? body : JSON.stringify(body)) : body;
  const reply = await fetch(docent.base + path, {
    method,
    headers,
    ...(sent === undefined ? {} : { body: sent as BodyInit }),
  });
  const text = await reply.text();
  const isJson = reply.headers.get('content-type')?.startsWith('application/json');
  return docent.checked(method, path, {
    status: reply.status,
    headers: reply.headers,
    body: isJson ? JSON.parse(text) : text,
  });
}

const uuidOf = async (reply: Promise<Reply>): Promise<string> => {
  const { status, body } = await reply;
  if (status !== 200) throw new Error(`not made: ${status} ${JSON.stringify(body)}`);
  return body.uuid;
};

export const newChatbot = (w: ApiFixture, name = 'Help centre'): Promise<string> =>
  uuidOf(w.call('POST', '/api/v1/chatbot/create', { name, show_citations: true }));

export const newAgent = (w: ApiFixture, chatbot: string, type = 'user-facing'): Promise<string> =>
  uuidOf(w.call('POST', `/api/v1/chatbot/${chatbot}/agent/create`, { name: 'Returns desk', type }));

export const newFunction = async (w: ApiFixture, chatbot: string): Promise<string> =>
  uuidOf(w.call('POST', `/api/v1/agent/${await newAgent(w, chatbot)}/function/create`, FUNCTION));

/** One that can be called. */
export const newReader = async (w: ApiFixture, chatbot: string): Promise<string> =>
  uuidOf(
    w.call('POST', `/api/v1/agent/${await newAgent(w, chatbot)}/function/create`, {
      name: 'stock',
      external_url: `${w.shop}/stock`,
      method: 'GET',
      parameters: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
    }),
  );

export const FUNCTION = {
  name: 'order_status',
  description: 'Says where an order is.',
  external_url: 'https://shop.example.com/orders',
  method: 'POST',
  headers: { 'X-Shop': 'example' },
  parameters: {
    type: 'object',
    properties: { number: { type: 'string', description: 'the number of the order' } },
    required: ['number'],
  },
};

export const QA = {
  question: 'How long do I have to return something?',
  answer: 'You have 45 days to return something, counted from the day the parcel reaches you.',
};

/** A source that has been learned. */
export async function newSource(w: ApiFixture, chatbot: string): Promise<string> {
  const uuid = await uuidOf(w.call('POST', `/api/v1/chatbot/${chatbot}/data-source/qa`, QA));
  await learned(w, uuid);
  return uuid;
}

export async function newLink(w: ApiFixture, chatbot: string, path = '/returns'): Promise<string> {
  const uuid = await uuidOf(w.call('POST', `/api/v1/chatbot/${chatbot}/data-source/url`, { url: w.shop + path }));
  await learned(w, uuid);
  return uuid;
}

export const learned = (w: ApiFixture, source: string): Promise<Reply> =>
  until(
    () => w.call('GET', `/api/v1/data-source/${source}`),
    ({ body }) => /^(?:success|fail|error:.*)$/.test(body.status),
  );

/** A site that has been learned. */
export async function newSite(w: ApiFixture, chatbot: string): Promise<string> {
  const site = `/api/v1/chatbot/${chatbot}/data-source/site`;
  const uuid = await uuidOf(w.call('POST', site, { url: `${w.shop}/returns` }));
  await until(
    () => w.call('GET', `${site}/${uuid}`),
    ({ body }) => body.status === 'done',
  );
  return uuid;
}

/** A page that the crawl of a site has found. */
export async function newPage(w: ApiFixture, chatbot: string): Promise<string> {
  await newSite(w, chatbot);
  const { body } = await w.call('GET', `/api/v1/chatbot/${chatbot}/data-sources`);
  return (body as unknown as { uuid: string }[])[0]!.uuid;
}

export const newTag = async (w: ApiFixture, chatbot: string): Promise<string> =>
  uuidOf(w.call('POST', `/api/v1/chatbot/${chatbot}/source-tag/create`, { name: 'Policies', color: '#1D4ED8' }));

export const newSession = (w: ApiFixture, chatbot: string): Promise<string> =>
  uuidOf(w.call('POST', `/api/v1/chatbot/${chatbot}/session/create`));

/** A user that joins by an invitation; of each call another. Resolves with the uuid. */
export async function newMember(w: ApiFixture, chatbot: string, role = 'editor'): Promise<string> {
  return (await joinByLink(w, await invite(w, chatbot, role))).user.uuid;
}

export const newInvitation = (w: ApiFixture, chatbot: string): Promise<string> =>
  uuidOf(w.call('POST', `/api/v1/chatbot/${chatbot}/invitation/create`, { email: 'bob@shop.example', role: 'viewer' }));

let invited = 0;

/** The link of an invitation for an address that has no user. */
export async function invite(w: ApiFixture, chatbot: string, role: string, key?: string): Promise<string> {
  const email = `member-${++invited}@shop.example`;
  const { status, body } = await w.call('POST', `/api/v1/chatbot/${chatbot}/invitation/create`, { email, role }, key);
  if (status !== 200) throw new Error(`not invited: ${status} ${JSON.stringify(body)}`);
  return body.link;
}

/** Resolves with the user and the `Cookie` header of the sign-in. */
export async function joinByLink(
  { docent }: ApiFixture,
  link: string,
): Promise<{ user: { uuid: string; name: string }; cookie: string }> {
  const reply = await fetch(`${docent.base}/console/invitation/accept`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' },
    body: JSON.stringify({ link: link.split('#invitation=')[1] }),
  });
  const body = (await reply.json()) as { user: { uuid: string; name: string } };
  if (reply.status !== 200) throw new Error(`not joined: ${reply.status} ${JSON.stringify(body)}`);
  return { user: body.user, cookie: reply.headers.get('set-cookie')!.split(';')[0]! };
}

/** A session in which one question has been answered from a source. */
export async function newConversation(w: ApiFixture, chatbot: string): Promise<string> {
  await newSource(w, chatbot);
  const session = await newSession(w, chatbot);
  await w.call('POST', `/api/v1/session/${session}/message/non-stream`, { query: QA.question });
  return session;
}

export async function newMessage(w: ApiFixture, chatbot: string): Promise<string> {
  const session = await newConversation(w, chatbot);
  return (await w.call('GET', `/api/v1/session/${session}/messages`)).body[0].uuid;
}

/** All that a chatbot's owner can see of it. */
export async function stateOf(w: ApiFixture, chatbot: string): Promise<unknown> {
  const parts = ['', '/widget', '/agents', '/data-sources', '/source-tags', '/sessions'];
  const lists = await Promise.all(parts.map((part) => w.call('GET', `/api/v1/chatbot/${chatbot}${part}`)));
  const sessions: { uuid: string }[] = lists.at(-1)?.body ?? [];
  const talks = await Promise.all(sessions.map(({ uuid }) => w.call('GET', `/api/v1/session/${uuid}/messages`)));
  return [...lists, ...talks].map(({ status, body }) => ({ status, body }));
}

import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { VisitorMessage } from '../../../server/types.ts';
import { parseEvents, post } from '../../proxy/fixture.ts';
import { start, until } from '../../running.ts';
import { askByKey, json, openShop, ORDER, seen, toldIn, visit, type Shop } from './fixture.ts';

let shop: Shop;
beforeAll(async () => void (shop = await openShop()));
afterEach(() => shop.removeFunctions());
afterAll(() => shop.close());

const CANCEL = {
  name: 'cancel_order',
  parameters: ORDER,
  external_url: '/cancel',
  headers: { Authorization: 'Bearer {{token}}' },
  meta: { class: 'ask', step: 'Cancel the order' },
};
const addCancel = (more: object = {}) =>
  shop.addFunction({ ...CANCEL, external_url: `${shop.tool.base}/cancel`, ...more });
const calling = { toolCalls: [{ id: 'call_1', name: 'cancel_order', arguments: { order: 7 } }] };
const variables = { token: 'T0ken' };

async function askToCancel() {
  shop.model.next(calling);
  return visit(shop, 'Please cancel order 7', { variables });
}
type Asked = Awaited<ReturnType<typeof askToCancel>>;

/** What the visitor finds in the conversation. */
async function listed({ session, uuid }: Asked, base = shop.docent.base, chatbot = shop.chatbot) {
  const reply = await fetch(`${base}/chat/${chatbot}/session/${session}/messages`);
  return ((await reply.json()) as VisitorMessage[]).find((message) => message.uuid === uuid)!;
}

const confirm = ({ session, uuid }: Pick<Asked, 'session' | 'uuid'>, body: object, base = shop.docent.base) =>
  post(`${base}/chat/${shop.chatbot}/session/${session}/message/${uuid}/confirm`, body);

async function goOn(asked: Asked, accept: boolean) {
  const reply = await confirm(asked, { accept });
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  return seen(shop, parseEvents(await reply.text()));
}

function newSignal() {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve: () => resolve() };
}

describe('a call that the visitor has to confirm', () => {
  it('is not made: the answer ends with what it would do', async () => {
    await addCancel();
    const { events, confirm: shown, message, text } = await askToCancel();
    expect(events).toEqual(['session', 'message', 'delta', 'confirm', 'done']);
    expect(shown).toEqual({ function: 'cancel_order', name: 'Cancel the order', arguments: { order: 7 } });
    expect([text, message.finish_reason]).toEqual(['Please confirm before this is done: Cancel the order', 'stop']);
    expect(shop.tool.calls).toEqual([]);
    expect(JSON.stringify(message)).not.toMatch(/T0ken|pending_call/);
  });

  it.each<[string, object, object, object]>([
    ['the variables of its address', { parameters: {} }, {}, { order: 'BB-50077' }],
    ['one that is an argument once', {}, { order: 'BB-50077' }, { order: 'BB-50077' }],
    ['both where they differ', {}, { order: 'BB-11111' }, { order: 'BB-11111', '{{order}}': 'BB-50077' }],
    [
      'both whatever the model calls an argument',
      { parameters: { additionalProperties: true } },
      { order: 'BB-11111', '{{order}}': 'BB-22222' },
      { order: 'BB-11111', '{{order}}': 'BB-22222', '{{{{order}}}}': 'BB-50077' },
    ],
  ])('shows %s', async (_, fields, args, shown) => {
    const order = {
      name: 'order',
      type: 'string',
      description: '',
      example: '',
      default_value: { static: 0, content: '' },
    };
    const key = { ...order, name: 'key', default_value: { static: 1, content: 'K3y' } };
    await shop.docent.api('POST', `/agent/${shop.agent}/update`, { variables: [order, key] });
    const parameters = { type: 'object', properties: { order: { type: 'string' } } };
    const external_url = `${shop.tool.base}/orders/{{order}}/cancel?key={{key}}`;
    await addCancel({ parameters, external_url, ...fields });
    shop.model.next({ toolCalls: [{ name: 'cancel_order', arguments: args }] });
    const asked = await visit(shop, 'Please cancel it', { variables: { order: 'BB-50077', ...variables } });
    expect(asked.confirm).toEqual({ function: 'cancel_order', name: 'Cancel the order', arguments: shown });
    expect((await listed(asked)).confirm).toMatchObject({ arguments: shown });
    shop.model.next({ pieces: ['Done.'] });
    await goOn(asked, true);
    await shop.docent.api('POST', `/agent/${shop.agent}/update`, { variables: [] });
    expect(shop.tool.calls.map(({ url, body }) => [url, JSON.parse(body)])).toEqual([
      ['/orders/BB-50077/cancel?key=K3y', args],
    ]);
  });

  it('is shown again to one who comes back to the answer', async () => {
    await addCancel();
    const { session, uuid, confirm: shown } = await askToCancel();
    const reply = await fetch(`${shop.docent.base}/chat/${shop.chatbot}/session/${session}/message/${uuid}/stream`);
    const again = await seen(shop, parseEvents(await reply.text()));
    expect([again.events, again.confirm]).toEqual([['message', 'delta', 'confirm', 'done'], shown]);
  });

  it('is in the visitor’s record of the message until it is answered', async () => {
    await addCancel();
    const reply = await post(`${shop.docent.base}/chat/${shop.chatbot}/ask`, { query: 'How many lamps?' });
    expect(parseEvents(await reply.text()).at(-1)!.data).not.toHaveProperty('confirm');
    const asked = await askToCancel();
    const record = await listed(asked);
    const { expires_in, ...shown } = record.confirm!;
    expect([shown, Number.isInteger(expires_in)]).toEqual([asked.confirm, true]);
    expect(expires_in).toBeGreaterThan(0);
    expect(expires_in).toBeLessThanOrEqual(600);
    expect(JSON.stringify(record)).not.toMatch(/T0ken|pending_call/);
    const stream = `/session/${asked.session}/message/${asked.uuid}/stream`;
    const replay = parseEvents(await (await fetch(`${shop.docent.base}/chat/${shop.chatbot}${stream}`)).text());
    expect(replay.at(-1)).toMatchObject({ event: 'done', data: { confirm: asked.confirm } });
    shop.model.next({ pieces: ['As you like.'] });
    expect((await goOn(asked, false)).events).not.toContain('confirm');
    const answered = await listed(asked);
    expect(answered).not.toHaveProperty('confirm');
    expect(answered.confirmed).toEqual({ ...asked.confirm, accepted: false });
  });

  it('is made once it is confirmed, and the answer goes on behind its text', async () => {
    await addCancel();
    const asked = await askToCancel();
    shop.tool.reply = json({ cancelled: true });
    shop.model.next({ pieces: ['Order 7 is', ' cancelled.'] });
    const { events, text, steps, meta, message } = await goOn(asked, true);
    expect([events, steps]).toEqual([['message', 'step', 'delta', 'done'], ['Cancel the order']]);
    expect(text).toBe(`${asked.text}\n\nOrder 7 is cancelled.`);
    expect(shop.tool.calls).toMatchObject([
      { url: '/cancel', body: '{"order":7}', headers: { authorization: 'Bearer T0ken' } },
    ]);
    expect(toldIn(shop, 1)).toEqual([expect.objectContaining({ reply: { cancelled: true } })]);
    const { messages } = shop.model.requests[1]!.body;
    expect(messages.slice(-3).map(({ role, content }) => [role, role === 'tool' ? '' : content])).toEqual([
      ['user', 'Please cancel order 7'],
      ['assistant', null],
      ['tool', ''],
    ]);
    expect(meta).toMatchObject({ credits: 1, outcome: 'answered', functions_called: [{ name: 'cancel_order' }] });
    expect(message.finish_reason).toBe('stop');
  });

  it('is not made where it is declined, and the model is told', async () => {
    await addCancel();
    const asked = await askToCancel();
    shop.model.next({ pieces: ['As you like.'] });
    const { text } = await goOn(asked, false);
    expect(text).toBe(`${asked.text}\n\nAs you like.\n\nThis was not done: Cancel the order`);
    expect([shop.tool.calls, toldIn(shop, 1)]).toEqual([[], [{ error: expect.stringContaining('declined') }]]);
  });

  it('is answered once, of many at once too', async () => {
    await addCancel();
    const asked = await askToCancel();
    const replies = await Promise.all(Array.from({ length: 3 }, () => confirm(asked, { accept: true })));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    await Promise.all(replies.map((reply) => reply.text()));
    const later = await confirm(asked, { accept: false });
    expect([later.status, await later.json()]).toMatchObject([409, { code: 'conflict' }]);
    expect(shop.tool.calls).toHaveLength(1);
  });

  it('belongs to its session and its chatbot', async () => {
    await addCancel();
    const asked = await askToCancel();
    const stranger = await askToCancel();
    expect((await confirm({ ...asked, session: stranger.session }, { accept: true })).status).toBe(404);
    expect((await confirm({ ...asked, uuid: '0'.repeat(32) }, { accept: true })).status).toBe(404);
    const { body } = await shop.docent.api('POST', '/chatbot/create', { name: 'Other', visibility: 'public' });
    const path = `/chat/${body.uuid}/session/${asked.session}/message/${asked.uuid}/confirm`;
    expect((await post(shop.docent.base + path, { accept: true })).status).toBe(404);
    expect(shop.tool.calls).toEqual([]);
  });

  it.each([{}, { accept: 'yes' }, { accept: 1 }])('is answered with true or false, not %j', async (body) => {
    await addCancel();
    const reply = await confirm(await askToCancel(), body);
    expect([reply.status, await reply.json()]).toMatchObject([422, { field: 'accept' }]);
  });

  it('is a conflict where the message has none', async () => {
    shop.model.next({ pieces: ['Many.'] });
    const asked = await visit(shop, 'How many lamps do you sell?');
    expect((await confirm(asked, { accept: true })).status).toBe(409);
  });

  it('is not made where its function was removed meanwhile', async () => {
    const uuid = await addCancel();
    await shop.addFunction({ method: 'GET' });
    const asked = await askToCancel();
    await shop.docent.api('POST', `/function/${uuid}/delete`);
    shop.model.next({ pieces: ['I could not.'] });
    expect((await goOn(asked, true)).text).toBe(`${asked.text}\n\nI could not.\n\nThis was not done: Cancel the order`);
    expect(toldIn(shop, 1)).toEqual([{ error: expect.stringContaining('removed') }]);
  });

  it.each<[string, Shop['tool']['reply'], string]>([
    ['that is refused is said not to be done', json({}, 409), 'This was not done:'],
    ['that fails may have been made: the answer says so', json({}, 500), 'It is not certain that this was done:'],
  ])('%s', async (_, reply, words) => {
    await addCancel();
    const asked = await askToCancel();
    shop.tool.reply = reply;
    shop.model.next({ pieces: ['Done!'] });
    expect((await goOn(asked, true)).text).toBe(`${asked.text}\n\nDone!\n\n${words} Cancel the order`);
  });

  it('is said to be done where the model fails then', async () => {
    await addCancel();
    const asked = await askToCancel();
    shop.model.next({ status: 500, raw: ['{}'] });
    const { text, meta, message } = await goOn(asked, true);
    expect(text).toBe(`${asked.text}\n\nThis was done: Cancel the order`);
    expect([meta.fallback, message.finish_reason]).toEqual(['status_500', 'stop']);
  });

  it('that the visitor stops may have been made: the answer says so', async () => {
    await addCancel();
    const asked = await askToCancel();
    const called = new Promise<void>((done) => (shop.tool.reply = () => done()));
    const going = goOn(asked, true);
    await called;
    const { base } = shop.docent;
    await post(`${base}/chat/${shop.chatbot}/session/${asked.session}/message/${asked.uuid}/stop`, {});
    const { text, message } = await going;
    expect(text).toBe(`${asked.text}\n\nIt is not certain that this was done: Cancel the order`);
    expect([message.finish_reason, shop.model.requests.length]).toEqual(['stopped', 1]);
  });

  it('is one in an answer: of two the second is not asked for, nor is one after the first', async () => {
    await addCancel();
    shop.model.next({ toolCalls: [...calling.toolCalls, { name: 'cancel_order', arguments: { order: 8 } }] });
    const asked = await visit(shop, 'Please cancel orders 7 and 8', { variables });
    expect(asked.confirm).toMatchObject({ arguments: { order: 7 } });
    shop.model.next({ toolCalls: [{ name: 'cancel_order', arguments: { order: 8 } }] }, { pieces: ['One is done.'] });
    const { events } = await goOn(asked, true);
    expect(events).not.toContain('confirm');
    expect(shop.tool.calls).toHaveLength(1);
  });

  it('may follow calls that need no confirmation', async () => {
    await addCancel();
    await shop.addFunction({ method: 'GET' });
    shop.model.next({ toolCalls: [{ name: 'stock', arguments: {} }] }, { ...calling, pieces: ['It is not sent yet.'] });
    const asked = await visit(shop, 'Please cancel order 7', { variables });
    expect(asked.text).toBe('It is not sent yet.\n\nPlease confirm before this is done: Cancel the order');
    shop.model.next({ pieces: ['Done.'] });
    const { meta } = await goOn(asked, true);
    expect(meta.functions_called.map(({ name }: { name: string }) => name)).toEqual(['stock', 'cancel_order']);
    expect(toldIn(shop, 2)).toHaveLength(2);
  });

  it('leaves the labels that a background agent gives to the message meanwhile', async () => {
    await addCancel();
    const tags = [{ name: 'Urgent', color: '#ff0000', criteria: 'in a hurry' }];
    const path = `/chatbot/${shop.chatbot}/agent/create`;
    const labels = (await shop.docent.api('POST', path, { name: 'Labels', type: 'background', tags })).body.uuid;
    await shop.docent.api('POST', `/agent/${labels}/update`, { enabled: true });
    const [tagged, called, answered] = [newSignal(), newSignal(), newSignal()];
    const found = { pieces: ['{"tags":["Urgent"],"variables":{}}'], hold: tagged.promise };
    shop.model.next(calling, found, { pieces: ['Done.'] });
    const asked = await visit(shop, 'Please cancel order 7', { variables });
    shop.tool.reply = (call, response) => {
      called.resolve();
      void answered.promise.then(() => json({ ok: true })(call, response));
    };
    const going = goOn(asked, true);
    await called.promise;
    const stored = async () => (await shop.docent.api('GET', `/message/${asked.uuid}`)).body;
    expect(await stored()).toMatchObject({ finish_reason: '', background_pending_tasks: 1 });
    tagged.resolve();
    await until(stored, (message) => message.background_pending_tasks === 0);
    answered.resolve();
    const { message, meta } = await going;
    await shop.docent.api('DELETE', `/agent/${labels}/delete`);
    expect(message).toMatchObject({ finish_reason: 'stop', labels: [{ name: 'Urgent', color: '#ff0000' }] });
    expect(meta).toMatchObject({ background: [{ agent: labels, labels: ['Urgent'] }], credits: 1 });
  });

  it('is not asked for over /api/v1', async () => {
    await addCancel();
    shop.model.next(calling, { pieces: ['Please use the chat.'] });
    const { text } = await askByKey(shop, 'Please cancel order 7', variables);
    expect(text).toContain('has to be confirmed, which is not possible here: Cancel the order');
  });
});

it('waits for ten minutes, not longer', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const other = await openShop();
  const path = ({ session, uuid }: Asked) =>
    `${other.docent.base}/chat/${other.chatbot}/session/${session}/message/${uuid}`;
  await other.addFunction({ ...CANCEL, external_url: `${other.tool.base}/cancel`, headers: {} });
  other.model.next(calling, calling);
  const [one, two] = [await visit(other, 'Please cancel order 7'), await visit(other, 'Please cancel order 7')];
  const began = Date.now();
  vi.setSystemTime(began + 9 * 60_000);
  const inTime = await post(`${path(one)}/confirm`, { accept: true });
  await inTime.text();
  vi.setSystemTime(began + 11 * 60_000);
  const late = await post(`${path(two)}/confirm`, { accept: true });
  const replay = await (await fetch(`${path(two)}/stream`)).text();
  const records = await Promise.all([one, two].map((asked) => listed(asked, other.docent.base, other.chatbot)));
  vi.useRealTimers();
  expect(records.map((record) => record.confirm)).toEqual([undefined, { ...two.confirm, expires_in: 0 }]);
  expect([inTime.status, late.status]).toEqual([200, 409]);
  expect(await late.json()).toMatchObject({ code: 'conflict', error: expect.stringContaining('too late') });
  expect(parseEvents(replay).map(({ event }) => event)).toEqual(['message', 'delta', 'done']);
  expect(other.tool.calls).toHaveLength(1);
  await other.close();
});

it('survives a restart', async () => {
  const DATA_DIR = `${shop.docent.dataDir}-kept`;
  const other = await openShop({ DATA_DIR });
  await other.addFunction({ ...CANCEL, external_url: `${other.tool.base}/cancel` });
  other.model.next(calling);
  const asked = await visit(other, 'Please cancel order 7', { variables });
  await other.docent.stop();
  const env = { LLM_BASE_URL: other.model.baseUrl, LLM_MODEL: 'fake-1', FETCH_ALLOW: other.tool.host, DATA_DIR };
  const again = await start(env);
  other.model.next({ pieces: ['Done.'] });
  const path = `/chat/${other.chatbot}/session/${asked.session}/message/${asked.uuid}`;
  const reply = await post(`${again.base}${path}/confirm`, { accept: true });
  expect(await reply.text()).toContain('Done.');
  expect(other.tool.calls).toHaveLength(1);
  await again.stop();
  const third = await start(env);
  expect((await post(`${third.base}${path}/confirm`, { accept: true })).status).toBe(409);
  await third.stop();
  await Promise.all([other.model.close(), other.tool.close()]);
});

it('is said to be uncertain where the process ends while it is made, and to nobody else', async () => {
  const other = await openShop();
  const called = newSignal();
  const done = newSignal();
  other.tool.reply = (call, response) => {
    called.resolve();
    void done.promise.then(() => json({ ok: true })(call, response));
  };
  await other.addFunction({ ...CANCEL, external_url: `${other.tool.base}/cancel` });
  other.model.next(calling, { pieces: ['It is cancelled.'] });
  const asked = await visit(other, 'Please cancel order 7', { variables });
  const path = `/chat/${other.chatbot}/session/${asked.session}/message/${asked.uuid}`;
  const reply = post(`${other.docent.base}${path}/confirm`, { accept: true });
  await called.promise;
  const DATA_DIR = `${other.docent.dataDir}-crashed`;
  await cp(other.docent.dataDir, DATA_DIR, { recursive: true, filter: (name) => !/\.sock$|\/lock/.test(name) });
  done.resolve();
  expect(await (await reply).text()).not.toContain('not certain');
  const again = await start({ DATA_DIR });
  const left = await listed(asked, again.base, other.chatbot);
  expect(left.finish_reason).toBe('interrupted');
  expect(left.response).toMatch(/It is not certain that this was done: Cancel the order$/);
  await again.stop();
  await rm(DATA_DIR, { recursive: true });
  const kept = await listed(asked, other.docent.base, other.chatbot);
  expect(kept.response).toMatch(/It is cancelled\.$/);
  await other.close();
});

it.each<[string, (json: string) => string]>([
  ['is cut off', (json) => json.slice(0, -9)],
  ['is null', () => 'null'],
  ['lacks what is shown', (json) => json.replace('"shown":', '"show":')],
])('is none where what is stored of it %s: the message is served without it', async (_, damage) => {
  const DATA_DIR = `${shop.docent.dataDir}-damaged`;
  const other = await openShop({ DATA_DIR });
  await other.addFunction({ ...CANCEL, external_url: `${other.tool.base}/cancel` });
  other.model.next(calling);
  const asked = await visit(other, 'Please cancel order 7', { variables });
  await other.docent.stop();
  const folder = `${DATA_DIR}/sessions`;
  const names = await readdir(folder, { recursive: true });
  const file = `${folder}/${names.find((name) => name.includes(asked.session) && name.endsWith('.jsonl'))}`;
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const { pending_call_json, ...message } = JSON.parse(lines.at(-1)!);
  await writeFile(
    file,
    `${[...lines.slice(0, -1), JSON.stringify({ ...message, pending_call_json: damage(pending_call_json) })].join('\n')}\n`,
  );
  const again = await start({ DATA_DIR });
  const base = `${again.base}/chat/${other.chatbot}/session/${asked.session}`;
  const replays = [];
  for (let n = 0; n < 2; n += 1)
    replays.push(parseEvents(await (await fetch(`${base}/message/${asked.uuid}/stream`)).text()).at(-1));
  const reply = await post(`${base}/message/${asked.uuid}/confirm`, { accept: true });
  const ready = await (await fetch(`${again.base}/readyz`)).text();
  await again.stop();
  for (const last of replays) {
    expect(last).toMatchObject({ event: 'done', data: { response: asked.text } });
    expect(last!.data).not.toHaveProperty('confirm');
  }
  expect([reply.status, await reply.json()]).toMatchObject([409, { error: 'the message has no call to confirm' }]);
  expect([ready, other.tool.calls]).toEqual([expect.stringContaining('cannot be read'), []]);
  await Promise.all([other.model.close(), other.tool.close()]);
  await rm(DATA_DIR, { recursive: true });
});

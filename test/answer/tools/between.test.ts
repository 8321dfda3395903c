import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseEvents, post } from '../../proxy/fixture.ts';
import { start } from '../../running.ts';
import { askByKey, json, openShop, ORDER, seen, visit, type Shop } from './fixture.ts';

/** What changes between a question and what follows it in the same conversation. */

let shop: Shop;
beforeAll(async () => void (shop = await openShop()));
afterEach(() => shop.removeFunctions());
afterAll(() => shop.close());

const CANCEL = { name: 'cancel', parameters: ORDER, meta: { class: 'ask', step: 'Cancel the order' } };
const calling = { toolCalls: [{ name: 'cancel', arguments: { order: 7 } }], totalTokens: 60 };
const NOT_DONE = '\n\nThis was not done: Cancel the order';

async function askToCancel(own: Shop) {
  await own.addFunction({ ...CANCEL, external_url: `${own.tool.base}/cancel` });
  own.model.next(calling);
  return visit(own, 'Please cancel order 7');
}

const pathOf = ({ session, uuid }: { session: string; uuid: string }, own = shop) =>
  `/chat/${own.chatbot}/session/${session}/message/${uuid}`;

async function confirm(own: Shop, asked: { session: string; uuid: string }) {
  const reply = await post(`${own.docent.base}${pathOf(asked, own)}/confirm`, { accept: true });
  return seen(own, parseEvents(await reply.text()));
}

const usage = async ({ docent }: Shop) => (await docent.api('GET', '/usage')).body;

describe('a call that is confirmed is not made', () => {
  it('where its agent was deleted: the answer says so, and keeps its record and its cost', async () => {
    const own = await openShop();
    const asked = await askToCancel(own);
    const before = await usage(own);
    await own.docent.api('DELETE', `/agent/${own.agent}/delete`);
    const { text, meta, message } = await confirm(own, asked);
    const after = await usage(own);
    await own.close();
    expect([text, message.finish_reason, own.tool.calls]).toEqual([asked.text + NOT_DONE, 'stop', []]);
    const { functions_called, ...record } = meta;
    expect(functions_called).toEqual([{ name: 'cancel', content: expect.stringContaining('not called') }]);
    expect({ ...record, functions_called: [] }).toEqual(asked.meta);
    expect(after).toEqual(before);
  });

  it('where its agent was disabled', async () => {
    const asked = await askToCancel(shop);
    await shop.docent.api('POST', `/agent/${shop.agent}/update`, { enabled: false });
    const { text } = await confirm(shop, asked);
    await shop.docent.api('POST', `/agent/${shop.agent}/update`, { enabled: true });
    expect([text, shop.tool.calls]).toEqual([asked.text + NOT_DONE, []]);
  });
});

it('a rating that was acknowledged while a call was confirmed stays', async () => {
  const kept: unknown[] = [];
  for (let wait = 0; wait < 8; wait += 1) {
    const asked = await askToCancel(shop);
    shop.model.next({ pieces: ['It is cancelled.'] });
    const going = confirm(shop, asked);
    await sleep(wait % 4);
    const { status } = await post(`${shop.docent.base}${pathOf(asked)}/feedback`, { rating: 1 });
    await going;
    const { body } = await shop.docent.api('GET', `/message/${asked.uuid}`);
    kept.push([status, body.feedback_json]);
    await shop.removeFunctions();
  }
  expect(kept).toEqual(kept.map(() => [200, '{"rating":1}']));
});

it.each(['', '{', 'null', '[]', '{"active_agent":null,"background":7,"functions_called":{},"routing":null}'])(
  'a message whose meta_json is %j on the disk harms neither its confirmation nor later questions',
  async (damaged) => {
    const DATA_DIR = `${shop.docent.dataDir}-meta`;
    const other = await openShop({ DATA_DIR });
    const asked = await askToCancel(other);
    await other.docent.stop();
    const folder = `${DATA_DIR}/sessions`;
    const names = await readdir(folder, { recursive: true });
    const file = `${folder}/${names.find((name) => name.includes(asked.session) && name.endsWith('.jsonl'))}`;
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    const message = { ...JSON.parse(lines.at(-1)!), meta_json: damaged, cite_data_json: damaged };
    await writeFile(file, `${[...lines.slice(0, -1), JSON.stringify(message)].join('\n')}\n`);
    const again = await start({
      LLM_BASE_URL: other.model.baseUrl,
      LLM_MODEL: 'fake-1',
      FETCH_ALLOW: other.tool.host,
      DATA_DIR,
    });
    other.model.next({ pieces: ['It is cancelled.'] }, { pieces: ['Within 45 days.'] });
    const going = await post(`${again.base}${pathOf(asked, other)}/confirm`, { accept: true });
    const confirmed = parseEvents(await going.text()).at(-1);
    const query = 'How long may I return a lamp?';
    const ask = await post(`${again.base}/chat/${other.chatbot}/ask`, { query, session: asked.session });
    const answered = parseEvents(await ask.text()).at(-1);
    await again.stop();
    await Promise.all([other.model.close(), other.tool.close(), rm(DATA_DIR, { recursive: true })]);
    expect(confirmed).toMatchObject({ event: 'done', data: { response: `${asked.text}\n\nIt is cancelled.` } });
    expect(answered).toMatchObject({ event: 'done', data: { finish_reason: 'stop' } });
  },
);

describe('an answer with calls is answered', () => {
  const write = { name: 'cancel', parameters: ORDER, meta: { class: 'write' } };
  it.each<[string, object, object, Shop['tool']['reply']]>([
    ['carried out', write, { order: 7 }, json({ ok: true })],
    ['refused by their server', write, { order: 7 }, json({}, 409)],
    ['that failed', write, { order: 7 }, json({}, 500)],
    ['of arguments that are wrong', write, { order: 'seven' }, json({ ok: true })],
    ['that nobody can confirm', CANCEL, { order: 7 }, json({ ok: true })],
  ])('%s', async (_, fields, args, reply) => {
    await shop.addFunction({ ...fields, external_url: `${shop.tool.base}/cancel` });
    shop.tool.reply = reply;
    const call = { toolCalls: [{ name: 'cancel', arguments: args }] };
    shop.model.next(call, { pieces: ['Here is how it went.'] });
    expect((await askByKey(shop, 'Please cancel order 7')).meta.outcome).toBe('answered');
    const unknown = 'I don’t know: I have found no answer to that in what I have read.';
    shop.model.next(call, { pieces: [unknown] });
    expect((await askByKey(shop, 'Please cancel order 7')).meta.outcome).toBe('unknown');
  });
});

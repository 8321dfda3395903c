import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { json, openShop, visit, type Shop } from './fixture.ts';

/** The time of an answer with calls of functions as a whole. */

let shop: Shop;
beforeAll(async () => void (shop = await openShop({ ANSWER_TIMEOUT: '1' })));
afterEach(() => shop.removeFunctions());
afterAll(() => shop.close());

const calling = { toolCalls: [{ name: 'stock', arguments: {} }] };
const QUESTION = 'For how many days may I return this lamp?';

it('ends a call under way, and says that nobody knows what became of it', async () => {
  await shop.addFunction({ method: 'POST' });
  let closed: (value: unknown) => void;
  const closing = new Promise((done) => (closed = done));
  shop.tool.reply = (_, response) => void response.on('close', closed);
  shop.model.next(calling);
  const { text, meta } = await visit(shop, QUESTION);
  await closing;
  expect(text).toMatch(/within 45 days.*\n\nIt is not certain that this was done: stock$/s);
  expect([meta.fallback, shop.model.requests.length]).toEqual(['timeout', 1]);
});

it('keeps the text before a call that it ends', async () => {
  await shop.addFunction({ method: 'GET' });
  shop.tool.reply = () => {};
  shop.model.next({ ...calling, pieces: ['Let me look.'] });
  const { text, message } = await visit(shop, QUESTION);
  expect([text, message.finish_reason]).toEqual(['Let me look.', 'error']);
  expect(message.error_message).toContain('in time');
});

// Last: it leaves scripts of the model unused.
it('ends with ANSWER_TIMEOUT, however many rounds of calls it has', async () => {
  await shop.addFunction({ method: 'GET' });
  shop.tool.reply = (call, response) => void setTimeout(() => json({})(call, response), 250);
  shop.model.next(...Array.from({ length: 5 }, () => ({ ...calling, delay: 250 })));
  const { text, meta } = await visit(shop, QUESTION);
  expect([text, meta.fallback]).toEqual([expect.stringContaining('within 45 days'), 'timeout']);
  expect(shop.model.requests.length).toBeLessThan(5);
});

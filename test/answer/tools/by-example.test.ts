import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { askByKey, json, openShop, ORDER, visit, type Shop } from './fixture.ts';

/** Tool functions where no model answers. */

let shop: Shop;
beforeAll(async () => void (shop = await openShop({}, false)));
afterEach(() => shop.removeFunctions());
afterAll(() => shop.close());

const examples = ['Where is my order?', 'What is the state of my order?'];

describe('a function with examples, where there is no model', () => {
  it.each<[string, unknown, string]>([
    ['a JSON string', 'It is on its way.', 'It is on its way.'],
    ['the message of an object', { message: 'Sent today.', id: 1 }, 'Sent today.'],
  ])('answers with %s', async (_, reply, text) => {
    await shop.addFunction({ method: 'GET', meta: { examples, step: 'Looking it up' } });
    shop.tool.reply = json(reply);
    const seen = await visit(shop, 'hello, where is my order please');
    expect([seen.text, seen.steps, seen.meta.outcome]).toEqual([text, ['Looking it up'], 'answered']);
    expect(seen.meta.functions_called).toEqual([{ name: 'stock', content: expect.any(String) }]);
  });

  it('answers with plain text', async () => {
    await shop.addFunction({ method: 'GET', meta: { examples } });
    shop.tool.reply = (_, response) =>
      void response.writeHead(200, { 'content-type': 'text/plain' }).end('On its way.');
    expect((await visit(shop, 'Where is my order?')).text).toBe('On its way.');
  });

  it('takes addresses of other hosts out of the reply', async () => {
    await shop.addFunction({ method: 'GET', meta: { examples } });
    shop.tool.reply = json('Sent: ![x](https://evil.example/i.png) see https://parcels.example/7');
    expect((await visit(shop, 'Where is my order?')).text).toBe('Sent: ![x] see …');
    await shop.docent.api('POST', `/chatbot/${shop.chatbot}/widget`, { link_hosts: ['parcels.example'] });
    expect((await visit(shop, 'Where is my order?')).text).toBe('Sent: ![x] see https://parcels.example/7');
    await shop.docent.api('POST', `/chatbot/${shop.chatbot}/widget`, { link_hosts: [] });
  });

  it('fills required parameters from variables of their names', async () => {
    await shop.addFunction({ method: 'GET', meta: { examples }, parameters: ORDER });
    shop.tool.reply = json('Sent.');
    expect((await askByKey(shop, 'Where is my order?', { order: 7 })).text).toBe('Sent.');
    expect(shop.tool.calls[0]?.url).toBe('/stock?order=7');
    const { text } = await askByKey(shop, 'Where is my order?');
    expect([text, shop.tool.calls.length]).toEqual([expect.stringContaining('I don’t know'), 1]);
  });

  it.each<[string, object, string]>([
    ['it acts', { method: 'GET', meta: { examples, class: 'write' } }, 'Where is my order?'],
    ['it has to be confirmed', { method: 'GET', meta: { examples, class: 'ask' } }, 'Where is my order?'],
    ['it is off', { method: 'GET', meta: { examples }, enabled: 0 }, 'Where is my order?'],
    ['the question is another', { method: 'GET', meta: { examples } }, 'How do I cancel my order?'],
    [
      'the owner wrote the answer',
      { method: 'GET', meta: { examples: ['How long may I return a lamp?'] } },
      'How long may I return a lamp?',
    ],
  ])('is not called where %s', async (_, fields, query) => {
    await shop.addFunction(fields);
    await visit(shop, query);
    expect(shop.tool.calls).toEqual([]);
  });

  it.each<[string, Shop['tool']['reply']]>([
    ['fails', json('x', 500)],
    ['replies with what no visitor can read', json({ state: 3 })],
    [
      'replies with a page',
      (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>x</p>'),
    ],
  ])('leaves the answer to the sources where it %s', async (_, reply) => {
    await shop.addFunction({ method: 'GET', meta: { examples: ['For how many days may I return this lamp?'] } });
    shop.tool.reply = reply;
    const { text, meta } = await visit(shop, 'For how many days may I return this lamp?');
    expect(text).toContain('within 45 days');
    expect(meta.functions_called).toHaveLength(1);
  });
});

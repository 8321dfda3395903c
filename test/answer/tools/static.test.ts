import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { json, openShop, ORDER, toldIn, visit, type Shop } from './fixture.ts';

/** What visitors and models have no part in: static variables, the folder of an address, the time of a check. */

let shop: Shop;
beforeAll(async () => void (shop = await openShop()));
afterEach(() => shop.removeFunctions());
afterAll(() => shop.close());

describe('a parameter that a static variable fills', () => {
  const parameters = {
    type: 'object',
    properties: {
      order: { type: 'integer' },
      token: { type: 'string', default: '{{shop_token}}' },
      customer: { type: 'string', default: '{{customer}}' },
    },
    required: ['order', 'token'],
  };
  beforeEach(async () => {
    const variables = [{ name: 'shop_token', type: 'string', default_value: { content: 'S3CRET', static: 1 } }];
    await shop.docent.api('POST', `/agent/${shop.agent}/update`, { variables });
  });
  const sent = { order: 7, token: 'mine', customer: 'bob' };
  const given = { variables: { customer: 'anna' } };

  it('has its value whatever the model sends, and is not offered to it', async () => {
    await shop.addFunction({ name: 'note', parameters });
    shop.model.next({ toolCalls: [{ name: 'note', arguments: sent }] });
    await visit(shop, 'Please note order 7', given);
    expect(shop.tool.calls.map(({ body }) => JSON.parse(body))).toEqual([{ ...sent, token: 'S3CRET' }]);
    const [tool] = shop.model.requests[0]!.body.tools!;
    expect(tool!.function.parameters).toEqual({
      type: 'object',
      properties: { order: { type: 'integer' }, customer: { type: 'string' } },
      required: ['order'],
    });
  });

  it('has it in a list, too', async () => {
    const tokens = { type: 'array', items: { type: 'string' }, default: ['{{shop_token}}', 'a'] };
    const of = { type: 'object', properties: { order: { type: 'integer' }, tokens }, required: ['tokens'] };
    await shop.addFunction({ name: 'note', parameters: of });
    shop.model.next({ toolCalls: [{ name: 'note', arguments: { order: 7, tokens: ['mine'] } }] });
    await visit(shop, 'Please note order 7', given);
    expect(shop.tool.calls.map(({ body }) => JSON.parse(body))).toEqual([{ order: 7, tokens: ['S3CRET', 'a'] }]);
    expect(JSON.stringify(shop.model.requests[0]!.body.tools)).not.toContain('tokens');
  });

  it('is not shown to the visitor who confirms the call, which has it', async () => {
    await shop.addFunction({ name: 'note', parameters, meta: { class: 'ask' } });
    shop.model.next({ toolCalls: [{ name: 'note', arguments: { order: 7 } }] });
    const asked = await visit(shop, 'Please note order 7', given);
    expect(asked.confirm).toEqual({ function: 'note', name: 'note', arguments: { order: 7, customer: 'anna' } });
    const path = `/chat/${shop.chatbot}/session/${asked.session}/message/${asked.uuid}/confirm`;
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ accept: true });
    await (await fetch(shop.docent.base + path, { method: 'POST', headers, body })).text();
    expect(shop.tool.calls.map((call) => JSON.parse(call.body))).toEqual([
      { order: 7, token: 'S3CRET', customer: 'anna' },
    ]);
  });
});

describe('a static variable whose value is repeated', () => {
  const named = (name: string, content: string) => ({ name, type: 'string', default_value: { content, static: 1 } });
  const variables = [
    named('api_key', 'SECRET-KEY-998877'),
    named('code', 'hush-hush-hush'),
    named('tenant', 'q8Zr4T1x'),
    named('note_token', 'quite secret'),
    named('season', 'winter-2025'),
  ];
  const parameters = {
    type: 'object',
    properties: { order: { type: 'integer' }, extra: { type: 'array', default: ['{{note_token}}'] } },
  };
  const external_url = '/stock/{{tenant}}?key={{api_key}}&pass={{code}}&season={{season}}';
  beforeEach(() => shop.docent.api('POST', `/agent/${shop.agent}/update`, { variables }));

  it.each([
    ['POST', 404],
    ['POST', 200],
    ['GET', 200],
  ])('is hidden where it can be a secret, after %s and %s', async (method, status) => {
    await shop.addFunction({ name: 'note', method, parameters, external_url: shop.tool.base + external_url });
    shop.tool.reply = (call, response) => json({ path: call.url, sent: call.body }, status)(call, response);
    shop.model.next({ toolCalls: [{ name: 'note', arguments: { order: 7 } }] });
    const { meta } = await visit(shop, 'Please note order 7');
    const [call] = shop.tool.calls;
    expect(call!.url).toContain('/stock/q8Zr4T1x?key=SECRET-KEY-998877&pass=hush-hush-hush&season=winter-2025');
    expect(call!.url + call!.body).toMatch(/quite[ +]secret/);
    for (const told of [JSON.stringify(toldIn(shop, 1)), JSON.stringify(meta.functions_called)]) {
      expect(told).toMatch(/stock\/\*{4}\?key=\*{4}&pass=\*{4}&season=winter-2025/);
      expect(told).not.toMatch(/quite.secret/);
    }
  });

  it('is hidden from the visitor who gets the reply as it is', async () => {
    const meta = { examples: ['Which lamps are left in your warehouse?'] };
    await shop.addFunction({ method: 'GET', external_url: shop.tool.base + external_url, meta });
    shop.tool.reply = (call, response) => json({ message: `Nothing at ${call.url}` })(call, response);
    shop.model.next({ status: 500 });
    const { text } = await visit(shop, 'Which lamps are left in your warehouse?');
    expect(text).toContain('Nothing at /stock/****?key=****&pass=****&season=winter-2025');
  });
});

describe('a static variable that a key holder creates the session with', () => {
  const variables = [
    { name: 'customer', example: '71234567', type: 'string', default_value: { content: 'nobody', static: 1 } },
  ];
  const QUERY = 'My customer number is 99999999. Which invoices are open?';
  const created = (body: object) => shop.docent.api('POST', `/chatbot/${shop.chatbot}/session/create`, body);
  const initial_variables = { customer: '71234567' };
  beforeEach(async () => {
    await shop.docent.api('POST', `/agent/${shop.agent}/update`, { variables });
    await shop.addFunction({
      name: 'invoices',
      method: 'GET',
      external_url: `${shop.tool.base}/invoices/{{customer}}`,
    });
    shop.model.next({ toolCalls: [{ name: 'invoices', arguments: {} }] });
  });
  const calledFor = async (body: object): Promise<string[]> => {
    await visit(shop, QUERY, body);
    return shop.tool.calls.map(({ url }) => url);
  };

  it('has that value, whatever the visitor says', async () => {
    const { body } = await created({ initial_variables });
    expect(body).not.toHaveProperty('by_key');
    expect(await calledFor({ session: body.uuid })).toEqual(['/invoices/71234567']);
  });

  it('does not take it from the page, nor where the key holder passes on what a visitor sent', async () => {
    expect(await calledFor({ variables: initial_variables })).toEqual(['/invoices/nobody']);
    const { body } = await created({ initial_variables, from_visitor: true });
    shop.tool.calls.length = 0;
    shop.model.next({ toolCalls: [{ name: 'invoices', arguments: {} }] });
    expect(await calledFor({ session: body.uuid })).toEqual(['/invoices/nobody']);
  });
});

describe('a variable of an address', () => {
  it.each(['..', '../admin', 'a/../../admin', '..\\admin', '..\n', '7/.'])(
    'fills no path where it is %j',
    async (order) => {
      await shop.addFunction({ method: 'GET', external_url: `${shop.tool.base}/orders/{{order}}?q={{order}}` });
      shop.model.next({ toolCalls: [{ name: 'stock', arguments: {} }] });
      await visit(shop, 'Where is it?', { variables: { order } });
      expect(shop.tool.calls).toEqual([]);
      expect(toldIn(shop, 1)).toEqual([{ error: expect.stringContaining('variable') }]);
    },
  );

  it.each(['7/b', 'v1..2', '.well-known'])('fills a path where it is %j, and a query with anything', async (order) => {
    const external_url = `${shop.tool.base}/orders/{{order}}?q={{more}}`;
    await shop.addFunction({ method: 'GET', external_url });
    shop.model.next({ toolCalls: [{ name: 'stock', arguments: {} }] });
    await visit(shop, 'Where is it?', { variables: { order, more: '../x' } });
    expect(shop.tool.calls.map(({ url }) => url)).toEqual([`/orders/${encodeURIComponent(order)}?q=..%2Fx`]);
  });
});

it('a call whose check takes longer than anybody waits is not made', async () => {
  const steps = Array.from({ length: 30 }, (_, at) => {
    const next = at === 29 ? { type: 'string' } : { $ref: `#/$defs/d${at + 1}` };
    return [`d${at}`, { anyOf: [next, next] }] as const;
  });
  const parameters = {
    type: 'object',
    $defs: Object.fromEntries(steps),
    properties: { ...ORDER.properties, x: { $ref: '#/$defs/d0' } },
  };
  await shop.addFunction({ name: 'slow', parameters });
  shop.model.next({ toolCalls: [{ name: 'slow', arguments: { x: 1 } }] });
  await visit(shop, 'Please try it');
  expect(shop.tool.calls).toEqual([]);
  expect(toldIn(shop, 1)).toEqual([{ error: expect.stringContaining('cannot be checked') }]);
});

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Script } from '../../fakes/model.ts';
import { askByKey, json, openShop, ORDER, toldIn, visit, type Shop } from './fixture.ts';

let shop: Shop;
beforeAll(async () => void (shop = await openShop()));
afterEach(() => shop.removeFunctions());
afterAll(() => shop.close());

const calling = (name: string, args: object | string = {}, more: object = {}) => ({
  toolCalls: [{ name, arguments: args }],
  ...more,
});
const saying = (...pieces: string[]) => ({ pieces });

describe('a call of a tool function', () => {
  it('is made with what the model fills in, and its reply goes back as data', async () => {
    await shop.addFunction({
      parameters: ORDER,
      headers: { 'X-Key': 'key-of-the-shop' },
      meta: { class: 'read', step: 'Looking it up' },
    });
    shop.tool.reply = json({ state: 'sent' });
    shop.model.next(calling('stock', { order: 7 }, { totalTokens: 30 }), {
      ...saying('It is on its way.'),
      totalTokens: 12,
    });
    const { text, steps, events, meta } = await visit(shop, 'Where is order 7?');
    expect(text).toBe('It is on its way.');
    expect([steps, events]).toEqual([['Looking it up'], ['session', 'message', 'step', 'delta', 'done']]);
    expect(shop.tool.calls).toMatchObject([
      { method: 'POST', url: '/stock', body: '{"order":7}', headers: { 'x-key': 'key-of-the-shop' } },
    ]);
    expect(toldIn(shop, 1)).toEqual([{ note: expect.stringContaining('data'), status: 200, reply: { state: 'sent' } }]);
    expect(meta.functions_called).toEqual([{ name: 'stock', content: expect.stringContaining('"state":"sent"') }]);
    expect(meta).toMatchObject({ actual_token_distribution: { total_tokens: 42 }, credits: 1, outcome: 'answered' });
    expect(JSON.stringify([shop.model.requests, meta])).not.toContain('key-of-the-shop');
  });

  it.each(['GET', 'DELETE'])('by %s has query parameters beside those of the address', async (method) => {
    const properties = { q: { type: 'string' }, tags: { type: 'array' }, kind: { type: 'string' } };
    const parameters = { type: 'object', properties };
    await shop.addFunction({ method, external_url: `${shop.tool.base}/stock?kind=all&x=1`, parameters });
    shop.model.next(calling('stock', { q: 'a&b=c d', tags: ['x', 'y'], kind: 'one' }), saying('Two.'));
    await visit(shop, 'How many lamps?');
    const [{ url, body, headers }] = shop.tool.calls as [(typeof shop.tool.calls)[number]];
    expect([url, body, headers['content-type']]).toEqual([
      '/stock?x=1&q=a%26b%3Dc+d&tags=x&tags=y&kind=one',
      '',
      undefined,
    ]);
  });

  it('offers names and schemas that model servers take', async () => {
    const parameters = { properties: { day: { type: 'string', default: '{{day}}' } }, required: ['day'] };
    await shop.addFunction({ name: 'Is it open?', parameters, description: 'Opening hours' });
    await shop.addFunction({ name: 'Is it open!' });
    await shop.addFunction({ name: 'hidden', enabled: 0 });
    shop.model.next(saying('Yes.'));
    await visit(shop, 'Are you open?');
    const offered = shop.model.requests[0]!.body.tools!.map((one) => one.function);
    expect(offered.map(({ name }) => name)).toEqual(['Is_it_open_', 'Is_it_open__2']);
    expect(offered[0]).toMatchObject({
      description: 'Opening hours',
      parameters: { type: 'object', properties: { day: { type: 'string' } }, required: [] },
    });
    expect(JSON.stringify(offered)).not.toContain('{{');
  });

  it('is not made for a function that the agent lacks, or has switched off', async () => {
    await shop.addFunction({ name: 'off', enabled: 0 });
    await shop.addFunction({ name: 'on' });
    shop.model.next(
      {
        toolCalls: [
          { name: 'off', arguments: {} },
          { name: 'elsewhere', arguments: {} },
        ],
      },
      saying('No.'),
    );
    const { text } = await visit(shop, 'Do it');
    expect([text, shop.tool.calls]).toEqual(['No.', []]);
    expect(toldIn(shop, 1)).toEqual([{ error: 'there is no such function' }, { error: 'there is no such function' }]);
  });

  it('follows text without running into it', async () => {
    await shop.addFunction({ method: 'GET' });
    shop.model.next({ pieces: ['Let me look. '], toolCalls: [{ name: 'stock', arguments: {} }] }, saying('Two.'));
    const { text } = await visit(shop, 'How many lamps?');
    expect(text).toBe('Let me look. \n\nTwo.');
    const [before] = shop.model.requests[1]!.body.messages.filter(({ tool_calls }) => tool_calls);
    expect(before).toMatchObject({ role: 'assistant', content: 'Let me look. ' });
  });

  it.each([
    ['{"order":"seven"}', 'order must be integer'],
    ['{}', 'must have required properties order'],
    ['{"order":1,"admin":true}', 'must not have additional properties'],
    ['[1]', 'must be one JSON object'],
    ['{"order":', 'must be one JSON object'],
    ['{"__proto__":{"order":1}}', 'cannot be checked'],
    [`{"order":1,"x":${'['.repeat(9000)}${']'.repeat(9000)}}`, 'cannot be checked'],
    [`{"order":1,"x":"${'x'.repeat(20_000)}"}`, 'too long'],
  ])('is not made with the arguments %.40s', async (args, error) => {
    await shop.addFunction({ parameters: ORDER, method: 'GET' });
    shop.model.next(calling('stock', args), saying('Which order?'));
    expect((await visit(shop, 'Where is it?')).text).toBe('Which order?');
    expect(shop.tool.calls).toEqual([]);
    expect(toldIn(shop, 1)).toEqual([{ error: expect.stringContaining(error) }]);
  });

  it.each([
    { properties: { order: { type: 'string', pattern: '(' } } },
    { properties: { order: { type: 'string', pattern: '^(x+x+)+y$' } } },
    { $ref: '#', properties: {} },
    { properties: { order: { $ref: '#/properties/order' } } },
  ])('is not made where the schema %j cannot be used', async (parameters) => {
    await shop.addFunction({ parameters });
    // By the pattern with x+x+, a check of this would take years.
    shop.model.next(calling('stock', { order: 'x'.repeat(60) }), saying('No.'));
    await visit(shop, 'Where is it?');
    expect([shop.tool.calls, toldIn(shop, 1)]).toEqual([[], [{ error: expect.stringContaining('cannot be checked') }]]);
  });

  it('is made where the arguments match the patterns, and not where they do not', async () => {
    await shop.addFunction({ parameters: { properties: { order: { type: 'string', pattern: '^[A-Z]{2}-\\d+$' } } } });
    shop.model.next(calling('stock', { order: 'x' }), calling('stock', { order: 'TW-7' }), saying('Yes.'));
    await visit(shop, 'Where is it?');
    expect(shop.tool.calls.map(({ body }) => body)).toEqual(['{"order":"TW-7"}']);
    expect(toldIn(shop, 1)).toEqual([{ error: expect.stringContaining('must match pattern') }]);
  });
});

describe('a variable', () => {
  const variables = {
    order: 'a/b?c#d',
    token: 'T0ken',
    shop: 'north',
    n: '5',
    dots: '..',
    line: 'a\r\nX-Admin: 1',
    euro: '€',
  };
  const ask = (query = 'Where is my order?') => visit(shop, query, { variables });

  it('fills address, headers and defaults', async () => {
    const properties = {
      count: { type: 'integer', default: '{{n}}' },
      shop: { type: 'string', default: 'shop-{{ shop }}' },
      missing: { type: 'string', default: '{{nothing}}' },
      given: { type: 'string', default: '{{shop}}' },
      fixed: { type: 'boolean', default: true },
    };
    await shop.addFunction({
      parameters: { type: 'object', properties, required: ['count', 'shop'] },
      external_url: `${shop.tool.base}/order/{{order}}/state?of={{shop}}`,
      headers: { Authorization: 'Bearer {{token}}' },
    });
    shop.model.next(calling('stock', { given: 'mine' }), saying('Sent.'));
    await ask();
    const [{ url, headers, body }] = shop.tool.calls as [(typeof shop.tool.calls)[number]];
    expect([url, headers.authorization]).toEqual(['/order/a%2Fb%3Fc%23d/state?of=north', 'Bearer T0ken']);
    expect(JSON.parse(body)).toEqual({ given: 'mine', count: 5, shop: 'shop-north', fixed: true });
  });

  it('fills defaults of several types, of lists and of objects', async () => {
    const texts = { type: 'array', items: { type: 'string' } };
    const properties = {
      count: { type: ['number', 'null'], default: '{{n}}' },
      whole: { type: ['null', 'integer', 'string'], default: '{{shop}}' },
      none: { type: ['number', 'null'], default: null },
      word: { type: ['number', 'null'], default: '{{shop}}' },
      shops: { ...texts, default: ['{{shop}}', 'south'] },
      counts: { type: 'array', items: { type: 'integer' }, default: ['{{n}}', 2] },
      of: { type: 'object', properties: { n: { type: 'integer' } }, default: { n: '{{n}}', shop: 'of {{shop}}' } },
      some: { ...texts, default: ['{{nothing}}', 'south'] },
      given: { ...texts, default: ['{{shop}}'] },
    };
    await shop.addFunction({ parameters: { type: 'object', properties, required: ['count', 'shops'] } });
    shop.model.next(calling('stock', { given: ['mine'] }), saying('Sent.'));
    await ask();
    expect(JSON.parse(shop.tool.calls[0]!.body)).toEqual({
      count: 5,
      whole: 'north',
      none: null,
      shops: ['north', 'south'],
      counts: [5, 2],
      of: { n: 5, shop: 'of north' },
      given: ['mine'],
    });
    const [tool] = shop.model.requests[0]!.body.tools!;
    expect(tool!.function.parameters).toMatchObject({ required: [], properties: { shops: texts } });
    expect(JSON.stringify(tool)).not.toContain('{{');
  });

  const declared = { type: 'string', example: '', default_value: { content: '', static: 0 } };
  const described = { ...declared, name: 'order', description: 'Number of the order.' };

  it.each<[{ external_url?: string; headers?: object }, object[], string]>([
    [{ headers: { 'X-Name': 'of {{line}}' } }, [], 'a variable of the headers has no value that fits'],
    [{ headers: { 'X-Name': '{{euro}}' } }, [], 'a variable of the headers has no value that fits'],
    [{ headers: { 'X-Name': '{{nothing}}' } }, [], 'a variable of the headers has no value that fits'],
    [{ external_url: '/order/{{dots}}/state' }, [], 'the value of a variable does not fit into the address'],
    [{ external_url: '/order/{{nothing}}' }, [], 'the variable nothing has no value'],
    [
      { external_url: '/order/{{nothing}}' },
      [{ ...described, name: 'nothing' }],
      'nothing (Number of the order.) is not known yet: ask the visitor for it',
    ],
    [
      { external_url: '/order/{{nothing}}' },
      [{ ...declared, name: 'nothing', description: '' }],
      'nothing is not known yet: ask the visitor for it',
    ],
    [
      { external_url: '/order/{{nothing}}' },
      [{ ...described, name: 'nothing', default_value: { content: '', static: 1 } }],
      'the variable nothing has no value',
    ],
  ])('that does not fit keeps the call from being made: %j %j', async (fields, declares, error) => {
    await shop.docent.api('POST', `/agent/${shop.agent}/update`, { variables: declares });
    const external_url = fields.external_url && shop.tool.base + fields.external_url;
    await shop.addFunction({ method: 'GET', ...fields, ...(external_url ? { external_url } : {}) });
    shop.model.next(calling('stock'), saying('No.'));
    await ask();
    expect(shop.tool.calls).toEqual([]);
    await shop.docent.api('POST', `/agent/${shop.agent}/update`, { variables: [] });
    // A background request collects declared variables beside the answer.
    const round = shop.model.requests.findIndex(({ body }) => body.messages.at(-1)?.role === 'tool');
    expect(toldIn(shop, round)).toEqual([{ error }]);
  });
});

describe('a call that fails', () => {
  it.each([
    ['answers 404', json({ why: 'unknown' }, 404), { error: 'the function answered 404', reply: { why: 'unknown' } }],
    ['answers 500', json('x', 500), { error: 'the function answered 500' }],
    [
      'redirects',
      ((_, r) => r.writeHead(302, { location: '/x' }).end()) as Shop['tool']['reply'],
      { error: expect.stringContaining('redirects') },
    ],
    ['hangs up', ((_, r) => r.destroy()) as Shop['tool']['reply'], { error: expect.stringContaining('reached') }],
    [
      'is too large',
      ((_, r) => r.end('x'.repeat(300_000))) as Shop['tool']['reply'],
      { error: expect.stringContaining('256 KB') },
    ],
  ] as [string, Shop['tool']['reply'], object][])('is told to the model where it %s', async (_, reply, told) => {
    await shop.addFunction({ method: 'GET' });
    shop.tool.reply = reply;
    shop.model.next(calling('stock'), saying('I could not look it up.'));
    const { text, meta } = await visit(shop, 'How many lamps?');
    expect(text).toBe('I could not look it up.');
    expect(toldIn(shop, 1)).toEqual([expect.objectContaining(told)]);
    expect(meta.functions_called).toEqual([{ name: 'stock', content: expect.stringContaining('error') }]);
  });

  it('is not made where the address is private', async () => {
    await shop.addFunction({ method: 'GET', external_url: 'http://169.254.169.254/latest/meta-data' });
    shop.model.next(calling('stock'), saying('No.'));
    await visit(shop, 'How many lamps?');
    expect(toldIn(shop, 1)).toEqual([{ error: expect.stringContaining('not allowed') }]);
  });

  it('is ended when the visitor stops the answer', async () => {
    await shop.addFunction({ method: 'GET' });
    let closed: (value: unknown) => void;
    const closing = new Promise((done) => (closed = done));
    const { docent, chatbot } = shop;
    const session = (await docent.api('POST', `/chatbot/${chatbot}/session/create`, {})).body.uuid;
    shop.tool.reply = (_, response) => {
      response.on('close', closed);
      void docent
        .api('GET', `/session/${session}/messages`)
        .then(({ body }) =>
          fetch(`${docent.base}/chat/${chatbot}/session/${session}/message/${body[0].uuid}/stop`, { method: 'POST' }),
        );
    };
    shop.model.next(calling('stock'));
    const { message } = await visit(shop, 'How many lamps?', { session });
    await closing;
    expect([message.finish_reason, shop.model.requests.length]).toEqual(['stopped', 1]);
  });
});

describe('the rounds of calls', () => {
  it('are five at most, and the model answers without functions then', async () => {
    await shop.addFunction({ method: 'GET' });
    shop.model.next(...Array.from({ length: 5 }, () => calling('stock')), saying('Enough.'));
    const { text, meta } = await visit(shop, 'How many lamps?');
    expect([text, shop.tool.calls.length, meta.functions_called.length, meta.credits]).toEqual(['Enough.', 5, 5, 1]);
    expect(shop.model.requests.map(({ body }) => body.tools !== undefined)).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
    ]);
  });

  it('end with quotes where the model only calls', async () => {
    await shop.addFunction({ method: 'GET' });
    shop.model.next(...Array.from({ length: 6 }, () => calling('stock')));
    const { text, meta } = await visit(shop, 'For how many days may I return this lamp?');
    expect([text, shop.tool.calls.length]).toEqual([expect.stringContaining('within 45 days'), 5]);
    expect([meta.fallback, meta.functions_called.length]).toEqual(['bad_reply', 5]);
  });

  it('end with quotes where the model fails after a call', async () => {
    await shop.addFunction({ method: 'GET' });
    shop.model.next(calling('stock'), { status: 500, raw: ['{}'] });
    const { text, meta } = await visit(shop, 'For how many days may I return this lamp?');
    expect([text, meta.fallback]).toEqual([expect.stringContaining('within 45 days'), 'status_500']);
    expect(meta.functions_called).toHaveLength(1);
  });

  it('cost what the model took before it failed, with quotes in its place or in mid-answer', async () => {
    const own = await openShop();
    await own.addFunction({ method: 'GET' });
    const costs = async (...scripts: Script[]) => {
      own.model.next(...scripts);
      const { meta } = await visit(own, 'For how many days may I return this lamp?');
      return [meta.credits, meta.actual_token_distribution.total_tokens];
    };
    const called = calling('stock', {}, { totalTokens: 30 });
    const failure = { status: 500, raw: ['{}'] };
    expect(await costs(called, failure)).toEqual([1, 30]);
    expect(await costs(called, { pieces: ['You ', 'may.'], cutAfter: 1 })).toEqual([1, 30]);
    expect(await costs(failure)).toEqual([0, 0]);
    await own.close();
  });

  it('have four calls each at most', async () => {
    await shop.addFunction({ method: 'GET' });
    const six = Array.from({ length: 6 }, () => ({ name: 'stock', arguments: {} }));
    shop.model.next({ toolCalls: six }, saying('Enough.'));
    await visit(shop, 'How many lamps?');
    expect([shop.tool.calls.length, toldIn(shop, 1).filter(({ error }) => error).length]).toEqual([4, 2]);
  });
});

describe('a function that acts', () => {
  const DONE = 'I have cancelled it.';

  it.each<[string, object, Shop['tool']['reply'] | undefined, string]>([
    ['answers 404', { order: 1 }, json({}, 404), 'This was not done: cancel'],
    ['answers 500', { order: 1 }, json({}, 500), 'It is not certain that this was done: cancel'],
    [
      'answers 304',
      { order: 1 },
      (_, r) => void r.writeHead(304).end(),
      'It is not certain that this was done: cancel',
    ],
    [
      'answers 200 with a page',
      { order: 1 },
      (_, r) => void r.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('\n<!doctype html>Sign in'),
      'It is not certain that this was done: cancel',
    ],
    ['gets bad arguments', { order: 'x' }, undefined, 'This was not done: cancel'],
    ['hangs up', { order: 1 }, (_, r) => void r.destroy(), 'It is not certain that this was done: cancel'],
  ])('is said not to have acted where it %s, whatever the model claims', async (_, args, reply, sentence) => {
    await shop.addFunction({ name: 'cancel', parameters: ORDER });
    if (reply) shop.tool.reply = reply;
    shop.model.next(calling('cancel', args), saying(DONE));
    expect((await visit(shop, 'Please cancel my order number one.')).text).toBe(`${DONE}\n\n${sentence}`);
  });

  it.each(['{"ok":true}', 'OK', ''])('has acted where it answers 200 with %j, even as HTML', async (body) => {
    await shop.addFunction({ name: 'cancel', parameters: ORDER });
    shop.tool.reply = (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(body);
    shop.model.next(calling('cancel', { order: 1 }), saying(DONE));
    expect((await visit(shop, 'Please cancel my order number one.')).text).toBe(DONE);
  });

  it('is told to the model as not certain where it failed after it was called, and as failed where it refused', async () => {
    await shop.addFunction({ name: 'cancel', parameters: ORDER });
    const replies = [json({}, 503), json({}, 422)];
    shop.tool.reply = (...of) => replies.shift()!(...of);
    shop.model.next(calling('cancel', { order: 1 }), calling('cancel', { order: 2 }), saying('I am not sure.'));
    await visit(shop, 'Please cancel my order.');
    const [unsure, refused] = toldIn(shop, 2).map(({ error }) => error);
    expect(unsure).toMatch(/^the function answered 503; it is not certain whether this was done/);
    expect(refused).toBe('the function answered 422');
  });

  it.each([
    ['has other arguments', { order: 2 }, 2],
    ['is the same, which is not made', { order: 1 }, 1],
  ])('stays uncertain where the call after it %s', async (_, second, count) => {
    await shop.addFunction({ name: 'cancel', parameters: ORDER });
    const replies = [json({}, 500), json({ ok: true })];
    shop.tool.reply = (...of) => replies.shift()!(...of);
    shop.model.next(calling('cancel', { order: 1 }), calling('cancel', second), saying(DONE));
    const { text, meta } = await visit(shop, 'Please cancel orders 1 and 2.');
    expect(text).toBe(`${DONE}\n\nIt is not certain that this was done: cancel`);
    expect([shop.tool.calls.length, meta.functions_called.length]).toEqual([count, 2]);
    const [, told] = toldIn(shop, 2);
    if (count === 1) expect(told!.error).toMatch(/^not called again: it is not certain/);
  });

  it('is called once where a round has the same call twice, in whatever order its arguments are', async () => {
    const parameters = { type: 'object', properties: { order: { type: 'integer' }, why: { type: 'string' } } };
    await shop.addFunction({ name: 'cancel', parameters });
    const twice = [{ order: 1, why: 'late' }, { why: 'late', order: 1 }, { order: 2 }];
    shop.model.next(
      { toolCalls: twice.map((arguments_) => ({ name: 'cancel', arguments: arguments_ })) },
      saying(DONE),
    );
    expect((await visit(shop, 'Please cancel orders 1 and 2.')).text).toBe(DONE);
    expect([shop.tool.calls.length, toldIn(shop, 1).map(({ error }) => error?.slice(0, 16))]).toEqual([
      2,
      [undefined, 'not called again', undefined],
    ]);
  });

  it('is said so in the language of the visitor', async () => {
    await shop.addFunction({ name: 'cancel', meta: { step: 'Bestellung stornieren' } });
    shop.tool.reply = json({}, 409);
    shop.model.next(calling('cancel'), saying('Erledigt.'));
    const { text } = await visit(shop, 'Bitte stornieren Sie meine letzte Bestellung, danke.');
    expect(text).toBe('Erledigt.\n\nDas wurde nicht ausgeführt: Bestellung stornieren');
  });

  it('is not spoken of where it acted, at once or when it was tried again', async () => {
    await shop.addFunction({ name: 'cancel', parameters: ORDER });
    shop.model.next(calling('cancel', { order: 'x' }), calling('cancel', { order: 1 }), saying(DONE));
    expect((await visit(shop, 'Please cancel order 1')).text).toBe(DONE);
    expect(shop.tool.calls).toHaveLength(1);
  });

  it('is said not to be there where the model fails before a call, and only of an agent that has functions', async () => {
    const question = 'How long may I return a lamp, please?';
    const failing = { status: 500, raw: ['{}'] };
    await shop.addFunction({ name: 'cancel' });
    shop.model.next(failing);
    const { text, meta } = await visit(shop, question);
    const sentence = 'At the moment I cannot look anything up or change anything for you.';
    expect([text, meta.fallback]).toEqual([
      expect.stringMatching(new RegExp(`within 45 days[^]*\\n\\n${sentence}$`)),
      'status_500',
    ]);
    await shop.removeFunctions();
    shop.model.next(failing, saying('Yes.'));
    expect((await visit(shop, question)).text).not.toContain('At the moment');
    await visit(shop, question);
  });

  it('is said to have acted where the model fails before it can say so', async () => {
    await shop.addFunction({ name: 'cancel' });
    shop.model.next(calling('cancel'), { status: 500, raw: ['{}'] });
    expect((await visit(shop, 'Please cancel my order.')).text).toMatch(/\n\nThis was done: cancel$/);
  });

  it('is said not to have acted where the call was cut off', async () => {
    await shop.addFunction({ name: 'cancel' });
    shop.model.next({ pieces: [DONE], ...calling('cancel'), finish: 'length' });
    expect((await visit(shop, 'Please cancel my order.')).text).toBe(`${DONE}\n\nThis was not done: cancel`);
  });
});

describe('over /api/v1', () => {
  it('functions are called too', async () => {
    await shop.addFunction({ method: 'GET', external_url: `${shop.tool.base}/of/{{who}}` });
    shop.model.next(calling('stock'), saying('Two.'));
    const { text, meta } = await askByKey(shop, 'How many lamps?', { who: 'me' });
    expect([text, meta.functions_called.length, shop.tool.calls[0]?.url]).toEqual(['Two.', 1, '/of/me']);
  });

  it('one that has to be confirmed is not, and the answer says so', async () => {
    await shop.addFunction({ name: 'cancel', meta: { class: 'ask' } });
    shop.model.next(calling('cancel'), saying('I have cancelled it.'));
    const { text } = await askByKey(shop, 'Please cancel my order.');
    expect(text).toMatch(
      /^I have cancelled it\.\n\nThis was not done, since it has to be confirmed, which is not possible here: cancel$/,
    );
    expect([shop.tool.calls, toldIn(shop, 1)]).toEqual([[], [{ error: expect.stringContaining('confirm') }]]);
  });
});

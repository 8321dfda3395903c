import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { askByKey, json, openShop, ORDER, visit, type Shop } from './fixture.ts';

/** Tool functions where no model answers. */

let shop: Shop;
beforeAll(async () => void (shop = await openShop({}, false)));
afterEach(() => shop.removeFunctions());
afterAll(() => shop.close());

const FAILED = 'I could not look that up at the moment.';
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

  it('hides the secrets of its headers, and not what they say of the shop or have of the visitor', async () => {
    const variables = [{ name: 'order', description: 'Number of the order.', example: 'TW-10234-KX7' }];
    await shop.docent.api('POST', `/agent/${shop.agent}/update`, { variables });
    const headers = {
      'X-Api-Key': 'k3y-of-the-shop',
      'X-Order-Key': '{{order}}',
      Origin: 'https://shop.example',
      Prefer: 'return=representation',
    };
    await shop.addFunction({ method: 'GET', meta: { examples }, headers });
    shop.tool.reply = ({ headers: sent }, response) =>
      json(`${sent['x-order-key']}, a representation: ${sent['x-api-key']}.`)({} as never, response);
    const { text } = await visit(shop, 'Where is my order TW-88211-QZ4?');
    await shop.docent.api('POST', `/agent/${shop.agent}/update`, { variables: [] });
    expect(text).toBe('TW-88211-QZ4, a representation: ****.');
  });

  it('fills required parameters from variables of their names', async () => {
    await shop.addFunction({ method: 'GET', meta: { examples }, parameters: ORDER });
    shop.tool.reply = json('Sent.');
    expect((await askByKey(shop, 'Where is my order?', { order: 7 })).text).toBe('Sent.');
    expect(shop.tool.calls[0]?.url).toBe('/stock?order=7');
    const { text, meta } = await askByKey(shop, 'Where is my order?');
    expect([text, shop.tool.calls.length, meta.outcome]).toEqual([FAILED, 1, 'unknown']);
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
    ['knows nothing of it', json({ message: 'unknown' }, 404)],
    ['redirects', (_, response) => void response.writeHead(302, { location: '/sign-in' }).end()],
    ['replies with what no visitor can read', json({ state: 3 })],
    [
      'replies with a page',
      (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>x</p>'),
    ],
  ])('says that it could not look it up where it %s, and quotes no page', async (_, reply) => {
    await shop.addFunction({ method: 'GET', meta: { examples: ['For how many days may I return this lamp?'] } });
    shop.tool.reply = reply;
    const { text, message, meta } = await visit(shop, 'For how many days may I return this lamp?');
    expect([text, meta.outcome, message.cite_data_json]).toEqual([FAILED, 'unknown', '{}']);
    expect(meta.functions_called).toHaveLength(1);
  });

  describe('and a variable that is not known', () => {
    const order = { name: 'order', description: 'Number of the *order*.', example: 'BB-10234', type: 'string' };
    const declare = (variables: object[]) => shop.docent.api('POST', `/agent/${shop.agent}/update`, { variables });
    afterEach(() => declare([]));

    it.each<[string, object]>([
      ['of its address', { external_url: '/orders/{{order}}' }],
      ['of a required parameter', { parameters: ORDER }],
      [
        'of the default of one',
        { parameters: { properties: { of: { type: 'string', default: 'no. {{order}}' } }, required: ['of'] } },
      ],
    ])('%s, asks for it by its description', async (_, fields) => {
      await declare([{ ...order, default_value: { content: '', static: 0 } }]);
      const { external_url = '/stock' } = fields as { external_url?: string };
      await shop.addFunction({
        method: 'GET',
        meta: { examples },
        ...fields,
        external_url: shop.tool.base + external_url,
      });
      const { text, meta } = await visit(shop, 'Where is my order?');
      expect([text, meta.outcome]).toEqual(['To look that up I need: Number of the \\*order\\*.', 'unknown']);
      const content = '{"error":"order (Number of the *order*.) is not known yet: ask the visitor for it"}';
      expect([shop.tool.calls, meta.functions_called]).toEqual([[], [{ name: 'stock', content }]]);
    });

    it.each<[string, object[]]>([
      ['static', [{ ...order, default_value: { content: '', static: 1 } }]],
      ['declared by no agent', []],
    ])('asks for none that is %s', async (_, variables) => {
      await declare(variables);
      await shop.addFunction({ method: 'GET', meta: { examples }, external_url: `${shop.tool.base}/orders/{{order}}` });
      expect((await visit(shop, 'Where is my order?')).text).toBe(FAILED);
    });

    it('asks in the language of the visitor', async () => {
      await declare([{ ...order, description: '', default_value: { content: '', static: 0 } }]);
      const german = { examples: ['Wo ist meine Bestellung gerade?'] };
      await shop.addFunction({ method: 'GET', meta: german, external_url: `${shop.tool.base}/orders/{{order}}` });
      const { text } = await visit(shop, 'Wo ist meine Bestellung gerade?');
      expect(text).toBe('Um das nachzusehen, brauche ich: order');
    });

    describe('goes on with the lookup where the next message gives it', () => {
      const stranger = { name: 'Lamps', type: 'user-facing', description: 'Lamps and their bulbs.' };
      let other: string;
      beforeAll(async () => {
        const { body } = await shop.docent.api('POST', `/chatbot/${shop.chatbot}/agent/create`, stranger);
        other = body.uuid;
        await shop.docent.api('POST', `/agent/${other}/update`, { enabled: true });
      });
      afterAll(() => shop.docent.api('POST', `/agent/${other}/delete`));
      const lookup = async () => {
        await declare([{ ...order, default_value: { content: '', static: 0 } }]);
        await shop.addFunction({
          method: 'GET',
          meta: { examples },
          external_url: `${shop.tool.base}/orders/{{order}}`,
        });
        shop.tool.reply = json('Sent.');
        return (await visit(shop, 'Where is my order?')).session;
      };

      it.each(['BB-50077', '50077', 'It is 50077, thanks.', 'my order number is BB-50077', '#50077'])(
        'as “%s”',
        async (said) => {
          const session = await lookup();
          const { text, meta } = await visit(shop, said, { session });
          expect([text, shop.tool.calls.map(({ url }) => url), meta.active_agent.uuid]).toEqual([
            'Sent.',
            ['/orders/BB-50077'],
            shop.agent,
          ]);
        },
      );

      it.each(['How do I return order 50077?', '50077 lamps, please', 'I do not know'])(
        'but not as “%s”',
        async (said) => {
          const session = await lookup();
          await visit(shop, said, { session });
          expect(shop.tool.calls).toEqual([]);
        },
      );
    });

    it.each([
      'Where is order 50077?',
      'Wo ist Bestellung 50077?',
      'Où est ma commande 50077 ?',
      'Hello, could you tell me where my order BB-50077 is?',
    ])('takes it from “%s”', async (query) => {
      await declare([{ ...order, default_value: { content: '', static: 0 } }]);
      await shop.addFunction({
        method: 'GET',
        meta: { examples: [...examples, 'Wo ist meine Bestellung?', 'Où est ma commande ?'] },
        external_url: `${shop.tool.base}/orders/{{order}}`,
      });
      shop.tool.reply = json('Sent.');
      expect([(await visit(shop, query)).text, shop.tool.calls[0]?.url]).toEqual(['Sent.', '/orders/BB-50077']);
    });
  });
});

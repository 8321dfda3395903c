import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PRESS_BUTTON } from '../../../server/answer/tools/press-button.ts';
import { post } from '../../proxy/fixture.ts';
import { openShop, ORDER, visit, type Shop } from './fixture.ts';

/** What is written while a call waits for its button. */

let shop: Shop;
beforeAll(async () => void (shop = await openShop()));
afterEach(() => shop.removeFunctions());
afterAll(() => shop.close());

async function card(query: string): Promise<string> {
  const meta = { class: 'ask', step: 'Cancel the order' };
  await shop.addFunction({ name: 'cancel_order', parameters: ORDER, external_url: `${shop.tool.base}/cancel`, meta });
  shop.model.next({ toolCalls: [{ id: 'call_1', name: 'cancel_order', arguments: { order: 7 } }] });
  const asked = await visit(shop, query);
  expect(asked.confirm).toBeDefined();
  return asked.session;
}
const say = async (session: string, query: string) => (await visit(shop, query, { session })).text;

describe('a yes or a no that is written while a call waits', () => {
  it.each([
    ['Please cancel order 7', 'yes', PRESS_BUTTON.en],
    ['Please cancel order 7', 'No thanks.', PRESS_BUTTON.en],
    ['Bitte stornieren Sie meine Bestellung 7', 'ja', PRESS_BUTTON.de],
    ['Je voudrais annuler ma commande 7', 'oui', PRESS_BUTTON.fr],
  ])('after “%s”, “%s” is told of the buttons, and calls nothing', async (asked, said, reply) => {
    const session = await card(asked);
    expect(await say(session, said)).toBe(reply);
    expect(shop.tool.calls).toEqual([]);
  });

  it('leaves the call to its button', async () => {
    shop.tool.calls.length = 0;
    const meta = { class: 'ask', step: 'Cancel the order' };
    await shop.addFunction({ name: 'cancel_order', parameters: ORDER, external_url: `${shop.tool.base}/cancel`, meta });
    shop.model.next({ toolCalls: [{ id: 'call_1', name: 'cancel_order', arguments: { order: 7 } }] });
    const { session, uuid } = await visit(shop, 'Please cancel order 7');
    await say(session, 'yes');
    const url = `${shop.docent.base}/chat/${shop.chatbot}/session/${session}/message/${uuid}/confirm`;
    shop.model.next({ pieces: ['Done.'] });
    await (await post(url, { accept: true })).text();
    expect(shop.tool.calls).toHaveLength(1);
    expect(await say(session, 'yes')).not.toBe(PRESS_BUTTON.en);
  });

  it('is another message where it asks something', async () => {
    const session = await card('Please cancel order 7');
    shop.model.next({ pieces: ['Within 45 days.'] });
    expect(await say(session, 'No, how long may I return a lamp?')).not.toBe(PRESS_BUTTON.en);
  });
});

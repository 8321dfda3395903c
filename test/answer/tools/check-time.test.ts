import { afterAll, beforeAll, expect, it } from 'vitest';
import { openShop, ORDER, toldIn, visit, type Shop } from './fixture.ts';

let shop: Shop;
beforeAll(async () => void (shop = await openShop()));
afterAll(() => shop.close());

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

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Script, SeenRequest } from '../../fakes/model.ts';
import { openShop, ORDER, visit, type Shop } from './fixture.ts';

/** An answer with a function keeps its place among those that wait for the model. */

let shop: Shop;
let release = (): void => {};
const held = new Promise<void>((resolve) => (release = resolve));
const asked: string[] = [];

function script({ body }: SeenRequest): Script {
  const last = body.messages.at(-1)!;
  if (body.response_format) return { pieces: ['{"claims":"no"}'] };
  if (last.role === 'tool') {
    asked.push('goes on');
    return { pieces: ['Your order 7 is cancelled.'] };
  }
  if (!last.content.includes('giraffes')) return { toolCalls: [{ name: 'cancel', arguments: '{"order":7}' }] };
  asked.push('another');
  return { pieces: ['Giraffes are tall.'], hold: held };
}

beforeAll(async () => void (shop = await openShop({ MODEL_CONCURRENCY: '1' }, true, undefined, script)));
afterAll(() => shop.close());

it('goes on before questions that came while its function was called', async () => {
  await shop.addFunction({ name: 'cancel', parameters: ORDER, external_url: `${shop.tool.base}/cancel` });
  const others: Promise<unknown>[] = [];
  shop.tool.reply = async (_, response) => {
    for (const name of ['Ada', 'Bo']) others.push(visit(shop, `${name} asks how tall giraffes are`));
    await expect.poll(() => asked, { timeout: 10_000 }).toEqual(['another']);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
    setTimeout(release, 200);
  };
  const { events, text, meta } = await visit(shop, 'Please cancel order 7');
  expect(events.at(-1)).toBe('done');
  expect(text).toContain('Your order 7 is cancelled.');
  expect(meta.fallback).toBeUndefined();
  await Promise.all(others);
  expect(asked.slice(0, 2)).toEqual(['another', 'goes on']);
});

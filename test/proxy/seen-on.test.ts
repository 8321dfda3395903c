import { afterAll, beforeAll, expect, it } from 'vitest';
import { start, until, type Running } from '../running.ts';

/** GET /api/v1/chatbot/{uuid}/widget/seen-on: the sites that pages with the widget were first loaded from. */

let docent: Running;
beforeAll(async () => (docent = await start()));
afterAll(() => docent.stop());

async function newChatbot(visibility = 'public') {
  const { uuid } = (await docent.api('POST', '/chatbot/create', { name: 'Lamps', visibility })).body;
  const seen = async (): Promise<{ origin: string; at: string }[]> =>
    (await docent.api('GET', `/chatbot/${uuid}/widget/seen-on`)).body.seen_on;
  const load = async (origin?: string): Promise<number> => {
    const reply = await fetch(`${docent.base}/chat/${uuid}`, {
      headers: origin === undefined ? {} : { Origin: origin },
    });
    return reply.status;
  };
  return { uuid, seen, load };
}

it('has each origin once, with the time of its first request', async () => {
  const { seen, load, uuid } = await newChatbot();
  expect(await seen()).toEqual([]);
  for (const origin of [
    'https://shop.example',
    'https://SHOP.example:443',
    'https://shop.example',
    'http://127.0.0.1:8000',
  ])
    expect(await load(origin)).toBe(200);
  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  const both = [
    { origin: 'https://shop.example', at },
    { origin: 'http://127.0.0.1:8000', at },
  ];
  await until(seen, (list) => list.length === 2);
  expect(await seen()).toEqual(both);
  // The record of the chatbot has the keys that clients know.
  expect((await docent.api('GET', `/chatbot/${uuid}`)).body).not.toHaveProperty('seen_on');
});

it('has at most five, and none that is no site', async () => {
  const { seen, load } = await newChatbot();
  for (const origin of ['null', 'file://', 'nonsense', 'https://', `https://${'x'.repeat(300)}.example`, undefined])
    expect(await load(origin)).toBe(200);
  await Promise.all(Array.from({ length: 8 }, (_, at) => load(`https://shop-${at}.example`)));
  await until(seen, (list) => list.length === 5);
  await load('https://late.example');
  expect((await seen()).every(({ origin }) => /^https:\/\/shop-\d\.example$/.test(origin))).toBe(true);
});

it('has none for a chatbot that visitors cannot reach', async () => {
  const { seen, load } = await newChatbot('private');
  expect(await load('https://shop.example')).toBe(404);
  expect(await seen()).toEqual([]);
});

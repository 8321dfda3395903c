import { afterAll, beforeAll, expect, it } from 'vitest';
import { newChatbot, startApiFixture, type ApiFixture } from '../../api/api-fixture.ts';

let w: ApiFixture;
beforeAll(async () => {
  w = await startApiFixture();
});
afterAll(() => w.stop());

it.each([
  ['https://Shop.example/returns/?mail=ann@example.com#form', 'shop.example/returns'],
  ['http://shop.example:8080/', 'shop.example:8080/'],
  ['/returns?x', '/returns'],
  [`https://shop.example/${'ä'.repeat(300)}`, `shop.example/${'%C3%A4'.repeat(40)}`.slice(0, 200)],
  ['javascript:alert(1)', undefined],
  ['the shop', undefined],
  ['https://', undefined],
])('of a question asked on %j the message has the page %j', async (page, name) => {
  const chatbot = await newChatbot(w);
  const { body: session } = await w.call('POST', `/api/v1/chatbot/${chatbot}/session/create`, {
    initial_variables: { page },
  });
  const path = `/api/v1/session/${session.uuid}`;
  expect((await w.call('POST', `${path}/message/non-stream`, { query: 'Is it open?' })).status).toBe(200);
  const [message] = (await w.call('GET', `${path}/messages`)).body;
  expect(JSON.parse(message.meta_json).page).toBe(name);
});

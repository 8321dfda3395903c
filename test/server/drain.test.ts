import { expect, it } from 'vitest';
import { start } from '../running.ts';

it('answers 503 with CORS headers to every request while it drains', async () => {
  const docent = await start();
  await docent.booted.drain(1000);
  const uuid = '0'.repeat(32);
  for (const path of ['/healthz', '/readyz', '/api/v1/chatbots', `/chat/${uuid}`]) {
    const reply = await fetch(docent.base + path);
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '5']);
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    expect(await reply.json()).toMatchObject({ code: 'unavailable' });
  }
  const headers = { Origin: 'https://shop.test', 'Access-Control-Request-Method': 'POST' };
  expect((await fetch(`${docent.base}/chat/${uuid}/ask`, { method: 'OPTIONS', headers })).status).toBe(204);
  await docent.stop();
});

it('/healthz takes GET and HEAD only', async () => {
  const docent = await start();
  const method = async (name: string) => (await fetch(`${docent.base}/healthz`, { method: name })).status;
  expect([await method('GET'), await method('HEAD'), await method('POST')]).toEqual([200, 200, 405]);
  await docent.stop();
});

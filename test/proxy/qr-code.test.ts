import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { send } from '../console/requests.ts';
import { start, type Running } from '../running.ts';

/** /c/{chatbot}/qr.svg: the link of the share page, read as a phone reads it. */

type Read = (pixels: Uint8ClampedArray, width: number, height: number) => { data: string } | null;
// A script for pages: as a module it has no types that fit.
const readCode = createRequire(import.meta.url)('jsqr') as Read;

let docent: Running;
let chatbot: string;
beforeAll(async () => {
  docent = await start();
  chatbot = (await docent.api('POST', '/chatbot/create', { name: 'Shop', visibility: 'public' })).body.uuid;
});
afterAll(() => docent.stop());

/** What the squares of the picture say; undefined where no reader finds a code. */
function textIn(svg: string): string | undefined {
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)![1]);
  const pixels = new Uint8ClampedArray(size * size * 4).fill(255);
  for (const [, x, y, side] of svg.matchAll(/M(\d+),(\d+)h(\d+)v\3h-\3z/g))
    for (let row = Number(y); row < Number(y) + Number(side); row++)
      for (let at = Number(x); at < Number(x) + Number(side); at++)
        pixels.fill(0, (row * size + at) * 4, (row * size + at) * 4 + 3);
  return readCode(pixels, size, size)?.data;
}

it('is the link at the address that the browser uses', async () => {
  const reply = await send(docent.base, 'GET', `/c/${chatbot}/qr.svg`);
  expect(reply.status).toBe(200);
  expect(reply.headers).toMatchObject({
    'content-type': 'image/svg+xml',
    'cache-control': 'private, max-age=3600',
    'content-security-policy': "default-src 'none';sandbox",
    'x-content-type-options': 'nosniff',
  });
  expect(textIn(reply.text)).toBe(`${docent.base}/c/${chatbot}`);
  expect((await send(docent.base, 'HEAD', `/c/${chatbot}/qr.svg`)).status).toBe(200);
  const dashed = chatbot.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-').toUpperCase();
  expect((await send(docent.base, 'GET', `/c/${dashed}/qr.svg`)).text).toBe(reply.text);
});

it('is that of PUBLIC_URL, and of the proxy that is trusted', async () => {
  const told = async (env: NodeJS.ProcessEnv): Promise<string | undefined> => {
    const other = await start(env);
    onTestFinished(() => other.stop());
    const made = await other.api('POST', '/chatbot/create', { name: 'Shop', visibility: 'public' });
    const headers = { host: 'shop.example', 'x-forwarded-proto': 'https' };
    const { text } = await send(other.base, 'GET', `/c/${made.body.uuid}/qr.svg`, headers);
    return textIn(text)?.replace(made.body.uuid, 'UUID');
  };
  expect(await told({ PUBLIC_URL: 'https://chat.example.com' })).toBe('https://chat.example.com/c/UUID');
  expect(await told({ TRUST_PROXY_HOPS: '1' })).toBe('https://shop.example/c/UUID');
  expect(await told({})).toBe('http://shop.example/c/UUID');
});

it.each(['a b', '"><script>', 'x'.repeat(300)])('refuses the host %s', async (host) => {
  const reply = await send(docent.base, 'GET', `/c/${chatbot}/qr.svg`, { host });
  expect(reply).toMatchObject({ status: 400, body: { code: 'bad_request', error: expect.stringContaining('Host') } });
});

it('is 404 where the page is', async () => {
  const { uuid } = (await docent.api('POST', '/chatbot/create', { name: 'Hidden' })).body;
  for (const visibility of ['private', 'hybrid']) {
    await docent.api('POST', `/chatbot/${uuid}/update`, { visibility });
    expect((await send(docent.base, 'GET', `/c/${uuid}/qr.svg`)).body).toEqual(
      (await send(docent.base, 'GET', `/c/${'0'.repeat(32)}/qr.svg`)).body,
    );
  }
  for (const path of ['qr.svg/', 'qr.png', 'QR.svg', 'x/qr.svg'])
    expect((await send(docent.base, 'GET', `/c/${chatbot}/${path}`)).status, path).toBe(404);
});

import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { start, type Running } from '../running.ts';

let docent: Running;
let chatbot: string;
beforeAll(async () => void (docent = await start()));
afterAll(() => docent.stop());
beforeEach(async () => {
  chatbot = (await docent.api('POST', '/chatbot/create', { name: 'Shop help', visibility: 'public' })).body.uuid;
});

const page = (uuid = chatbot, init: RequestInit = {}) => fetch(`${docent.base}/c/${uuid}`, init);
const set = (settings: object) => docent.api('POST', `/chatbot/${chatbot}/widget`, settings);

async function policy(): Promise<Record<string, string>> {
  const rules = ((await page()).headers.get('content-security-policy') ?? '').split(';');
  return Object.fromEntries(rules.map((rule) => [rule.split(' ')[0], rule.slice(rule.indexOf(' ') + 1)]));
}

describe('the page of a public chatbot', () => {
  it('is HTML with the widget inline, in the language and under the title of the settings', async () => {
    const reply = await page();
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const plain = await reply.text();
    expect(plain).toContain('<html lang="en" dir="ltr">');
    expect(plain).toContain('<title>Shop help</title>');
    expect(plain).toContain('<meta name="color-scheme" content="light dark">');
    expect(plain).toContain(`<script src="../embed.js" data-chatbot="${chatbot}" data-inline="#chat"></script>`);

    await set({ title: 'متجر', language: 'ar', scheme: 'dark' });
    const other = await (await page()).text();
    expect(other).toContain('<html lang="ar" dir="rtl">');
    expect(other).toContain('<title>متجر</title>');
    expect(other).toContain('<meta name="color-scheme" content="dark">');
  });

  it.each([
    ['de-AT,de;q=0.9,en;q=0.8', 'lang="de-AT" dir="ltr"'],
    ['ga,he;q=0.9,en;q=0.8', 'lang="he" dir="rtl"'],
    ['no', 'lang="no" dir="ltr"'],
    ['ga, *', 'lang="en" dir="ltr"'],
    ['"><script>alert(1)</script>', 'lang="en" dir="ltr"'],
  ])('is in the first language of the browser that the widget has: %s', async (accepted, attributes) => {
    const reply = await page(chatbot, { headers: { 'Accept-Language': accepted } });
    expect(await reply.text()).toContain(`<html ${attributes}>`);
    expect(reply.headers.get('vary')).toMatch(/Accept-Language/);
    await set({ language: 'ar' });
    const other = await page(chatbot, { headers: { 'Accept-Language': accepted } });
    expect(await other.text()).toContain('<html lang="ar" dir="rtl">');
  });

  it('knows the languages that the widget has', async () => {
    const files = readdirSync('widget/words').filter((name) => /^[a-z]{2}\.ts$/.test(name));
    expect(files.length).toBeGreaterThanOrEqual(24);
    for (const language of files.map((name) => name.slice(0, 2))) {
      const reply = await page(chatbot, { headers: { 'Accept-Language': language } });
      expect(await reply.text()).toContain(`<html lang="${language}" `);
    }
  });

  it('says in one sentence that it needs JavaScript, and asks not to be indexed', async () => {
    const html = await (await page()).text();
    expect(html).toMatch(/<noscript><p [^>]*>[^<.]*JavaScript[^<.]*\.<\/p><\/noscript>/);
    expect(html).toContain('<meta name="robots" content="noindex">');
    expect(html).toMatch(/<meta name="viewport" content="width=device-width, initial-scale=1">/);
  });

  it('escapes the title', async () => {
    const title = '</title><script>alert(1)</script>"&amp;';
    await set({ title });
    const html = await (await page()).text();
    expect(html).toContain('<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&amp;amp;</title>');
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html).not.toMatch(/<script(?! src="\.\.\/embed\.js")/);
  });

  it('has a policy that allows no other host and no frame', async () => {
    const reply = await page();
    const html = await reply.text();
    const style = /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? '';
    expect(await policy()).toEqual({
      'default-src': "'none'",
      'script-src': "'self'",
      'connect-src': "'self'",
      'img-src': 'data:',
      'style-src': `'sha256-${createHash('sha256').update(style).digest('base64')}'`,
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
      'require-trusted-types-for': "'script'",
    });
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
    });
    expect(reply.headers.get('access-control-allow-origin')).toBe(null);
  });

  it('allows images of the owner’s hosts, and frames of allowed origins', async () => {
    await set({
      avatar: 'https://img.example:8443/a;b.png',
      icon: 'https://cdn.example/i.png',
      image_hosts: ['cdn.example', '*.pictures.example'],
      allowed_origins: ['https://shop.example', 'https://*.shop.example', 'http://[::1]:3000', 'null'],
    });
    expect(await policy()).toMatchObject({
      'img-src': 'data: https://img.example:8443 https://cdn.example https://*.pictures.example',
      'frame-ancestors': 'https://shop.example https://*.shop.example',
    });
    await set({ allowed_origins: ['null'] });
    expect(await policy()).toMatchObject({ 'frame-ancestors': "'none'" });
  });

  it('is found by an identifier with dashes too, and has a HEAD', async () => {
    const dashed = chatbot.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-').toUpperCase();
    expect(await (await page(dashed)).text()).toContain(`data-chatbot="${dashed}"`);
    const head = await page(chatbot, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const post = await page(chatbot, { method: 'POST' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'HEAD, GET']);
  });
});

it('a private, a hybrid and an unknown chatbot get the same 404', async () => {
  const told = async (uuid: string): Promise<unknown> => {
    const reply = await page(uuid);
    const { date: _, 'x-request-id': _id, ...headers } = Object.fromEntries(reply.headers);
    return [reply.status, headers, await reply.text()];
  };
  const unknown = await told('0'.repeat(32));
  expect(unknown).toMatchObject([404, {}, '{"error":"no such chatbot","code":"not_found"}']);
  for (const visibility of ['private', 'hybrid']) {
    await docent.api('POST', `/chatbot/${chatbot}/update`, { visibility });
    expect(await told(chatbot)).toEqual(unknown);
  }
  for (const written of [
    '',
    'nonsense',
    '%00',
    `${chatbot}/`,
    `${chatbot}/x`,
    '-'.repeat(36),
    '..%2f',
    '%2e%2e%2fchat',
  ])
    expect((await page(written)).status, written).toBe(404);
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { ensureBuilt } from '../../server/dev/build.mjs';
import { start, type Running } from '../running.ts';

let running: Running;
beforeAll(async () => {
  await ensureBuilt();
  running = await start({ DEMO: '1' });
  await running.booted.demo!.prepare();
}, 120_000);
afterAll(() => running.stop());

it.each([
  ['/embed.js', true],
  ['/docs', false],
  ['/docs/rapidoc.js', true],
  ['/docs/style.css', true],
  ['/docs/commands', true],
  ['/demo/', false],
  ['/demo/site.css', false],
  ['/demo/states.js', true],
])(
  '%s has an ETag, answers 304 and HEAD, and is sent compressed where the build compressed it',
  async (path, isBuilt) => {
    const url = running.base + path;
    const headers = { 'Accept-Encoding': 'br' };
    const whole = await fetch(url, { headers });
    const text = await whole.text();
    expect([whole.status, whole.headers.get('cache-control'), whole.headers.get('vary')]).toEqual([
      200,
      'no-cache',
      'Accept-Encoding',
    ]);
    expect(whole.headers.get('content-encoding')).toBe(isBuilt ? 'br' : null);
    const etag = whole.headers.get('etag')!;
    const known = await fetch(url, { headers: { ...headers, 'If-None-Match': etag, 'Cache-Control': 'max-age=0' } });
    expect([known.status, known.headers.get('etag')]).toEqual([304, etag]);
    const plain = await fetch(url, { headers: { 'Accept-Encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBe(null);
    expect(await plain.text()).toBe(text);
    const head = await fetch(url, { method: 'HEAD', headers: { 'Accept-Encoding': 'identity' } });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(Buffer.byteLength(text))]);
  },
);

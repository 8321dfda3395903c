import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { Politeness } from '../../server/web/politeness.ts';
import { createWeb, type Known } from '../../server/web/web.ts';
import { listen } from './listener.ts';

let closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.map((close) => close()));
  closing = [];
});

const accept = ['text/html'];

async function siteOf(handler: RequestListener) {
  const asked: { path: string; at: number; headers: Record<string, unknown> }[] = [];
  const site = await listen(
    (request, response) => {
      if (request.url !== '/robots.txt')
        asked.push({ path: request.url!, at: performance.now(), headers: request.headers });
      handler(request, response);
    },
    '127.0.0.1',
    true,
  );
  const web = createWeb({ allow: [`127.0.0.1:${site.port}`], deadline: 5000 });
  closing.push(() => web.close(), site.close);
  return {
    site,
    web,
    asked,
    get: (path = '/', signal = AbortSignal.timeout(20_000)) => web.get(site.origin + path, { accept, signal }),
  };
}

const html = { 'content-type': 'text/html' };

describe('a site with Retry-After or Crawl-delay', () => {
  it('is requested again after Retry-After, in seconds or as a date', async () => {
    for (const [code, header] of [
      [429, () => '1'],
      [503, () => new Date(Date.now() + 2000).toUTCString()],
    ] as const) {
      let busy = true;
      const { get, asked } = await siteOf(({ url }, response) => {
        if (url === '/robots.txt') return response.writeHead(404).end();
        if (!busy) return response.writeHead(200, html).end('at last');
        busy = false;
        return response.writeHead(code, { 'retry-after': header() }).end();
      });
      expect((await get()).body.toString()).toBe('at last');
      expect(asked).toHaveLength(2);
      expect(asked[1]!.at - asked[0]!.at).toBeGreaterThan(850);
    }
  });

  it('is waited for up to the `patience` of the request', async () => {
    const { web, site } = await siteOf(({ url }, response) => {
      if (url === '/robots.txt') return response.writeHead(404).end();
      return response.writeHead(429, { 'retry-after': '90' }).end();
    });
    const get = (patience: number, signal: AbortSignal) => web.get(`${site.origin}/`, { accept, patience, signal });
    await expect(get(60_000, AbortSignal.timeout(20_000))).rejects.toThrow(/left alone/);
    await expect(get(120_000, AbortSignal.timeout(300))).rejects.toThrow(/abort|time/i);
  });

  it('fails beyond that, and no other page of it is requested meanwhile', async () => {
    const { get, asked } = await siteOf(({ url }, response) => {
      if (url === '/robots.txt') return response.writeHead(404).end();
      return response.writeHead(429, { 'retry-after': '3600' }).end();
    });
    await expect(get('/a')).rejects.toMatchObject({ reason: 'download' });
    await expect(get('/b')).rejects.toMatchObject({ reason: 'download' });
    expect(asked.map(({ path }) => path)).toEqual(['/a']);
  });

  it('fails where it sends Retry-After three times', async () => {
    const { get, asked } = await siteOf(({ url }, response) => {
      if (url === '/robots.txt') return response.writeHead(404).end();
      return response.writeHead(503, { 'retry-after': '0' }).end();
    });
    await expect(get()).rejects.toMatchObject({ reason: 'download' });
    expect(asked).toHaveLength(3);
  });

  it('is not requested again once the caller aborts', async () => {
    const { get, asked } = await siteOf(({ url }, response) => {
      if (url === '/robots.txt') return response.writeHead(404).end();
      return response.writeHead(503, { 'retry-after': '20' }).end();
    });
    const caller = new AbortController();
    const left = get('/', caller.signal);
    await expect.poll(() => asked).toHaveLength(1);
    caller.abort();
    await expect(left).rejects.toMatchObject({ reason: 'download' });
    expect(asked).toHaveLength(1);
  });

  it('is requested with its Crawl-delay between two requests', async () => {
    const { get, asked } = await siteOf(({ url }, response) => {
      if (url === '/robots.txt') return response.end('User-agent: *\nCrawl-delay: 0.3\n');
      return response.writeHead(200, html).end('page');
    });
    await Promise.all([get('/a'), get('/b'), get('/c')]);
    const gaps = asked.slice(1).map(({ at }, n) => at - asked[n]!.at);
    expect(gaps).toHaveLength(2);
    for (const gap of gaps) expect(gap).toBeGreaterThan(200);
  });

  it('gets at most two requests at a time', async () => {
    let now = 0;
    let most = 0;
    const { get } = await siteOf(({ url }, response) => {
      if (url === '/robots.txt') return response.writeHead(404).end();
      most = Math.max(most, ++now);
      setTimeout(() => {
        now--;
        response.writeHead(200, html).end('page');
      }, 20);
      return undefined;
    });
    await Promise.all(Array.from({ length: 8 }, (_, n) => get(`/${n}`)));
    expect(most).toBe(2);
  });
});

describe('a page that is known', () => {
  const lastModified = 'Sun, 01 Mar 2026 00:00:00 GMT';

  it('is requested with its validators, and undefined where the reply is 304', async () => {
    const { web, site, get, asked } = await siteOf(({ url, headers }, response) => {
      if (url === '/robots.txt') return response.writeHead(404).end();
      if (url === '/moved') return response.writeHead(302, { location: '/' }).end();
      if (headers['if-none-match'] === '"v1"') return response.writeHead(304).end();
      return response.writeHead(200, { ...html, etag: '"v1"', 'last-modified': lastModified }).end('page');
    });
    const page = await get('/');
    expect(page).toMatchObject({ etag: '"v1"', lastModified });
    expect(await web.getChanged(`${site.origin}/`, page, { accept })).toBeUndefined();
    expect(asked.at(-1)!.headers).toMatchObject({ 'if-none-match': '"v1"', 'if-modified-since': lastModified });
    expect(await web.getChanged(`${site.origin}/moved`, page, { accept })).toBeUndefined();
    expect(asked.at(-2)!.headers).not.toHaveProperty('if-none-match');
    const old: Known = { ...page, etag: '"v0"' };
    expect((await web.getChanged(`${site.origin}/`, old, { accept }))?.body.toString()).toBe('page');
  });

  it('fails with `download` where the reply to an unconditional request is 304', async () => {
    const { get } = await siteOf((_, response) => response.writeHead(304).end());
    await expect(get()).rejects.toMatchObject({ reason: 'download' });
  });

  it('fails with `robots` where a 304 has `X-Robots-Tag: noindex`', async () => {
    const { web, site } = await siteOf(({ url }, response) => {
      if (url === '/robots.txt') return response.writeHead(404).end();
      return response.writeHead(304, { 'x-robots-tag': 'noindex' }).end();
    });
    const known = { url: `${site.origin}/`, etag: '"v1"', lastModified: '' };
    await expect(web.getChanged(known.url, known, { accept })).rejects.toMatchObject({ reason: 'robots' });
  });
});

describe('the origins that politeness remembers', () => {
  it('are a thousand: the one used least recently may be asked at once', async () => {
    const politeness = new Politeness(() => 0);
    const ask = (at: number) => politeness.turn(`https://site-${at}.example`, 0, AbortSignal.timeout(20_000), 0);
    for (let at = 0; at < 1000; at += 1) politeness.hold(`https://site-${at}.example`, 60_000);
    await expect(ask(0)).rejects.toThrow('left alone');
    politeness.hold('https://site-1000.example', 60_000);
    await expect(ask(0)).rejects.toThrow('left alone');
    await expect(ask(2)).rejects.toThrow('left alone');
    await ask(1);
  });
});

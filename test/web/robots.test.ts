import type { RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { Reply } from '../../server/web/exchange.ts';
import { Robots } from '../../server/web/robots.ts';
import { createWeb, type WebOptions } from '../../server/web/web.ts';
import { listen } from './listener.ts';

let closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.map((close) => close()));
  closing = [];
});

const MINUTE = 60_000;

/** A site whose robots.txt is that text, or is answered by that handler; a page elsewhere tells its own path. */
async function siteWith(robots: string | RequestListener, options: Partial<WebOptions> = {}) {
  const asked: string[] = [];
  let now = Date.parse('2026-03-01T00:00:00Z');
  const site = await listen(
    (request, response) => {
      asked.push(request.url!);
      if (request.url !== '/robots.txt') return response.setHeader('content-type', 'text/html').end(request.url);
      return typeof robots === 'string' ? response.end(robots) : robots(request, response);
    },
    '127.0.0.1',
    true,
  );
  const web = createWeb({ allow: [`127.0.0.1:${site.port}`], clock: () => now, ...options });
  closing.push(() => web.close(), site.close);
  const status = (path: string) =>
    web.get(site.origin + path, { accept: ['text/html'] }).then(
      () => 'read',
      (error: { reason: string }) => error.reason,
    );
  return { site, web, asked, status, pass: (ms: number) => (now += ms) };
}

describe('robots.txt', () => {
  it('is obeyed, and a page that it disallows is never asked for', async () => {
    const { status, asked } = await siteWith('User-agent: *\nDisallow: /private\nAllow: /private/open$\n');
    expect(await status('/')).toBe('read');
    expect(await status('/private/x')).toBe('robots');
    expect(await status('/%70rivate/x')).toBe('robots');
    expect(await status('/private/open')).toBe('read');
    expect(asked).toEqual(['/robots.txt', '/', '/private/open']);
  });

  it('applies the group for DocentBot, in any spelling, else the group for all agents', async () => {
    const all = 'User-agent: *\nDisallow: /\n';
    const { status } = await siteWith(`${all}User-agent: other\nUser-agent: docentBOT/2.0\n\nDisallow: /x\n`);
    expect(await status('/y')).toBe('read');
    expect(await status('/x')).toBe('robots');
    const others = await siteWith('\uFEFFUser-agent: DocentBotanist\nUser-agent: GPTBot\nDisallow: /\n');
    expect(await others.status('/')).toBe('read');
    const everyone = await siteWith(`User-agent: other\nDisallow:\n${all}`);
    expect(await everyone.status('/')).toBe('robots');
  });

  it('of many lines gives the event loop its turns while it is read', async () => {
    const text = `User-agent: other\n${'Disallow: /\n'.repeat(30_000)}`;
    const reply = { statusCode: 200, headers: {}, body: Readable.from([Buffer.from(text)]) } as unknown as Reply;
    const exchange = { ask: (_: URL, __: object, ___: AbortSignal, read: (reply: Reply) => unknown) => read(reply) };
    const robots = new Robots({ exchange: exchange as never, clock: Date.now, deadline: 60_000 });
    let turns = 0;
    const count = (): void => {
      turns++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    expect(await robots.gap(new URL('http://a.example/'))).toBe(0);
    clearImmediate(timer);
    expect(turns).toBeGreaterThan(30_000 / 1000);
  });

  it('with too many rules disallows everything', async () => {
    const { status } = await siteWith(`User-agent: *\n${'Disallow: /x\n'.repeat(6000)}`);
    expect(await status('/')).toBe('robots');
  });

  it('is requested with DocentBot as user agent, with a link where `about` is set', async () => {
    let agent = '';
    const handler: RequestListener = (request, response) => {
      agent = request.headers['user-agent'] ?? '';
      response.writeHead(404).end();
    };
    const { status } = await siteWith(handler, { about: 'https://chat.example.com/' });
    await status('/');
    expect(agent).toBe('DocentBot/0.1 (+https://chat.example.com/)');
  });

  it('is requested once an hour, however many pages wait for it', async () => {
    const { status, asked, pass } = await siteWith('User-agent: *\nDisallow: /private\n');
    const times = () => asked.filter((path) => path === '/robots.txt').length;
    await Promise.all(Array.from({ length: 10 }, (_, n) => status(`/${n}`)));
    pass(59 * MINUTE);
    await status('/');
    expect(times()).toBe(1);
    pass(2 * MINUTE);
    await status('/');
    expect(times()).toBe(2);
  });

  it('is requested again before a cached copy of some seconds refuses a page', async () => {
    let text = 'User-agent: *\nDisallow: /\n';
    const { status, pass } = await siteWith((_, response) => response.end(text));
    expect(await status('/')).toBe('robots');
    text = '';
    pass(10_000);
    expect(await status('/')).toBe('read');
  });

  it('allows everything where there is none, or where it is something else', async () => {
    for (const code of [404, 403, 401, 410]) {
      const { status } = await siteWith((_, response) => response.writeHead(code).end('User-agent: *\nDisallow: /'));
      expect(await status('/'), String(code)).toBe('read');
    }
    expect(await (await siteWith('<!doctype html><h1>Not here</h1>')).status('/')).toBe('read');
    expect(await (await siteWith('')).status('/')).toBe('read');
  });

  it('refuses everything while it replies 5xx or 429, and no longer', async () => {
    for (const code of [500, 503, 429]) {
      let down = true;
      const site = await siteWith((_, response) => response.writeHead(down ? code : 404).end());
      const failure = site.web.get(`${site.site.origin}/`, { accept: ['text/html'] });
      await expect(failure, String(code)).rejects.toMatchObject({ reason: 'robots', passing: true });
      down = false;
      expect(await site.status('/')).toBe('robots');
      site.pass(MINUTE + 1);
      expect(await site.status('/')).toBe('read');
    }
  });

  it('is a failed download where the site does not answer, and is tried anew at once', async () => {
    let silent = true;
    const { status, asked } = await siteWith(
      (_, response) => {
        if (!silent) response.writeHead(404).end();
      },
      { deadline: 100 },
    );
    expect(await status('/')).toBe('download');
    expect(asked).toEqual(['/robots.txt']);
    silent = false;
    expect(await status('/')).toBe('read');
  });

  it('is followed through redirects, under the guard, and read packed', async () => {
    const rules = await listen((_, response) => {
      const packed = gzipSync('User-agent: *\nDisallow: /private\n');
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
    });
    const moved: RequestListener = (_, response) => {
      response.writeHead(301, { location: `${rules.origin}/rules` }).end();
    };
    const refused = await siteWith(moved);
    expect(await refused.status('/')).toBe('blocked address');
    expect(rules.connections()).toBe(0);
    const web = createWeb({ allow: [`127.0.0.1:${refused.site.port}`, `127.0.0.1:${rules.port}`] });
    closing.push(() => web.close(), rules.close);
    const get = (path: string) => web.get(refused.site.origin + path, { accept: ['text/html'] });
    expect((await get('/open')).body.toString()).toBe('/open');
    await expect(get('/private')).rejects.toMatchObject({ reason: 'robots' });
    const loop = await siteWith((_, response) => response.writeHead(302, { location: '/robots.txt' }).end());
    expect(await loop.status('/')).toBe('read');
  });

  it('holds for the address that a redirect leads to', async () => {
    const { status, site } = await siteWith('User-agent: *\nDisallow: /private\n');
    const redirector = await listen((_, response) => {
      response.writeHead(302, { location: `${site.origin}/private/x` }).end();
    });
    closing.push(redirector.close);
    const web = createWeb({ allow: [`127.0.0.1:${site.port}`, `127.0.0.1:${redirector.port}`] });
    closing.push(() => web.close());
    await expect(web.get(`${redirector.origin}/`, { accept: ['text/html'] })).rejects.toMatchObject({
      reason: 'robots',
    });
    expect(await status('/')).toBe('read');
  });

  it('is read to 500 KiB, and one made to be slow or huge does no harm', async () => {
    const filler = `# ${'x'.repeat(97)}\n`.repeat(5000);
    const early = await siteWith(`User-agent: *\nDisallow: /early\n${filler}${filler}Disallow: /late\n`);
    expect(await early.status('/early')).toBe('robots');
    expect(await early.status('/late')).toBe('read');
    const names = Array.from({ length: 10_000 }, (_, n) => `User-agent: a${n}\n`).join('');
    const many = await siteWith(`${names}${'Disallow: /x\n'.repeat(15_000)}User-agent: *\nDisallow: /private\n`);
    expect(await many.status('/private')).toBe('robots');
    expect(await many.status('/x')).toBe('read');
    const slow = await siteWith(`User-agent: *\nDisallow: /*${'a'.repeat(400_000)}b\n`);
    const long = slow.web.get(`${slow.site.origin}/${'a'.repeat(3000)}`, { accept: ['text/html'] });
    await expect(long).rejects.toThrow('too long to compare');
  });

  it('is still awaited by the others where one caller aborts', async () => {
    let answer = () => {};
    const { web, site, asked, status } = await siteWith((_, response) => {
      answer = () => response.end('');
    });
    const caller = new AbortController();
    const left = web.get(`${site.origin}/`, { accept: ['text/html'], signal: caller.signal });
    const stays = status('/stays');
    caller.abort();
    await expect(left).rejects.toMatchObject({ reason: 'download' });
    while (asked.length === 0) await new Promise((turn) => setTimeout(turn, 5));
    answer();
    expect(await stays).toBe('read');
    expect(asked).toEqual(['/robots.txt', '/stays']);
  });
});

describe('X-Robots-Tag', () => {
  it('keeps out a page that says noindex or none, to all or to DocentBot', async () => {
    const tags: Record<string, string[]> = {
      '/noindex': ['noindex'],
      '/none': ['NONE'],
      '/list': ['nofollow, noindex'],
      '/second': ['nofollow', 'noindex'],
      '/named': ['otherbot: nofollow, DocentBot: noindex'],
      '/other': ['otherbot: noindex, nofollow'],
      '/follow': ['nofollow, noarchive, max-snippet: 0'],
    };
    const site = await listen(({ url }, response) => {
      response.setHeader('content-type', 'text/html').setHeader('x-robots-tag', tags[url!]!).end('page');
    });
    const web = createWeb({ allow: [`127.0.0.1:${site.port}`] });
    closing.push(() => web.close(), site.close);
    const kept: string[] = [];
    for (const path of Object.keys(tags)) {
      const reason = await web.get(site.origin + path, { accept: ['text/html'] }).then(
        () => 'read',
        (error: { reason: string }) => error.reason,
      );
      kept.push(`${path} ${reason}`);
    }
    expect(kept).toEqual([
      '/noindex robots',
      '/none robots',
      '/list robots',
      '/second robots',
      '/named robots',
      '/other read',
      '/follow read',
    ]);
  });
});

it('keeps the robots.txt of a thousand sites and drops the one used least recently', async () => {
  const asked: string[] = [];
  const ask = async (url: URL): Promise<never> => {
    asked.push(url.hostname);
    return { check() {}, gap: 0, sitemaps: [] } as never;
  };
  const exchange = { ask, way: () => 'guarded' as const, close: async () => {} };
  const robots = new Robots({ exchange, clock: () => 0, deadline: MINUTE });
  const read = (at: number) => robots.gap(new URL(`https://site-${at}.example/`));
  for (let at = 0; at < 1000; at += 1) await read(at);
  await read(0);
  await read(1000);
  await read(0);
  expect(asked).toHaveLength(1001);
  await read(1);
  expect(asked.at(-1)).toBe('site-1.example');
});

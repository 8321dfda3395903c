import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { createWeb, type WebOptions } from '../../server/web/web.ts';
import { listen } from './listener.ts';

const html = { 'content-type': 'text/html; charset=ISO-8859-1' };
let closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.map((close) => close()));
  closing = [];
});

/** A site with that handler, and a way to get its pages. */
async function siteOf(handler: RequestListener, options: Partial<WebOptions> = {}) {
  const site = await listen(handler);
  const web = createWeb({ allow: [`127.0.0.1:${site.port}`], ...options });
  closing.push(site.close, () => web.close());
  const get = (path = '/', signal?: AbortSignal) =>
    web.get(site.origin + path, { accept: ['text/html', 'text/plain'], ...(signal ? { signal } : {}) });
  return { site, web, get };
}

describe('a page', () => {
  it('comes with its address, media type, charset and bytes', async () => {
    let agent: string | undefined;
    const { get, site } = await siteOf((request, response) => {
      agent = request.headers['user-agent'];
      response.writeHead(200, html).end('caf\xe9');
    });
    const page = await get('/menu?x=1#top');
    expect(page.body.toString()).toBe('café');
    expect(page).toMatchObject({ url: `${site.origin}/menu?x=1`, mediaType: 'text/html', charset: 'iso-8859-1' });
    expect(agent).toMatch(/^DocentBot\/0\.1 \(Docent, .*robots\.txt\)$/);
  });

  it('is decoded from gzip and br', async () => {
    const bodies: Record<string, Buffer> = { gzip: gzipSync('zipped'), br: brotliCompressSync('zipped') };
    const { get } = await siteOf((request, response) => {
      const encoding = request.url!.slice(1);
      response.writeHead(200, { ...html, 'content-encoding': encoding }).end(bodies[encoding] ?? 'odd');
    });
    expect((await get('/gzip')).body.toString()).toBe('zipped');
    expect((await get('/br')).body.toString()).toBe('zipped');
    await expect(get('/compress')).rejects.toMatchObject({ reason: 'download' });
    await expect(get('/gzip,%20br')).rejects.toMatchObject({ reason: 'download' });
  });

  it('is found behind five redirects and no more', async () => {
    const { get, site } = await siteOf((request, response) => {
      const left = Number(request.url!.slice(1));
      if (left > 0) response.writeHead([301, 302, 303, 307, 308][left % 5]!, { location: `./${left - 1}` }).end();
      else response.writeHead(200, html).end('arrived');
    });
    expect(await get('/5')).toMatchObject({ url: `${site.origin}/0` });
    await expect(get('/6')).rejects.toMatchObject({ reason: 'download' });
  });

  it('fails with the reason', async () => {
    const { get, site } = await siteOf((request, response) => {
      const [, status, type] = request.url!.split('/');
      response.writeHead(Number(status), type ? { 'content-type': decodeURIComponent(type) } : {}).end('body');
    });
    const reason = (path: string) => get(path).catch((error: { reason: string }) => error.reason);
    expect(await reason('/404/text%2Fhtml')).toBe('not found');
    expect(await reason('/410/text%2Fhtml')).toBe('not found');
    expect(await reason('/500/text%2Fhtml')).toBe('download');
    expect(await reason('/403/text%2Fhtml')).toBe('download');
    expect(await reason('/302/text%2Fhtml')).toBe('download');
    expect(await reason('/200/image%2Fpng')).toBe('content type');
    expect(await reason('/200')).toBe('content type');
    expect(await reason('/200/TEXT%2FHTML')).toMatchObject({ mediaType: 'text/html' });
    await site.close();
    expect(await reason('/200/text%2Fhtml')).toBe('download');
  });
});

describe('limits', () => {
  const refusesSize = (get: Promise<unknown>) =>
    expect(get).rejects.toMatchObject({ reason: 'download', message: expect.stringContaining('larger than') });

  it('stops at 10 MB, announced or not', async () => {
    const size = 10 * 1024 * 1024;
    let written = 0;
    const { get } = await siteOf((request, response) => {
      const bytes = request.url === '/fits' ? size : size + 1;
      if (request.url === '/announced')
        return response.writeHead(200, { ...html, 'content-length': bytes }).end(Buffer.alloc(bytes));
      response.writeHead(200, html);
      if (request.url !== '/endless') return response.end(Buffer.alloc(bytes, 'x'));
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65536))) written += 65536;
      };
      response.on('drain', more);
      more();
    });
    expect((await get('/fits')).body.length).toBe(size);
    await refusesSize(get('/announced'));
    await refusesSize(get('/over'));
    await refusesSize(get('/endless'));
    expect(written).toBeLessThan(3 * size);
  });

  it('stops a compressed bomb at the decoded limit', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const { get } = await siteOf((_, response) => {
      response.writeHead(200, { ...html, 'content-encoding': 'gzip' }).end(bomb);
    });
    expect(bomb.length).toBeLessThan(100_000);
    await refusesSize(get());
  });

  it('calls a body that is cut short or broken a failed download', async () => {
    const { get } = await siteOf((request, response) => {
      if (request.url === '/torn') {
        response.writeHead(200, { ...html, 'content-encoding': 'gzip' }).end(gzipSync('whole').subarray(0, 12));
        return;
      }
      response.writeHead(200, { ...html, 'content-length': 100 });
      response.write('part', () => response.destroy());
    });
    await expect(get('/torn')).rejects.toMatchObject({ reason: 'download' });
    await expect(get('/cut')).rejects.toMatchObject({ reason: 'download' });
  });

  it('gives up at the deadline, whether the site is silent, slow or redirects for ever', async () => {
    const { get } = await siteOf(
      (request, response) => {
        if (request.url === '/silent') return;
        if (request.url === '/slow') {
          response.writeHead(200, html);
          const timer = setInterval(() => response.write('.'), 20);
          response.on('close', () => clearInterval(timer));
          return;
        }
        setTimeout(() => response.writeHead(302, { location: '/loop' }).end(), 50);
      },
      { deadline: 150 },
    );
    for (const path of ['/silent', '/slow', '/loop']) {
      await expect(get(path), path).rejects.toMatchObject({ reason: 'download' });
    }
  });

  it('ends when its caller aborts', async () => {
    const { get } = await siteOf(() => {});
    const caller = new AbortController();
    const page = get('/', caller.signal);
    setTimeout(() => caller.abort(), 20);
    await expect(page).rejects.toMatchObject({ reason: 'download' });
    await expect(get('/', caller.signal)).rejects.toMatchObject({ reason: 'download' });
  });
});

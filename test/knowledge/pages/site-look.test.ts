import { describe, expect, it } from 'vitest';
import { readSiteLook } from '../../../server/knowledge/crawl/site-look.ts';
import { WebFailure } from '../../../server/web/errors.ts';
import type { Web } from '../../../server/web/web.ts';
import { contrastWithWhite } from '../../../widget/console/screens/widget/settings.ts';

/** How a site names itself and looks, by its first page. */

const SITE = 'https://www.lampshop.example/';

/** A site with these pages by address: of each the type and the body. */
function webOf(pages: Record<string, [mediaType: string, body: string]>): { web: Web; asked: string[] } {
  const asked: string[] = [];
  const get: Web['get'] = async (url, { accept }) => {
    asked.push(url);
    const [mediaType, body] = pages[url] ?? [];
    if (mediaType === undefined) throw new WebFailure('not found', '404');
    if (!accept.includes(mediaType)) throw new WebFailure('content type', mediaType);
    const state = {
      etag: '',
      lastModified: '',
      nofollow: false,
      framing: { options: [], policies: [] },
      charset: 'utf-8',
    };
    return { url, mediaType, body: Buffer.from(body!), ...state };
  };
  return { web: { get } as Web, asked };
}

/** Degrees on the circle of colours. */
function hueOf(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16)) as [number, number, number];
  return (Math.atan2(Math.sqrt(3) * (green - blue), 2 * red - green - blue) * 180) / Math.PI;
}

const lookOf = (head: string, pages: Parameters<typeof webOf>[0] = {}) =>
  readSiteLook(
    webOf({ [SITE]: ['text/html', `<!doctype html><html><head>${head}</head><body>Hello</body></html>`], ...pages })
      .web,
    SITE,
    new AbortController().signal,
  );

describe('the name', () => {
  it.each([
    ['<title>Home | Lamp Shop</title>', 'Lamp Shop'],
    ['<title>Lamp Shop – lamps of all kinds</title>', 'Lamp Shop'],
    ['<title>Light for everybody - since 1964</title>', 'Light for everybody'],
    ['<title>Home - My Shop</title>', 'My Shop'],
    ['<title>Startseite – Lampen Meier</title>', 'Lampen Meier'],
    ['<title>Page d’accueil : Chez Lampe</title>', 'Chez Lampe'],
    ['<title>Home decoration - since 1964</title>', 'Home decoration'],
    ['<title>Welcome!</title>', ''],
    ['<title>Home</title><meta property="og:site_name" content="Lamps &amp; more">', 'Lamps & more'],
    ['<title>Home</title><meta name="application-name" content="Lampshop">', 'Lampshop'],
    ['<svg><title>Logo</title></svg>', ''],
    ['', ''],
    [`<title>${'x'.repeat(500)}</title>`, 'x'.repeat(80)],
    ['<title>\u0007Lamps\u202e</title>', 'Lamps'],
  ])('is read of %s', async (head, name) => {
    expect((await lookOf(head)).name).toBe(name);
  });
});

describe('the colour', () => {
  it.each([
    ['#0F766E', '#0f766e'],
    ['#f00', '#ff0000'],
    ['rgb(15, 118, 110)', '#0f766e'],
    ['#ffffff', ''],
    ['#333', ''],
    ['rgb(300,0,0)', ''],
    ['red;background:url(https://evil.example)', ''],
    ['var(--brand)', ''],
  ])('of %s is %j', async (content, color) => {
    expect((await lookOf(`<meta name="theme-color" content="${content}">`)).color).toBe(color);
  });

  it.each(['#f2c230', '#ffff00', '#00ffff', '#9be7ff', '#ffe4e1'])(
    'of %s is a darker one of the same hue, which stands out from a white page',
    async (content) => {
      const { color } = await lookOf(`<meta name="theme-color" content="${content}">`);
      const contrast = contrastWithWhite(color);
      expect(contrast).toBeGreaterThanOrEqual(3);
      expect(contrast).toBeLessThan(3.2);
      expect(Math.abs(hueOf(color) - hueOf(content))).toBeLessThan(3);
    },
  );

  it('is none that is meant for dark systems', async () => {
    const metas = ['dark', 'light'].map(
      (scheme, at) => `<meta name="theme-color" media="(prefers-color-scheme: ${scheme})" content="#${at}00fff">`,
    );
    expect((await lookOf(metas.join(''))).color).toBe('#100fff');
  });
});

describe('the icon', () => {
  const link = (href: string, sizes = ''): string => `<link rel="apple-touch-icon" sizes="${sizes}" href="${href}">`;

  it('is the largest touch icon that is an image', async () => {
    const head =
      link('/small.png', '60x60') +
      link('/gone.png', '180x180') +
      link('/page.png', '167x167') +
      link('/middle.png', '120x120');
    const pages = {
      [`${SITE}small.png`]: ['image/png', ''] as [string, string],
      [`${SITE}page.png`]: ['text/html', ''] as [string, string],
      [`${SITE}middle.png`]: ['image/png', ''] as [string, string],
    };
    expect((await lookOf(head, pages)).icon).toBe(`${SITE}middle.png`);
  });

  it.each(['http://www.lampshop.example/icon.png', 'data:image/png;base64,AA', 'javascript:alert(1)'])(
    'is never at %s, which is not asked for',
    async (href) => {
      const { web, asked } = webOf({ [SITE]: ['text/html', `<head>${link(href)}</head>`], [href]: ['image/png', ''] });
      expect((await readSiteLook(web, SITE, new AbortController().signal)).icon).toBe('');
      expect(asked).toEqual([SITE]);
    },
  );
});

it('is empty for a page that cannot be fetched', async () => {
  const { web } = webOf({});
  const look = await readSiteLook(web, SITE, new AbortController().signal);
  expect(look).toEqual({ name: '', color: '', icon: '' });
});

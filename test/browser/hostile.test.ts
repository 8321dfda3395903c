import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { demoSite } from '../../demo/pages.ts';
import { launchChromium } from './chromium.ts';
import { startBuiltServer, type BuiltServer } from './built-server.ts';

/** Pages that would restyle, break or forbid what is put on them. */

let server: BuiltServer;
let browser: Browser;
let snippet: string;
const pages: Page[] = [];
const sites: Server[] = [];

beforeAll(async () => {
  [server, browser] = await Promise.all([startBuiltServer(), launchChromium()]);
  snippet = `<script async src="${server.base}/embed.js" data-chatbot="${await server.chatbot()}"></script>`;
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

afterEach(async () => {
  for (const page of pages.splice(0)) await page.close();
  for (const site of sites.splice(0)) site.close();
});

interface Visit {
  page: Page;
  /** Errors and warnings of the console, exceptions, and reports of a broken policy. */
  faults: string[];
}

interface Hostile {
  head?: string;
  body?: string;
  /** More attributes of the tag. */
  tag?: string;
  motion?: 'reduce' | 'no-preference';
  policy?: string;
  /** Runs in the page before anything else. */
  before?: () => void;
  /** As in Firefox 115 and Chromium 117: what came later in CSS is unknown, and functions of later browsers are missing. */
  old?: boolean;
}

async function visit({
  head = '',
  body = '',
  tag = '',
  policy,
  before,
  motion = 'reduce',
  old = false,
}: Hostile): Promise<Visit> {
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page</title><link rel="icon" href="data:,">${head}</head><body>${body}<p>The page's own words.</p>${snippet.replace(' data-', ` ${tag} data-`)}</body></html>`;
  const site = createServer((_, response) => {
    const headers = { 'Content-Type': 'text/html; charset=utf-8' };
    response.writeHead(200, policy ? { ...headers, 'Content-Security-Policy': policy } : headers).end(html);
  });
  sites.push(site);
  await once(site.listen(0, '127.0.0.1'), 'listening');
  const page = await browser.newPage({ viewport: { width: 1000, height: 800 }, reducedMotion: motion });
  pages.push(page);
  page.setDefaultTimeout(15_000);
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  await page.exposeFunction('docentTestReport', (report: string) => void faults.push(report));
  await page.addInitScript(() => {
    const told = globalThis as unknown as { docentTestReport(report: string): void };
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
      told.docentTestReport(`${violatedDirective} ${blockedURI} ${sample}`),
    );
  });
  if (before) await page.addInitScript(before);
  if (old) await page.addInitScript(removeNewer);
  if (old)
    await page.route(/\.js$/, async (route) => {
      const response = await route.fetch();
      const body = (await response.text())
        .replace(/light-dark\(|(?:lab|hsl|oklch|rgb)\((?=from)/g, 'unknown(')
        .replaceAll(':has(', ':unknown(');
      await route.fulfill({ response, body });
    });
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
  return { page, faults };
}

/** Removes what browsers of 2023 lack, as far as a page can. */
function removeNewer(): void {
  const all: [owner: object | undefined, names: string[]][] = [
    [URL, ['canParse', 'parse']],
    [Promise, ['withResolvers', 'try']],
    [Object, ['groupBy']],
    [Map, ['groupBy']],
    [Array, ['fromAsync']],
    [AbortSignal, ['any']],
    [String.prototype, ['isWellFormed', 'toWellFormed']],
    [Set.prototype, ['union', 'intersection', 'difference', 'isSubsetOf', 'isSupersetOf', 'symmetricDifference']],
    [
      Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())) as object,
      ['map', 'filter', 'take', 'drop', 'flatMap', 'reduce', 'toArray', 'forEach', 'some', 'every', 'find'],
    ],
    [Navigator.prototype, ['userActivation']],
    [Element.prototype, ['checkVisibility', 'setHTMLUnsafe', 'moveBefore', 'ariaModal']],
    [CSS, ['highlights']],
    [globalThis, ['scheduler', 'Highlight', 'Iterator', 'navigation']],
  ];
  for (const [owner, names] of all) for (const name of names) if (owner) Reflect.deleteProperty(owner, name);
}

async function answered(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Open chat' }).click();
  const field = page.getByRole('textbox', { name: 'Your question' });
  await field.fill(demoSite.sampleQuestion);
  await field.press('Enter');
  const answer = page.getByRole('group', { name: 'Answer' }).last();
  await answer
    .getByRole('button', { name: /^Source 1/ })
    .first()
    .waitFor();
  const said = await answer.innerText();
  await answer.getByRole('button', { name: 'Helpful', exact: true }).waitFor();
  return said;
}

/** Every computed value of the widget's elements, one text an element. */
const looks = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const host = document.querySelector('docent-widget')!;
    // A second pointer or caret would differ by itself.
    (host.shadowRoot!.activeElement as HTMLElement | null)?.blur();
    return [host, ...host.shadowRoot!.querySelectorAll('*')].map((element) => {
      const style = getComputedStyle(element);
      const values = Array.from(style, (name) => `${name}: ${style.getPropertyValue(name)}`).toSorted();
      return `${element.localName}.${element.getAttribute('class') ?? ''}\n${values.join('\n')}`;
    });
  });

async function restyled(page: Page): Promise<string[]> {
  const clean = await visit({});
  await answered(clean.page);
  const [wanted, found] = [await looks(clean.page), await looks(page)];
  expect(found.length).toBe(wanted.length);
  return found.flatMap((one, at) => {
    if (one === wanted[at]) return [];
    const [now, was] = [one, wanted[at]!].map((text) => text.split('\n'));
    const changed = [...now!.filter((line) => !was!.includes(line)), ...was!.filter((line) => !now!.includes(line))];
    return [`${now![0]} ${changed.slice(0, 6).join('; ')}`];
  });
}

const RESTYLING = `
  * { all: unset !important; color: lime !important; font: 40px fantasy !important; letter-spacing: 9px !important }
  *, *::before, *::after { border: 3px solid red !important; text-transform: uppercase !important; line-height: 3 !important }
  html { font-size: 4px; color: magenta; writing-mode: vertical-rl; text-align: right; cursor: wait; visibility: visible }
  body { font: 60px fantasy; direction: rtl; zoom: 1.4; unicode-bidi: bidi-override }
  button, textarea, a, p, ul, li, section, header, form, svg, span { display: block !important; width: 500px !important; background: yellow !important }
  docent-widget { display: none !important; opacity: .3; transform: rotate(9deg); filter: invert(1) }
  ::selection { background: red } :focus-visible { outline: 20px solid red !important }`;

test('the page’s CSS changes no element of the widget', async () => {
  const { page, faults } = await visit({ head: `<style>${RESTYLING}</style>` });
  expect(await answered(page)).toMatch(/45 days/);
  expect(await restyled(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test('the widget’s CSS changes no element of the page', async () => {
  const bare =
    '<h1>Head</h1><button class="l send marker">Press</button><section role="dialog"><form><textarea></textarea></form></section>';
  const ofPage = (page: Page): Promise<string[]> =>
    page.evaluate(() =>
      [...document.body.querySelectorAll('*')].map((element) => {
        const style = getComputedStyle(element);
        return Array.from(style, (name) => style.getPropertyValue(name)).join();
      }),
    );
  const { page } = await visit({ body: bare });
  await page.getByRole('button', { name: 'Open chat' }).waitFor();
  const before = await ofPage(page);
  await answered(page);
  expect(await ofPage(page)).toEqual(before);
});

test('the widget violates no strict content security policy with trusted types', async () => {
  const policy = `default-src 'none'; script-src ${server.base}; connect-src ${server.base}; img-src data:; require-trusted-types-for 'script'; trusted-types 'none'`;
  const { page, faults } = await visit({ policy });
  expect(await answered(page)).toMatch(/45 days/);
  await page
    .getByRole('button', { name: /^Source 1/ })
    .first()
    .click();
  await page.getByRole('dialog', { name: /^Source 1/ }).waitFor();
  expect(faults).toEqual([]);
});

test('the chat works on a page that has changed built-in prototypes', async () => {
  const { page, faults } = await visit({
    before: () => {
      // As Prototype.js, MooTools and their like did; and as an attack does.
      const wild = (target: object, name: string, value: unknown): void => {
        (target as Record<string, unknown>)[name] = value;
      };
      wild(Object.prototype, 'extend', () => undefined);
      const attributes = ['value', 'dangerouslySetInnerHTML', 'checked', 'children', 'class', 'style', 'onclick'];
      for (const name of [...attributes, 'type', 'inline', 'ref', 'key', 'title', 'data'])
        wild(Object.prototype, name, 'polluted');
      wild(Array.prototype, 'remove', () => undefined);
      wild(String.prototype, 'format', () => '');
      wild(
        Function.prototype,
        'bind',
        function bind(this: (...values: unknown[]) => unknown, self: unknown, ...first: unknown[]) {
          return (...rest: unknown[]) => this.apply(self, [...first, ...rest]);
        },
      );
      wild(Element.prototype, 'remove', function remove(this: Element) {
        this.parentNode?.removeChild(this);
      });
      wild(document, 'getElementById', () => null);
      wild(globalThis, 'name', 'top');
      wild(globalThis, 'h', 1);
      wild(globalThis, '$', () => undefined);
    },
  });
  expect(await answered(page)).toMatch(/45 days/);
  expect(faults).toEqual([]);
});

test('where storage throws, the chat works but is lost on reload', async () => {
  const { page, faults } = await visit({
    before: () => {
      for (const name of ['localStorage', 'sessionStorage']) {
        Object.defineProperty(globalThis, name, {
          get() {
            throw new DOMException('denied', 'SecurityError');
          },
        });
      }
    },
  });
  expect(await answered(page)).toMatch(/45 days/);
  expect(faults).toEqual([]);
});

test('where storage is full, the chat works', async () => {
  const { page, faults } = await visit({
    before: () => {
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
    },
  });
  expect(await answered(page)).toMatch(/45 days/);
  expect(faults).toEqual([]);
});

test('a navigation that replaces the body keeps the widget and its conversation', async () => {
  const { page, faults } = await visit({});
  await answered(page);
  await page.evaluate((markup) => {
    const next = document.createElement('body');
    next.innerHTML = '<p>The next page.</p>';
    document.body.replaceWith(next);
    // Such navigation runs a page's scripts again.
    const { attributes } = new DOMParser().parseFromString(markup, 'text/html').querySelector('script')!;
    const script = document.createElement('script');
    for (const { name, value } of attributes) script.setAttribute(name, value);
    next.append(script);
    return new Promise((done) => script.addEventListener('load', done));
  }, snippet);
  expect(await page.locator('docent-widget').count()).toBe(1);
  expect(await page.getByRole('group', { name: 'Answer' }).last().innerText()).toMatch(/45 days/);
  expect(await page.evaluate(() => typeof (globalThis as unknown as { Docent: { ask: unknown } }).Docent.ask)).toBe(
    'function',
  );
  expect(faults).toEqual([]);
});

test('the widget is not printed', async () => {
  const { page } = await visit({});
  await answered(page);
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('docent-widget').evaluate((host) => getComputedStyle(host).display)).toBe('none');
});

/** The least contrast of text in the chat over these colours of an owner, in both schemes. */
const leastContrast = (page: Page, colors: string[]): Promise<{ ratio: number; of: string }> =>
  page.evaluate((owners) => {
    const host = document.querySelector<HTMLElement>('docent-widget')!;
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })!;
    const light = (color: string): number => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      const [r = 0, g = 0, b = 0] = Array.from(canvas.getImageData(0, 0, 1, 1).data, (one) => {
        const part = one / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (one: string, other: string): number => {
      const [low = 0, high = 0] = [light(one), light(other)].toSorted((a, b) => a - b);
      return (high + 0.05) / (low + 0.05);
    };
    const launcher = host.shadowRoot!.querySelector('.l')!;
    const panel = host.shadowRoot!.querySelector('section')!;
    const marker = host.shadowRoot!.querySelector('button.marker')!;
    const send = host.shadowRoot!.querySelector('.send')!;
    send.setAttribute('style', 'transition: none');
    let least = { ratio: 21, of: '' };
    const see = (of: string, ratio: number): void => {
      if (ratio < least.ratio) least = { ratio, of };
    };
    for (const scheme of ['light', 'dark']) {
      host.style.setProperty('--docent-scheme', scheme);
      for (const color of owners) {
        host.style.setProperty('--docent-color', color);
        const own = getComputedStyle(launcher);
        see(`launcher ${color}`, contrast(own.color, own.backgroundColor));
        const { color: text } = getComputedStyle(marker);
        see(`marker ${color} ${scheme}`, contrast(text, getComputedStyle(marker).backgroundColor));
        see(`accent ${color} ${scheme}`, contrast(text, getComputedStyle(panel).backgroundColor));
        const filled = getComputedStyle(send);
        see(`button ${color} ${scheme}`, contrast(filled.color, filled.backgroundColor));
        const accent = host.style.getPropertyValue('--docent-accent');
        host.style.setProperty('--docent-accent', color);
        see(`button with accent ${color} ${scheme}`, contrast(filled.color, filled.backgroundColor));
        host.style.setProperty('--docent-accent', accent);
      }
    }
    return least;
  }, colors);

test('text on the owner’s colour is black or white with sufficient contrast', async () => {
  const { page } = await visit({});
  await answered(page);
  await page.getByRole('textbox', { name: 'Your question' }).fill('With a draft the button is filled.');
  const colors = Array.from({ length: 111 }, (_, at) => `#${(at * 37).toString(16).padStart(3, '0')}`);
  const worst = await leastContrast(page, colors);
  expect(worst.ratio, worst.of).toBeGreaterThanOrEqual(4.5);
});

test('a browser as old as Firefox 115 and Chromium 117 shows a light panel with an answer that can be read', async () => {
  const { page, faults } = await visit({ old: true });
  expect(await page.evaluate(() => ['canParse' in URL, 'userActivation' in navigator])).toEqual([false, false]);
  expect(await answered(page)).toMatch(/45 days/);
  await page.getByRole('textbox', { name: 'Your question' }).fill('With a draft the button is filled.');
  const worst = await leastContrast(page, ['#4048c9', '#0f766e', '#a21caf']);
  expect(worst.ratio, worst.of).toBeGreaterThanOrEqual(4.5);
  const ground = await page.locator('docent-widget section').evaluate((one) => getComputedStyle(one).backgroundColor);
  expect(ground).toBe('rgb(255, 255, 255)');
  expect(faults).toEqual([]);
});

test('on the left the panel opens above its launcher; on a phone it fills the window', async () => {
  const { page } = await visit({});
  await page.evaluate(() => {
    (globalThis as unknown as { Docent: { destroy(): void } }).Docent.destroy();
    const tag = document.querySelector('script')!;
    const again = document.createElement('script');
    for (const { name, value } of tag.attributes) again.setAttribute(name, value);
    again.dataset['position'] = 'start';
    document.head.append(again);
  });
  await page.getByRole('button', { name: 'Open chat' }).click();
  const panel = page.getByRole('dialog');
  await panel.waitFor();
  expect((await panel.boundingBox())!.x).toBe(20);
  await page.setViewportSize({ width: 390, height: 700 });
  await expect.poll(() => panel.boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 700 });
});

test.each(['reduce', 'no-preference'] as const)(
  'with motion %s, the teaser appears after its delay in the scheme of the page, and the panel it opens takes the focus',
  async (motion) => {
    const tag = 'data-teaser="May I help?" data-teaser-after="2"';
    const { page } = await visit({ tag, motion, head: '<style>:root { color-scheme: dark }</style>' });
    const teaser = page.locator('.teaser');
    await teaser.waitFor();
    const ground = await teaser.evaluate((box) => getComputedStyle(box).backgroundColor);
    expect(Number(/\d+/.exec(ground))).toBeLessThan(128);
    await page.getByRole('button', { name: 'May I help?' }).click();
    const field = page.getByRole('textbox');
    await field.waitFor();
    await expect.poll(() => field.evaluate((element) => element.matches(':focus'))).toBe(true);
  },
);

test('the launcher keeps its size when the panel loads, and shows its label where it has no icon', async () => {
  const plain = await visit({});
  const launcher = plain.page.getByRole('button', { name: 'Open chat' });
  await launcher.waitFor();
  const before = await launcher.boundingBox();
  await launcher.hover();
  await expect.poll(() => launcher.getAttribute('aria-expanded')).toBe('false');
  expect(await launcher.boundingBox()).toEqual(before);
  // Firefox gives room to an indent even where there is no text.
  expect(await launcher.evaluate((button) => getComputedStyle(button).textIndent)).toBe('0px');
  const { page } = await visit({ tag: 'data-icon="none" data-label="Ask us"' });
  const labelled = page.getByRole('button', { name: 'Ask us' });
  await labelled.waitFor();
  expect(await labelled.evaluate((button) => getComputedStyle(button, '::before').display)).toBe('none');
});

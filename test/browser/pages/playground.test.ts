import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { Browser, FrameLocator, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { launchChromium } from '../chromium.ts';
import { startBuiltServer, type BuiltServer } from '../built-server.ts';
import { clickUntil } from '../visitor.ts';

let server: BuiltServer;
let browser: Browser;
let page: Page;
let faults: string[];
let site: Server | undefined;

beforeAll(async () => {
  [server, browser] = await Promise.all([startBuiltServer(), launchChromium()]);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

beforeEach(async () => {
  page = await browser.newPage({ viewport: { width: 1300, height: 900 }, reducedMotion: 'reduce' });
  page.setDefaultTimeout(15_000);
  faults = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  await page.goto(`${server.base}/demo/playground.html`);
});

afterEach(async () => {
  await page.close();
  site?.close();
  site = undefined;
});

const preview = (): FrameLocator => page.frameLocator('iframe');
/** The page, or the playground's preview in its frame. */
type Surface = Page | FrameLocator;
const launcher = (surface: Surface) => surface.locator('docent-widget > button, docent-widget .l');
const tag = (): Promise<string> => page.locator('#snippet').innerText();
/** Red, green and blue of what is drawn, in whichever space the style has it. */
const colour = (surface: Surface): Promise<number[]> =>
  launcher(surface).evaluate((button) => {
    const context = document.createElement('canvas').getContext('2d')!;
    context.fillStyle = getComputedStyle(button).backgroundColor;
    context.fillRect(0, 0, 1, 1);
    return Array.from(context.getImageData(0, 0, 1, 1).data.slice(0, 3));
  });
const label = (name: string) => page.getByLabel(name, { exact: true });
const choice = (name: string) => page.getByRole('combobox', { name, exact: true });

/** Serves a page of another origin with this HTML in its body, and opens it. */
async function openPageWith(html: string): Promise<Page> {
  site = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><html lang="en"><title>Mine</title><link rel="icon" href="data:,"><body>${html}`);
  });
  await once(site.listen(0, '127.0.0.1'), 'listening');
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}`);
  return page;
}

test('shows the default widget and the shortest tag at first', async () => {
  await launcher(preview()).waitFor();
  expect(await tag()).toBe(
    `<script async src="${server.base}/embed.js" data-chatbot="${await server.chatbot()}"></script>`,
  );
  expect(faults).toEqual([]);
});

test('applies colour, label and first words to the preview and the tag, and the tag gives the same widget on another site', async () => {
  await label('Colour').fill('#0f766e');
  await label('Label').fill('Ask "us" & co.');
  await label('Title').fill('Our <desk>');
  await label('Greeting').fill('Good day.\nWhat is it?');
  await label('First suggestion').fill('Where is my parcel?');
  await label('Third suggestion').fill('This | or that?');
  const checkWidget = async (surface: Surface): Promise<void> => {
    const dialog = surface.getByRole('dialog', { name: 'Our <desk>' });
    await clickUntil(surface.getByRole('button', { name: 'Ask "us" & co.' }), dialog);
    await surface.getByText('Good day. What is it?').waitFor();
    const suggestions = surface.getByRole('group', { name: 'Suggestions' }).getByRole('button');
    await expect.poll(() => suggestions.allInnerTexts()).toEqual(['Where is my parcel?', 'This / or that?']);
    await expect.poll(() => colour(surface)).toEqual([15, 118, 110]);
  };
  await checkWidget(preview());
  const written = await tag();
  expect(written.match(/data-[\w-]+/g)).toEqual([
    'data-chatbot',
    'data-color',
    'data-title',
    'data-label',
    'data-greeting',
    'data-suggestions',
  ]);
  await checkWidget(await openPageWith(written));
  expect(faults).toEqual([]);
});

test('keeps the panel open and the focus in the form while settings change', async () => {
  await clickUntil(preview().getByRole('button', { name: 'Open chat' }), preview().getByRole('textbox'));
  await preview().getByRole('textbox').fill('How long do I have?');
  await preview().getByRole('textbox').press('Enter');
  await preview().getByRole('button', { name: 'Copy with sources' }).waitFor();
  await label('Title').pressSequentially('Desk');
  await preview().getByRole('dialog', { name: 'Desk' }).waitFor();
  await preview().getByRole('group', { name: 'Answer' }).waitFor();
  await expect.poll(() => label('Title').evaluate((field) => field === document.activeElement)).toBe(true);
  expect(await label('Title').inputValue()).toBe('Desk');
});

test('applies position, teaser, consent and language, on a page from right to left too', async () => {
  await choice('Corner').selectOption('left');
  await label('Teaser beside the launcher').fill('May I help?');
  await label('Teaser after, in seconds').fill('0');
  await choice('Language').selectOption('de');
  const teaser = preview().getByRole('button', { name: 'May I help?' });
  await teaser.waitFor();
  await label('To agree to before the first message').fill('We keep what you write.');
  await expect.poll(() => teaser.count()).toBe(0);
  await clickUntil(launcher(preview()), preview().getByText('We keep what you write.'));
  await preview().getByRole('button', { name: 'Chat schließen' }).first().waitFor();
  const isLeft = (): Promise<boolean> =>
    launcher(preview()).evaluate((button) => button.getBoundingClientRect().x < innerWidth / 2);
  await expect.poll(isLeft).toBe(true);
  await choice('on').selectOption('rtl');
  await expect.poll(() => preview().locator('html').getAttribute('dir')).toBe('rtl');
  await expect.poll(isLeft).toBe(true);
  await choice('Corner').selectOption('right');
  await expect.poll(isLeft).toBe(false);
  await choice('Corner').selectOption('end');
  await expect.poll(isLeft).toBe(true);
  expect(await tag()).toContain('data-teaser-after="0"');
  await page.getByRole('button', { name: 'Start over' }).click();
  await expect.poll(tag).not.toContain('data-teaser');
});

test('aligns a greeting as its panel, with its own direction: an English one in an Arabic panel', async () => {
  const toTheRight = (text: string): Promise<number> =>
    preview()
      .getByText(text)
      .evaluate((element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        return element.getBoundingClientRect().right - range.getBoundingClientRect().right;
      });
  await choice('Language').selectOption('ar');
  await clickUntil(preview().getByRole('button', { name: 'فتح المحادثة' }), preview().getByText('مرحبًا!'));
  await expect.poll(() => toTheRight('مرحبًا!')).toBeLessThan(2);
  await label('Greeting').fill('Welcome?');
  await preview().getByText('Welcome?').waitFor();
  await expect.poll(() => toTheRight('Welcome?')).toBeLessThan(2);
  const greeting = preview().getByText('Welcome?');
  expect(await greeting.evaluate((element) => getComputedStyle(element).unicodeBidi)).toBe('plaintext');
});

test('leaves invalid values out of the tag: a number out of its bounds, an address of another scheme', async () => {
  await label('Corners, in pixels').fill('99');
  await label('Address of your privacy policy').fill('javascript:alert(1)');
  await label('Avatar').fill('http://plain.example/a.png');
  await label('Distance from the edges, in pixels').fill('40');
  expect((await tag()).match(/data-[\w-]+/g)).toEqual(['data-chatbot', 'data-offset']);
});

test('writes the request that stores the hosts of links, which the API accepts, and none for what is no host', async () => {
  const field = label("Hosts that a model's links may lead to, beside those of the sources");
  const request = page.locator('#store');
  expect(await request.isVisible()).toBe(false);
  await field.fill('Docs.example.com, *.example.org');
  const [, address, body] = /^curl (\S+) [\s\S]* -d '(.*)'$/.exec(await request.innerText())!;
  const headers = { Authorization: `Bearer ${server.key}`, 'Content-Type': 'application/json' };
  const reply = await fetch(address!, { method: 'POST', headers, body: body! });
  expect([reply.status, await reply.json()]).toMatchObject([
    200,
    { link_hosts: ['docs.example.com', '*.example.org'] },
  ]);
  expect(await tag()).not.toContain('link');
  await field.fill('https://docs.example.com/');
  expect(await request.isVisible()).toBe(false);
  expect(await field.evaluate((element) => element.matches(':invalid'))).toBe(true);
});

test('reaches every control by keyboard, announces the copy, and has no finding of axe', async () => {
  await launcher(preview()).waitFor();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('status').getByText('Copied.').waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await tag());
  const controls = await page.locator('form :is(input, select, textarea):enabled').count();
  await label('Colour').focus();
  for (let at = 1; at < controls; at++) await page.keyboard.press('Tab');
  expect(await label('Chatbot').evaluate((field) => field === document.activeElement)).toBe(true);
  await page.evaluate(readFileSync('node_modules/axe-core/axe.min.js', 'utf8'));
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const found = await page.evaluate(() =>
      (window as unknown as { axe: Axe }).axe.run({
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      }),
    );
    expect(found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
  }
});

interface Axe {
  run(options: { runOnly: string[] }): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}

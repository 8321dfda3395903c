import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { demoSite } from '../../demo/pages.ts';
import { launchChromium } from './chromium.ts';
import { startBuiltServer, type BuiltServer } from './built-server.ts';
import { answers, askQuestion, field, log, marker, openChat, questions } from './visitor.ts';

let server: BuiltServer;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let faults: string[];

const question = demoSite.sampleQuestion;

beforeAll(async () => {
  [server, browser] = await Promise.all([startBuiltServer(), launchChromium()]);
  // More questions than a visitor may ask.
  const reply = await fetch(`${server.base}/api/v1/chatbot/${await server.chatbot()}/update`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${server.key}`, 'Content-Type': 'application/json' },
    body: '{"rate_limit":[100,60]}',
  });
  expect(reply.status).toBe(200);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

afterEach(() => context?.close());

interface Visit extends BrowserContextOptions {
  path?: string;
  /** What stands in the page's html tag in place of `lang="en"`. */
  html?: string;
}

async function visit({ path = '/demo/', html, ...options }: Visit = {}): Promise<void> {
  // What is measured stands still.
  context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  page = await context.newPage();
  page.setDefaultTimeout(10_000);
  faults = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  if (html)
    await page.route(`**${path}`, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace(/<html lang="[\w-]+"/, `<html ${html}`);
      await route.fulfill({ response, body });
    });
  // Not by a script tag: the page's own policy refuses that.
  await page.addInitScript({ path: 'node_modules/axe-core/axe.min.js' });
  await page.goto(server.base + path);
}

async function answered(): Promise<void> {
  await askQuestion(page, question);
  await marker(page).waitFor();
  await page.getByRole('button', { name: 'Copy with sources' }).waitFor();
}

const panel = (): Locator => page.getByRole('dialog').first();

interface Axe {
  run(options: { runOnly: string[] }): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

async function violations(): Promise<string[]> {
  const found = await page.evaluate((runOnly) => (globalThis as unknown as { axe: Axe }).axe.run({ runOnly }), tags);
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
}

test.each<[string, Visit]>([
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['right-to-left', { html: 'lang="ar" dir="rtl"' }],
  ['on a phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
])('axe finds nothing in any state of the chat, %s', async (_name, options) => {
  await visit({ path: '/demo/states.html', reducedMotion: 'reduce', ...options });
  const scene = page.locator('.scene').filter({ hasText: 'Answered, with sources' });
  await scene.locator('button[aria-pressed]').last().click();
  await scene.locator('.actions textarea').waitFor();
  await page.waitForTimeout(800);
  expect(await page.locator('.card').count()).toBe(1);
  expect(await violations()).toEqual([]);
});

test('axe finds nothing while consent is requested', async () => {
  await visit();
  await page.route(/\/chat\/[0-9a-f]+$/, async (route) => {
    const response = await route.fetch();
    const face = (await response.json()) as object;
    await route.fulfill({ response, json: { ...face, consent: 'We keep what you ask for 30 days.' } });
  });
  await page.getByRole('button', { name: 'Open chat' }).click();
  await page.getByRole('button', { name: 'I agree' }).waitFor();
  expect(await violations()).toEqual([]);
  await page.getByRole('button', { name: 'I agree' }).click();
  await field(page).waitFor();
});

test('axe finds nothing in the list of conversations', async () => {
  await visit();
  await openChat(page);
  await answered();
  await page.getByRole('button', { name: 'Conversations' }).click();
  const list = page.getByRole('dialog', { name: 'Conversations' });
  await list.getByRole('button', { name: 'Delete all' }).click();
  expect(await violations()).toEqual([]);
});

test('a question that the pages do not answer ends with the owner’s contact, in which axe finds nothing', async () => {
  await visit();
  await openChat(page);
  await askQuestion(page, 'Who painted the Mona Lisa?');
  const contact = answers(page).getByRole('link', { name: 'Contact us' });
  await contact.waitFor();
  expect(await contact.getAttribute('href')).toBe(`mailto:${demoSite.contact}`);
  expect(await violations()).toEqual([]);
});

/** The element that has the focus, inside the chat's own tree. */
const focused = (): Promise<string> =>
  page.evaluate(() => {
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    return at?.getAttribute('aria-label') ?? (at as HTMLElement | null)?.title ?? '';
  });

test('the focus moves to the field, leaves the panel by Tab, is visible everywhere and returns to the launcher', async () => {
  await visit();
  await openChat(page);
  await answered();
  expect(await focused()).toBe('Your question');
  const ring = (): Promise<number> =>
    page.evaluate(() => {
      const at = document.activeElement?.shadowRoot?.activeElement;
      const { outlineStyle, outlineWidth } = getComputedStyle((at?.closest('form') ?? at) || document.body);
      return outlineStyle === 'none' ? 0 : parseFloat(outlineWidth);
    });
  const unseen: string[] = [];
  let isInside = true;
  for (let steps = 0; isInside && steps < 30; steps++) {
    await page.keyboard.press('Shift+Tab');
    isInside = await page.evaluate(() => document.activeElement?.localName === 'docent-widget');
    if (isInside && (await ring()) < 2) unseen.push(await focused());
  }
  expect(isInside).toBe(false);
  expect(unseen).toEqual([]);
  await field(page).focus();
  await page.keyboard.press('Escape');
  await panel().waitFor({ state: 'detached' });
  expect(await focused()).toBe('Open chat');
  expect(await ring()).toBeGreaterThan(0);
  await page.keyboard.press('Enter');
  await expect.poll(focused).toBe('Your question');
});

test.each([
  ['in the field', 'Your question', {}],
  ['with a finger in the log, which calls no keyboard', 'Conversation', { hasTouch: true, isMobile: true }],
])('the focus stays in the chat when the clicked element is removed: %s', async (_, place, options) => {
  await visit(options);
  await openChat(page);
  await answered();
  await page.getByRole('button', { name: 'New conversation' }).press('Enter');
  await expect.poll(focused).toBe(place);
});

test('the focus moves to the consent button while it replaces the field, and back', async () => {
  await visit();
  let say!: () => void;
  const isOpen = new Promise<void>((resolve) => (say = resolve));
  await page.route(/\/chat\/[0-9a-f]+$/, async (route) => {
    const response = await route.fetch();
    const face = (await response.json()) as object;
    await isOpen;
    await route.fulfill({ response, json: { ...face, consent: 'We keep what you ask for 30 days.' } });
  });
  await openChat(page);
  expect(await focused()).toBe('Your question');
  say();
  const agree = page.getByRole('button', { name: 'I agree' });
  await expect.poll(() => agree.evaluate((button) => button.matches(':focus'))).toBe(true);
  await page.keyboard.press('Escape');
  await panel().waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Open chat' }).click();
  await expect.poll(() => agree.evaluate((button) => button.matches(':focus'))).toBe(true);
  await page.keyboard.press('Enter');
  await expect.poll(focused).toBe('Your question');
});

test('reopening the chat during a feedback comment focuses the question field', async () => {
  await visit();
  await openChat(page);
  await answered();
  await page.getByRole('button', { name: 'Not helpful' }).click();
  await page.getByRole('textbox', { name: 'Tell us more' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Open chat' }).press('Enter');
  await expect.poll(focused).toBe('Your question');
});

test('the copy button of a code block covers no code', async () => {
  await visit({ path: '/demo/states.html' });
  const code = page.locator('.code').first();
  const [button, text] = await Promise.all([
    code.locator('button').boundingBox(),
    code.locator('.scroll').boundingBox(),
  ]);
  expect(text!.y).toBeGreaterThanOrEqual(button!.y + button!.height);
});

test('a long name without spaces does not move the buttons', async () => {
  await visit();
  const title = 'www.tolliverandwrencustomerservice.example.com';
  await page.route(/\/chat\/[0-9a-f]+$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...((await response.json()) as object), title } });
  });
  await openChat(page);
  await page.getByRole('heading', { name: title }).waitFor();
  const [whole, close] = await Promise.all([
    panel().boundingBox(),
    panel().getByRole('button', { name: 'Close chat' }).boundingBox(),
  ]);
  expect(close!.x + close!.width).toBeLessThan(whole!.x + whole!.width);
});

test('every target is at least 24 px in both directions', async () => {
  await visit();
  await openChat(page);
  await answered();
  await page.getByRole('button', { name: 'Not helpful' }).click();
  await marker(page).click();
  const small = await page.evaluate(() => {
    const root = document.querySelector('docent-widget')!.shadowRoot!;
    // A link within a sentence is as high as its line.
    const targets = root.querySelectorAll<HTMLElement>('button:not([hidden]), a:not(.text p > a), textarea');
    return [...targets].flatMap((target) => {
      const { width, height } = target.getBoundingClientRect();
      const after = getComputedStyle(target, '::after');
      // What reaches beyond the box takes the pointer too.
      const more = after.position === 'absolute' ? -2 * parseFloat(after.top) || 0 : 0;
      const isSmall = width + more < 24 || height + more < 24;
      return isSmall ? [`${target.title || target.textContent} ${width}+${more} x ${height}+${more}`] : [];
    });
  });
  expect(small).toEqual([]);
});

test('at 200 % zoom the panel fills the window and all of it can be reached', async () => {
  await visit({ viewport: { width: 640, height: 400 } });
  await openChat(page);
  await answered();
  const box = (await panel().boundingBox())!;
  expect([box.x, box.y, box.width, box.height]).toEqual([0, 0, 640, 400]);
  expect((await log(page).boundingBox())!.height).toBeGreaterThan(150);
  for (const name of ['Close chat', 'New conversation', 'Send']) {
    const button = (await panel().getByRole('button', { name }).boundingBox())!;
    expect(button.x + button.width).toBeLessThanOrEqual(640);
    expect(button.y + button.height).toBeLessThanOrEqual(400);
  }
  expect(await log(page).evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  // It is modal there: the focus goes round in it.
  expect(await panel().getAttribute('aria-modal')).toBe('true');
  await panel().getByRole('button', { name: 'Conversations' }).focus();
  await page.keyboard.press('Shift+Tab');
  await expect.poll(focused).toBe('Send');
  await page.keyboard.press('Tab');
  await expect.poll(focused).toBe('Conversations');
  // Where the page takes it, it would be covered.
  await page.evaluate(() => document.querySelector('a')!.focus());
  await panel().waitFor({ state: 'detached' });
});

test('in forced colours every button and field has a border', async () => {
  await visit({ forcedColors: 'active' });
  await openChat(page);
  await answered();
  const edges = await page.evaluate(() => {
    const root = document.querySelector('docent-widget')!.shadowRoot!;
    const seen = (element: Element): boolean => {
      const { borderTopWidth, borderTopColor, borderTopStyle } = getComputedStyle(element);
      return borderTopStyle !== 'none' && parseFloat(borderTopWidth) > 0 && !/^rgba.*, 0\)$/.test(borderTopColor);
    };
    return [...root.querySelectorAll('button, form, section')].filter((one) => !seen(one)).map(String);
  });
  expect(edges).toEqual([]);
  // Its sign is drawn in a colour of the system, on another.
  const [sign, ground] = await page.evaluate(() => {
    const launcher = document.querySelector('docent-widget')!.shadowRoot!.querySelector('.l')!;
    return [getComputedStyle(launcher, '::before').borderTopColor, getComputedStyle(launcher).backgroundColor];
  });
  expect(sign).not.toBe(ground);
});

test.each([
  ['reduce', 0],
  ['no-preference', 1],
] as const)('with motion %s, at least %i things move', async (reducedMotion, least) => {
  await visit({ path: '/demo/states.html', reducedMotion });
  const waiting = page.locator('.scene').filter({ hasText: /^Waiting/ });
  await waiting.locator('.waiting').waitFor();
  const moving = await waiting
    .locator('> div')
    .evaluate((host) => host.shadowRoot!.getAnimations().length + document.getAnimations().length);
  if (least) expect(moving).toBeGreaterThanOrEqual(least);
  else expect(moving).toBe(0);
});

test('right to left, the widget is mirrored and on the other side of the page', async () => {
  await visit({ html: 'lang="ar" dir="rtl"' });
  const launcher = page.getByRole('button', { name: /chat|المحادثة/ });
  expect((await launcher.boundingBox())!.x).toBeLessThan(100);
  await launcher.click();
  const arabic = page.getByRole('textbox', { name: 'سؤالك' });
  await arabic.fill(question);
  await arabic.press('Enter');
  const asked = page.getByRole('group', { name: 'سؤالك' });
  await asked.waitFor();
  const whole = (await panel().boundingBox())!;
  const bubble = (await asked.boundingBox())!;
  expect(whole.x).toBeLessThan(100);
  expect(bubble.x - whole.x).toBeLessThan(40);
  const send = (await page.getByRole('button', { name: 'إرسال' }).boundingBox())!;
  expect(send.x - whole.x).toBeLessThan(60);
  expect(await arabic.evaluate((element) => getComputedStyle(element.closest('section')!).direction)).toBe('rtl');
});

test('Enter that ends an IME composition sends nothing; the next one does', async () => {
  await visit();
  await openChat(page);
  const session = await context.newCDPSession(page);
  await session.send('Input.imeSetComposition', { text: 'かな', selectionStart: 2, selectionEnd: 2 });
  const enter = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 };
  await session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...enter });
  await session.send('Input.insertText', { text: 'かな' });
  await session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...enter });
  expect(await field(page).inputValue()).toBe('かな');
  expect(await questions(page).count()).toBe(0);
  await page.keyboard.press('Enter');
  await questions(page).first().waitFor();
});

test('on a phone the panel fits above the keyboard, and the field does not zoom the page', async () => {
  await visit({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
  await openChat(page);
  await answered();
  expect(
    await field(page).evaluate((element) => parseFloat(getComputedStyle(element).fontSize)),
  ).toBeGreaterThanOrEqual(16);
  await page.evaluate(() => {
    for (const [name, value] of Object.entries({ height: 420, offsetTop: 30 }))
      Object.defineProperty(visualViewport, name, { value, configurable: true });
    visualViewport!.dispatchEvent(new Event('resize'));
  });
  const box = (await panel().boundingBox())!;
  expect([box.y, box.height]).toEqual([30, 420]);
  const send = (await panel().getByRole('button', { name: 'Send' }).boundingBox())!;
  expect(send.y + send.height).toBeLessThanOrEqual(450);
  await marker(page).tap();
  await page.getByRole('dialog', { name: /^Source 1/ }).waitFor();
});

const ground = (): Promise<string> => panel().evaluate((element) => getComputedStyle(element).backgroundColor);
const isDark = (colour: string): boolean => Number(/\d+/.exec(colour)) < 128;

test.each([
  ['light', '', '', false],
  ['dark', '', '', true],
  ['light', 'dark', '', true],
  ['dark', 'light', '', false],
  ['dark', 'light dark', '', true],
  ['light', 'light', 'dark', true],
  ['dark', 'dark', 'light', false],
] as const)(
  'where the system is %s, the page “%s” and the owner “%s”, dark is %s',
  async (system, ofPage, ofOwner, dark) => {
    await visit({ path: '/demo/about.html', colorScheme: system });
    await page.evaluate(
      ([scheme, own]) => {
        // The demo has colours of its own, by its system.
        document.querySelector('link[rel=stylesheet]')?.remove();
        document.documentElement.style.colorScheme = scheme;
        if (own) document.documentElement.style.setProperty('--docent-scheme', own);
      },
      [ofPage, ofOwner] as const,
    );
    await openChat(page);
    expect(isDark(await ground())).toBe(dark);
  },
);

test('hovering over a marker opens its card, the mouse can move onto it, and Escape closes it', async () => {
  await visit();
  await openChat(page);
  await answered();
  const card = page.getByRole('dialog', { name: /^Source 1/ });
  await marker(page).hover();
  await card.waitFor();
  expect(await focused()).toBe('Your question');
  const { x, y, width, height } = (await card.boundingBox())!;
  await page.mouse.move(x + width / 2, y + height / 2, { steps: 8 });
  await page.waitForTimeout(700);
  expect(await card.isVisible()).toBe(true);
  await page.keyboard.press('Escape');
  await card.waitFor({ state: 'detached' });
  expect(await panel().isVisible()).toBe(true);
  await page.mouse.move(2, 2);
  await marker(page).hover();
  await card.waitFor();
  await page.mouse.move(2, 2);
  await card.waitFor({ state: 'detached' });
});

test('the card of a marker in the last line does not overlap the field', async () => {
  await visit({ viewport: { width: 1000, height: 470 } });
  await openChat(page);
  await answered();
  await page.locator('.text button.marker').last().click();
  const card = (await page.getByRole('dialog', { name: /^Source/ }).boundingBox())!;
  expect(await log(page).evaluate((element) => element.scrollHeight - element.clientHeight)).toBeGreaterThan(0);
  const { y, height } = (await log(page).boundingBox())!;
  expect(y + height - card.y - card.height).toBeGreaterThanOrEqual(8);
});

test('keyboard focus on a marker opens its card, and Tab goes on to its quote and its link', async () => {
  await visit();
  await openChat(page);
  await answered();
  const card = page.getByRole('dialog', { name: /^Source 1/ });
  await log(page).focus();
  await page.keyboard.press('Tab');
  await card.waitFor();
  for (const part of ['blockquote', 'a']) {
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.localName)).toBe(part);
  }
  await page.keyboard.press('Escape');
  await card.waitFor({ state: 'detached' });
  expect(await focused()).toMatch(/^Source 1/);
});

test('Escape closes the panel after the focus has left a card', async () => {
  await visit();
  await openChat(page);
  await answered();
  await marker(page).click();
  await page.getByRole('dialog', { name: /^Source 1/ }).waitFor();
  await field(page).focus();
  await page.getByRole('dialog', { name: /^Source 1/ }).waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await panel().waitFor({ state: 'detached' });
});

test('a click opens a card and focuses it; a second click or a focus elsewhere closes it', async () => {
  await visit();
  await openChat(page);
  await answered();
  const card = page.getByRole('dialog', { name: /^Source 1/ });
  const role = (): Promise<string | null | undefined> =>
    page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.role);
  await marker(page).click();
  await card.waitFor();
  await expect.poll(role).toBe('dialog');
  await page.waitForTimeout(700);
  await marker(page).click();
  await card.waitFor({ state: 'detached' });
  expect(await focused()).toMatch(/^Source 1/);
  await marker(page).click();
  await expect.poll(role).toBe('dialog');
  await field(page).click();
  await card.waitFor({ state: 'detached' });
  expect(await focused()).toBe('Your question');
});

test('what stands below an open card is pressed at once', async () => {
  await visit();
  await openChat(page);
  await answered();
  await marker(page).click();
  await page.getByRole('dialog', { name: /^Source 1/ }).waitFor();
  const thumb = page.getByRole('button', { name: 'Helpful', exact: true });
  await thumb.scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await thumb.boundingBox())!;
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  // As long as a hand takes.
  await page.waitForTimeout(120);
  await page.mouse.up();
  await expect.poll(() => thumb.getAttribute('aria-pressed')).toBe('true');
  await page.getByRole('dialog', { name: /^Source 1/ }).waitFor({ state: 'detached' });
});

test('the page takes no letter of a question for its shortcuts, and no turn of the wheel for its own', async () => {
  await visit({ viewport: { width: 1000, height: 470 } });
  await page.evaluate(() => {
    for (const event of ['keydown', 'keypress', 'wheel'])
      document.addEventListener(event, (one) => one.preventDefault(), { passive: false });
  });
  await openChat(page);
  await answered();
  await field(page).click();
  await page.keyboard.type('gs/j?');
  expect(await field(page).inputValue()).toBe('gs/j?');
  const top = (): Promise<number> => log(page).evaluate((element) => element.scrollTop);
  const before = await top();
  await log(page).hover();
  await page.mouse.wheel(0, before > 0 ? -100 : 100);
  await expect.poll(top).not.toBe(before);
});

test('the focus stays in the chat where its only conversation is deleted', async () => {
  await visit();
  await openChat(page);
  await answered();
  await panel().getByRole('button', { name: 'Conversations' }).press('Enter');
  const list = page.getByRole('dialog', { name: 'Conversations' });
  await list.getByRole('button', { name: 'Delete', exact: true }).press('Enter');
  await list.getByRole('button', { name: 'Delete', exact: true }).press('Enter');
  await list.waitFor({ state: 'detached' });
  await expect.poll(focused).toBe('Your question');
});

test('copies an answer with its sources, by execCommand where the clipboard API is refused', async () => {
  await visit({ permissions: ['clipboard-read', 'clipboard-write'] });
  await openChat(page);
  await answered();
  const copy = page.getByRole('button', { name: 'Copy with sources' });
  const copied = async (): Promise<string> => {
    await copy.click();
    await page.getByText('Copied').waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  expect(await copied()).toMatch(/45 days[^]*\n\n\[1\] .+ – http.+returns\.html#:~:text=/);
  await page.evaluate(async () => {
    await navigator.clipboard.writeText('');
    const value = (): Promise<void> => Promise.reject(new Error('refused'));
    for (const name of ['write', 'writeText']) Object.defineProperty(navigator.clipboard, name, { value });
  });
  expect(await copied()).toMatch(/\n\n\[1\] /);
  const rich = (): Promise<string> =>
    page.evaluate(async () => {
      const [item] = await navigator.clipboard.read();
      return (await item!.getType('text/html')).text();
    });
  expect(await rich()).toMatch(/<p>.*45 days[^]*<a href="http[^"]+returns\.html#/);
});

test('a rating and its comment are stored on the server and shown after a reload', async () => {
  await visit();
  await openChat(page);
  await answered();
  await page.getByRole('button', { name: 'Not helpful' }).click();
  await page.getByRole('textbox', { name: /Tell us more/ }).fill('Which 45 days?');
  const sent = page.waitForRequest((request) => request.url().endsWith('/feedback'));
  await page.locator('.comment').getByRole('button', { name: 'Send' }).click();
  expect((await sent).postDataJSON()).toEqual({ rating: -1, comment: 'Which 45 days?' });
  await page.getByText('Thank you.').waitFor();
  await page.reload();
  await openChat(page);
  await expect.poll(() => page.getByRole('button', { name: 'Not helpful' }).getAttribute('aria-pressed')).toBe('true');
});

test.each([
  ['a language', '**/embed/de-*.js'],
  ['the list of languages', '**/embed/languages-*.js'],
])('the widget is English and works where %s does not load', async (_what, address) => {
  await visit({ html: 'lang="de"' });
  await page.route(address, (route) => route.abort());
  await page.reload();
  await openChat(page);
  await page.getByPlaceholder('Your question').waitFor();
  expect(faults).toEqual([]);
});

test('the widget is German on a German page', async () => {
  await visit({ html: 'lang="de-AT"' });
  await page.getByRole('button', { name: 'Open chat' }).click();
  await page.getByPlaceholder('Ihre Frage').waitFor();
  expect(await panel().getAttribute('lang')).toBe('de');
});

import type { Locator, Page } from 'playwright';
import { afterEach, expect, test } from 'vitest';
import { openChat } from '../visitor.ts';
import { contrastOf } from './contrast.ts';
import { browser, server } from './served.ts';

let page: Page;

afterEach(() => page?.close());

/** A state of the widget, alone on its page. */
async function see(scene: string, height = 800, query = '', forcedColors: 'active' | 'none' = 'none'): Promise<void> {
  page = await browser.newPage({ viewport: { width: 400, height }, reducedMotion: 'reduce', forcedColors });
  page.setDefaultTimeout(15_000);
  await page.goto(`${server.base}/demo/states.html?scene=${encodeURIComponent(scene)}${query}`);
}

const styleOf = (part: Locator, name: 'backgroundColor' | 'color' | 'opacity'): Promise<string> =>
  part.evaluate((element, property) => getComputedStyle(element)[property], name);

const panel = (): Locator => page.locator('section[role]');
const topOf = async (part: Locator): Promise<number> => (await part.boundingBox())!.y;

test.each([660, 844])('the first screen has no large empty area, in a window of %d px', async (height) => {
  await see('Welcome', height);
  const boxes = await Promise.all(
    ['header', '.welcome h3', '.suggestions', '.welcome > .note', 'form'].map((part) =>
      page.locator(part).boundingBox(),
    ),
  );
  const gaps = boxes.slice(1).map((box, at) => box!.y - (boxes[at]!.y + boxes[at]!.height));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...gaps)).toBeLessThan(400);
  // Greeting and suggestions stand together in the middle, the note at the field.
  const [above, between, below, last] = gaps as [number, number, number, number];
  expect(between).toBeLessThan(48);
  expect(Math.abs(above - below)).toBeLessThan(16);
  expect(last).toBeLessThan(32);
});

test('greeting and suggestions begin at the side where the panel’s own language begins', async () => {
  await see('Welcome', 800, '&dir=rtl&language=ar');
  await page.locator('.suggestions').waitFor();
  const ends = await page.locator('.welcome').evaluate((welcome) =>
    [...welcome.querySelectorAll('h3, .chip')].map((part) => {
      const text = document.createRange();
      text.selectNodeContents(part.firstChild!);
      // Of each line.
      const lines = [...text.getClientRects()].map(({ right }) => right);
      return part.getBoundingClientRect().right - Math.min(...lines);
    }),
  );
  expect(ends.length).toBe(4);
  expect(ends[0]).toBeLessThan(1);
  for (const end of ends.slice(1)) expect(Math.abs(end - 15)).toBeLessThan(1);
});

/** Red, green and blue of a colour as CSS writes it, 0 to 255. */
const channels = (color: string): Promise<number[]> =>
  page.evaluate((drawn) => {
    const context = document.createElement('canvas').getContext('2d')!;
    context.fillStyle = drawn;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  }, color);

test.each(['', '&color=%231e3a8a'])(
  'in the dark launcher and buttons have one colour, which can be seen on the page and keeps its hue%s',
  async (color) => {
    await see('Launcher', 800, `&scheme=dark${color}`);
    await page.locator('.l').click();
    await page.locator('header').waitFor();
    const fill = await styleOf(page.locator('.avatar'), 'backgroundColor');
    await expect.poll(() => styleOf(page.locator('.l'), 'backgroundColor')).toBe(fill);
    expect(await contrastOf(page, fill, await styleOf(page.locator('body'), 'backgroundColor'))).toBeGreaterThan(3);
    for (const part of ['.avatar', '.l'])
      expect(await contrastOf(page, await styleOf(page.locator(part), 'color'), fill)).toBeGreaterThan(4.5);
    await see('Answered, with sources', 800, `&scheme=dark${color}`);
    // A blue: violet has more red than green.
    for (const drawn of [fill, await styleOf(page.locator('.text a').first(), 'color')])
      expect(await channels(drawn)).toEqual((await channels(drawn)).toSorted((one, other) => one - other));
  },
);

test('the tint of a deep green is no grey', async () => {
  await see('Answered, with sources', 800, '&color=%231f4d3a');
  const [red, green] = await channels(await styleOf(page.locator('header'), 'backgroundColor'));
  expect(green! - red!).toBeGreaterThan(10);
});

test('the header is as high on the first screen as above a conversation, whose buttons leave its text less room', async () => {
  const heights: number[] = [];
  for (const scene of ['Welcome', 'Answered, with sources', 'Failed']) {
    await see(scene);
    await page.locator('.content > :first-child').waitFor();
    heights.push((await page.locator('header').boundingBox())!.height);
    await page.close();
  }
  expect(new Set(heights.map(Math.round)).size).toBe(1);
});

test('for a finger the send button is larger, level with its field, and the button to the end is in the middle', async () => {
  page = await browser.newPage({ viewport: { width: 390, height: 600 }, isMobile: true, hasTouch: true });
  await page.goto(`${server.base}/demo/states.html?scene=A%20long%20answer`);
  await page.getByRole('button', { name: 'New text' }).waitFor();
  const [send, field, latest] = await Promise.all(
    ['.send', 'form textarea', '.latest'].map((part) => page.locator(part).boundingBox()),
  );
  expect([send!.width, send!.height]).toEqual([40, 40]);
  expect(field!.y + field!.height / 2).toBe(send!.y + 20);
  expect(latest!.x + latest!.width / 2).toBe(195);
});

test('the row of the open conversation differs from one under the pointer', async () => {
  await see('Earlier conversations');
  const rows = page.locator('.conversations li');
  await rows.nth(1).hover();
  await expect.poll(() => styleOf(rows.nth(1), 'backgroundColor')).not.toBe('rgba(0, 0, 0, 0)');
  await page.waitForTimeout(300);
  expect(await styleOf(rows.first(), 'backgroundColor')).not.toBe(await styleOf(rows.nth(1), 'backgroundColor'));
});

test('with a bright colour of the owner’s header and questions have its tint, not that of the darker accent', async () => {
  await see('Answered, with sources', 800, '&color=%23ffd500');
  await page.locator('.question').first().waitFor();
  for (const part of [page.locator('header'), page.locator('.question').first()]) {
    // Yellow: blue is much less than red and green. The darker accent is brown.
    const [red, green, blue] = await channels(await styleOf(part, 'backgroundColor'));
    expect(Math.min(red!, green!)).toBeGreaterThan(225);
    expect(blue!).toBeLessThan(Math.min(red!, green!));
  }
});

test('on a colour of the owner’s that white can nearly be read on, darkened, white is read', async () => {
  await see('To agree to first', 800, '&color=%2316a34a');
  const agree = page.getByRole('button', { name: 'I agree' });
  const [text, fill] = [await styleOf(agree, 'color'), await styleOf(agree, 'backgroundColor')];
  expect(await contrastOf(page, text, '#000')).toBeGreaterThan(20);
  expect(await contrastOf(page, text, fill)).toBeGreaterThan(4.5);
});

test('in forced colours the main button and the current row are highlighted, and nothing is dimmed', async () => {
  await see('To agree to first', 800, '', 'active');
  const highlight = await page.evaluate(() => {
    document.body.style.background = 'Highlight';
    return getComputedStyle(document.body).backgroundColor;
  });
  const agree = page.getByRole('button', { name: 'I agree' });
  await expect.poll(() => styleOf(agree, 'backgroundColor')).toBe(highlight);
  expect(await styleOf(page.locator('.suggestions .chip').first(), 'opacity')).toBe('1');
  const [button, panelWidth] = [(await agree.boundingBox())!, page.viewportSize()!.width];
  expect(button.width).toBe(panelWidth - 2 * button.x);
  await page.close();
  await see('Earlier conversations', 800, '', 'active');
  await expect.poll(() => styleOf(page.locator('[aria-current]'), 'backgroundColor')).toBe(highlight);
});

test('no line begins with a marker or with the full stop after it', async () => {
  await see('Answered, with sources');
  await page.locator('.text button.marker').first().waitFor();
  const torn = await panel().evaluate((section) => {
    const root = section.getRootNode() as ShadowRoot;
    const found: string[] = [];
    const lineOf = (node: Node, at: number): number => {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      return range.getBoundingClientRect().bottom;
    };
    const stops = [...root.querySelectorAll('.text sup')].map((mark) => mark.nextSibling!);
    const texts = stops.map(({ textContent }) => textContent!);
    for (let width = 280; width < 420; width++) {
      section.style.width = `${width}px`;
      // Followed by a full stop, and by nothing at all: as at the end of a paragraph.
      stops.forEach((stop, at) => (stop.textContent = width % 2 ? texts[at]! : ''));
      for (const mark of root.querySelectorAll('.text sup')) {
        const [before, after] = [mark.previousSibling!, mark.nextSibling!];
        const { top, bottom } = mark.querySelector('.marker')!.getBoundingClientRect();
        const middle = (top + bottom) / 2;
        const lines = [lineOf(before, before.textContent!.length - 1)];
        if (after.textContent) lines.push(lineOf(after, 0));
        if (lines.some((line) => Math.abs(line - 9 - middle) > 12)) found.push(`${mark.textContent} at ${width} px`);
      }
    }
    return found;
  });
  expect(torn).toEqual([]);
});

test('a card shows the quote before the page, and once it is opened hides nothing of the answer', async () => {
  await see('Answered, with sources');
  const mark = page.locator('.text button.marker').first();
  const next = page.locator('.text').getByText(/^The refund goes back/);
  await page.getByRole('button', { name: 'Copy with sources' }).waitFor();
  const before = await topOf(next);
  await mark.hover();
  const card = page.getByRole('dialog', { name: /^Source 1/ });
  await card.waitFor();
  expect(await topOf(card.locator('blockquote'))).toBeLessThan(await topOf(card.getByRole('link')));
  const sizes = await card.evaluate((element) =>
    [...element.querySelectorAll('blockquote, a')].map((part) => parseFloat(getComputedStyle(part).fontSize)),
  );
  expect(sizes[0]).toBeGreaterThan(sizes[1]!);
  // What a pointer only rests on moves nothing.
  expect(await topOf(next)).toBe(before);
  await mark.click();
  const { y, height } = (await card.boundingBox())!;
  expect(await topOf(next)).toBeGreaterThanOrEqual(y + height);
});

test('the second line of the header is whole on the first screen', async () => {
  await see('Welcome');
  await page.setViewportSize({ width: 390, height: 800 });
  const line = page.locator('h2 small');
  await line.waitFor();
  expect(await line.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0);
});

test.each([
  [390, 40, ''],
  [320, 58, ''],
  [390, 40, '&dir=rtl&language=ar'],
])('the header has the whole name of the site beside its buttons, at %d px', async (width, most, query) => {
  await see('Waiting', 800, query);
  await page.setViewportSize({ width, height: 800 });
  const line = page.locator('h2 small');
  const first = page.locator('header button').first();
  await page.locator('header button').nth(2).waitFor();
  const [text, button, header] = await Promise.all(
    [line, first, page.locator('header')].map(async (part) => (await part.boundingBox())!),
  );
  const [start, end] = query ? [button, text] : [text, button];
  expect(start!.x + start!.width).toBeLessThanOrEqual(end!.x + 1);
  expect(text!.height).toBeLessThan(most);
  expect(await line.innerText()).toMatch(/tolliverandwren\.example$/);
  expect(
    await line.evaluate((element) => [
      element.scrollWidth - element.clientWidth,
      element.scrollHeight - element.clientHeight,
    ]),
  ).toEqual([0, 0]);
  // In its middle.
  expect(Math.abs(button!.y + button!.height / 2 - header!.y - header!.height / 2)).toBeLessThan(2);
});

test('what cannot be pressed before consent looks so', async () => {
  await see('To agree to first');
  await page.getByRole('button', { name: 'I agree' }).waitFor();
  const suggestions = page.getByRole('group', { name: 'Suggestions' }).getByRole('button');
  expect(await suggestions.first().isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'I agree' }).click();
  await expect.poll(() => suggestions.first().isEnabled()).toBe(true);
});

test('the send button is quiet while there is nothing to send', async () => {
  await see('Welcome');
  const send = page.getByRole('button', { name: 'Send' });
  const ground = (): Promise<string> => styleOf(send, 'backgroundColor');
  const quiet = await ground();
  await page.getByRole('textbox', { name: 'Your question' }).fill('Do you ship to Canada?');
  await expect.poll(ground).not.toBe(quiet);
});

test('the list of conversations begins a new one, and shows the buttons of a row with the focus', async () => {
  await see('Earlier conversations');
  const list = page.getByRole('dialog', { name: 'Conversations' });
  await list.waitFor();
  const remove = list.getByRole('button', { name: 'Delete', exact: true }).first();
  const opacity = (): Promise<string> => styleOf(remove, 'opacity');
  expect(await opacity()).toBe('0');
  // The row of the current one is as wide as the list, and its title is cut only at the row's end.
  const current = list.locator('[aria-current]');
  const width = async (part: Locator): Promise<number> => (await part.boundingBox())!.width;
  expect(await width(current)).toBe((await width(list.locator('ul'))) - 16);
  expect(await width(current.locator('span'))).toBeGreaterThan((await width(current)) - 30);
  await remove.focus();
  await expect.poll(opacity).toBe('1');
  await expect.poll(() => width(current.locator('span'))).toBeLessThan((await width(current)) - 84);
  await list.getByRole('button', { name: 'New conversation' }).click();
  await list.waitFor({ state: 'detached' });
  await expect.poll(() => page.locator('.question').count()).toBe(0);
});

test('a code block names its language', async () => {
  await see('A long answer');
  const code = page.locator('.code').first();
  await code.waitFor();
  const name = (): Promise<string> => code.evaluate((element) => getComputedStyle(element, '::before').content);
  // Its style is loaded with what stands below an answer.
  await expect.poll(name).toMatch(/^"\w+"$/);
  expect(await code.evaluate((element) => getComputedStyle(element, '::before').textTransform)).toBe('uppercase');
});

test('the style of answers is there before the first question is asked', async () => {
  await see('Welcome');
  const styled = (): Promise<boolean> =>
    panel().evaluate((section) =>
      (section.getRootNode() as ShadowRoot).adoptedStyleSheets.some(({ cssRules }) =>
        [...cssRules].some((rule) => rule.cssText.startsWith('.marker')),
      ),
    );
  await page.locator('.welcome').waitFor();
  await expect.poll(styled).toBe(true);
  expect(await page.locator('.question').count()).toBe(0);
});

test('what asks before a conversation is deleted is as high as its row, and leaves room at its end', async () => {
  await see('Earlier conversations');
  const row = page.getByRole('dialog', { name: 'Conversations' }).getByRole('listitem').nth(1);
  await row.waitFor();
  const before = (await row.boundingBox())!;
  await row.getByRole('button', { name: 'Delete', exact: true }).focus();
  await page.keyboard.press('Enter');
  const cancel = (await row.getByRole('button', { name: 'Cancel' }).boundingBox())!;
  expect(Math.abs((await row.boundingBox())!.height - before.height)).toBeLessThan(2);
  expect(before.x + before.width - cancel.x - cancel.width).toBeCloseTo(8, 0);
});

test('the launcher answers to the pointer once its panel is loaded', async () => {
  page = await browser.newPage({ reducedMotion: 'no-preference' });
  page.setDefaultTimeout(15_000);
  await page.goto(`${server.base}/demo/`);
  const launcher = page.getByRole('button', { name: 'Open chat' });
  await launcher.hover();
  await expect.poll(() => launcher.evaluate((element) => getComputedStyle(element).scale)).toBe('1.06');
});

test('of a panel that fades out nothing enters again or is scrolled', async () => {
  page = await browser.newPage({ reducedMotion: 'no-preference', viewport: { width: 1280, height: 500 } });
  page.setDefaultTimeout(15_000);
  await page.goto(`${server.base}/demo/states.html?scene=${encodeURIComponent('Answered, with sources')}`);
  await page.getByRole('button', { name: 'Helpful', exact: true }).waitFor();
  const moved = await panel().evaluate(async (section) => {
    const root = section.getRootNode() as ShadowRoot;
    const log = root.querySelector('.log')!;
    log.scrollTop = 1e6;
    const { scrollTop } = log;
    const seen = new Promise<unknown[]>((done) => {
      new MutationObserver(() => {
        const fading = root.querySelector('section[inert]');
        const animations = fading?.getAnimations({ subtree: true }) ?? [];
        const names = animations.map(({ effect }) => (effect as KeyframeEffect).target!.localName);
        if (fading) done([...names, scrollTop > 0, log.scrollTop - scrollTop]);
      }).observe(section.parentNode!, { childList: true });
    });
    root.querySelector<HTMLElement>('header button:last-child')!.click();
    return seen;
  });
  expect(moved).toEqual(['section', true, 0]);
});

test.each(['reduce', 'no-preference'] as const)('a closed panel is gone, with motion %s', async (reducedMotion) => {
  page = await browser.newPage({ reducedMotion });
  page.setDefaultTimeout(15_000);
  await page.goto(`${server.base}/demo/`);
  for (let times = 0; times < 2; times++) {
    await openChat(page);
    await page.keyboard.press('Escape');
    await panel().waitFor({ state: 'detached' });
  }
  await openChat(page);
  expect(await panel().count()).toBe(1);
});

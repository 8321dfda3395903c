import type { BrowserContextOptions, Locator, Page } from 'playwright';
import { afterEach, expect, test } from 'vitest';
import { contrastOf } from './contrast.ts';
import { browser, server } from './served.ts';

let page: Page;

afterEach(() => page?.close());

/** A state of the widget, alone on its page, once its answer has ended. `query`: how the page is seen, `&dir=rtl`. */
async function see(scene: string, query = '', options: BrowserContextOptions = {}): Promise<void> {
  page = await browser.newPage({ viewport: { width: 540, height: 780 }, reducedMotion: 'reduce', ...options });
  page.setDefaultTimeout(15_000);
  await page.goto(`${server.base}/demo/states.html?scene=${encodeURIComponent(scene)}${query}`);
  await page.locator('.actions').waitFor({ state: 'attached' });
}

const boxOf = async (part: Locator): Promise<{ x: number; y: number; width: number; height: number }> =>
  (await part.boundingBox())!;
const styleOf = (part: Locator, name: string): Promise<string> =>
  part.evaluate((element, property) => getComputedStyle(element).getPropertyValue(property), name);

test.each([
  ['light', '&color=%23facc15'],
  ['light', '&color=%23fde047'],
  ['dark', '&scheme=dark'],
  ['dark', '&color=%23db2777&scheme=dark'],
])('the bubble of a question and the edge of a marker are seen, %s %s', async (_, query) => {
  await see('Answered, with sources', query);
  const ground = await styleOf(page.locator('section[role]'), 'background-color');
  const marker = page.locator('.text button.marker').first();
  await expect.poll(() => styleOf(marker, 'border-top-left-radius')).not.toBe('0px');
  const bubble = await styleOf(page.locator('.question'), 'background-color');
  expect(await contrastOf(page, bubble, ground)).toBeGreaterThan(1.12);
  const edge = await styleOf(marker, 'border-top-color');
  expect(await contrastOf(page, edge, ground)).toBeGreaterThan(1.3);
});

test.each([
  ['no-preference', true],
  ['reduce', false],
] as const)(
  'a card comes by a movement of 120 to 240 ms, pressed and hovered, with motion %s: %s',
  async (reducedMotion, moves) => {
    await see('Answered, with sources', '', { reducedMotion });
    const marker = page.locator('.text button.marker').first();
    for (const meet of [() => marker.hover(), () => marker.click()]) {
      // What an animation is called and takes stays in the style once it has ended.
      await meet();
      const card = page.locator('.card');
      await card.waitFor();
      expect(await styleOf(card, 'animation-name')).toBe(moves ? 'show' : 'none');
      const seconds = Number.parseFloat(await styleOf(card, 'animation-duration'));
      if (moves) {
        expect(seconds).toBeGreaterThanOrEqual(0.12);
        expect(seconds).toBeLessThanOrEqual(0.24);
      }
      await page.keyboard.press('Escape');
      await card.waitFor({ state: 'detached' });
      await page.mouse.move(1, 1);
    }
  },
);

test('titles and first markers of all sources begin at one place, and each has its host below', async () => {
  for (const scene of ['Answered, with sources', 'Code', 'Not sure']) {
    await see(scene);
    const list = page.locator('.sources ul');
    await expect.poll(() => styleOf(list.locator('li').first(), 'display')).toBe('grid');
    const { x } = await boxOf(list);
    const starts = new Set<number>();
    for (const row of await list.locator('li').all()) {
      const [title, host] = [await boxOf(row.locator('a')), await boxOf(row.locator('.host'))];
      starts.add(Math.round(title.x - x));
      expect(host.x).toBeCloseTo(title.x, 0);
      expect(host.y).toBeGreaterThanOrEqual(title.y + title.height - 2);
      const markers = await Promise.all((await row.locator('.marker').all()).map(boxOf));
      expect(markers[0]!.x).toBeCloseTo(x, 0);
      // Those of one source in a row, level with its title.
      for (const marker of markers) {
        expect(marker.y + marker.height / 2).toBeGreaterThan(title.y);
        expect(marker.y + marker.height / 2).toBeLessThan(title.y + title.height);
      }
    }
    await page.close();
    expect(starts.size).toBe(1);
  }
});

test('from right to left a source and its host begin on the right', async () => {
  await see('Answered, with sources', '&dir=rtl&language=ar');
  const [title, host] = [page.locator('.sources a').last(), page.locator('.sources .host').last()];
  await expect.poll(() => styleOf(page.locator('.sources li').last(), 'display')).toBe('grid');
  const [first, second] = [await boxOf(title), await boxOf(host)];
  expect(first.x + first.width).toBeCloseTo(second.x + second.width, 0);
});

test.each(['13px', '15px', '18px'])(
  'an opened card stays beside its marker, which it points to, at %s',
  async (size) => {
    await see('Answered, with sources');
    await page.evaluate((value) => document.documentElement.style.setProperty('--docent-size', value), size);
    const marker = page.locator('.text button.marker').first();
    await marker.click();
    const card = page.getByRole('dialog', { name: /^Source 1/ });
    await card.waitFor();
    // It has no number of its own.
    expect(await card.locator('.marker').count()).toBe(0);
    const header = await boxOf(page.locator('header'));
    const inset = async (): Promise<number> => (await boxOf(marker)).y - header.y - header.height;
    await expect.poll(inset).toBeGreaterThan(0);
    const top = await marker.evaluate((element) => {
      const { top: inside, height, borderTopWidth } = getComputedStyle(element, '::before');
      const edge = element.getBoundingClientRect().top + element.clientTop;
      return edge + parseFloat(inside) + (parseFloat(height) + parseFloat(borderTopWidth)) / 2;
    });
    // The widest place of the pointer is on the card's edge.
    expect(Math.abs(top - (await boxOf(card)).y)).toBeLessThanOrEqual(8);
  },
);

test('in forced colours the marker of an opened card is another than the rest', async () => {
  await see('A citation opened', '', { forcedColors: 'active' });
  await page.getByRole('dialog', { name: /^Source 1/ }).waitFor();
  const [open, closed] = [page.locator('button.marker').first(), page.locator('button.marker').last()];
  await expect
    .poll(async () => (await styleOf(open, 'background-color')) === (await styleOf(closed, 'background-color')))
    .toBe(false);
});

test('what was refused for a while does not look like a failure', async () => {
  const grounds: string[] = [];
  for (const scene of ['Failed', 'Too many questions', 'A call not confirmed in time']) {
    await see(scene);
    const note = page.locator('.warning');
    await expect.poll(() => styleOf(note, 'padding-top')).toBe('14px');
    grounds.push(await styleOf(note, 'background-color'));
    await page.close();
  }
  expect(grounds[1]).toBe(grounds[2]);
  expect(grounds[0]).not.toBe(grounds[1]);
});

test('an answer that is not sure has a line along it, and room above its sources', async () => {
  await see('Not sure', '&dir=rtl&language=ar');
  const contact = page.locator('.contact');
  await contact.waitFor();
  const text = page.locator('.text');
  expect(await styleOf(text, 'border-inline-start-width')).toBe('2px');
  const [above, sources] = [await boxOf(text), await boxOf(page.locator('.sources'))];
  expect(sources.y - above.y - above.height).toBeCloseTo(16, 0);
  // The side on which the panel's lines begin.
  const { x, width, height } = await boxOf(contact);
  expect(x + width).toBeCloseTo(sources.x + sources.width, 0);
  expect(height).toBeCloseTo(34, 0);
});

test('questions to go on with stand apart, and look other than replies', async () => {
  await see('Questions to go on with');
  const question = page.getByRole('button', { name: 'Who pays for the parcel?', exact: true });
  await question.waitFor();
  const actions = await boxOf(page.locator('.actions .top'));
  const first = await boxOf(page.locator('.replies button').first());
  expect(first.y - actions.y - actions.height).toBeGreaterThanOrEqual(16);
  expect(first.height).toBeCloseTo(34, 0);
  const color = await styleOf(question, 'color');
  await page.close();
  await see('Link cards and replies');
  const reply = page.getByRole('button', { name: 'Compare them' });
  await reply.waitFor();
  expect((await boxOf(reply)).height).toBeCloseTo(34, 0);
  expect(await styleOf(reply, 'color')).not.toBe(color);
});

test('the dot of a growing answer is no full stop', async () => {
  page = await browser.newPage({ reducedMotion: 'reduce' });
  page.setDefaultTimeout(15_000);
  await page.goto(`${server.base}/demo/states.html?scene=Streaming`);
  const paragraph = page.locator('.text > p').last();
  const dot = (): Promise<string[]> =>
    paragraph.evaluate((element) => {
      const { width, borderTopWidth, marginInlineStart } = getComputedStyle(element, '::after');
      return [width, borderTopWidth, marginInlineStart];
    });
  await expect.poll(dot).toEqual(['0px', '5px', '6px']);
  // Below a list it stands in its last item.
  const ends = await page.locator('.text').evaluate((text) => {
    const list = document.createElement('ol');
    list.append(document.createElement('li'), document.createElement('li'));
    text.append(list);
    return [list, ...list.children].map((one) => getComputedStyle(one, '::after').borderTopWidth);
  });
  expect(ends).toEqual(['0px', '0px', '5px']);
});

test('a call to confirm has a rule between its rows, a bounded value and one button that stands out', async () => {
  await see('A call to confirm', '', { forcedColors: 'active' });
  const value = page.getByRole('cell').last().locator('div');
  const [yes, no] = ['Cancel the order', 'Don’t do it'].map((name) => page.getByRole('button', { name })) as [
    Locator,
    Locator,
  ];
  await yes.waitFor();
  // It is no answer yet, to be copied or rated.
  const rating = page.locator('.actions button[title="Helpful"]');
  await rating.waitFor({ state: 'attached' });
  await expect.poll(() => rating.isVisible()).toBe(false);
  await expect.poll(async () => (await boxOf(value)).height).toBeLessThan(140);
  // All of it can be read with the keyboard.
  expect(await value.evaluate((element) => element.tabIndex)).toBe(0);
  // Its end fades, above as much room as its last line needs.
  expect(await styleOf(value, 'mask-image')).toMatch(/^linear-gradient/);
  const rules = await page
    .getByRole('rowheader')
    .evaluateAll((all) => all.map((one) => getComputedStyle(one).borderTopWidth));
  expect(rules).toEqual(['0px', '1px']);
  expect(await styleOf(yes, 'background-color')).not.toBe(await styleOf(no, 'background-color'));
});

test.each([
  ['A thumb down, with a word', 'Send', '.comment'],
  ['A form', 'Call me back', '.parts'],
])('in forced colours the button below “%s” keeps its own colours', async (scene, name, place) => {
  await see(scene, '', { forcedColors: 'active' });
  const button = page.locator(place).getByRole('button', { name });
  await button.waitFor();
  await expect.poll(() => styleOf(button, 'forced-color-adjust')).toBe('none');
  expect((await boxOf(button)).height).toBeCloseTo(42, 0);
});

test('the field after a thumb down opens in sight, above the button to the end', async () => {
  await see('A thumb down, with a word', '', { viewport: { width: 540, height: 700 } });
  const field = page.locator('.comment');
  await field.waitFor();
  const bottom = async (): Promise<number> => (await boxOf(field)).y + (await boxOf(field)).height;
  const form = await boxOf(page.locator('form'));
  expect(await bottom()).toBeLessThan(form.y);
  expect(await field.evaluate((element) => element.closest('.log')!.scrollTop)).toBeGreaterThan(0);
});

import type { Locator, Page } from 'playwright';
import { expect, test } from 'vitest';
import { openChat, range } from '../visitor.ts';
import { browser, server } from './served.ts';

const QUESTION = 'What does the warranty cover?';

const turns = (page: Page): Locator => page.locator('.turn');
const followUps = (page: Page): Locator => turns(page).last().locator('.answer').getByRole('group').getByRole('button');

async function ask(page: Page, query: string): Promise<void> {
  await page.getByRole('textbox').fill(query);
  await page.getByRole('textbox').press('Enter');
}

test('questions to go on with stand below the last answer, are the same after a reload, and are asked by the keyboard', async () => {
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  page.setDefaultTimeout(15_000);
  await page.goto(`${server.base}/demo/`);
  await openChat(page);
  await ask(page, QUESTION);
  await followUps(page).first().waitFor();
  const shown = await followUps(page).allTextContents();
  expect(shown.length).toBeLessThanOrEqual(3);
  expect(shown).not.toContain(QUESTION);
  await page.reload();
  await openChat(page);
  await expect.poll(() => followUps(page).allTextContents()).toEqual(shown);
  await followUps(page).first().focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => turns(page).count()).toBe(2);
  await turns(page)
    .last()
    .getByRole('group', { name: 'Your question' })
    .getByText(shown[0]!, { exact: true })
    .waitFor();
  await turns(page).last().getByRole('button', { name: 'Helpful', exact: true }).waitFor();
  await turns(page)
    .last()
    .getByRole('button', { name: /^Source 1/ })
    .first()
    .waitFor();
  // Only the last answer has them.
  expect(await turns(page).first().getByRole('group', { name: 'Suggestions' }).count()).toBe(0);
  await page.close();
});

test('they lie within the answer from right to left, at the width of a phone, and break no rule of axe', async () => {
  const viewport = { width: 360, height: 640 };
  const page = await browser.newPage({ reducedMotion: 'reduce', viewport });
  page.setDefaultTimeout(15_000);
  await page.addInitScript({ path: 'node_modules/axe-core/axe.min.js' });
  const tag = `<script src="${server.base}/embed.js" data-chatbot="${await server.chatbot()}"></script>`;
  const body = `<!doctype html><html lang="ar" dir="rtl"><title>Page</title><body><h1>Page</h1>${tag}`;
  await page.route('**/page', (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto(`${server.base}/page`);
  await page.getByRole('button').first().click();
  await ask(page, QUESTION);
  const group = page.getByRole('group', { name: 'أسئلة مقترحة' }).getByRole('button');
  await group.first().waitFor();
  for (const at of range(await group.count())) {
    const { x, width } = (await group.nth(at).boundingBox())!;
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(viewport.width);
    // A question mark in English stands behind its question.
    expect(await group.nth(at).evaluate((button) => getComputedStyle(button).direction)).toBe('ltr');
  }
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string }[] }> } };
    return (await axe.run()).violations.map(({ id }) => id);
  });
  expect(violations.filter((id) => !/^(?:region|landmark|heading|page)/.test(id))).toEqual([]);
  await page.close();
});

test.each([
  ['as long as all fits with it', 760, true],
  ['below a button to the end of what does not fit', 610, false],
  ['below that button where little fits', 480, false],
])('they follow an answer whose question nothing cuts, %s', async (_, height, fits) => {
  const page = await browser.newPage({ reducedMotion: 'reduce', viewport: { width: 400, height } });
  page.setDefaultTimeout(15_000);
  await page.goto(`${server.base}/demo/states.html?scene=${encodeURIComponent('Questions to go on with')}`);
  await followUps(page).last().waitFor();
  const edges = (part: Locator): Promise<DOMRect> => part.evaluate((element) => element.getBoundingClientRect());
  const isInside = async (): Promise<boolean[]> => {
    const [log, question, last] = await Promise.all(
      [page.locator('.log'), page.locator('.question'), followUps(page).last()].map(edges),
    );
    return [question!.top >= log!.top, last!.bottom <= log!.bottom];
  };
  await expect.poll(isInside).toEqual([true, fits]);
  await expect.poll(() => page.getByRole('button', { name: 'New text' }).isVisible()).toBe(!fits);
  await page.close();
});

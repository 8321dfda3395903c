import type { Page } from 'playwright';
import { expect, test } from 'vitest';
import { encodeEvents, answerEvents, messageRecord } from '../../widget/fake-server.ts';
import { answers, askQuestion, field, log, openChat } from '../visitor.ts';
import { browser, server } from './served.ts';

/** A long page with the chat, opened; `answer` is that of every question. */
async function visit(answer = 'An answer.', viewport = { width: 1000, height: 700 }): Promise<Page> {
  const chatbot = await server.chatbot();
  const words = '<p>words of the page</p>'.repeat(200);
  const body = `<!doctype html><html lang="en"><body>${words}<script src="${server.base}/embed.js" data-chatbot="${chatbot}"></script>`;
  const page = await browser.newPage({ viewport, reducedMotion: 'reduce' });
  page.setDefaultTimeout(15_000);
  await page.route('**/long', (route) => route.fulfill({ contentType: 'text/html', body }));
  const events = encodeEvents(answerEvents(messageRecord('q', answer)));
  await page.route('**/ask', (route) =>
    route.fulfill({ contentType: 'text/event-stream; charset=utf-8', body: events }),
  );
  await page.goto(`${server.base}/long`);
  await page.evaluate(() => scrollTo(0, 1200));
  await openChat(page);
  return page;
}

const top = (page: Page): Promise<number> => page.evaluate(() => scrollY);

test.each([
  ['in a corner', { width: 1000, height: 700 }],
  ['on a phone', { width: 390, height: 700 }],
])('the page behind stays where it is while a visitor scrolls and types, %s', async (_, viewport) => {
  const page = await visit('An answer.', viewport);
  expect(await top(page)).toBe(1200);
  const { x, y, height } = (await log(page).boundingBox())!;
  for (const at of [y + height / 2, y - 20, y + height + 30]) {
    await page.mouse.move(x + 60, at);
    await page.mouse.wheel(0, 600);
    await page.waitForTimeout(300);
  }
  await log(page).focus();
  await page.keyboard.press('PageDown');
  await field(page).focus();
  await page.keyboard.press('PageDown');
  await page.waitForTimeout(300);
  await askQuestion(page, 'q');
  await answers(page).getByText('An answer.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Open chat' }).waitFor();
  expect(await top(page)).toBe(1200);
  await page.close();
});

test('lists in lists of any depth are readable to their ends', async () => {
  const depth = 14;
  const list = Array.from({ length: depth }, (_, level) => `${'  '.repeat(level)}- level${level}`).join('\n');
  const page = await visit(list, { width: 360, height: 700 });
  await askQuestion(page, 'q');
  await answers(page)
    .getByText(`level${depth - 1}`)
    .first()
    .waitFor();
  const clipped = (): Promise<number> =>
    log(page).evaluate((element) => {
      const { left, right } = element.getBoundingClientRect();
      return [...element.querySelectorAll('li')].filter((item) => {
        const range = document.createRange();
        range.selectNodeContents(item);
        const box = range.getBoundingClientRect();
        return box.width < 60 || box.left < left || box.right > right;
      }).length;
    });
  // Their style is loaded with the first of them.
  await expect.poll(clipped, { timeout: 15_000 }).toBe(0);
  expect(await log(page).evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  await page.close();
});

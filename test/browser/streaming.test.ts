import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { demoSite } from '../../demo/pages.ts';
import { startFakeModel, type FakeModel } from '../fakes/model.ts';
import { launchChromium } from './chromium.ts';
import { startBuiltServer, type BuiltServer } from './built-server.ts';
import {
  answers,
  askQuestion,
  field,
  log,
  marker,
  openChat,
  questions,
  range,
  wordNumbers,
  wordAnswer,
} from './visitor.ts';

let model: FakeModel;
let server: BuiltServer;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let faults: string[];

const question = demoSite.sampleQuestion;

beforeAll(async () => {
  model = await startFakeModel({ json: { pieces: ['{"tags":[]}'] } });
  [server, browser] = await Promise.all([
    startBuiltServer({ LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'any' }),
    launchChromium(),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await model?.close();
});

beforeEach(async () => {
  model.clear();
  context = await browser.newContext();
  faults = [];
  page = await visit();
});

afterEach(() => context.close());

async function visit(): Promise<Page> {
  const one = await context.newPage();
  one.setDefaultTimeout(10_000);
  one.on('pageerror', (error) => faults.push(String(error)));
  await one.goto(`${server.base}/demo/`);
  await openChat(one);
  return one;
}

const asked = (query: string): number =>
  model.requests.filter(({ body }) => body.messages.at(-1)?.content.includes(query)).length;

test('a burst of text is drawn about thirty times a second, however many frames there are', async () => {
  model.next(wordAnswer(400, 1));
  await page.evaluate(() => {
    const root = document.querySelector('docent-widget')!.shadowRoot!;
    const frames: unknown[] = [];
    const seen = new MutationObserver((records) => {
      if (records.some(({ target }) => (target.parentElement ?? (target as Element)).closest('.text')))
        frames.push(document.timeline.currentTime);
    });
    seen.observe(root, { subtree: true, childList: true, characterData: true });
    Object.assign(globalThis, { frames });
  });
  await askQuestion(page, question);
  expect(await wordNumbers(page, 399)).toEqual(range(400));
  await marker(page).waitFor();
  const frames = await page.evaluate(() => (globalThis as unknown as { frames: number[] }).frames);
  expect(frames.length).toBeGreaterThan(5);
  // The end of the answer does not wait: it may share the last frame.
  const early = frames.filter((frame, index) => frame - frames[index - 1]! < 20);
  expect(early.length).toBeLessThanOrEqual(2);
});

const place = (): Promise<{ top: number; left: number }> =>
  log(page).evaluate(({ scrollTop, scrollHeight, clientHeight }) => ({
    top: scrollTop,
    left: scrollHeight - clientHeight - scrollTop,
  }));

test('the log stays at the question of a long answer, follows the text from its end, and stays where the reader scrolls up', async () => {
  model.next(wordAnswer(900, 5));
  await askQuestion(page, question);
  const newest = page.getByRole('button', { name: 'New text' });
  await newest.waitFor();
  await wordNumbers(page, 200);
  expect((await place()).top).toBe(0);
  await newest.click();
  await newest.waitFor({ state: 'hidden' });
  await wordNumbers(page, 300);
  await expect.poll(async () => (await place()).left).toBeLessThan(2);
  await log(page).focus();
  await page.keyboard.press('ArrowUp');
  await newest.waitFor();
  // A key scrolls smoothly.
  await page.waitForTimeout(400);
  const { top } = await place();
  await wordNumbers(page, 600);
  expect((await place()).top).toBe(top);
  await newest.click();
  await newest.waitFor({ state: 'detached' });
  await wordNumbers(page, 899);
  await marker(page).waitFor();
  await page.getByRole('button', { name: 'Copy with sources' }).waitFor();
  await expect.poll(async () => (await place()).left).toBeLessThan(2);
  expect(faults).toEqual([]);
});

test.each([20, 900])('a long answer is shown from its question on, after one of %i words', async (before) => {
  model.next(wordAnswer(before, 0), wordAnswer(900, 0));
  await askQuestion(page, question);
  await page.getByRole('button', { name: 'Copy with sources' }).waitFor();
  await askQuestion(page, question);
  await expect.poll(() => page.getByRole('button', { name: 'Copy with sources' }).count()).toBe(2);
  const asked = page.getByRole('group', { name: 'Your question' }).last();
  const [box, around] = await Promise.all([asked.boundingBox(), log(page).boundingBox()]);
  expect(box!.y - around!.y).toBeGreaterThanOrEqual(0);
  expect(box!.y - around!.y).toBeLessThan(30);
});

test('a new conversation started at the top of a long one is followed', async () => {
  model.next(wordAnswer(400, 0));
  await askQuestion(page, question);
  await page.getByRole('button', { name: 'Copy with sources' }).waitFor();
  await log(page).evaluate((element) => (element.scrollTop = 0));
  const latest = page.getByRole('button', { name: 'New text' });
  await latest.waitFor();
  await page.getByRole('button', { name: 'New conversation' }).click();
  await latest.waitFor({ state: 'hidden' });
});

test('sources and actions at the end of an answer do not move the text', async () => {
  model.next(wordAnswer(500, 4));
  await askQuestion(page, question);
  await wordNumbers(page, 250);
  await log(page).focus();
  await page.keyboard.press('PageUp');
  await page.getByRole('button', { name: 'New text' }).waitFor();
  await page.waitForTimeout(600);
  await page.evaluate(() => {
    const shifts: unknown[] = [];
    new PerformanceObserver((list) => shifts.push(...list.getEntries())).observe({ type: 'layout-shift' });
    Object.assign(globalThis, { shifts });
  });
  const { top } = await place();
  await marker(page).waitFor();
  await page.getByRole('button', { name: 'Copy with sources' }).waitFor();
  await page.waitForTimeout(300);
  expect(await page.evaluate(() => (globalThis as unknown as { shifts: object[] }).shifts)).toEqual([]);
  expect((await place()).top).toBe(top);
});

test('the text grows without animation frames, as in a hidden tab', async () => {
  model.next(wordAnswer(200, 10));
  await askQuestion(page, question);
  await wordNumbers(page);
  await page.evaluate(() => {
    globalThis.requestAnimationFrame = () => 0;
    Object.defineProperty(document, 'hidden', { value: true, configurable: true });
  });
  const before = (await wordNumbers(page)).length;
  await expect.poll(async () => (await wordNumbers(page)).length).toBeGreaterThan(before + 20);
});

test('a page frozen during an answer shows all of it afterwards', async () => {
  model.next(wordAnswer(150, 20));
  await askQuestion(page, question);
  await wordNumbers(page, 10);
  const session = await context.newCDPSession(page);
  await session.send('Page.setWebLifecycleState', { state: 'frozen' });
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await session.send('Page.setWebLifecycleState', { state: 'active' });
  expect(await wordNumbers(page, 149)).toEqual(range(150));
  await marker(page).waitFor();
  expect(faults).toEqual([]);
});

test('without a network an answer shows that it waits, and resumes afterwards', async () => {
  model.next(wordAnswer(150, 20));
  await askQuestion(page, question);
  await wordNumbers(page, 10);
  await context.setOffline(true);
  await answers(page).getByText('You are offline').waitFor();
  await page.waitForTimeout(500);
  await context.setOffline(false);
  expect(await wordNumbers(page, 149)).toEqual(range(150));
  await marker(page).waitFor();
});

test('a question asked without a network is sent once when it is back', async () => {
  model.next(wordAnswer(20, 5));
  await context.setOffline(true);
  await askQuestion(page, 'Which lamps are made of glass?');
  await answers(page).getByText('You are offline').waitFor();
  await context.setOffline(false);
  expect(await wordNumbers(page, 19)).toEqual(range(20));
  expect(asked('Which lamps are made of glass?')).toBe(1);
});

test('a stopped answer keeps its text; the answer to asking again takes its place', async () => {
  model.next(wordAnswer(400, 20), wordAnswer(5, 1));
  await askQuestion(page, question);
  await wordNumbers(page, 10);
  await page.getByRole('button', { name: 'Stop' }).click();
  await answers(page).getByText('The answer was stopped.').waitFor();
  const shown = await wordNumbers(page, 10);
  expect(shown.length).toBeLessThan(300);
  await page.reload();
  await openChat(page);
  await answers(page).getByText('The answer was stopped.').waitFor();
  // The server writes on until it hears of the stop: the stored answer may be some words longer.
  const kept = await wordNumbers(page, 10);
  expect(kept).toEqual(range(kept.length));
  expect(kept.length).toBeGreaterThanOrEqual(shown.length);
  expect(kept.length).toBeLessThan(300);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => answers(page).last().innerText()).not.toContain('word10');
  expect(await wordNumbers(page, 4)).toEqual(range(5));
  expect(await questions(page).count()).toBe(1);
});

test('a reload during an answer loses and repeats nothing', async () => {
  model.next(wordAnswer(150, 20));
  await askQuestion(page, question);
  await wordNumbers(page, 30);
  await field(page).fill('And what ab');
  await page.reload();
  await openChat(page);
  expect(await wordNumbers(page, 149)).toEqual(range(150));
  await marker(page).waitFor();
  expect(await field(page).inputValue()).toBe('And what ab');
  expect(await questions(page).count()).toBe(1);
});

test('a reload right after Enter sends the question once', async () => {
  model.next(wordAnswer(30, 20));
  const query = `Once only ${question}`;
  await askQuestion(page, query);
  await page.reload();
  await openChat(page);
  expect(await wordNumbers(page, 29)).toEqual(range(30));
  expect(await questions(page).count()).toBe(1);
  expect(asked('Once only')).toBe(1);
});

test('a question asked in either of two tabs is streamed in both', async () => {
  const other = await visit();
  model.next(wordAnswer(150, 20));
  await askQuestion(page, question);
  await questions(other).first().waitFor();
  expect((await wordNumbers(other, 10)).length).toBeLessThan(150);
  for (const tab of [page, other]) {
    expect(await wordNumbers(tab, 149)).toEqual(range(150));
    await marker(tab).waitFor();
    expect(await questions(tab).count()).toBe(1);
  }
  model.next(wordAnswer(40, 20));
  await askQuestion(other, 'And from the other tab?');
  await questions(page).nth(1).waitFor();
  for (const tab of [page, other]) {
    await expect.poll(() => answers(tab).count()).toBe(2);
    expect(await wordNumbers(tab, 39)).toEqual(range(40));
  }
  expect(asked('And from the other tab?')).toBe(1);
  await page.getByRole('button', { name: 'New conversation' }).click();
  await expect.poll(() => questions(other).count()).toBe(0);
  expect(faults).toEqual([]);
});

test('the chat answers where storage is refused', async () => {
  await context.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(globalThis, name, {
        get() {
          throw new DOMException('denied', 'SecurityError');
        },
      });
  });
  const refused = await visit();
  model.next(wordAnswer(20, 5), wordAnswer(10, 5));
  await askQuestion(refused, question);
  expect(await wordNumbers(refused, 19)).toEqual(range(20));
  await askQuestion(refused, 'And then?');
  await expect.poll(() => answers(refused).count()).toBe(2);
  expect(await wordNumbers(refused, 9)).toEqual(range(10));
  expect(faults).toEqual([]);
});

import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startFakeModel, type FakeModel, type Script, type SeenRequest } from '../../../fakes/model.ts';
import { startBuiltServer, type BuiltServer } from '../../built-server.ts';
import { launchChromium } from '../../chromium.ts';
import { apiOf } from '../api.ts';
import { newPage, signInByKey, violations } from '../console.ts';

/** Drafts of answers to gaps by a model, in Chromium. */

let server: BuiltServer;
let browser: Browser;
let model: FakeModel;
/** What the model writes where it is asked for a draft; visitors get quotes, as it fails for them. */
let draft: Script;
const isDraft = ({ body }: SeenRequest): boolean => body.messages[0]!.content.includes('You draft an answer');
beforeAll(async () => {
  model = await startFakeModel({
    script: (request) => (isDraft(request) ? draft : { status: 400, raw: ['{}'] }),
  });
  const env = { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'small', ANSWER_TIMEOUT: '3' };
  [server, browser] = await Promise.all([startBuiltServer(env), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await model?.close();
});

const ATTACK = `"><img src=x onerror="document.title='hit'"><script>document.title='hit'</script>`;
const LLAMAS = ['Are pink llamas sold?', 'Do you sell pink llamas?'];

async function openGap(options = {}, queries = LLAMAS) {
  const api = apiOf(server);
  const chatbot = await api.newChatbot(
    `Ferries ${ATTACK}`,
    'Where are helmets sold <svg onload="alert()">?',
    'At the pier.',
  );
  for (const query of queries) await api.ask(chatbot, query);
  const { page, faults } = await newPage(browser, options);
  await signInByKey(page, server, `/console/chatbot/${chatbot}/gaps`);
  const gap = page.getByRole('list', { name: 'Gaps' }).getByRole('region').first();
  await gap.getByText('Write the answer yourself').click();
  faults.length = 0;
  return { api, chatbot, page, faults, gap, field: gap.getByLabel('Answer to') };
}
type Opened = Awaited<ReturnType<typeof openGap>>;
const draftIt = ({ gap }: Opened) => gap.getByRole('button', { name: 'Draft it' });

test('a draft comes into the field, is corrected there, and is live only once the owner saves it', async () => {
  const opened = await openGap();
  const { api, chatbot, page, gap, field, faults } = opened;
  let go = (): void => {};
  draft = { pieces: ['Llamas cost [___: the price].'], hold: new Promise<void>((done) => (go = done)) };
  // By the keyboard alone.
  await draftIt(opened).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => draftIt(opened).getAttribute('aria-disabled')).toBe('true');
  go();
  await gap.getByText('Drafted from: Where are helmets').waitFor();
  expect(await field.inputValue()).toBe('Llamas cost [___: the price].');
  expect(await field.evaluate((one) => one === document.activeElement)).toBe(true);
  const asked = model.requests.filter(isDraft).at(-1)!.body.messages[1]!.content;
  expect((JSON.parse(asked) as { questions: string[] }).questions.toSorted()).toEqual(LLAMAS);
  const sources = () => api.call<unknown[]>('GET', `/chatbot/${chatbot}/data-sources`);
  await gap.getByRole('button', { name: 'Save the answer' }).click();
  await gap.getByText('Fill in what stands in [___').waitFor();
  expect(await sources()).toHaveLength(1);
  await field.fill('Llamas cost 3 pounds.');
  await gap.getByRole('button', { name: 'Save the answer' }).click();
  await gap.getByText('Your answer is live').waitFor();
  expect(await sources()).toHaveLength(2);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('what the owner wrote before or meanwhile stays, until the draft is taken in its place', async () => {
  const opened = await openGap();
  const { page, gap, field } = opened;
  let go = (): void => {};
  draft = { pieces: ['First draft.'], hold: new Promise<void>((done) => (go = done)) };
  await draftIt(opened).click();
  await expect.poll(() => draftIt(opened).getAttribute('aria-disabled')).toBe('true');
  await field.fill('My own words.');
  go();
  await gap.getByText('First draft.').waitFor();
  expect(await field.inputValue()).toBe('My own words.');
  await gap.getByRole('button', { name: 'Keep mine' }).click();
  await expect.poll(() => gap.getByText('First draft.').count()).toBe(0);
  expect(await field.inputValue()).toBe('My own words.');
  draft = { pieces: ['Second draft.'] };
  await draftIt(opened).click();
  await gap.getByRole('button', { name: 'Take it' }).click();
  expect(await field.inputValue()).toBe('Second draft.');
  // A draft that nobody has touched is nothing to lose.
  draft = { pieces: ['Third draft.'] };
  await draftIt(opened).click();
  await expect.poll(() => field.inputValue()).toBe('Third draft.');
  await page.context().close();
});

test('each fault of the model is told in the form, and loses nothing', async () => {
  const opened = await openGap();
  const { page, gap, field } = opened;
  await field.fill('My own words.');
  for (const [script, sentence] of [
    [{ status: 500, raw: ['{}'] }, 'The model could not answer; please try again.'],
    [{ status: 429, raw: ['{}'] }, 'The model has too much to do; please try again later.'],
    [{ cutAfter: 0 }, 'The model could not answer; please try again.'],
    [{ hangAfter: 1 }, 'The model did not answer in time; please try again.'],
    [{ pieces: [' '] }, 'The model could not answer; please try again.'],
  ] as [Script, string][]) {
    draft = script;
    const before = model.requests.length;
    await draftIt(opened).click();
    // What was told before is gone by then.
    await expect.poll(() => model.requests.length).toBeGreaterThan(before);
    await gap.getByText(sentence).waitFor();
    expect(await field.inputValue()).toBe('My own words.');
  }
  draft = { pieces: ['A draft after all.'] };
  await draftIt(opened).click();
  await gap.getByText('A draft after all.').waitFor();
  await page.context().close();
});

test('leaving the screen ends the draft', async () => {
  const opened = await openGap();
  draft = { hangAfter: 1 };
  const before = model.requests.length;
  await draftIt(opened).click();
  await expect.poll(() => model.requests.length).toBe(before + 1);
  await opened.page.getByRole('link', { name: 'People' }).click();
  await expect.poll(() => model.requests.at(-1)!.left).toBe(true);
  await opened.page.context().close();
});

describe.each([
  ['light', { colorScheme: 'light' as const }],
  ['dark', { colorScheme: 'dark' as const }],
  ['on a phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
])('%s', (_, options) => {
  test('axe finds nothing, and what the model or a visitor wrote is text', async () => {
    const opened = await openGap(options, [`Llamas ${ATTACK}`]);
    const { page, gap, field, faults } = opened;
    await field.fill('My own words.');
    draft = { pieces: [`Draft ${ATTACK} ${'w'.repeat(200)}`] };
    await draftIt(opened).click();
    await gap.getByRole('button', { name: 'Take it' }).waitFor();
    expect(await gap.getByText('Draft "><img').count()).toBe(1);
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await gap.getByRole('button', { name: 'Take it' }).click();
    expect(await field.inputValue()).toContain('<img src=x');
    expect(await page.title()).not.toBe('hit');
    expect(await page.locator('#screen img, #screen [onload]').count()).toBe(0);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

test('is offered by no server without a model', async () => {
  const plain = await startBuiltServer();
  try {
    const { page }: { page: Page } = await newPage(browser);
    const api = apiOf(plain);
    const chatbot = await api.newChatbot('Ferries', 'When does the last ferry leave?', 'At ten to nine.');
    await api.ask(chatbot, LLAMAS[0]!);
    await signInByKey(page, plain, `/console/chatbot/${chatbot}/gaps`);
    await page.getByText('Write the answer yourself').click();
    await page.getByRole('button', { name: 'Save the answer' }).waitFor();
    expect(await page.getByRole('button', { name: 'Draft it' }).count()).toBe(0);
    await page.context().close();
  } finally {
    await plain.stop();
  }
});

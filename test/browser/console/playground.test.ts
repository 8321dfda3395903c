import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, FrameLocator, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { startBuiltServer, type BuiltServer } from '../built-server.ts';
import { launchChromium } from '../chromium.ts';
import { apiOf, type Api } from './api.ts';
import { newPage, signInByKey, violations } from './console.ts';

/** The playground, in Chromium: the widget itself on the left, on the right why it answers so. */

let server: BuiltServer;
let browser: Browser;
let api: Api;
beforeAll(async () => {
  [server, browser] = await Promise.all([startBuiltServer(), launchChromium()]);
  api = apiOf(server);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const widgetOf = (page: Page): FrameLocator => page.frameLocator('iframe');
const stepsOf = (page: Page) => page.getByRole('list', { name: 'Why this answer' });

async function put(page: Page, query: string): Promise<void> {
  const field = widgetOf(page).getByRole('textbox');
  await field.fill(query);
  await field.press('Enter');
  await page.locator('.query').getByText(query, { exact: true }).waitFor();
}

const QUESTION = 'How long may I return a lamp?';
const ANSWER = 'You may return a lamp within 45 days.';

async function open(chatbot: string, options = {}): Promise<{ page: Page; faults: string[] }> {
  const made = await newPage(browser, options);
  await signInByKey(made.page, server, `/console/chatbot/${chatbot}/playground`);
  await widgetOf(made.page).getByRole('textbox').waitFor();
  made.faults.length = 0;
  return made;
}

test('shows the widget as it is set, and what a visitor gets at the door', async () => {
  const chatbot = await api.newChatbot('Play', QUESTION, ANSWER);
  await api.call('POST', `/chatbot/${chatbot}/widget`, {
    title: 'Ask the lamp shop',
    greeting: 'Hello from the shop!',
    words: { field: 'Your question to us' },
    color: '#0f766e',
  });
  const { page, faults } = await open(chatbot);
  const widget = widgetOf(page);
  await widget.getByText('Ask the lamp shop').first().waitFor();
  await widget.getByText('Hello from the shop!').waitFor();
  await widget.getByLabel('Your question to us').waitFor();
  await put(page, QUESTION);
  await widget.getByText(ANSWER).first().waitFor();

  const { uuid } = await api.call<{ uuid: string }>('POST', `/chatbot/${chatbot}/session/create`, {});
  await api.call('POST', `/session/${uuid}/message/non-stream`, { query: QUESTION });
  const [message] = await api.call<{ response: string }[]>('GET', `/session/${uuid}/messages`);
  const shown = await widget.getByRole('log').textContent();
  expect(shown).toContain(message!.response.replace(/ ?\[1\]/, ''));
  await stepsOf(page).getByText('General Q&A').first().waitFor();
  const marker = stepsOf(page).getByRole('list', { name: 'Markers' }).getByRole('listitem');
  expect(await marker.locator('mark').textContent()).toBe(ANSWER);
  await stepsOf(page).getByText('No model was asked').waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
});

test('marks as quoted what each of two questions in one message is answered by', async () => {
  const chatbot = await api.newChatbot('Two', QUESTION, ANSWER);
  const parcel = { question: 'How much is a parcel to Norway?', answer: 'A parcel to Norway costs 12 euros.' };
  const more = ['Lamp', 'Parcel', 'Norway'].map((word) => ({
    question: `${word}: how long, and how much?`,
    answer: `${word} matters, for a lamp or a parcel to Norway, are told at the desk.`,
  }));
  for (const pair of [...more, parcel]) await api.call('POST', `/chatbot/${chatbot}/data-source/qa`, pair);
  const sources = () => api.call<{ status: string }[]>('GET', `/chatbot/${chatbot}/data-sources`);
  await expect.poll(async () => (await sources()).filter(({ status }) => status === 'success').length).toBe(5);
  const { page } = await open(chatbot);
  await put(page, `${QUESTION} ${parcel.question}`);
  const quoted = stepsOf(page)
    .getByRole('listitem')
    .filter({ has: page.getByText('quoted', { exact: true }) });
  const cited = stepsOf(page).getByRole('list', { name: 'Markers' }).getByRole('listitem').locator('mark');
  await cited.first().waitFor();
  expect(await cited.allTextContents()).toEqual([ANSWER, parcel.answer]);
  const passages = quoted.filter({ has: page.locator('summary') });
  expect((await passages.locator('details mark').allTextContents()).toSorted()).toEqual([parcel.answer, ANSWER]);
  await page.context().close();
});

test('says what an answer lacks to be sure', async () => {
  const chatbot = await api.newChatbot('Ferries', 'When does the last ferry leave?', 'It leaves at ten to nine.');
  const { page } = await open(chatbot);
  await put(page, 'the last ferry, when does it leave tonight?');
  const sentence = await stepsOf(page).getByText('it is shown as the closest that was found').textContent();
  const [, confidence, least, held, needed] =
    /Confidence (\d+) % \(needed: (\d+) %\); words for (\d+) % \(needed: (\d+) %\)/.exec(sentence!)!.map(Number);
  expect(confidence! < least! || held! < needed!).toBe(true);
  await page.context().close();
});

test('says that the message is like an agent only where it is, and else what decides', async () => {
  const chatbot = await api.newChatbot('Team', QUESTION, ANSWER);
  const { uuid } = await api.call('POST', `/chatbot/${chatbot}/agent/create`, { name: 'Parts', type: 'user-facing' });
  const description = 'Spare bulbs, cables, plugs and switches.';
  await api.call('POST', `/agent/${uuid}/update`, { description, enabled: true });
  const [oldest] = await api.call<{ uuid: string; name: string }[]>('GET', `/chatbot/${chatbot}/agents`);
  const { page } = await open(chatbot);
  const expectWho = async (query: string, sentence: string): Promise<void> => {
    await put(page, query);
    await stepsOf(page).getByRole('listitem').first().getByText(sentence).waitFor();
  };
  await expectWho(
    'Who wrote Hamlet?',
    `${oldest!.name} (user-facing). The message is not clearly like what any of them`,
  );
  await expectWho(
    'Which spare bulbs and cables are there?',
    'Parts (user-facing). The message is most like what it answers.',
  );
  await api.call('POST', `/agent/${oldest!.uuid}/update`, { bias: 1 });
  await expectWho('Which spare switches are there?', `${oldest!.name} (user-facing). Bias or stickness puts it before`);
  await expectWho('Thank you!', 'The message is small talk.');
  await page.context().close();
});

test('says that a bias decided where it put an agent before one that the message is more like', async () => {
  const chatbot = await api.newChatbot('Desk', QUESTION, ANSWER);
  const make = async (name: string, type: string, fields: object): Promise<void> => {
    const { uuid } = await api.call('POST', `/chatbot/${chatbot}/agent/create`, { name, type });
    await api.call('POST', `/agent/${uuid}/update`, { enabled: true, ...fields });
  };
  await make('Parts', 'user-facing', { description: 'Spare bulbs, cables, plugs and switches.' });
  await make('Desk', 'human-escalation', { bias: 1 });
  const { page } = await open(chatbot);
  await put(page, 'Could somebody explain the spare bulbs and cables to me?');
  const first = stepsOf(page).getByRole('listitem').first();
  const likeness = first.getByRole('row', { name: 'Desk' }).getByRole('cell').first();
  expect(Number(await likeness.textContent())).toBeGreaterThan(0);
  await first.getByText('Desk (human-escalation). Bias or stickness puts it before').waitFor();
  await page.context().close();
});

test('stores nothing, and needs no chatbot that is public', async () => {
  const chatbot = await api.newChatbot('Hidden', QUESTION, ANSWER);
  await api.call('POST', `/chatbot/${chatbot}/update`, { visibility: 'private' });
  const { page } = await open(chatbot);
  await put(page, QUESTION);
  await widgetOf(page).getByText(ANSWER).first().waitFor();
  expect(await api.call('GET', `/chatbot/${chatbot}/conversations`)).toEqual([]);
  expect(await api.call('GET', `/chatbot/${chatbot}/sessions`)).toEqual([]);
  const stored = await page.evaluate(() => Object.keys(localStorage).length + Object.keys(sessionStorage).length);
  expect(stored).toBe(0);
  await page.context().close();
});

test('the frame of the widget has neither the cookie nor the page around it', async () => {
  const chatbot = await api.newChatbot('Sandbox', QUESTION, ANSWER);
  const { page } = await open(chatbot);
  const frame = page.frames().find((one) => one.url().includes('/console/preview'))!;
  const reached = await frame.evaluate(() => {
    const reads = [() => parent.document.title, () => localStorage.length, () => document.cookie];
    return reads.map((read) => {
      try {
        read();
        return 'reached';
      } catch (error) {
        return (error as Error).name;
      }
    });
  });
  expect(reached).toEqual(['SecurityError', 'SecurityError', 'SecurityError']);
  const reply = await fetch(`${server.base}/console/preview`);
  const policy = reply.headers.get('content-security-policy');
  expect(policy).toContain("frame-ancestors 'self'");
  expect(policy).toContain('sandbox allow-scripts');
  await page.context().close();
});

test('a question is kept as a file that docent test passes, and fails once the answer is another', async () => {
  const chatbot = await api.newChatbot('Kept', QUESTION, ANSWER);
  const { page } = await open(chatbot);
  const keep = async (query: string): Promise<string> => {
    await put(page, query);
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Keep as a test' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(/\.yaml$/);
    const path = `${server.dataDir}/${download.suggestedFilename()}`;
    await download.saveAs(path);
    return path;
  };
  const hold = (file: string): Promise<{ code: number; out: string }> => {
    const env = { PATH: process.env['PATH'], DATA_DIR: server.dataDir, DOCENT_API_KEY: server.key };
    const words = ['dist/server/main.js', 'test', file, '--server', server.base];
    return promisify(execFile)(process.execPath, words, { env }).then(
      ({ stdout }) => ({ code: 0, out: stdout }),
      (error: { code: number; stdout: string; stderr: string }) => ({
        code: error.code,
        out: error.stdout + error.stderr,
      }),
    );
  };
  const known = await keep(QUESTION);
  expect(await hold(known)).toMatchObject({ code: 0 });
  const odd = await keep('Is "C:\\lamp" – sold: #1? {yes}');
  expect(await hold(odd)).toMatchObject({ code: 0 });
  for (const { uuid } of await api.call<{ uuid: string }[]>('GET', `/chatbot/${chatbot}/data-sources`))
    await api.call('POST', `/data-source/${uuid}/delete`);
  expect(await hold(known)).toMatchObject({ code: 1 });
  await page.context().close();
});

test('a question becomes an example of another agent, who answers it then', async () => {
  const chatbot = await api.newChatbot('Team', QUESTION, ANSWER);
  const { uuid } = await api.call<{ uuid: string }>('POST', `/chatbot/${chatbot}/agent/create`, {
    name: 'Repairs',
    type: 'pre-canned',
    description: 'Broken lamps',
  });
  const canned = { enabled: true, default_message: 'Send it to the workshop.' };
  await api.call('POST', `/agent/${uuid}/update`, canned);
  await api.call('POST', `/agent/${uuid}/routing`, { examples: ['My lamp is broken'] });
  const { page } = await open(chatbot);
  const query = 'The shade came off in the parcel';
  await put(page, query);
  await stepsOf(page).locator('strong', { hasText: 'General Q&A' }).first().waitFor();
  await page.getByText('Wrong agent').click();
  await page.getByLabel('Add the question as an example to').selectOption('Repairs');
  await page.getByRole('button', { name: 'Add the example' }).click();
  await page.getByText('It is an example of Repairs’s now').waitFor();
  expect(await api.call('GET', `/agent/${uuid}/routing`)).toMatchObject({ examples: ['My lamp is broken', query] });
  await put(page, query);
  await widgetOf(page).getByText('Send it to the workshop.').first().waitFor();
  await page.context().close();
});

test('an own answer is live in the next ask, and undone', async () => {
  const chatbot = await api.newChatbot('Own', QUESTION, ANSWER);
  const { page } = await open(chatbot);
  await put(page, 'Do you sell umbrellas?');
  await page.getByText('Write the answer yourself').click();
  await page.getByLabel(/^Answer to/).fill('Umbrellas are sold from May on.');
  await page.getByRole('button', { name: 'Save the answer' }).click();
  await page.getByText('Your answer is live').waitFor();
  await put(page, 'Do you sell umbrellas?');
  await widgetOf(page).getByText('Umbrellas are sold from May on.').first().waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Write the answer yourself').waitFor();
  await page.context().close();
});

describe('with a model', () => {
  let model: FakeModel;
  let asking: BuiltServer;
  beforeAll(async () => {
    model = await startFakeModel({ script: { pieces: ['You have 45 days [1]. It is a yellow submarine [9].'] } });
    asking = await startBuiltServer({ LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake-1' });
  });
  afterAll(async () => {
    await asking?.stop();
    await model?.close();
  });

  test('says which marker was taken out and why, the prompt, the tokens and the credits', async () => {
    const chatbot = await apiOf(asking).newChatbot(
      'Model',
      'Returns of lamps',
      'Lamps: you have 45 days to return one.',
    );
    const { page } = await newPage(browser);
    await signInByKey(page, asking, `/console/chatbot/${chatbot}/playground`);
    await put(page, 'How long may I return it?');
    await widgetOf(page).getByText('yellow submarine').first().waitFor();
    const removed = stepsOf(page).getByRole('list', { name: 'Taken out' }).getByRole('listitem');
    expect(await removed.textContent()).toMatch(/^9 behind .*yellow submarine.*no passage has that number\.$/);
    expect(await stepsOf(page).getByRole('list', { name: 'Markers' }).locator('mark').textContent()).toContain(
      '45 days',
    );
    await stepsOf(page)
      .getByText(/tokens? of .+, 1 credit\./)
      .waitFor();
    await page.context().close();
  });
});

test.each([
  ['light', { colorScheme: 'light' as const }],
  ['dark', { colorScheme: 'dark' as const }],
  ['on a phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
])('breaks no rule of axe with an answer, and runs nothing that is written in one, %s', async (_, options) => {
  const attack = `"><img src=x onerror="document.title='hit'"><script>document.title='hit'</script>[x](javascript:alert(1))`;
  const chatbot = await api.newChatbot(`Evil ${attack}`, `Question ${attack}`, `Answer ${attack}`);
  const { page, faults } = await open(chatbot, options);
  await put(page, `Question ${attack}`);
  await stepsOf(page).waitFor();
  await widgetOf(page).getByText('Answer').first().waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await page.title()).not.toBe('hit');
  for (const frame of page.frames()) {
    expect(await frame.title()).not.toBe('hit');
    expect(await frame.locator('img, a[href^="javascript:"]').count()).toBe(0);
  }
  if ('hasTouch' in options) {
    const [chat, why] = [await page.locator('iframe').boundingBox(), await stepsOf(page).boundingBox()];
    expect(why!.y).toBeGreaterThanOrEqual(chat!.y + chat!.height);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  }
  expect(faults).toEqual([]);
  await page.context().close();
});

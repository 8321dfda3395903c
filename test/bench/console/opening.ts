import type { Browser, Page } from 'playwright';
import { launchChromium } from '../../browser/chromium.ts';
import { median } from '../server/processes.ts';
import { KEY } from '../server/targets.ts';
import { startMeasured, visitorsOf } from './client.ts';
import { prepare } from './lists.ts';
import { conversations } from './made-up.ts';
import { keptInFiles } from './stores.ts';

export interface Opening {
  measure: string;
  median: number;
  worst: number;
  /** Until the same address is loaded with scripts switched off, in the same round. */
  floor: number;
  goal: string;
  met: string;
}

const ROUNDS = 5;
const SLOW_DOWN = 4;
const MAX_MS = 400;
const CONVERSATIONS = 1000;
/** What is waited for where the list of chatbots opens. */
const LIST = 'main a[href^="/console/chatbot/"]';

/**
 * From the request of a screen, or the press that signs in, until what its reader came for stands there and takes a press, in
 * Chromium with its CPU slowed down 4 times. Times in ms, as the page measures them.
 */
export async function measureOpening(): Promise<Opening[]> {
  const kept = await keptInFiles();
  const { chatbot, agent } = await prepare(kept);
  await kept.fill(conversations(chatbot, agent, CONVERSATIONS));
  const [browser, server] = await Promise.all([launchChromium(), startMeasured(kept.env)]);
  const base = `http://127.0.0.1:${server.port}/console`;
  const screens: [string, string, string][] = [
    ['Chatbots', base, LIST],
    ['Today', `${base}/chatbot/${chatbot}/today`, 'main .figures'],
    ['Sources', `${base}/chatbot/${chatbot}/sources`, 'main tbody tr'],
    ['Conversations', `${base}/chatbot/${chatbot}/conversations`, 'main li a'],
  ];
  try {
    const visitors = visitorsOf(server, chatbot);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    await visitors.stop();
    const rows = [await row('signing in by a key, until Chatbots', () => signInOnce(browser, base))];
    for (const [name, url, usable] of screens)
      for (const isFirst of [true, false]) {
        const measure = `${name}, ${isFirst ? 'nothing cached' : 'opened again'}`;
        rows.push(await row(measure, () => openOnce(browser, base, { url, usable, isFirst })));
      }
    return rows;
  } finally {
    await Promise.all([browser.close(), server.end()]);
    await kept.remove();
  }
}

interface Once {
  ms: number;
  floor: number;
}

async function row(measure: string, once: () => Promise<Once>): Promise<Opening> {
  console.error(`console: ${measure} …`);
  const all: Once[] = [];
  for (let round = 0; round < ROUNDS; round++) all.push(await once());
  const times = all.map(({ ms }) => ms);
  const middle = median(times);
  const floor = median(all.map((one) => one.floor));
  const met = middle <= MAX_MS ? 'yes' : 'no';
  return { measure, median: middle, worst: Math.max(...times), floor, goal: `<= ${MAX_MS} ms`, met };
}

interface Opened {
  url: string;
  usable: string;
  isFirst: boolean;
}

async function openOnce(browser: Browser, base: string, { url, usable, isFirst }: Opened): Promise<Once> {
  const page = await openPage(browser);
  try {
    await page.goto(base);
    await signIn(page, LIST);
    const ms: number[] = [];
    const next = await openPage(browser, await page.context().storageState());
    try {
      await next.addInitScript(watch, usable);
      for (let at = 0; at < (isFirst ? 1 : 2); at++) {
        await next.goto(url);
        ms.push(await usableAt(next));
      }
    } finally {
      await next.context().close();
    }
    return { ms: ms.at(-1)!, floor: await timeOfHtml(browser, url) };
  } finally {
    await page.context().close();
  }
}

async function signInOnce(browser: Browser, base: string): Promise<Once> {
  const page = await openPage(browser);
  try {
    await page.goto(base);
    return { ms: await signIn(page, LIST), floor: await timeOfHtml(browser, base) };
  } finally {
    await page.context().close();
  }
}

/** Resolves with the ms from the press until `usable` stands there. */
async function signIn(page: Page, usable: string): Promise<number> {
  await page.getByLabel('API key').fill(KEY);
  await page.evaluate(watch, usable);
  const start = await page.getByRole('button', { name: 'Sign in', exact: true }).evaluate((button: HTMLElement) => {
    const now = performance.now();
    button.click();
    return now;
  });
  return (await usableAt(page)) - start;
}

/** With nothing cached, its CPU slowed down. */
async function openPage(browser: Browser, storageState?: Awaited<ReturnType<StateOf>>): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    ...(storageState && { storageState }),
  });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOW_DOWN });
  return page;
}

type StateOf = ReturnType<Page['context']>['storageState'];

interface Timed {
  usableAt?: number;
}

/** Notes when an element is there that takes a press where it stands, in the frame after. */
function watch(selector: string): void {
  const look = (): void => {
    const found = document.querySelector(selector);
    const box = found?.getBoundingClientRect();
    const top = box && document.elementFromPoint(box.left + box.width / 2, box.top + Math.min(box.height / 2, 20));
    if (found && top && found.contains(top))
      requestAnimationFrame(() => ((window as Timed).usableAt = performance.now()));
    else requestAnimationFrame(look);
  };
  look();
}

async function usableAt(page: Page): Promise<number> {
  const at = await page.waitForFunction(() => (window as Timed).usableAt);
  return (await at.jsonValue())!;
}

async function timeOfHtml(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext({ javaScriptEnabled: false });
  try {
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOW_DOWN });
    const start = performance.now();
    await page.goto(url);
    return performance.now() - start;
  } finally {
    await context.close();
  }
}

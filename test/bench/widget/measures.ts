import type { Browser, CDPSession, Page } from 'playwright';
import { checkShown, createAnswer, median, splitEvery } from './answer.ts';
import { CHUNK_LENGTH, type FakeServer } from './fake-server.ts';
import type { WriteResult } from './in-page.tsx';

export interface Row {
  measure: string;
  docent: number;
  'deep-chat'?: number;
  /** A plain text node to which the same events are appended once a frame. */
  text?: number;
  goal: string;
}

/** A widget under measure, and how the bench operates it. */
export interface Subject {
  name: 'docent' | 'deep-chat' | 'text';
  /** Selector of its element. */
  tag: string;
  /** Name of the button that opens it. */
  button?: string;
  /** Selector of the field for the question. */
  field?: string;
}

export const DOCENT: Subject = { name: 'docent', tag: 'docent-widget', button: 'Open chat', field: 'textarea' };
const DEEP_CHAT: Subject = { name: 'deep-chat', tag: 'deep-chat', button: 'Open chat', field: '#text-input' };
export const TEXT: Subject = { name: 'text', tag: '#text' };

const PATIENCE_MS = 180_000;

interface OpenPage {
  page: Page;
  devtools: CDPSession;
  close(): Promise<void>;
}

/** Opens a page in a new browser context, with nothing cached or stored. */
export async function openPage(browser: Browser, server: FakeServer, path: string): Promise<OpenPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const devtools = await context.newCDPSession(page);
  await page.goto(`${server.base}/${path}`);
  return { page, devtools, close: () => context.close() };
}

/** CPU time of the page's main thread so far, in ms. */
async function mainThreadMs(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')!.value * 1000;
}

/** The text of the element, or of the messages in its shadow root. */
function textIn(page: Page, tag: string): Promise<string> {
  return page.evaluate((selector) => {
    const element = document.querySelector(selector)!;
    return (
      [...(element.shadowRoot ?? element).querySelectorAll('#messages, .text')]
        .map((one) => one.textContent)
        .join(' ') || element.textContent
    );
  }, tag);
}

interface Gap {
  longestGap?: number;
}

/** Measures the longest time between two frames from now on, into `window.longestGap`. */
function watchFrames(): void {
  const page = window as Gap;
  let last = performance.now();
  page.longestGap = 0;
  const tick = (): void => {
    const now = performance.now();
    page.longestGap = Math.max(page.longestGap!, now - last);
    last = now;
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}

interface Streamed {
  ms: number;
  gap: number;
}

/** Writes the question; returns what sends it and waits until the answer stands there. */
export async function writeQuestion(
  page: Page,
  { name, tag, button, field }: Subject,
  answer: string,
): Promise<() => Promise<void>> {
  if (button) await page.getByRole('button', { name: button }).click();
  const input = field && page.locator(`${tag} ${field}`);
  if (input) await input.click();
  if (input) await page.keyboard.type('Go on');
  await page.waitForTimeout(500);
  return async () => {
    if (input) await input.press('Enter');
    else await page.evaluate(() => void (window as unknown as { ask(): void }).ask());
    const last = /w\d+(?!.*w\d)/s.exec(answer)![0];
    const end = Date.now() + PATIENCE_MS;
    while (!new RegExp(`${last}\\W*$`).test(await textIn(page, tag))) {
      if (Date.now() > end) throw new Error(`${name} did not show the end of the answer`);
      await page.waitForTimeout(200);
    }
    checkShown(name, await textIn(page, tag), answer);
  };
}

async function streamOnce(browser: Browser, server: FakeServer, subject: Subject, answer: string): Promise<Streamed> {
  const { page, devtools, close } = await openPage(browser, server, subject.name);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const ask = await writeQuestion(page, subject, answer);
  await page.evaluate(watchFrames);
  const before = await mainThreadMs(devtools);
  await ask();
  const ms = (await mainThreadMs(devtools)) - before;
  const gap = (await page.evaluate(() => (window as Gap).longestGap))!;
  await close();
  return { ms, gap };
}

/** Streams a 20 KB answer in 8-byte events into the widget, deep-chat and a plain text node. */
export async function streaming(browser: Browser, server: FakeServer, rounds: number): Promise<Row[]> {
  const answer = createAnswer(20_000);
  server.setAnswer(answer);
  const all = new Map<string, Streamed[]>();
  for (let round = 0; round < rounds; round++) {
    for (const subject of [DOCENT, DEEP_CHAT, TEXT]) {
      const measured = await streamOnce(browser, server, subject, answer);
      console.error(
        `widget: ${subject.name} ${Math.round(measured.ms)} ms, longest gap ${Math.round(measured.gap)} ms`,
      );
      all.set(subject.name, [...(all.get(subject.name) ?? []), measured]);
    }
  }
  const of = (name: string, key: keyof Streamed): number => median(all.get(name)!.map((one) => one[key]));
  const row = (measure: string, key: keyof Streamed, goal: string): Row => ({
    measure,
    docent: of('docent', key),
    'deep-chat': of('deep-chat', key),
    text: of('text', key),
    goal,
  });
  return [
    row('20 KB in 8-byte events: main thread (ms of CPU)', 'ms', '≤ 1200'),
    row('20 KB in 8-byte events: longest gap between frames (ms)', 'gap', '≤ 70'),
  ];
}

/** Time from the click until the panel's field is painted, in ms. */
async function openOnce(browser: Browser, server: FakeServer, { name, tag, button, field }: Subject): Promise<number> {
  const { page, devtools, close } = await openPage(browser, server, name);
  const opener = page.getByRole('button', { name: button });
  await opener.waitFor();
  await page.evaluate(
    ([host, input]) => {
      const clock = window as unknown as { usable: Promise<number> };
      clock.usable = new Promise((resolve) => {
        const look = (began: number): void => {
          const element = document.querySelector(host!)?.shadowRoot?.querySelector(input!);
          if (element?.getClientRects()[0]) requestAnimationFrame(() => resolve(performance.now() - began));
          else requestAnimationFrame(() => look(began));
        };
        addEventListener('click', ({ timeStamp }) => look(timeStamp), { capture: true, once: true });
      });
    },
    [tag, field],
  );
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await opener.click();
  const ms = await page.evaluate(() => (window as unknown as { usable: Promise<number> }).usable);
  await page.locator(`${tag} ${field}`).fill('It can be written in');
  await close();
  return ms;
}

export async function opening(browser: Browser, server: FakeServer, rounds: number): Promise<Row[]> {
  const times: Record<string, number[]> = { docent: [], 'deep-chat': [] };
  for (let round = 0; round < rounds * 3; round++) {
    for (const subject of [DOCENT, DEEP_CHAT]) times[subject.name]!.push(await openOnce(browser, server, subject));
  }
  const [docent, peer] = [median(times['docent']!), median(times['deep-chat']!)];
  return [{ measure: 'from click to usable panel, CPU at a quarter (ms)', docent, 'deep-chat': peer, goal: '' }];
}

type Writer = 'writeDocent' | 'writeDeepChat' | 'writeText';

async function write(page: Page, writer: Writer, chunks: string[], answer: string): Promise<number> {
  const { ms, shown } = await page.evaluate(
    async ([name, given]) => {
      const module = (await import(new URL('/in-page.js', location.href).href)) as Record<
        Writer,
        (chunks: string[]) => Promise<WriteResult>
      >;
      return module[name](given);
    },
    [writer, chunks] as const,
  );
  checkShown(writer, shown, answer);
  return ms / chunks.length;
}

/** Lengths of answers in KB; the last only for Docent and plain text, since deep-chat takes an hour for it. */
const ANSWER_SIZES_KB = [4, 20, 200];

/** Time per chunk in short and long answers, rendered after each chunk. */
export async function chunks(browser: Browser, server: FakeServer, rounds: number): Promise<Row[]> {
  const { page, close } = await openPage(browser, server, 'docent');
  const answers = ANSWER_SIZES_KB.map((kilobytes) => createAnswer(kilobytes * 1000));
  const draw = (writer: Writer, answer: string): Promise<number> =>
    write(page, writer, splitEvery(answer, CHUNK_LENGTH), answer);
  await draw('writeDocent', answers[1]!); // warms up the JIT
  const [times, floors]: [number[][], number[][]] = [ANSWER_SIZES_KB.map(() => []), ANSWER_SIZES_KB.map(() => [])];
  for (let round = 0; round < rounds * 3; round++) {
    for (const [at, answer] of answers.entries()) {
      times[at]!.push(await draw('writeDocent', answer));
      floors[at]!.push(await draw('writeText', answer));
    }
  }
  const rows: Row[] = [];
  for (const [at, kilobytes] of ANSWER_SIZES_KB.entries()) {
    const deepChat = kilobytes < 200 && { 'deep-chat': await draw('writeDeepChat', answers[at]!) };
    const measured = { docent: median(times[at]!), ...deepChat, text: median(floors[at]!) };
    rows.push({ measure: `ms per chunk of 8 bytes at ${kilobytes} KB`, ...measured, goal: '' });
  }
  await close();
  const [, short, long] = rows;
  const ratio = { docent: long!.docent / short!.docent, text: long!.text! / short!.text! };
  return [...rows, { measure: 'a chunk at 200 KB against one at 20 KB', ...ratio, goal: '≤ 1.2' }];
}

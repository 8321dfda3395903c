import type { Browser, CDPSession, Page } from 'playwright';
import { answerOf, checkShown, cut, median } from './answer.ts';
import { PIECE, type Door } from './door.ts';
import type { Written } from './in-page.tsx';

export interface Row {
  measure: string;
  docent: number;
  'deep-chat'?: number;
  /** A bare text node that the same events are added to, once a frame. */
  text?: number;
  goal: string;
}

/** Whom a page shows, and how a test drives it. */
interface Shown {
  name: 'docent' | 'deep-chat' | 'text';
  /** What it is put into. */
  tag: string;
  /** Presses what opens it. */
  button?: string;
  /** Where a question is written. */
  field?: string;
}

const DOCENT: Shown = { name: 'docent', tag: 'docent-widget', button: 'Open chat', field: 'textarea' };
const DEEP_CHAT: Shown = { name: 'deep-chat', tag: 'deep-chat', button: 'Open chat', field: '#text-input' };
const TEXT: Shown = { name: 'text', tag: '#text' };

const PATIENCE_MS = 180_000;

interface Visit {
  page: Page;
  devtools: CDPSession;
  close(): Promise<void>;
}

/** A visitor who has never been here. */
async function visit(browser: Browser, door: Door, path: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const devtools = await context.newCDPSession(page);
  await page.goto(`${door.base}/${path}`);
  return { page, devtools, close: () => context.close() };
}

/** Milliseconds of CPU that the page's main thread has used. */
async function mainThread(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')!.value * 1000;
}

/** All text inside, shadow roots' too. */
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

/** Notes the longest time between two frames from now on. */
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

async function streamOnce(
  browser: Browser,
  door: Door,
  { name, tag, button, field }: Shown,
  answer: string,
): Promise<Streamed> {
  const { page, devtools, close } = await visit(browser, door, name);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  if (button) await page.getByRole('button', { name: button }).click();
  const input = field && page.locator(`${tag} ${field}`);
  if (input) await input.click();
  if (input) await page.keyboard.type('Go on');
  await page.waitForTimeout(500);
  await page.evaluate(watchFrames);
  const before = await mainThread(devtools);
  if (input) await input.press('Enter');
  else await page.evaluate(() => void (window as unknown as { ask(): void }).ask());
  const last = /w\d+(?!.*w\d)/s.exec(answer)![0];
  const end = Date.now() + PATIENCE_MS;
  while (!new RegExp(`${last}\\W*$`).test(await textIn(page, tag))) {
    if (Date.now() > end) throw new Error(`${name} has not shown the end`);
    await page.waitForTimeout(200);
  }
  const ms = (await mainThread(devtools)) - before;
  const gap = (await page.evaluate(() => (window as Gap).longestGap))!;
  checkShown(name, await textIn(page, tag), answer);
  await close();
  return { ms, gap };
}

/** A whole answer in events of eight bytes through the real widget, its peer, and into a bare text. */
export async function streaming(browser: Browser, door: Door, rounds: number): Promise<Row[]> {
  const answer = answerOf(20_000);
  door.answer(answer);
  const all = new Map<string, Streamed[]>();
  for (let round = 0; round < rounds; round++) {
    for (const shown of [DOCENT, DEEP_CHAT, TEXT]) {
      const measured = await streamOnce(browser, door, shown, answer);
      console.error(`widget: ${shown.name} ${Math.round(measured.ms)} ms, longest gap ${Math.round(measured.gap)} ms`);
      all.set(shown.name, [...(all.get(shown.name) ?? []), measured]);
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

/** Milliseconds from the click to the field of a panel that has been painted. */
async function openOnce(browser: Browser, door: Door, { name, tag, button, field }: Shown): Promise<number> {
  const { page, devtools, close } = await visit(browser, door, name);
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

export async function opening(browser: Browser, door: Door, rounds: number): Promise<Row[]> {
  const times: Record<string, number[]> = { docent: [], 'deep-chat': [] };
  for (let round = 0; round < rounds * 3; round++) {
    for (const shown of [DOCENT, DEEP_CHAT]) times[shown.name]!.push(await openOnce(browser, door, shown));
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
        (chunks: string[]) => Promise<Written>
      >;
      return module[name](given);
    },
    [writer, chunks] as const,
  );
  checkShown(writer, shown, answer);
  return ms / chunks.length;
}

/** In kilobytes; the peer is spared the last, which takes it an hour. */
const SIZES = [4, 20, 200];

/** What a chunk costs in a short and in a long answer, drawn after each. */
export async function chunks(browser: Browser, door: Door, rounds: number): Promise<Row[]> {
  const { page, close } = await visit(browser, door, 'docent');
  const answers = SIZES.map((kilobytes) => answerOf(kilobytes * 1000));
  const draw = (writer: Writer, answer: string): Promise<number> => write(page, writer, cut(answer, PIECE), answer);
  await draw('writeDocent', answers[1]!); // compiles
  const [times, floors]: [number[][], number[][]] = [SIZES.map(() => []), SIZES.map(() => [])];
  for (let round = 0; round < rounds * 3; round++) {
    for (const [at, answer] of answers.entries()) {
      times[at]!.push(await draw('writeDocent', answer));
      floors[at]!.push(await draw('writeText', answer));
    }
  }
  const rows: Row[] = [];
  for (const [at, kilobytes] of SIZES.entries()) {
    const peer = kilobytes < 200 && { 'deep-chat': await draw('writeDeepChat', answers[at]!) };
    const measured = { docent: median(times[at]!), ...peer, text: median(floors[at]!) };
    rows.push({ measure: `ms per chunk of 8 bytes at ${kilobytes} KB`, ...measured, goal: '' });
  }
  await close();
  const [, short, long] = rows;
  const ratio = { docent: long!.docent / short!.docent, text: long!.text! / short!.text! };
  return [...rows, { measure: 'a chunk at 200 KB against one at 20 KB', ...ratio, goal: '≤ 1.2' }];
}

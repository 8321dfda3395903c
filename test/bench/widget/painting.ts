import type { Browser } from 'playwright';
import { createAnswer, median } from './answer.ts';
import type { FakeServer } from './fake-server.ts';
import { DOCENT, openPage, TEXT, writeQuestion, type Row, type Subject } from './measures.ts';

/** An event of Chromium's trace format; times in µs, `tdur` that of its thread's CPU. */
interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  ts: number;
  dur?: number;
  tdur?: number;
  args?: { name?: string };
}

/** What a frame is made of, and the names of its parts in a trace. */
const PARTS = {
  script: /^(?:FunctionCall|EvaluateScript|v8\.run)$/,
  layout: /^(?:Layout|UpdateLayoutTree)$/,
  paint: /^(?:Paint|PrePaint|Layerize|Commit)$/,
};

type Part = keyof typeof PARTS;
type Painted = Record<Part | 'longest' | 'gap', number>;

/** CPU time in ms of the tasks between two frames that follow one another, where it was longest; a frame ends with its layers. */
function longestGap(events: TraceEvent[]): number {
  let [longest, since] = [0, 0];
  let isPainted = false;
  for (const { name, tdur = 0 } of events) {
    if (name === 'Layerize') isPainted = true;
    if (!name.endsWith('RunTask')) continue;
    if (isPainted) since = 0;
    isPainted = false;
    since += tdur / 1000;
    longest = Math.max(longest, since);
  }
  return longest;
}

const LABELS: Partial<Record<keyof Painted, string>> = { longest: 'longest task', gap: 'longest between frames' };

const endOf = ({ ts, dur = 0 }: TraceEvent): number => ts + dur;

/** CPU time in ms of the outermost events with such a name: Chromium nests them in one another. */
function sum(events: TraceEvent[], name: RegExp): number {
  let [total, end] = [0, 0];
  for (const event of events) {
    if (!name.test(event.name) || event.ts < end) continue;
    end = endOf(event);
    total += (event.tdur ?? event.dur ?? 0) / 1000;
  }
  return total;
}

/** The events of the page's main thread, in order: of all processes with one, that which painted most. */
function mainThread(events: TraceEvent[]): TraceEvent[] {
  const threads = events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  const ofThread = threads.map(({ pid, tid }) =>
    events.filter((event) => event.ph === 'X' && event.pid === pid && event.tid === tid),
  );
  const paints = (thread: TraceEvent[]): number => thread.filter(({ name }) => name === 'Paint').length;
  const [busiest = []] = ofThread.toSorted((a, b) => paints(b) - paints(a));
  return busiest.toSorted((a, b) => a.ts - b.ts || endOf(b) - endOf(a));
}

async function paintOnce(
  browser: Browser,
  server: FakeServer,
  subject: Subject,
  answer: string,
  slowness: number,
): Promise<Painted> {
  const { page, devtools, close } = await openPage(browser, server, subject.name);
  const ask = await writeQuestion(page, subject, answer);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowness });
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] });
  await ask();
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  await close();
  const events = mainThread(trace.traceEvents);
  const tasks = events.filter(({ name }) => name.endsWith('RunTask')).map(({ tdur = 0 }) => tdur / 1000);
  const parts = Object.entries(PARTS).map(([part, names]) => [part, sum(events, names)]);
  return {
    ...(Object.fromEntries(parts) as Record<Part, number>),
    longest: Math.max(...tasks),
    gap: longestGap(events),
  };
}

/** CPU time for script, layout and paint while a 12 KB answer streams, the longest task, and the most between two frames, from a trace. */
export async function painting(browser: Browser, server: FakeServer, rounds: number): Promise<Row[]> {
  const answer = createAnswer(12_000);
  const rows: Row[] = [];
  server.setAnswer(answer);
  for (const slowness of [1, 4]) {
    const all = new Map<string, Painted[]>();
    for (let round = 0; round < rounds; round++) {
      for (const subject of [DOCENT, TEXT]) {
        const painted = await paintOnce(browser, server, subject, answer, slowness);
        all.set(subject.name, [...(all.get(subject.name) ?? []), painted]);
      }
    }
    for (const part of ['script', 'layout', 'paint', 'longest', 'gap'] as const) {
      const of = (name: string): number => median(all.get(name)!.map((one) => one[part]));
      rows.push({
        measure: `12 KB, CPU at 1/${slowness}: ${LABELS[part] ?? part} (ms of CPU)`,
        docent: of('docent'),
        text: of('text'),
        goal: part in LABELS && slowness > 1 ? '≤ 100' : '',
      });
    }
  }
  return rows;
}

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build } from 'vite';
import { launchChromium } from '../browser/chromium.ts';

const CHUNK = 8;
const SIZES = [4_000, 20_000, 200_000];
const ROUNDS = 5;
/** Chunks timed at the end of a text, as many at any length. */
const TIMED = 500;

interface Row {
  name: string;
  [measure: string]: number | string;
}

type Measure = (
  name: string,
  text: string,
  size: number,
  timed: number,
  isLaidOut: boolean,
) => { perChunk: number; whole: number; shown: string };

/** An answer as models write them: every construct that all three know, none that they show otherwise. */
const PART = `## What to know, part N

You have **45 days** from the day it arrived, for *any* reason. Write to [the shop](https://shop.test/help) first,
and keep the \`order number\` at hand. Nothing else is asked of you, and nothing has to be printed.

- the thing itself
- all that came **with it**
- a note of what is wrong

\`\`\`js
const days = 45;
\`\`\`

> Sale items are no exception.

`;

function answerOf(length: number): string {
  let text = '';
  for (let part = 1; text.length < length; part++) text += PART.replace('N', String(part));
  return text.slice(0, text.lastIndexOf('\n\n', length));
}

/** The page's script, as a browser loads it: minified, with the libraries' production builds. */
async function script(): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    define: { 'process.env.NODE_ENV': '"production"' },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      write: false,
      lib: { entry: 'test/bench/widget/markdown-page.ts', formats: ['iife'], name: 'markdownPage' },
    },
  });
  const [output] = [result].flat();
  if (!output || !('output' in output)) throw new Error('the page of the bench was not built');
  return output.output[0].code;
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** `npm run bench -- markdown`: ms for each 8-byte chunk of an answer of 4, 20 and 200 KB, in Chromium, beside two others. */
export async function bench(): Promise<{ chunks: Row[]; version: string }> {
  const code = await script();
  const server = createServer((request, response) => {
    response.setHeader('Content-Type', request.url === '/page.js' ? 'text/javascript' : 'text/html');
    response.end(request.url === '/page.js' ? code : '<!doctype html><script src="page.js"></script>');
  }).listen(0, '127.0.0.1');
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const run = (name: string, text: string, timed: number, isLaidOut = false): Promise<ReturnType<Measure>> =>
      page.evaluate(([a, b, c, d, e]) => (globalThis as unknown as { measure: Measure }).measure(a, b, c, d, e), [
        name,
        text,
        CHUNK,
        timed,
        isLaidOut,
      ] as const);
    const names = ['docent', 'streaming-markdown', 'marked + DOMPurify'];
    const found: Record<string, number[]> = {};
    const keep = (name: string, what: string, value: number): void =>
      void (found[`${name} ${what}`] ??= []).push(value);
    for (let round = 0; round < ROUNDS; round++) {
      for (const size of SIZES) {
        const text = answerOf(size);
        const shown: string[] = [];
        for (const name of names) {
          const isSlow = name.startsWith('marked');
          console.error(`round ${round + 1} of ${ROUNDS}: ${size / 1000} KB, ${name}`);
          // The slow one is timed by fewer chunks: they are enough for it.
          const result = await run(name, text, isSlow ? 40 : TIMED);
          keep(name, String(size), result.perChunk);
          if (size === 20_000 && !isSlow) {
            keep(name, 'whole', (await run(name, text, Infinity)).whole);
            keep(name, 'laid out', (await run(name, text, Infinity, true)).whole);
          }
          shown.push(result.shown);
        }
        check(text, shown);
      }
    }
    return {
      chunks: names.map((name) => rowOf(name, (what) => median(found[`${name} ${what}`] ?? [0]))),
      version: browser.version(),
    };
  } finally {
    await browser.close();
    server.close();
  }
}

/** All must show the same words; the copy button's are ours alone. */
function check(text: string, shown: string[]): void {
  const [ours, ...others] = shown.map((words) => words.replaceAll('Copyconstdays=45;', 'constdays=45;'));
  const parts = text.split('## ').length - 1;
  if (ours!.split('Whattoknow').length - 1 !== parts) throw new Error('not every part of the answer is shown');
  if (others.some((words) => words !== ours)) throw new Error('the results differ');
}

function rowOf(name: string, of: (what: string) => number): Row {
  const per = Object.fromEntries(SIZES.map((size) => [`ms/chunk ${size / 1000} KB`, of(String(size))]));
  return {
    name,
    ...per,
    '200:20': of('200000') / of('20000'),
    '20 KB stream, ms': of('whole'),
    'with layout': of('laid out'),
  };
}

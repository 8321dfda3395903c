import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Readable } from '../../server/knowledge/blocks.ts';
import { decode } from '../../server/knowledge/charset.ts';
import { readCsv } from '../../server/knowledge/csv.ts';
import { readHtml } from '../../server/knowledge/html.ts';
import { readMarkdown } from '../../server/knowledge/markdown.ts';
import { documentOf } from '../../server/knowledge/passages.ts';
import { readTex } from '../../server/knowledge/tex.ts';
import { readPlain } from '../../server/knowledge/plain.ts';
import { pagesListed } from '../../server/knowledge/sitemap.ts';
import type { Web } from '../../server/web/web.ts';

const SIZE = 1024 * 1024;
const fill = (unit: string, size = SIZE): string => unit.repeat(Math.ceil(size / unit.length));

interface Watched {
  /** Turns of the event loop that others had meanwhile. */
  turns: number;
  /** The longest time of the processor without a turn, as a share of all of it. */
  longest: number;
}

const cpu = (): number => process.cpuUsage().user + process.cpuUsage().system;

async function watch(work: () => Promise<unknown>): Promise<Watched> {
  await turn();
  let [turns, longest, going] = [0, 0, true];
  const start = cpu();
  let last = start;
  const count = (): void => {
    const now = cpu();
    longest = Math.max(longest, now - last);
    last = now;
    turns++;
    if (going) setImmediate(count);
  };
  setImmediate(count);
  await work().catch(() => {});
  const end = cpu();
  longest = Math.max(longest, end - last);
  going = false;
  // Of little work a share tells nothing.
  return { turns, longest: end - start > 100_000 ? longest / (end - start) : 0 };
}

const texts: [string, () => string][] = [
  ['commas', () => fill(',')],
  ['commas in quotation marks', () => `"${fill(',')}`],
  ['line ends', () => fill('\n')],
  ['line ends of an old Mac', () => fill('\r')],
  ['quotation marks', () => fill('"')],
  ['less-than signs', () => fill('<')],
  ['ampersands', () => fill('&')],
  ['numeric entities that never end', () => fill('&#1')],
  ['nested elements', () => fill('<div>')],
  ['links that are never closed', () => fill('<a href=x>')],
  ['tags that are never closed', () => fill('<a ')],
  ['attributes', () => `<p ${fill('a=1 ')}`],
  ['paragraphs', () => fill('<p>a')],
  ['bold paragraphs', () => fill('<p><b>Title</b></p><p>x</p>')],
  ['line breaks of a page', () => fill('<br> ')],
  ['terms and definitions', () => fill('<dt>a<dd>b')],
  ['a title that is never closed', () => `<title>${fill('a ')}`],
  ['code that is never closed', () => `<pre>${fill('\n a')}`],
  ['one line of letters', () => fill('a')],
  ['one line of words', () => fill('word ')],
  ['short sentences', () => fill('A. ')],
  ['asterisks', () => fill('*')],
  ['emphasis', () => fill('*a**')],
  ['brackets', () => fill('[')],
  ['links of Markdown', () => fill('[a](')],
  ['headings of Markdown', () => fill('# ')],
  ['commands of LaTeX', () => fill('\\\\a{')],
  ['headings of LaTeX', () => fill('\\\\section{a}')],
  ['formulas that never end', () => fill('\\\\(')],
  ['a block of code that is never closed', () => `\`\`\`\n${fill('a\n')}`],
  ['hyphens at the ends of lines', () => fill('a-\n')],
  ['a table of rows', () => `a,b,c\n${fill('1,2,3\n')}`],
  ['a table of wide rows', () => fill(`${'1,'.repeat(1000)}\n`)],
  ['a table of a page with one row', () => `<table><tr>${fill('<td>a')}`],
  ['a table of a page', () => `<table><tr>${'<th>name'.repeat(9)}${fill(`<tr>${'<td>a'.repeat(9)}`)}`],
  ['tables within tables', () => fill('<table><tr><td>')],
];

const readers: [string, (text: string) => Promise<Readable>][] = [
  ['CSV', readCsv],
  ['HTML', readHtml],
  ['Markdown', readMarkdown],
  ['plain text', readPlain],
  ['LaTeX', readTex],
];

describe.each(readers)('a text read as %s', (_, read) => {
  it.each(texts)('gives the event loop its turns: %s', { timeout: 60_000 }, async (__, make) => {
    const text = make();
    let readable: Readable | undefined;
    const reading = await watch(async () => (readable = await read(text)));
    // What is refused, or read up to a bound, is done early.
    if (readable && !readable.cut) expect(reading.turns).toBeGreaterThan(text.length / (20 * 1024));
    else expect(reading.turns).toBeGreaterThan(1);
    expect(reading.longest).toBeLessThan(0.5);
    if (!readable) return;
    const cutting = await watch(() => documentOf(readable!));
    const length = readable.blocks.reduce((sum, block) => sum + block.text.length, 0);
    expect(cutting.turns).toBeGreaterThanOrEqual(Math.floor(length / (20 * 1024) + readable.blocks.length / 1000));
  });
});

describe('a sitemap', () => {
  it.each([
    ['pages', () => fill('<url><loc>http://a.example/</loc></url>')],
    ['an address that never ends', () => `<loc>${fill('a')}`],
    ['attributes', () => `<a ${fill('a=1 ')}`],
    ['line ends', () => fill('\n')],
    ['one line', () => fill('a')],
  ])('gives the event loop its turns: %s', { timeout: 60_000 }, async (_, make) => {
    const { turns } = await watch(() => listed(make()));
    expect(turns).toBeGreaterThan(SIZE / (4 * 1024));
  });

  it('of elements within each other is read no further', async () => {
    const list = `${fill('<a>')}<url><loc>http://a.example/late</loc></url>`;
    expect(await listed(`<url><loc>http://a.example/early</loc></url>${list}`)).toEqual(['http://a.example/early']);
  });
});

async function listed(text: string): Promise<string[]> {
  const web = { sitemaps: async () => [], get: async () => ({ body: Buffer.from(text) }) } as unknown as Web;
  const pages: string[] = [];
  const { signal } = new AbortController();
  for await (const { page } of pagesListed(web, 'http://a.example/', signal)) pages.push(page);
  return pages;
}

describe('bytes in a charset', () => {
  it.each([
    ['UTF-8', 0x41],
    ['another', 0xe9],
  ])('give the event loop its turns: %s', async (_, byte) => {
    const { turns } = await watch(() => decode(Buffer.alloc(8 * SIZE, byte), undefined));
    expect(turns).toBeGreaterThan(8 * 4);
  });
});

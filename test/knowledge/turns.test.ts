import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { Readable } from '../../server/knowledge/readers/blocks.ts';
import { decode } from '../../server/knowledge/readers/charset.ts';
import { readCsv } from '../../server/knowledge/readers/csv.ts';
import { readHtml } from '../../server/knowledge/readers/html/html.ts';
import { readMarkdown } from '../../server/knowledge/readers/markdown.ts';
import { chunked } from '../../server/knowledge/ingest/chunk.ts';
import { readTex } from '../../server/knowledge/readers/tex.ts';
import { readPlain } from '../../server/knowledge/readers/plain.ts';
import { pagesListed } from '../../server/knowledge/crawl/sitemap.ts';
import type { Web } from '../../server/web/web.ts';
import { aSite, aSource } from '../store/records.ts';
import { openKnowledge, pages } from './knowledge-fixture.ts';

const SIZE = 1024 * 1024;
const fill = (unit: string, size = SIZE): string => unit.repeat(Math.ceil(size / unit.length));

/**
 * Turns of the event loop that others had during the work; `between` is called at each. Every reading of the clock
 * is the end of a time slice, so that slices hold the same work on every machine. Not a spy: that records a million calls.
 */
async function turnsOf(work: () => Promise<unknown>, between = (): void => {}): Promise<number> {
  await turn();
  const { now: clock } = performance;
  let now = performance.now();
  performance.now = () => (now += 5);
  let [turns, going] = [0, true];
  const count = (): void => {
    between();
    turns++;
    if (going) setImmediate(count);
  };
  setImmediate(count);
  await work().catch(() => {});
  between();
  going = false;
  performance.now = clock;
  return turns;
}

const texts: [string, () => string][] = [
  ['commas', () => fill(',')],
  ['commas in quotation marks', () => `"${fill(',')}`],
  ['line ends', () => fill('\n', SIZE / 4)],
  ['line ends of an old Mac', () => fill('\r', SIZE / 4)],
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
  ['commands of LaTeX', () => fill('\\a{')],
  ['headings of LaTeX', () => fill('\\section{a}')],
  ['formulas that never end', () => fill('\\(')],
  ['displayed formulas that never end', () => fill('\\[')],
  ['environments of LaTeX', () => fill('\\begin{math}x\\end{math}')],
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
    const reading = await turnsOf(async () => (readable = await read(text)));
    // What is refused, or read up to a bound, is done early.
    if (readable && !readable.cut) expect(reading).toBeGreaterThan(text.length / (20 * 1024));
    else expect(reading).toBeGreaterThan(1);
    if (!readable) return;
    const cutting = await turnsOf(() => chunked(readable!));
    const length = readable.blocks.reduce((sum, block) => sum + block.text.length, 0);
    expect(cutting).toBeGreaterThanOrEqual(Math.floor(length / (20 * 1024) + readable.blocks.length / 1000));
  });
});

describe('the work of reading LaTeX', () => {
  /** Characters that strings were searched or rewritten for: in all, and the most between two turns. */
  async function searched(text: string): Promise<{ all: number; most: number }> {
    const { indexOf, replace } = String.prototype;
    let [all, before, most] = [0, 0, 0];
    const spies = [
      vi.spyOn(String.prototype, 'indexOf').mockImplementation(function (this: string, ...given) {
        const at = indexOf.apply(this, given);
        all += (at < 0 ? this.length : at) - (given[1] ?? 0) + 1;
        return at;
      }),
      vi.spyOn(String.prototype, 'replace').mockImplementation(function (this: string, ...given: unknown[]) {
        all += this.length;
        return Reflect.apply(replace, this, given) as string;
      }),
    ];
    try {
      await turnsOf(
        () => readTex(text),
        () => {
          most = Math.max(most, all - before);
          before = all;
        },
      );
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
    return { all, most };
  }

  it.each(['\\[', '\\(', '$', '$$', '\\a{', '\\section{a}', '\\begin{math}x\\end{math}', '\\[\\('])(
    'grows no faster than the text: %s',
    async (unit) => {
      const small = await searched(`\\begin{document}${fill(unit, 64 * 1024)}`);
      const large = await searched(`\\begin{document}${fill(unit, 256 * 1024)}`);
      expect(small.most).toBeGreaterThan(1024);
      expect(large.most).toBeLessThan(1.5 * small.most);
      expect(large.all).toBeLessThan(5 * small.all);
      // As many passes over a paragraph as there are rules, and not one for each command in it.
      expect(large.all).toBeLessThan(100 * 256 * 1024);
    },
  );

  it.each([
    ['\\[', '\\]'],
    ['\\(', '\\)'],
  ])('looks once in a paragraph for what closes %s', async (opening, closing) => {
    const spy = vi.spyOn(String.prototype, 'indexOf');
    try {
      await readTex(`${fill(opening, 8 * 1024)}\n\n${fill(opening, 8 * 1024)}`);
      expect(spy.mock.calls.filter(([sought]) => sought === closing)).toHaveLength(2);
    } finally {
      spy.mockRestore();
    }
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
    const turns = await turnsOf(() => listed(make()));
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
    const turns = await turnsOf(() => decode(Buffer.alloc(8 * SIZE, byte), undefined));
    expect(turns).toBeGreaterThan(8 * 4);
  });
});

it('gives the event loop its turns while the pages of a deleted site leave the index', async () => {
  const removed: number[] = [];
  let turns = 0;
  const k = await openKnowledge(pages({}), Date.now, false, () => removed.push(turns));
  try {
    const site = aSite(k.chatbot, { status: 'done' });
    await k.store.createSite(site);
    const count = 150;
    for (let n = 0; n < count; n++)
      await k.store.createSource(aSource(k.chatbot, { site: site.uuid, identity: `https://a.example/${n}` }));
    await turnsOf(
      () => k.sites.remove(site),
      () => void turns++,
    );
    expect(removed).toHaveLength(count);
    expect(new Set(removed).size).toBeGreaterThan(count / 2);
  } finally {
    await k.close();
  }
});

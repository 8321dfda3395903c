import { setImmediate } from 'node:timers/promises';
import type { Block, Readable } from './blocks.ts';
import { readHtml } from './html/html.ts';
import { parseFile, type FileToParse } from './parser-process.ts';
import { readPlain } from './plain.ts';
import { Rows } from './rows.ts';
import { titleIn } from './titles.ts';

/** UTF-16 units of text in all; the rest is not read. */
const MAX_TEXT_LENGTH = 20 * 1024 * 1024;

/** Each page's blocks under the heading `Page 1` and so on. */
export async function readPdf(file: FileToParse): Promise<Readable> {
  const readable: Readable = { title: '', blocks: [] };
  const pages = new Map<number, string>();
  let left = MAX_TEXT_LENGTH;
  for await (const line of parseFile('pdf', file)) {
    if ('title' in line) readable.title = titleIn(line.title);
    if (!('page' in line) || left <= 0) continue;
    pages.set(line.page, (pages.get(line.page) ?? '') + line.text);
    left -= line.text.length;
  }
  for (const [number, text] of pages) {
    await setImmediate();
    const { title, blocks } = await readPlain(joinDividedWords(text));
    if (number === 1) readable.title ||= titleIn(title);
    if (blocks.length > 0) readable.blocks.push(headingOf(`Page ${number}`), ...blocks);
  }
  return readable;
}

/** Joins words that were hyphenated at the end of a line. */
const joinDividedWords = (text: string): string =>
  text.replaceAll('\0', ' ').replace(/(?<=\p{L})[-\u00ad]\n(?=\p{Ll})/gu, '');

export async function readDocx(file: FileToParse): Promise<Readable> {
  const parts: string[] = [];
  for await (const line of parseFile('docx', file)) if ('html' in line) parts.push(line.html);
  return readHtml(parts.join('').replaceAll('\0', ' '));
}

/** Each sheet's rows under a heading with its name. */
export async function readXlsx(file: FileToParse): Promise<Readable> {
  const sheets: { name: string; blocks: Block[]; rows: Rows }[] = [];
  for await (const line of parseFile('xlsx', file)) {
    if ('sheet' in line) {
      const blocks: Block[] = [];
      sheets.push({ name: line.sheet, blocks, rows: new Rows(blocks) });
    } else if ('row' in line) sheets.at(-1)?.rows.add(line.row.map((cell) => cell.replaceAll('\0', ' ')));
  }
  for (const { rows } of sheets) rows.end();
  const filled = sheets.filter(({ blocks }) => blocks.length > 0);
  return { title: '', blocks: filled.flatMap(({ name, blocks }) => [headingOf(name), ...blocks]) };
}

const headingOf = (text: string): Block => ({ kind: 'heading', level: 1, text });

import { setImmediate } from 'node:timers/promises';
import type { Block, Readable } from './blocks.ts';
import { readHtml } from './html/html.ts';
import { parsed, type Parsing } from './parser-process.ts';
import { readPlain } from './plain.ts';
import { Rows } from './rows.ts';

/** UTF-16 units of text in all: what follows is left. */
const LONGEST = 20 * 1024 * 1024;

/** Page by page, each under its number. */
export async function readPdf(file: Parsing): Promise<Readable> {
  const readable: Readable = { title: '', blocks: [] };
  const pages = new Map<number, string>();
  let left = LONGEST;
  for await (const line of parsed('pdf', file)) {
    if ('title' in line) readable.title = line.title.replace(/\s+/g, ' ').trim();
    if (!('page' in line) || left <= 0) continue;
    pages.set(line.page, (pages.get(line.page) ?? '') + line.text);
    left -= line.text.length;
  }
  for (const [number, text] of pages) {
    await setImmediate();
    const { blocks } = await readPlain(joined(text));
    if (blocks.length > 0) readable.blocks.push(headingOf(`Page ${number}`), ...blocks);
  }
  return readable;
}

/** Words that were divided at the end of a line are whole again. */
const joined = (text: string): string => text.replaceAll('\0', ' ').replace(/(?<=\p{L})[-\u00ad]\n(?=\p{Ll})/gu, '');

export async function readDocx(file: Parsing): Promise<Readable> {
  const parts: string[] = [];
  for await (const line of parsed('docx', file)) if ('html' in line) parts.push(line.html);
  return readHtml(parts.join('').replaceAll('\0', ' '));
}

/** Sheet by sheet, each under its name; each row in words. */
export async function readXlsx(file: Parsing): Promise<Readable> {
  const sheets: { name: string; blocks: Block[]; rows: Rows }[] = [];
  for await (const line of parsed('xlsx', file)) {
    if ('sheet' in line) {
      const blocks: Block[] = [];
      sheets.push({ name: line.sheet, blocks, rows: new Rows(blocks) });
    } else if ('row' in line) sheets.at(-1)?.rows.add(line.row.map((cell) => cell.replaceAll('\0', ' ')));
  }
  for (const { rows } of sheets) rows.end();
  const told = sheets.filter(({ blocks }) => blocks.length > 0);
  return { title: '', blocks: told.flatMap(({ name, blocks }) => [headingOf(name), ...blocks]) };
}

const headingOf = (text: string): Block => ({ kind: 'heading', level: 1, text });

import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { slices, type Readable as Told } from './blocks.ts';
import { Rows } from './rows.ts';
import { Unreadable } from './unreadable.ts';

/** Milliseconds of reading between two turns of the event loop. */
const TURN = 4;
const MOST_ROWS = 20_000;
const MOST_CELLS = 200;
/** UTF-16 units of one row; a quotation mark that is never closed makes a row of all that follows. */
const LONGEST_ROW = 200_000;
const SEPARATORS = [',', ';', '\t', '|'];

/** A table as text: each row in words, with the names of its columns. */
export async function readCsv(text: string): Promise<Told> {
  const readable: Told = { title: '', blocks: [] };
  const rows = new Rows(readable.blocks);
  let left = MOST_ROWS;
  for await (const row of rowsOf(text)) {
    rows.add(row.slice(0, MOST_CELLS));
    if (--left === 0) break;
  }
  rows.end();
  return readable;
}

async function* rowsOf(text: string): AsyncGenerator<string[]> {
  const { parse, CsvError } = await import('csv-parse');
  const options = { relax_quotes: true, relax_column_count: true, max_record_size: LONGEST_ROW };
  const parser = Readable.from(slices(text)).pipe(parse({ delimiter: separatorOf(text), ...options }));
  let end = performance.now() + TURN;
  try {
    for await (const row of parser) {
      yield row as string[];
      if (performance.now() < end) continue;
      await setImmediate();
      end = performance.now() + TURN;
    }
  } catch (error) {
    throw error instanceof CsvError ? new Unreadable('content type') : error;
  }
}

/** What stands most often in the first line, outside quotation marks. */
function separatorOf(text: string): string {
  const line = /^[^\r\n]{0,10000}/.exec(text.trimStart())![0].replace(/"[^"]*"/g, '');
  const counts = SEPARATORS.map((mark) => line.split(mark).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))]!;
}

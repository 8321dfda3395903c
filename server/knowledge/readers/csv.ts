import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { slices, type Readable as Told } from './blocks.ts';
import { Rows } from './rows.ts';
import { Unreadable } from './errors.ts';
import { TimeSlice } from '../../async/time-slice.ts';

const MOST_ROWS = 20_000;
const MOST_CELLS = 200;
/** UTF-16 units of one row, its separators too; a quotation mark that is never closed makes a row of all that follows. */
const LONGEST_ROW = 200_000;
/** Characters parsed between two turns of the event loop: a microsecond each, where each is a separator. */
const SLICE = 1024;
const SEPARATORS = [',', ';', '\t', '|'];

/** A table as text: each row in words, with the names of its columns. */
export async function readCsv(text: string): Promise<Told> {
  const readable: Told = { title: '', blocks: [] };
  const rows = new Rows(readable.blocks);
  let left = MOST_ROWS;
  for await (const row of rowsOf(text)) {
    if (left-- === 0) {
      readable.cut = `only the first ${MOST_ROWS} rows are read`;
      break;
    }
    if (row.length > MOST_CELLS) readable.cut = `only the first ${MOST_CELLS} cells of a row are read`;
    rows.add(row.slice(0, MOST_CELLS));
  }
  rows.end();
  return readable;
}

async function* rowsOf(text: string): AsyncGenerator<string[]> {
  const { parse, CsvError } = await import('csv-parse');
  const options = { relax_quotes: true, relax_column_count: true, max_record_size: LONGEST_ROW };
  const parser = parse({ delimiter: separatorOf(text), ...options });
  let unread = 0;
  // The parser counts a row's words, but not its separators.
  async function* fed(): AsyncGenerator<string> {
    for (const slice of slices(text, SLICE)) {
      unread += slice.length;
      if (unread > LONGEST_ROW + 2 * SLICE) throw tooLong();
      yield slice;
      await setImmediate();
    }
  }
  Readable.from(fed())
    .on('error', (error) => parser.destroy(error))
    .pipe(parser);
  try {
    const timeSlice = new TimeSlice();
    for await (const row of parser) {
      unread = 0;
      yield row as string[];
      if (timeSlice.isOver) await timeSlice.renew();
    }
  } catch (error) {
    throw error instanceof CsvError ? tooLong() : error;
  }
}

const tooLong = (): Unreadable => new Unreadable('content type', `a row of more than ${LONGEST_ROW} characters`);

/** What stands most often in the first line, outside quotation marks. */
function separatorOf(text: string): string {
  const line = /^[^\r\n]{0,10000}/.exec(text.slice(0, 20_000).trimStart())![0].replace(/"[^"]*"/g, '');
  const counts = SEPARATORS.map((mark) => line.split(mark).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))]!;
}

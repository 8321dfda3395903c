import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { slices, type Readable as ReadableText } from './blocks.ts';
import { Rows } from './rows.ts';
import { Unreadable } from './errors.ts';
import { TimeSlice } from '../../async/time-slice.ts';

const MAX_ROWS = 20_000;
const MAX_CSV_CELLS = 200;
/** UTF-16 units of one row, separators included. Bounds the row that a quotation mark without its end makes of the rest of the file. */
const MAX_ROW_LENGTH = 200_000;
/** UTF-16 units parsed between two turns of the event loop: up to 1 µs each, in text of separators alone. */
const CSV_SLICE_LENGTH = 1024;
const SEPARATORS = [',', ';', '\t', '|'];

/** Reads each row as one text, each value with its column's name. */
export async function readCsv(text: string): Promise<ReadableText> {
  const readable: ReadableText = { title: '', blocks: [] };
  const rows = new Rows(readable.blocks);
  let rowsLeft = MAX_ROWS;
  for await (const row of parseRows(text)) {
    if (rowsLeft-- === 0) {
      readable.cut = `only the first ${MAX_ROWS} rows are read`;
      break;
    }
    if (row.length > MAX_CSV_CELLS) readable.cut = `only the first ${MAX_CSV_CELLS} cells of a row are read`;
    rows.add(row.slice(0, MAX_CSV_CELLS));
  }
  rows.end();
  return readable;
}

async function* parseRows(text: string): AsyncGenerator<string[]> {
  const { parse, CsvError } = await import('csv-parse');
  const options = { relax_quotes: true, relax_column_count: true, max_record_size: MAX_ROW_LENGTH };
  const parser = parse({ delimiter: separatorOf(text), ...options });
  let unread = 0;
  // `max_record_size` does not count separators.
  async function* inSlices(): AsyncGenerator<string> {
    for (const slice of slices(text, CSV_SLICE_LENGTH)) {
      unread += slice.length;
      if (unread > MAX_ROW_LENGTH + 2 * CSV_SLICE_LENGTH) throw tooLong();
      yield slice;
      await setImmediate();
    }
  }
  Readable.from(inSlices())
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

const tooLong = (): Unreadable => new Unreadable('content type', `a row of more than ${MAX_ROW_LENGTH} characters`);

/** The candidate with most occurrences in the first line, outside quotation marks. */
function separatorOf(text: string): string {
  const line = /^[^\r\n]{0,10000}/.exec(text.slice(0, 20_000).trimStart())![0].replace(/"[^"]*"/g, '');
  const counts = SEPARATORS.map((mark) => line.split(mark).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))]!;
}

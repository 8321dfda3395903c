/**
 * Parses one PDF, docx or xlsx from standard input and writes its content to standard output, one JSON value a line: a
 * `ParserLine` of ../parser-process.ts. It runs in a process of its own, without environment, so that a file that makes the
 * parser hang or run out of memory ends this process and not the server.
 */
import { buffer } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';

/** @import { ParserLine, FileKind } from '../parser-process.ts' */

/** Bytes of memory, and milliseconds, after which the process ends itself; the second is longer than its parent waits. */
const MAX_MEMORY_BYTES = 768 * 1024 ** 2;
const MAX_TIME_MS = 180_000;
/** Bytes that an archive may unpack to, pictures left out: they are not unpacked. */
const MAX_UNPACKED_BYTES = 100 * 1024 ** 2;
const MAX_PAGES = 2000;
const MAX_ROWS = 20_000;
const MAX_CELLS = 200;
const MAX_CELL_LENGTH = 5000;
/** UTF-16 units of HTML in one line of output, and in all. */
const MAX_LINE_LENGTH = 64 * 1024;
const MAX_HTML_LENGTH = 20 * 1024 ** 2;

/** Runs in a thread, since a busy parser blocks the main one: ends the process at its limits, and when its parent has ended. */
const WATCHDOG = `
  const end = Date.now() + ${MAX_TIME_MS};
  const parent = process.ppid;
  setInterval(() => {
    const over = process.memoryUsage.rss() > ${MAX_MEMORY_BYTES} || Date.now() > end || process.ppid !== parent;
    if (over) process.kill(process.pid, 'SIGKILL');
  }, 50);
`;

class Refused extends Error {}

/** @param {ParserLine} line */
const write = (line) => void process.stdout.write(`${JSON.stringify(line)}\n`);

/** @type {Record<FileKind, (bytes: Buffer) => Promise<void>>} */
const READERS = { pdf: readPdf, docx: readDocx, xlsx: readXlsx };

new Worker(WATCHDOG, { eval: true, stdout: false }).unref();
// Libraries log to the console, but standard output carries JSON lines.
for (const say of /** @type {const} */ (['log', 'info', 'warn', 'error', 'debug'])) console[say] = () => {};
await parse();

async function parse() {
  try {
    const bytes = await buffer(process.stdin);
    await READERS[/** @type {FileKind} */ (process.argv[2])](bytes);
    write({ done: true });
  } catch (error) {
    const { name, message } = /** @type {Error} */ (error);
    if (error instanceof Refused) write({ failed: message });
    else write({ refused: name === 'PasswordException' ? 'no text' : 'content type' });
  }
}

/** @param {Buffer} bytes */
async function readPdf(bytes) {
  const { getDocumentProxy } = await import('unpdf');
  const pdf = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0, isEvalSupported: false });
  const { info } = await pdf.getMetadata().catch(() => ({ info: {} }));
  const title = 'Title' in info && typeof info.Title === 'string' ? info.Title : '';
  write({ title: title.slice(0, MAX_LINE_LENGTH) });
  for (let number = 1; number <= Math.min(pdf.numPages, MAX_PAGES); number++) {
    // A damaged page is skipped.
    const text = await pageText(pdf, number).catch(() => '');
    for (let at = 0; at < text.length || at === 0; at += MAX_LINE_LENGTH)
      write({ page: number, text: text.slice(at, at + MAX_LINE_LENGTH) });
  }
}

/**
 * @param {Awaited<ReturnType<typeof import('unpdf').getDocumentProxy>>} pdf
 * @param {number} number
 */
async function pageText(pdf, number) {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent();
  page.cleanup();
  let text = '';
  let height = 0;
  let y = 0;
  for (const item of items) {
    if (!('str' in item)) continue;
    if (item.str.trim()) {
      if (text.endsWith('\n') && isApart(height, y, item.height, item.transform[5])) text += '\n';
      height = item.height;
      y = item.transform[5];
    }
    text += item.str + (item.hasEOL ? '\n' : '');
  }
  return text;
}

/**
 * Whether a line begins a paragraph: the gap above it is over 1.7 times the larger line height, or its size differs by 20 %.
 * @param {number} height @param {number} y @param {number} nextHeight @param {number} nextY
 */
function isApart(height, y, nextHeight, nextY) {
  const [small, large] = [Math.min(height, nextHeight), Math.max(height, nextHeight)];
  return Math.abs(y - nextY) > 1.7 * large || large > 1.2 * small;
}

/** @param {Buffer} bytes */
async function readDocx(bytes) {
  checkArchive(bytes);
  const { default: mammoth } = await import('mammoth');
  const options = {
    externalFileAccess: false,
    styleMap: ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh"],
    convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
  };
  const { value } = await mammoth.convertToHtml({ buffer: bytes }, options);
  const end = Math.min(value.length, MAX_HTML_LENGTH);
  for (let at = 0; at < end; at += MAX_LINE_LENGTH)
    write({ html: value.slice(at, Math.min(at + MAX_LINE_LENGTH, end)) });
}

/** @param {Buffer} bytes */
async function readXlsx(bytes) {
  checkArchive(bytes);
  const { default: readWorkbook } = await import('read-excel-file/node');
  let left = MAX_ROWS;
  for (const { sheet, data } of await readWorkbook(bytes)) {
    write({ sheet });
    for (const row of data.slice(0, left)) write({ row: row.slice(0, MAX_CELLS).map(cellText) });
    left -= Math.min(left, data.length);
  }
}

/** @param {unknown} value */
function cellText(value) {
  if (value === null || value === undefined) return '';
  if (value instanceof Date)
    return value
      .toISOString()
      .replace(/T00:00:00\.000Z$|:\d\d\.\d{3}Z$/, '')
      .replace('T', ' ');
  // 15 digits as spreadsheets show them: 0.1 + 0.2 is 0.3.
  if (typeof value === 'number') return String(Number(value.toPrecision(15)));
  return String(value).slice(0, MAX_CELL_LENGTH).toWellFormed();
}

/**
 * Refuses files that are no zip archive, or declare an unpacked size over the limit; false declarations meet the memory limit.
 * @param {Buffer} bytes
 */
function checkArchive(bytes) {
  // A file with a password is a compound file (OLE2), not a zip archive.
  const envelope = bytes.subarray(0, 4).toString('hex') === 'd0cf11e0';
  if (envelope && bytes.includes('EncryptedPackage', 0, 'utf16le')) {
    throw Object.assign(new Error(), { name: 'PasswordException' });
  }
  const end = bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  if (end < 0) throw new Error('no zip file');
  let total = 0;
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const name = bytes.readUInt16LE(at + 28);
    const path = bytes.toString('latin1', at + 46, at + 46 + name);
    if (!/\/media\//.test(path)) total += bytes.readUInt32LE(at + 24);
    at += 46 + name + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  if (total > MAX_UNPACKED_BYTES) throw new Refused(`it unpacks to more than ${MAX_UNPACKED_BYTES} bytes`);
}

import type { Readable } from './blocks.ts';
import { readCsv } from './csv.ts';
import { readHtml } from './html/html.ts';
import { readMarkdown } from './markdown.ts';
import { readDocx, readPdf, readXlsx } from './office.ts';
import { readPlain } from './plain.ts';
import { readTex } from './tex.ts';

/** A file or page before it is parsed. */
interface Content {
  bytes: Uint8Array;
  /** The decoded bytes; rejects with `Unreadable` where they are binary. */
  text(): Promise<string>;
  signal: AbortSignal;
  /** Files of different users take turns. */
  user: string;
}

/** Reads content as blocks, in steps between which the event loop runs other work. */
type Read = (content: Content) => Promise<Readable>;

const ofText =
  (read: (text: string) => Promise<Readable>): Read =>
  async ({ text }) =>
    read(await text());
const [html, markdown, plain, csv] = [ofText(readHtml), ofText(readMarkdown), ofText(readPlain), ofText(readCsv)];
const tex = ofText(readTex);
const [pdf, docx, xlsx]: [Read, Read, Read] = [readPdf, readDocx, readXlsx];

/** The media types that can be read. */
const BY_TYPE: Record<string, Read> = {
  'text/html': html,
  'application/xhtml+xml': html,
  'text/markdown': markdown,
  'text/x-markdown': markdown,
  'text/plain': plain,
  'text/csv': csv,
  'application/csv': csv,
  'text/x-tex': tex,
  'application/x-tex': tex,
  'application/x-latex': tex,
  'application/pdf': pdf,
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': docx,
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': xlsx,
};

const BY_ENDING: Record<string, Read> = {
  htm: html,
  html,
  md: markdown,
  markdown,
  txt: plain,
  text: plain,
  csv,
  tex,
  pdf,
  docx,
  xlsx,
};

export const READABLE_TYPES = Object.keys(BY_TYPE);
const ENDING = /\.([^./\\]*)$/;
const HTML = /^\s*<(?:!doctype\s+html|html)\b/i;

export const readerOfType = (mediaType: string): Read => BY_TYPE[mediaType] ?? plain;

/**
 * Whether a file of this name can be read. Its ending decides, since many clients send any type with it; of a name
 * without an ending the media type does.
 */
export function isReadableFile(name: string, mediaType: string): boolean {
  const ending = ENDING.exec(name)?.[1]?.toLowerCase();
  return ending === undefined ? Object.hasOwn(BY_TYPE, mediaType) : Object.hasOwn(BY_ENDING, ending);
}

/** How a stored file is read: by its ending, else by how it begins. */
export function readerOfFile(name: string, bytes: Uint8Array): Read {
  const ending = ENDING.exec(name)?.[1]?.toLowerCase() ?? '';
  if (Object.hasOwn(BY_ENDING, ending)) return BY_ENDING[ending]!;
  return readerOfBytes(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
}

function readerOfBytes(bytes: Buffer): Read {
  const start = bytes.toString('latin1', 0, 1000);
  if (start.startsWith('%PDF-')) return pdf;
  if (start.startsWith('PK\x03\x04')) return bytes.includes('word/document.xml') ? docx : xlsx;
  return HTML.test(start) ? html : plain;
}

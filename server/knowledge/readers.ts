import type { Readable } from './blocks.ts';
import { readHtml } from './html.ts';
import { readMarkdown } from './markdown.ts';
import { readPlain } from './plain.ts';

/** Text to blocks; gives way to others now and then. */
type Read = (text: string) => Promise<Readable>;

/** The media types that can be read. */
const BY_TYPE: Record<string, Read> = {
  'text/html': readHtml,
  'application/xhtml+xml': readHtml,
  'text/markdown': readMarkdown,
  'text/x-markdown': readMarkdown,
  'text/plain': readPlain,
};

const BY_ENDING: Record<string, Read> = {
  htm: readHtml,
  html: readHtml,
  md: readMarkdown,
  markdown: readMarkdown,
  txt: readPlain,
  text: readPlain,
};

export const READABLE_TYPES = Object.keys(BY_TYPE);
const ENDING = /\.([^./\\]*)$/;
const HTML = /^\s*<(?:!doctype\s+html|html)\b/i;

export const readerOfType = (mediaType: string): Read => BY_TYPE[mediaType] ?? readPlain;

/**
 * Whether a file of this name can be read. Its ending decides, since many clients send any type with it; of a name
 * without an ending the media type does.
 */
export function isReadableFile(name: string, mediaType: string): boolean {
  const ending = ENDING.exec(name)?.[1]?.toLowerCase();
  return ending === undefined ? Object.hasOwn(BY_TYPE, mediaType) : Object.hasOwn(BY_ENDING, ending);
}

/** How a stored file is read: by its ending, else by how its text begins. */
export function readerOfFile(name: string, text: string): Read {
  const ending = ENDING.exec(name)?.[1]?.toLowerCase() ?? '';
  return BY_ENDING[ending] ?? (HTML.test(text.slice(0, 1000)) ? readHtml : readPlain);
}

import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { Parser } from 'htmlparser2';
import { WebFailure } from '../../web/errors.ts';
import type { Web } from '../../web/web.ts';
import { sameSite } from '../../web/url.ts';

/** A page, and the sitemap that lists it. */
export interface ListedPage {
  page: string;
  list: string;
}

/** Entries of a sitemap, or of an index of sitemaps (sitemaps.org). */
interface Listed {
  pages: string[];
  lists: string[];
}

/** Levels of indexes: the protocol forbids an index of indexes, but they exist. */
const MAX_INDEX_DEPTH = 3;
const MAX_SITEMAPS = 100;
/** Bytes that are read of one sitemap after decompression. */
const MAX_SITEMAP_BYTES = 50 * 1024 * 1024;
const MAX_LISTED_ADDRESS_LENGTH = 2048;
/** Characters, or bytes, read between two turns of the event loop. */
const SLICE_SIZE = 2 * 1024;
/** Nested elements: the parser's time for a tag grows with them, and a sitemap needs three. */
const MAX_NESTING = 100;
const TYPES = [
  'application/xml',
  'text/xml',
  'text/plain',
  'application/gzip',
  'application/x-gzip',
  'application/octet-stream',
  'binary/octet-stream',
];

/**
 * Yields the pages of a site's sitemaps in order; a sitemap that cannot be fetched is skipped. Rejects only where `signal` is
 * aborted.
 */
export async function* pagesListed(web: Web, home: string, signal: AbortSignal): AsyncGenerator<ListedPage> {
  let lists = await listsNamed(web, home);
  const seen = new Set<string>();
  for (let depth = 0; depth < MAX_INDEX_DEPTH; depth++) {
    const deeper: string[] = [];
    for (const list of lists) {
      if (seen.has(list) || seen.size >= MAX_SITEMAPS || !onSite(list, home)) continue;
      seen.add(list);
      for await (const { pages, lists: more } of read(web, list, home, signal)) {
        for (const page of pages) yield { page, list };
        deeper.push(...more.slice(0, MAX_SITEMAPS));
      }
    }
    lists = deeper;
  }
}

async function listsNamed(web: Web, home: string): Promise<string[]> {
  const named = await web.sitemaps(home).catch(() => []);
  const own = named.filter((list) => onSite(list, home));
  return own.length > 0 ? own : [new URL('/sitemap.xml', home).href];
}

const onSite = (address: string, home: string): boolean =>
  URL.canParse(address) && sameSite(new URL(address), new URL(home));

async function* read(web: Web, list: string, home: string, signal: AbortSignal): AsyncGenerator<Listed> {
  const within = (url: URL) => sameSite(url, new URL(home));
  try {
    const { body } = await web.get(list, { accept: TYPES, within, signal });
    const packed = body[0] === 0x1f && body[1] === 0x8b;
    yield* entries(packed ? unpacked(body) : sliced(body));
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof WebFailure) && !isBroken(error)) throw error;
  }
}

/** zlib's errors for bytes that are no gzip. */
const isBroken = (error: unknown): boolean => String((error as NodeJS.ErrnoException)?.code).startsWith('Z_');

function* sliced(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += SLICE_SIZE) {
    yield body.subarray(at, at + SLICE_SIZE);
  }
}

/** Decompresses; ends silently at `MAX_SITEMAP_BYTES`. */
async function* unpacked(body: Buffer): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: 32 * SLICE_SIZE });
  let seen = 0;
  for await (const part of Readable.from([body])
    .on('error', () => {})
    .pipe(gunzip) as AsyncIterable<Buffer>) {
    seen += part.length;
    if (seen > MAX_SITEMAP_BYTES) return;
    yield* sliced(part);
  }
}

/** Parses XML, or plain text with an address a line. */
async function* entries(parts: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Listed> {
  const decoder = new TextDecoder();
  let reader: Reader | undefined;
  for await (const part of parts) {
    const text = decoder.decode(part, { stream: true });
    reader ??= /^\s*</.test(text) ? new XmlReader() : new LineReader();
    yield reader.read(text);
    if (reader.isBroken) return;
    await setImmediate();
  }
  if (reader) yield reader.read(`${decoder.decode()}\n`);
}

interface Reader {
  read(text: string): Listed;
  /** The rest is not to be read. */
  readonly isBroken: boolean;
}

class LineReader implements Reader {
  readonly isBroken = false;
  #rest = '';

  read(text: string): Listed {
    const lines = (this.#rest + text).split(/\r\n|\r|\n/);
    this.#rest = lines.pop()!.slice(0, MAX_LISTED_ADDRESS_LENGTH + 1);
    return { pages: lines.map((line) => line.trim()).filter(isAddress), lists: [] };
  }
}

/** `<url><loc>` is a page, `<sitemap><loc>` a list of pages. */
class XmlReader implements Reader {
  #found: Listed = { pages: [], lists: [] };
  #within = '';
  #address: string | undefined;
  #open = 0;
  readonly #parser = new Parser(
    {
      onopentagname: (name) => {
        this.#open++;
        if (name === 'url' || name === 'sitemap') this.#within = name;
        else if (name === 'loc') this.#address = '';
      },
      ontext: (text) => {
        if (this.#address !== undefined && this.#address.length <= MAX_LISTED_ADDRESS_LENGTH) this.#address += text;
      },
      onclosetag: (name) => {
        this.#open--;
        if (name === 'loc') this.#take();
      },
    },
    { xmlMode: true },
  );

  read(text: string): Listed {
    this.#found = { pages: [], lists: [] };
    this.#parser.write(text);
    return this.#found;
  }

  get isBroken(): boolean {
    return this.#open > MAX_NESTING;
  }

  #take(): void {
    const address = this.#address?.trim() ?? '';
    this.#address = undefined;
    if (!isAddress(address)) return;
    if (this.#within === 'url') this.#found.pages.push(address);
    else if (this.#within === 'sitemap') this.#found.lists.push(address);
  }
}

const isAddress = (text: string): boolean => text.length <= MAX_LISTED_ADDRESS_LENGTH && /^https?:\/\//i.test(text);

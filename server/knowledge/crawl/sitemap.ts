import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { Parser } from 'htmlparser2';
import { WebFailure } from '../../web/errors.ts';
import type { Web } from '../../web/web.ts';
import { sameSite } from '../../web/url.ts';

/** A page, and the list that names it. */
export interface ListedPage {
  page: string;
  list: string;
}

/** A list of pages, or of such lists, as sitemaps.org has it. */
interface Listed {
  pages: string[];
  lists: string[];
}

/** An index may name indexes, though it should not. */
const DEEPEST = 3;
const MOST_LISTS = 100;
/** Bytes of one list, unpacked, are read so far: five times what may be in it. */
const LONGEST = 50 * 1024 * 1024;
const LONGEST_ADDRESS = 2048;
/** Characters, or bytes, read between two turns of the event loop. */
const SLICE = 2 * 1024;
/** The parser's time a tag grows with the depth: a list has three elements within each other. */
const MOST_OPEN = 100;
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
 * The pages that a site names in its sitemaps, in their order; a list that cannot be had counts for nothing. Rejects
 * where `signal` falls, and else never.
 */
export async function* pagesListed(web: Web, home: string, signal: AbortSignal): AsyncGenerator<ListedPage> {
  let lists = await listsNamed(web, home);
  const seen = new Set<string>();
  for (let depth = 0; depth < DEEPEST; depth++) {
    const deeper: string[] = [];
    for (const list of lists) {
      if (seen.has(list) || seen.size >= MOST_LISTS || !onSite(list, home)) continue;
      seen.add(list);
      for await (const { pages, lists: more } of read(web, list, home, signal)) {
        for (const page of pages) yield { page, list };
        deeper.push(...more.slice(0, MOST_LISTS));
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

/** As zlib says it of bytes that are no gzip. */
const isBroken = (error: unknown): boolean => String((error as NodeJS.ErrnoException)?.code).startsWith('Z_');

function* sliced(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += SLICE) {
    yield body.subarray(at, at + SLICE);
  }
}

/** Ends, and says nothing, where there is too much. */
async function* unpacked(body: Buffer): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: 32 * SLICE });
  let seen = 0;
  for await (const part of Readable.from([body])
    .on('error', () => {})
    .pipe(gunzip) as AsyncIterable<Buffer>) {
    seen += part.length;
    if (seen > LONGEST) return;
    yield* sliced(part);
  }
}

/** XML, or plain text with an address a line. */
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
  /** Nothing after this is to be read. */
  readonly isBroken: boolean;
}

class LineReader implements Reader {
  readonly isBroken = false;
  #rest = '';

  read(text: string): Listed {
    const lines = (this.#rest + text).split(/\r\n|\r|\n/);
    this.#rest = lines.pop()!.slice(0, LONGEST_ADDRESS + 1);
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
        if (this.#address !== undefined && this.#address.length <= LONGEST_ADDRESS) this.#address += text;
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
    return this.#open > MOST_OPEN;
  }

  #take(): void {
    const address = this.#address?.trim() ?? '';
    this.#address = undefined;
    if (!isAddress(address)) return;
    if (this.#within === 'url') this.#found.pages.push(address);
    else if (this.#within === 'sitemap') this.#found.lists.push(address);
  }
}

const isAddress = (text: string): boolean => text.length <= LONGEST_ADDRESS && /^https?:\/\//i.test(text);

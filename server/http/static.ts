import type { Context, Middleware } from 'koa';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { requireRead } from './body.ts';

/** A file as it is sent: by content encoding, smallest first; `identity` is always there and last. */
export interface StaticFile {
  /** A MIME type, or what Koa makes one of: `.js`, `html`. */
  type: string;
  /** Of the content without encoding: hexadecimal digits of its SHA-256. */
  hash: string;
  variants: { encoding: string; content: Buffer }[];
}

export function staticFile(type: string, content: Buffer, compressed: StaticFile['variants'] = []): StaticFile {
  const hash = createHash('sha256').update(content).digest('hex');
  return { type, hash, variants: [...compressed, { encoding: 'identity', content }] };
}

/** The file at `path` with its `.br` and `.gz` beside it; undefined where there is none. */
export async function readStaticFile(path: string): Promise<StaticFile | undefined> {
  const read = (suffix: string): Promise<Buffer | undefined> => readFile(path + suffix).catch(() => undefined);
  const [content, br, gzip] = await Promise.all(['', '.br', '.gz'].map(read));
  if (!content) return undefined;
  const compressed = [
    ...(br ? [{ encoding: 'br', content: br }] : []),
    ...(gzip ? [{ encoding: 'gzip', content: gzip }] : []),
  ];
  return staticFile(extname(path), content, compressed);
}

/** Answers GET and HEAD, 405 to other methods: the variant that the caller accepts, or 304 where the caller has it. */
export function sendFile(ctx: Context, { type, hash, variants }: StaticFile, cacheControl = 'no-cache'): void {
  requireRead(ctx);
  const { encoding, content } = variants.find((one) => ctx.acceptsEncodings(one.encoding)) ?? variants.at(-1)!;
  ctx.set({ 'Cache-Control': cacheControl, ETag: `"${hash.slice(0, 16)}-${encoding}"` });
  ctx.vary('Accept-Encoding');
  ctx.status = 200;
  ctx.type = type;
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  if (encoding !== 'identity') ctx.set('Content-Encoding', encoding);
  ctx.body = content;
}

/** Keeps the files of a folder from their first request on. `name` must come from a list, never from a request as it is. */
export function createFileReader(dir: string): (name: string) => Promise<StaticFile | undefined> {
  const files = new Map<string, StaticFile>();
  return async (name) => {
    const file = files.get(name) ?? (await readStaticFile(join(dir, name)));
    if (file) files.set(name, file);
    return file;
  };
}

/** The build's `name-[8 of base64url].ext`. A plain word of eight letters is taken for a name, not a hash. */
export const HASHED_NAME = /-(?=[\w-]{0,7}[A-Z\d_-])[\w-]{8}\.\w+$/;
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/**
 * The widget's files, /embed.js and /embed/*, from the build in `dir`, for pages of any origin. They are read once, here: no
 * path of a request ever reaches the disk. Where there is no build (development) every request is passed on.
 */
export async function createStaticFiles({ dir }: { dir: string }): Promise<Middleware> {
  const files = new Map<string, StaticFile>();
  for (const path of widgetPaths(dir)) files.set(path, (await readStaticFile(join(dir, path)))!);
  return (ctx, next) => {
    const file = files.get(ctx.path);
    if (!file) return next();
    ctx.set({
      'Access-Control-Allow-Origin': '*',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'X-Content-Type-Options': 'nosniff',
    });
    // `?v=` of the page's tag and the build's own names change with the content.
    const isImmutable = HASHED_NAME.test(ctx.path) || ctx.query['v'] === file.hash.slice(0, 8);
    sendFile(ctx, file, isImmutable ? IMMUTABLE : 'no-cache');
    return undefined;
  };
}

function widgetPaths(dir: string): string[] {
  const folder = join(dir, 'embed');
  const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  const paths = entries.filter((entry) => entry.isFile()).map(({ name }) => `/embed/${name}`);
  const launcher = existsSync(join(dir, 'embed.js')) ? ['/embed.js'] : [];
  return [...launcher, ...paths.filter((path) => !/\.(?:br|gz|map)$/.test(path))];
}

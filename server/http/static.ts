import type { Context, Middleware } from 'koa';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '../schema/errors.ts';

/** The widget's files: /embed.js and /embed/*. */

interface Asset {
  path: string;
  /** First eight hex digits of the content's SHA-256; the `?v=` that names exactly this content. */
  version: string;
  /** The name itself changes with the content. */
  hashed: boolean;
  /** By content encoding, smallest first; `identity` is always there. */
  variants: { encoding: string; content: Buffer }[];
}

/**
 * Serves the build in `dir` to pages of any origin. The files are read once, here: no path of a request ever reaches the
 * disk. Where there is no build (development) every request is passed on.
 */
export function createStaticFiles({ dir }: { dir: string }): Middleware {
  const assets = new Map(listed(dir).map((path) => [path, readAsset(dir, path)]));
  return (ctx, next) => {
    const asset = assets.get(ctx.path);
    if (!asset) return next();
    serve(ctx, asset);
    return undefined;
  };
}

function listed(dir: string): string[] {
  const folder = join(dir, 'embed');
  const inFolder = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  const names = inFolder.filter((entry) => entry.isFile()).map(({ name }) => `/embed/${name}`);
  const launcher = existsSync(join(dir, 'embed.js')) ? ['/embed.js'] : [];
  return [...launcher, ...names.filter((name) => !/\.(?:br|gz|map)$/.test(name))];
}

/** The build's `name-[8 of base64url].ext`. A plain word of eight letters is taken for a name, not a hash. */
const HASHED = /-(?=[\w-]{0,7}[A-Z\d_-])[\w-]{8}\.\w+$/;

function readAsset(dir: string, path: string): Asset {
  const file = join(dir, path);
  const content = readFileSync(file);
  const compressed = [
    { encoding: 'br', file: `${file}.br` },
    { encoding: 'gzip', file: `${file}.gz` },
  ].filter((one) => existsSync(one.file));
  return {
    path,
    version: createHash('sha256').update(content).digest('hex').slice(0, 8),
    hashed: HASHED.test(path),
    variants: [
      ...compressed.map((one) => ({ encoding: one.encoding, content: readFileSync(one.file) })),
      { encoding: 'identity', content },
    ],
  };
}

function serve(ctx: Context, { path, version, hashed, variants }: Asset): void {
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
    throw new Refusal('method_not_allowed', 'this path takes HEAD, GET', { headers: { Allow: 'HEAD, GET' } });
  }
  const lasting = hashed || ctx.query['v'] === version;
  const { encoding, content } = variants.find((one) => ctx.acceptsEncodings(one.encoding)) ?? variants.at(-1)!;
  ctx.set({
    'Access-Control-Allow-Origin': '*',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': lasting ? 'public, max-age=31536000, immutable' : 'no-cache',
    ETag: `"${version}-${encoding}"`,
  });
  ctx.vary('Accept-Encoding');
  ctx.status = 200;
  ctx.type = path.slice(path.lastIndexOf('.'));
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  if (encoding !== 'identity') ctx.set('Content-Encoding', encoding);
  ctx.body = content;
}

import type { Context } from 'koa';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import * as Type from 'typebox';
import { operation, type Operation } from '../requests/operation.ts';

const Open = Type.Record(Type.String(), Type.Unknown());

/** The document of all operations, its own among them. It is made, and compressed, at its first request. */
export function openapi(all: () => Operation[]): Operation {
  let made: Promise<Prepared> | undefined;
  return operation({
    id: 'getOpenapi',
    method: 'GET',
    path: '/api/v1/openapi.json',
    summary: 'Fetch this description as an OpenAPI document, without a key',
    open: true,
    reply: Type.Object(
      {
        openapi: Type.Literal('3.1.1'),
        info: Open,
        servers: Type.Array(Open),
        security: Type.Array(Open),
        tags: Type.Array(Open),
        paths: Open,
        components: Open,
      },
      { additionalProperties: false },
    ),
    handle: async ({ ctx }) =>
      send(ctx, await (made ??= import('./document.ts').then(({ documentOf }) => prepared(documentOf(all()))))),
  });
}

interface Prepared {
  tag: string;
  /** By content encoding, the smallest first. */
  variants: { encoding: string; bytes: Buffer }[];
}

async function prepared(document: object): Promise<Prepared> {
  const bytes = Buffer.from(JSON.stringify(document));
  const [br, gz] = await Promise.all([promisify(brotliCompress)(bytes), promisify(gzip)(bytes, { level: 9 })]);
  return {
    tag: createHash('sha256').update(bytes).digest('hex').slice(0, 16),
    variants: [
      { encoding: 'br', bytes: br },
      { encoding: 'gzip', bytes: gz },
      { encoding: 'identity', bytes },
    ],
  };
}

/** The bytes that the caller's `Accept-Encoding` takes; undefined, and 304, where it has them already. */
function send(ctx: Context, { tag, variants }: Prepared): Buffer | undefined {
  const { encoding, bytes } = variants.find((one) => ctx.acceptsEncodings(one.encoding)) ?? variants.at(-1)!;
  const etag = `"${tag}-${encoding}"`;
  ctx.set({ 'Cache-Control': 'no-cache', ETag: etag });
  ctx.vary('Accept-Encoding');
  // Not `ctx.fresh`: with an If-None-Match of one's own, `fetch` sends no-cache too.
  if (ctx.get('If-None-Match').includes(etag)) {
    ctx.status = 304;
    return undefined;
  }
  if (encoding !== 'identity') ctx.set('Content-Encoding', encoding);
  return bytes;
}

import type { Context } from 'koa';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import * as Type from 'typebox';
import { operation, type Operation } from '../requests/operation.ts';

const AnyObject = Type.Record(Type.String(), Type.Unknown());

/** GET /api/v1/openapi.json. The document is generated and compressed at the first request. */
export function openapi(all: () => Operation[]): Operation {
  let compressed: Promise<CompressedDocument> | undefined;
  return operation({
    id: 'getOpenapi',
    right: 'open',
    audit: 'none',
    method: 'GET',
    path: '/api/v1/openapi.json',
    summary: 'Fetch this description as an OpenAPI document, without a key',
    reply: Type.Object(
      {
        openapi: Type.Literal('3.1.1'),
        info: AnyObject,
        servers: Type.Array(AnyObject),
        security: Type.Array(AnyObject),
        tags: Type.Array(AnyObject),
        paths: AnyObject,
        components: AnyObject,
      },
      { additionalProperties: false },
    ),
    handle: async ({ ctx }) =>
      send(
        ctx,
        await (compressed ??= import('./document.ts').then(({ createOpenapiDocument }) =>
          compress(createOpenapiDocument(all())),
        )),
      ),
  });
}

interface CompressedDocument {
  tag: string;
  /** By content encoding, smallest first. */
  variants: { encoding: string; bytes: Buffer }[];
}

async function compress(document: object): Promise<CompressedDocument> {
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

/** The variant that `Accept-Encoding` allows; undefined with 304 where `If-None-Match` has it. */
function send(ctx: Context, { tag, variants }: CompressedDocument): Buffer | undefined {
  const { encoding, bytes } = variants.find((one) => ctx.acceptsEncodings(one.encoding)) ?? variants.at(-1)!;
  const etag = `"${tag}-${encoding}"`;
  ctx.set({ 'Cache-Control': 'no-cache', ETag: etag });
  ctx.vary('Accept-Encoding');
  // Not `ctx.fresh`: `fetch` adds no-cache to a request with If-None-Match, which disables it.
  if (ctx.get('If-None-Match').includes(etag)) {
    ctx.status = 304;
    return undefined;
  }
  if (encoding !== 'identity') ctx.set('Content-Encoding', encoding);
  return bytes;
}

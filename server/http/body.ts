import type { Router } from '@koa/router';
import type { Context } from 'koa';
import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import type { Logger } from 'pino';
import rawBody from 'raw-body';
import type { Static, TObject } from 'typebox';
import { Refusal } from '../schema/errors.ts';
import { newUuid } from '../schema/ids.ts';
import { validate, unknownFields } from '../schema/validate.ts';

export const newRequestId = (): string => newUuid().slice(0, 16);

const MAX_BODY_BYTES = 1024 ** 2;
const DECODERS: Record<string, () => Transform> = {
  gzip: createUnzip,
  deflate: createUnzip,
  br: createBrotliDecompress,
};
/** Throws on bytes that are not UTF-8, which would be stored as U+FFFD. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The body of a POST, parsed; `{}` where there is none. Without a `Content-Type` it is taken for JSON. */
export async function readJson(ctx: Context): Promise<unknown> {
  if (ctx.headers['content-type'] && ctx.request.is('json', '+json') === false) {
    if (ctx.request.length === 0) return {};
    throw new Refusal('unsupported_media_type', 'the body must be application/json');
  }
  const text = decodeUtf8(await readBytes(ctx.req));
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal('bad_json', 'the body is not JSON');
  }
}

async function readBytes(req: IncomingMessage): Promise<Buffer> {
  const { 'content-encoding': encoding = 'identity', 'content-length': length } = req.headers;
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (!decoder && encoding !== 'identity') {
    throw new Refusal('unsupported_media_type', 'the encoding of the body is not known here');
  }
  try {
    if (!decoder) return await rawBody(req, { length, limit: MAX_BODY_BYTES });
    const decoding = decoder();
    // `pipe` does not tell the decoder that the caller has left; it would be waited for without end.
    req.once('error', (error) => decoding.destroy(error));
    return await rawBody(req.pipe(decoding), { limit: MAX_BODY_BYTES });
  } catch (error) {
    if ((error as rawBody.RawBodyError).status === 413) throw new Refusal('too_large', 'the body is larger than 1 MB');
    throw new Refusal('bad_json', 'the body cannot be read');
  }
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Refusal('bad_json', 'the body is not valid UTF-8');
  }
}

/** The same, as the schema has it; throws the `Refusal` of what is invalid. */
export async function readBody<S extends TObject>(ctx: Context, log: Logger, schema: S): Promise<Static<S>> {
  const sent = await readJson(ctx);
  nameUnknownFields(ctx, log, schema, sent);
  return validate(schema, sent);
}

/** Names on the reply, and in the log at debug, what the body or, where there is none, the query has beyond its schema: it is ignored, and often a slip. */
export function nameUnknownFields(ctx: Context, log: Logger, schema: TObject, body: unknown): void {
  const fields = unknownFields(schema, body);
  if (fields === '') return;
  ctx.set('X-Unknown-Fields', fields);
  log.debug({ req: ctx.state['id'], fields }, 'unknown fields');
}

/** 405 with `Allow` where another method would have found something, else 404. */
export function refuseUnmatched(ctx: Context, router: Router): never {
  const allowed = router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods);
  if (allowed.length === 0) throw new Refusal('not_found', 'there is nothing at this path');
  throw wrongMethod([...new Set(allowed)]);
}

/** Refuses other methods than GET and HEAD. */
export function requireRead({ method }: Context): void {
  if (method !== 'GET' && method !== 'HEAD') throw wrongMethod(['HEAD', 'GET']);
}

/** Without any, the path is known and takes no method at all: `Allow` is there and empty. */
export function wrongMethod(allowed: string[]): Refusal {
  const allow = allowed.join(', ');
  return new Refusal('method_not_allowed', `this path takes ${allow || 'no method'}`, { headers: { Allow: allow } });
}

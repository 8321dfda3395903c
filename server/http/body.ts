import { bodyParser } from '@koa/bodyparser';
import type { Router } from '@koa/router';
import type { Context } from 'koa';
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Static, TObject } from 'typebox';
import { Refusal } from '../schema/errors.ts';
import { checked, unknownFields } from '../schema/validate.ts';

/** What the doors that speak JSON do alike. */

export const newRequestId = (): string => randomBytes(8).toString('hex');

const parse = bodyParser({
  enableTypes: ['json'],
  // Merged place by place with the parser's own list, which begins with the first.
  extendTypes: { json: ['application/json', '+json'] },
  jsonLimit: '1mb',
  // Some clients send JSON without saying so.
  detectJSON: (ctx) => !ctx.headers['content-type'],
  onError(error, ctx) {
    ctx.request.body = readAgain(error);
  },
});

/** The parser takes objects and lists alone, and no `__proto__`; what is JSON all the same is for the schema to judge. */
function readAgain(error: Error & { body?: unknown }): unknown {
  try {
    return JSON.parse(error.body as string);
  } catch {
    throw unreadable(error);
  }
}

/** The body of a POST, parsed; `{}` where there is none. */
export async function readJson(ctx: Context): Promise<unknown> {
  if (ctx.headers['content-type'] && ctx.request.length !== 0 && ctx.request.is('json', '+json') === false) {
    throw new Refusal('unsupported_media_type', 'the body must be application/json');
  }
  await parse(ctx, async () => {});
  return ctx.request.body;
}

/** The same, as the schema has it; throws the `Refusal` of what is invalid. */
export async function readBody<S extends TObject>(ctx: Context, log: Logger, schema: S): Promise<Static<S>> {
  const sent = await readJson(ctx);
  nameUnknownFields(ctx, log, schema, sent);
  return checked(schema, sent);
}

/** Names on the reply, and in the log at debug, what the body or, where there is none, the query has beyond its schema: it is ignored, and often a slip. */
export function nameUnknownFields(ctx: Context, log: Logger, schema: TObject, body: unknown): void {
  const fields = unknownFields(schema, body);
  if (fields === '') return;
  ctx.set('X-Unknown-Fields', fields);
  log.debug({ req: ctx.state['id'], fields }, 'unknown fields');
}

function unreadable(error: Error & { status?: number }): Refusal {
  if (error.status === 413) return new Refusal('too_large', 'the body is larger than 1 MB');
  if (error.status === 415) return new Refusal('unsupported_media_type', 'the encoding of the body is not known here');
  return new Refusal('bad_json', 'the body is not JSON');
}

/** 405 with `Allow` where another method would have found something, else 404. */
export function refuseUnmatched(ctx: Context, router: Router): never {
  const allowed = router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods);
  if (allowed.length === 0) throw new Refusal('not_found', 'there is nothing at this path');
  throw wrongMethod([...new Set(allowed)]);
}

/** Without any, the path is known and takes no method at all: `Allow` is there and empty. */
export function wrongMethod(allowed: string[]): Refusal {
  const allow = allowed.join(', ');
  return new Refusal('method_not_allowed', `this path takes ${allow || 'no method'}`, { headers: { Allow: allow } });
}

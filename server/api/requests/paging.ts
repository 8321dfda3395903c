import type { Context } from 'koa';
import type { ParsedUrlQuery } from 'node:querystring';
import * as Type from 'typebox';
import { invalid } from '../../schema/errors.ts';
import { readUuid } from '../../schema/ids.ts';

/** Paging: at most `?limit` records after the record `?after`. Without both, the whole list. */

const MAX_LIMIT = 1000;

export const PageQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_LIMIT, description: 'Number of records at most; all without it.' }),
  ),
  after: Type.Optional(
    Type.String({ description: 'Uuid of the last record of the page before: the list begins with the next one.' }),
  ),
});

/** Throws a `Refusal` that names the parameter. An `after` that is no uuid becomes '', which no list contains. */
export function readPage({ limit, after }: ParsedUrlQuery): { limit: number | undefined; after: string | undefined } {
  if (Array.isArray(after)) throw unknownAfter();
  const count = typeof limit === 'string' && /^\d{1,4}$/.test(limit) ? Number(limit) : 0;
  if (limit !== undefined && (count < 1 || count > MAX_LIMIT)) {
    throw invalid('limit', `limit must be a whole number from 1 to ${MAX_LIMIT}`);
  }
  return {
    limit: limit === undefined ? undefined : count,
    after: after === undefined ? undefined : (readUuid(after) ?? ''),
  };
}

/** The page that `query` asks for, of the records that pass `isListed`; `after` may name one that does not. */
export function paginate<T extends { uuid: string }>(
  all: T[],
  query: ParsedUrlQuery,
  isListed?: (record: T) => boolean,
): T[] {
  const { limit, after } = readPage(query);
  const at = after === undefined ? -1 : all.findIndex(({ uuid }) => uuid === after);
  if (after !== undefined && at < 0) throw unknownAfter();
  const rest = at < 0 ? all : all.slice(at + 1);
  const listed = isListed ? rest.filter(isListed) : rest;
  return limit === undefined ? listed : listed.slice(0, limit);
}

/** `Link` with the address of the page behind `after` (RFC 8288). */
export function linkNext(ctx: Context, after: string): void {
  const query = new URLSearchParams({ ...ctx.query, after } as Record<string, string>);
  ctx.set('Link', `<${ctx.path}?${query}>; rel="next"`);
}

export const unknownAfter = () => invalid('after', 'after must be the uuid of a record of this list');

import * as Type from 'typebox';
import { invalid } from '../../schema/errors.ts';
import { readUuid } from '../../schema/ids.ts';

/** Paging: at most `?limit` records, beginning after the record `?after`. Without both, the whole list. */

const MOST = 1000;

export const Page = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MOST, description: 'Number of records at most; all without it.' }),
  ),
  after: Type.Optional(
    Type.String({ description: 'Uuid of the last record of the page before: the list begins with the next one.' }),
  ),
});

type Query = Record<string, string | string[] | undefined>;

/** Throws a `Refusal` that names the parameter. An `after` that is no uuid is refused by who looks for it. */
export function readPage({ limit, after }: Query): { limit: number | undefined; after: string | undefined } {
  if (Array.isArray(after)) throw noSuchAfter();
  const most = typeof limit === 'string' && /^\d{1,4}$/.test(limit) ? Number(limit) : 0;
  if (limit !== undefined && (most < 1 || most > MOST)) {
    throw invalid('limit', `limit must be a whole number from 1 to ${MOST}`);
  }
  return {
    limit: limit === undefined ? undefined : most,
    after: after === undefined ? undefined : (readUuid(after) ?? ''),
  };
}

export function paged<T extends { uuid: string }>(all: T[], query: Query): T[] {
  const { limit, after } = readPage(query);
  const at = after === undefined ? -1 : all.findIndex(({ uuid }) => uuid === after);
  if (after !== undefined && at < 0) throw noSuchAfter();
  return at < 0 && limit === undefined ? all : all.slice(at + 1, limit && at + 1 + limit);
}

export const noSuchAfter = () => invalid('after', 'after must be the uuid of a record of this list');

import type { Context } from 'koa';
import { createHash } from 'node:crypto';
import { Refusal } from '../schema/errors.ts';

/** `ETag` and `If-Match`: whoever reads a record, changes a list in it and writes it whole loses nothing that others write meanwhile. */

/** The header in the OpenAPI document. */
export const MATCH_PARAMETER = {
  name: 'If-Match',
  in: 'header',
  description:
    'The `ETag` of the record as you read it, of a tool function that of its agent: where the record has been changed since, the reply is 412 and nothing is changed. Read it again, then send the change anew.',
  schema: { type: 'string' },
};

/** Of a record as a reply has it. */
const etagOf = (record: unknown): string =>
  `"${createHash('sha256').update(JSON.stringify(record)).digest('hex').slice(0, 32)}"`;

/** Sets the header; returns the record. */
export function withEtag<T>(ctx: Context, record: T): T {
  ctx.set('ETag', etagOf(record));
  return record;
}

/** What a reverse proxy makes of an ETag where it compresses the reply: nginx a weak one, Caddy and Apache one with the encoding's name. */
const asSent = (etag: string): string => etag.replace(/^W\//, '').replace(/-(?:gzip|br|zstd)"$/, '"');

/** Refuses with 412 where `If-Match` names another version. `record`: as it is stored now, as a reply has it. */
export function requireMatch(ctx: Context, record: unknown): void {
  const sent = ctx.get('If-Match').trim();
  if (
    sent === '' ||
    sent === '*' ||
    sent
      .split(/\s*,\s*/)
      .map(asSent)
      .includes(etagOf(record))
  )
    return;
  throw new Refusal(
    'precondition_failed',
    'it has been changed since you read it, and nothing was stored: read it again, then send your change anew',
  );
}

import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { TooLarge, WebFailure } from './errors.ts';

/** Any other encoding, or several of them combined, is refused. */
export const ACCEPT_ENCODING = 'gzip, br';

/**
 * Reads the whole body and decodes it. Rejects beyond `limit` bytes, counted both as sent and as decoded: a small body may
 * decode to a huge one, and an endless body to nothing.
 */
export async function readBody(body: Readable, encoding: string, limit: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const part of atMost(limit)(source)) parts.push(part);
  };
  const decoder = decoderOf(encoding);
  if (decoder) await pipeline(body, atMost(limit), decoder, collect);
  else await pipeline(body, collect);
  return Buffer.concat(parts);
}

/** Reads the first `limit` bytes of the decoded body, up to the end of the last whole line. */
export async function readStart(body: Readable, encoding: string, limit: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let seen = 0;
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const part of source) {
      parts.push(part);
      seen += part.length;
      if (seen > limit) throw new Error('enough');
    }
  };
  const decoder = decoderOf(encoding);
  try {
    await (decoder ? pipeline(body, decoder, collect) : pipeline(body, collect));
  } catch (error) {
    if (seen <= limit) throw error;
  }
  const whole = Buffer.concat(parts);
  return seen > limit ? whole.subarray(0, whole.lastIndexOf('\n', limit) + 1) : whole;
}

function decoderOf(encoding: string): Transform | undefined {
  switch (encoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'br':
      return createBrotliDecompress();
    case 'deflate':
      return createInflate();
    default:
      throw new WebFailure('download', `content encoding ${encoding}`);
  }
}

const atMost = (limit: number) =>
  async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let seen = 0;
    for await (const part of source) {
      seen += part.length;
      if (seen > limit) throw new TooLarge(limit);
      yield part;
    }
  };

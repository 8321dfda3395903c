import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { forEachSliced } from '../async/time-slice.ts';

/** Serialises long lists in time slices: a list of ten thousand records does not block the event loop. */

/** Characters that are converted to UTF-8 at once. */
const CHUNK_CHARS = 16_384;

/** The bytes of `JSON.stringify(list.map(show))`. Each record is mapped as it is serialised: there is no second list. */
export const serializeList = <T>(list: readonly T[], show: (one: T) => unknown): Promise<Buffer> =>
  joinTexts(list, (one) => JSON.stringify(show(one)), { before: '[', between: ',', after: ']' });

/**
 * The same of a list that is read a few records at a time: its bytes where they are one piece, else a stream that reads on
 * as the caller does. At most `limit` of them are sent. Nothing more is read once `isAwaited` says that the caller has left:
 * a filter may drop nearly all of a batch.
 */
export async function serializeBatches<T>(
  batches: AsyncIterable<readonly T[]>,
  show: (one: T) => unknown,
  { limit = Infinity, isAwaited = () => true }: { limit?: number | undefined; isAwaited?: () => boolean } = {},
): Promise<Buffer | Readable> {
  const pieces = jsonPieces(whileAwaited(batches, isAwaited), show, limit);
  const first = (await pieces.next()).value ?? Buffer.from('[]');
  const second = await pieces.next();
  if (second.done) return first;
  return Readable.from(concat([first, second.value], pieces), { objectMode: false });
}

async function* jsonPieces<T>(
  batches: AsyncIterable<readonly T[]>,
  show: (one: T) => unknown,
  limit: number,
): AsyncGenerator<Buffer, undefined> {
  let piece = '[';
  let left = limit;
  let hasItems = false;
  for await (const some of batches) {
    for (const one of some.slice(0, left)) {
      piece += (hasItems ? ',' : '') + JSON.stringify(show(one));
      hasItems = true;
      if (piece.length < CHUNK_CHARS) continue;
      yield Buffer.from(piece);
      piece = '';
    }
    left -= some.length;
    if (left <= 0) break;
  }
  yield Buffer.from(`${piece}]`);
  return undefined;
}

async function* whileAwaited<T>(batches: AsyncIterable<T>, isAwaited: () => boolean): AsyncGenerator<T> {
  for await (const batch of batches) {
    if (!isAwaited()) return;
    yield batch;
  }
}

async function* concat(first: Buffer[], rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield* first;
  yield* rest;
}

interface Delimiters {
  before: string;
  between: string;
  after: string;
}

/** The texts of all, in UTF-8 and within the frame. */
export async function joinTexts<T>(list: readonly T[], text: (one: T) => string, frame: Delimiters): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let piece = frame.before;
  let between = '';
  const append = (one: T): void => {
    piece += between + text(one);
    between = frame.between;
    if (piece.length < CHUNK_CHARS) return;
    pieces.push(Buffer.from(piece));
    piece = '';
  };
  // All lists go on in the same turn: with a turn for each, thirty long ones were in memory together for so long that a heap
  // of 128 MB ran out under Node 22 (test/server/flood.test.ts).
  await forEachSliced(list, append, () => setImmediate());
  return Buffer.concat([...pieces, Buffer.from(piece + frame.after)]);
}

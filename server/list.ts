import { setImmediate } from 'node:timers/promises';

/** Long lists, made a little at a time: ten thousand records hold up nobody else's answer. */

/** Milliseconds of work before others have their turn. */
const TURN = 4;
/** Characters that become bytes at once. */
const PIECE = 16_384;

/** The bytes of `JSON.stringify(list.map(show))`. Each record is shown as its bytes are made: no second list is kept. */
export const shown = <T>(list: readonly T[], show: (one: T) => unknown): Promise<Buffer> =>
  bytesOf(list, (one) => JSON.stringify(show(one)), { before: '[', between: ',', after: ']' });

interface Frame {
  before: string;
  between: string;
  after: string;
}

/** The texts of all, in UTF-8 and within the frame. */
export async function bytesOf<T>(list: readonly T[], text: (one: T) => string, frame: Frame): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let piece = frame.before;
  let between = '';
  await eachInTurn(list, (one) => {
    piece += between + text(one);
    between = frame.between;
    if (piece.length < PIECE) return;
    pieces.push(Buffer.from(piece));
    piece = '';
  });
  return Buffer.concat([...pieces, Buffer.from(piece + frame.after)]);
}

async function eachInTurn<T>(list: readonly T[], act: (one: T) => void): Promise<void> {
  let end = performance.now() + TURN;
  for (const one of list) {
    act(one);
    if (performance.now() < end) continue;
    await setImmediate();
    end = performance.now() + TURN;
  }
}

/** Records read or written at the same time. */
const BATCH = 32;

/** `act` for each, a few at a time; others have their turn in between. */
export async function inBatches<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < all.length; at += BATCH) {
    await Promise.all(all.slice(at, at + BATCH).map(act));
    await setImmediate();
  }
}

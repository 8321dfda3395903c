import { setImmediate as nextTurn } from 'node:timers';

/** How long one list may keep everybody else waiting, in ms. */
const SLICE = 8;
/** As many are done at once: asking for a turn would cost more than they do. */
const FEW = 100;

const waiting: (() => void)[] = [];

function letOneIn(): void {
  waiting.shift()!();
  if (waiting.length > 0) nextTurn(letOneIn);
}

/** Resolves in a later turn of the event loop, which no other caller of this function shares. */
export function ownTurn(): Promise<void> {
  return new Promise((come) => {
    waiting.push(come);
    if (waiting.length === 1) nextTurn(letOneIn);
  });
}

/** Does it to all items, in slices between which others have their turn. The list is not to change meanwhile. */
export async function inSlices<T>(items: ArrayLike<T>, act: (item: T, at: number) => void): Promise<void> {
  if (items.length > FEW) await ownTurn();
  let end = performance.now() + SLICE;
  for (let at = 0; at < items.length; at++) {
    act(items[at]!, at);
    if (items.length <= FEW || performance.now() < end) continue;
    await ownTurn();
    end = performance.now() + SLICE;
  }
}

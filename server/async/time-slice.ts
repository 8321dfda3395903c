import { setImmediate } from 'node:timers';

/** How long one task may block the event loop before it yields, in milliseconds. */
const SLICE_MS = 4;
/** Up to this many items are processed without yielding first: waiting for a turn would take longer than they do. */
const SHORT_LIST = 100;

const waiting: (() => void)[] = [];

function resumeNext(): void {
  waiting.shift()!();
  if (waiting.length > 0) setImmediate(resumeNext);
}

/**
 * Resolves in a later turn of the event loop. Each call gets a turn of its own: many long tasks at once block the loop
 * for one slice at a time, not for the sum of theirs.
 */
export function yieldTurn(): Promise<void> {
  return new Promise((resume) => {
    waiting.push(resume);
    if (waiting.length === 1) setImmediate(resumeNext);
  });
}

/** For loops with much work: `if (slice.isOver) await slice.renew();` after each step. */
export class TimeSlice {
  readonly #nextTurn: () => Promise<unknown>;
  #end = performance.now() + SLICE_MS;
  #turn: Promise<void> | undefined;

  constructor(nextTurn: () => Promise<unknown> = yieldTurn) {
    this.#nextTurn = nextTurn;
  }

  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** Yields the event loop, then begins a new slice. Calls made meanwhile wait for the same turn. */
  renew(): Promise<void> {
    return (this.#turn ??= this.#next());
  }

  async #next(): Promise<void> {
    await this.#nextTurn();
    this.#turn = undefined;
    this.#end = performance.now() + SLICE_MS;
  }
}

/**
 * Calls `act` for each item in order, and yields the event loop between slices: by `nextTurn`, in a turn of its own by
 * default. The list must not change meanwhile.
 */
export async function forEachSliced<T>(
  items: ArrayLike<T>,
  act: (item: T, index: number) => void,
  nextTurn: () => Promise<unknown> = yieldTurn,
): Promise<void> {
  if (items.length > SHORT_LIST) await nextTurn();
  const slice = new TimeSlice(nextTurn);
  for (let index = 0; index < items.length; index++) {
    act(items[index]!, index);
    if (slice.isOver) await slice.renew();
  }
}

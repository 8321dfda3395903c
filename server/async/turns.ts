const ignore = (): void => {};

/**
 * Physical writes of one file, one at a time. What is added while a write is under way waits and goes into the
 * next one, all of it together: a hundred changes at once cost two writes.
 */
export class Batch<T> {
  readonly #write: (items: T[]) => Promise<void>;
  #waiting: T[] = [];
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(write: (items: T[]) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves, or rejects, with the write that took the item. */
  add(item: T): Promise<void> {
    this.#waiting.push(item);
    return (this.#next ??= this.#start());
  }

  /** Waits for everything added so far, whether it could be written or not. */
  async settled(): Promise<void> {
    await (this.#next ?? this.#last).catch(ignore);
  }

  async #start(): Promise<void> {
    await this.#last;
    const items = this.#waiting;
    this.#waiting = [];
    this.#next = undefined;
    const written = this.#write(items);
    this.#last = written.catch(ignore);
    return written;
  }
}

/** Actions that share a key run one after another. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  take<T>(key: string, act: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(act);
    const over = turn.catch(ignore).then(() => {
      if (this.#last.get(key) === over) this.#last.delete(key);
    });
    this.#last.set(key, over);
    return turn;
  }
}

const ABREAST = 16;

/** Does it to all, some at a time; when all that began has ended it throws the first error there was. */
export async function eachAtOnce<T>(items: Iterable<T>, act: (item: T) => Promise<void>): Promise<void> {
  const rest = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = rest.next(); !next.done; next = rest.next()) await act(next.value);
  };
  const ended = await Promise.allSettled(Array.from({ length: ABREAST }, worker));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}

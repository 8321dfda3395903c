const ignore = (): void => {};

/**
 * Runs the writes of one file one at a time. Items added during a write wait and are written together by the next one:
 * a hundred changes at once cost two writes.
 */
export class BatchWriter<T> {
  readonly #write: (items: T[]) => Promise<void>;
  #waiting: T[] = [];
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();
  /** That wait or run. */
  #writes = 0;

  constructor(write: (items: T[]) => Promise<void>) {
    this.#write = write;
  }

  /** Whether an item is being written, or waits for it. */
  get isWriting(): boolean {
    return this.#writes > 0;
  }

  /** Resolves, or rejects, with the write that contains the item. */
  add(item: T): Promise<void> {
    this.#waiting.push(item);
    return (this.#next ??= this.#start());
  }

  /** Resolves when every item added so far has been written, or its write has failed. Never rejects. */
  async settled(): Promise<void> {
    await (this.#next ?? this.#last).catch(ignore);
  }

  async #start(): Promise<void> {
    this.#writes++;
    await this.#last;
    const items = this.#waiting;
    this.#waiting = [];
    this.#next = undefined;
    const write = this.#write(items).finally(() => this.#writes--);
    this.#last = write.catch(ignore);
    return write;
  }
}

/** What one search does at most; the rest is done beside it, for the next one. */
const MAX = { read: 200, compared: 10_000, bytes: 32 * 1024 * 1024, ms: 100 } as const;
/** Up to here its time does not count: an index with few changes is searched whole, however busy the machine is. */
const FEW = { read: 20, compared: 500 } as const;

/** What a search, or the making of an index, has done so far. */
export class SearchWork {
  /** Sessions that were read, and those whose files were looked at. */
  read = 0;
  compared = 0;
  /** That were searched. */
  bytes = 0;
  readonly #end = performance.now() + MAX.ms;

  get isOver(): boolean {
    const { read, compared, bytes } = this;
    if (read >= MAX.read || compared >= MAX.compared || bytes >= MAX.bytes) return true;
    return (read > FEW.read || compared > FEW.compared) && performance.now() >= this.#end;
  }
}

/** Caches a value per object, for the last `maxEntries` objects. The keys are weak: the cache keeps no object alive. */
export class WeakCache<K extends object, V> {
  readonly #maxEntries: number;
  readonly #values = new WeakMap<K, V>();
  /** The objects in order of arrival, in a ring: `#next` is the oldest. */
  readonly #ring: WeakRef<K>[] = [];
  #next = 0;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  /** The cached value, or that of `make`. */
  get(key: K, make: () => V): V {
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const value = make();
    const oldest = this.#ring[this.#next]?.deref();
    if (oldest) this.#values.delete(oldest);
    this.#ring[this.#next] = new WeakRef(key);
    this.#next = (this.#next + 1) % this.#maxEntries;
    this.#values.set(key, value);
    return value;
  }
}

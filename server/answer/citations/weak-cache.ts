/** What was made of objects lately; a value lives as long as its object, and is forgotten earlier where they are many. */
export class WeakCache<K extends object, V> {
  readonly #most: number;
  readonly #values = new WeakMap<K, V>();
  /** The objects in order of arrival, in a ring: `#next` is the oldest. */
  readonly #ring: WeakRef<K>[] = [];
  #next = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** As made for this object before, or made now. */
  get(key: K, make: () => V): V {
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const value = make();
    const oldest = this.#ring[this.#next]?.deref();
    if (oldest) this.#values.delete(oldest);
    this.#ring[this.#next] = new WeakRef(key);
    this.#next = (this.#next + 1) % this.#most;
    this.#values.set(key, value);
    return value;
  }
}

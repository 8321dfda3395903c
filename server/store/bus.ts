/** What changed: the passages of a chatbot; or a chatbot that is gone with all of its own. */
export type Topic = 'passages' | 'deleted chatbot';

/** Gets the id of what changed. Must not throw. */
export type BusListener = (id: string) => void;

/**
 * Tells the processes that share a store which records changed. It carries ids alone: a listener reads what it needs from
 * the store, and is right without the bus too, only later.
 */
export interface Bus {
  /** Tells every listener of `topic`, at least once: those of this process at once, those of others within two seconds. */
  publish(topic: Topic, id: string): void;
  /** Calls `listener` until the returned function is called. */
  subscribe(topic: Topic, listener: BusListener): () => void;
}

/** The bus of a store that one process alone has open. */
export class LocalBus implements Bus {
  readonly #listeners = new Map<Topic, Set<BusListener>>();

  publish(topic: Topic, id: string): void {
    for (const listener of this.#listeners.get(topic) ?? []) queueMicrotask(() => listener(id));
  }

  subscribe(topic: Topic, listener: BusListener): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners);
    // A function of its own: the same listener may subscribe twice.
    const own: BusListener = (id) => listeners.has(own) && listener(id);
    listeners.add(own);
    return () => void listeners.delete(own);
  }
}

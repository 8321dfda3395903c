/** Limits of visitors that hold over all processes that have the store open. */
export interface Visits {
  /**
   * Counts one visit under `key`, in one step, unless `count` were counted within the last `seconds`. For a `count` of at
   * most 100, and at most six minutes; not durable against a crash of the database.
   */
  take(key: string, count: number, seconds: number): Promise<Visit>;
}

/** As the arguments of `Visits.take`. */
export interface VisitLimit {
  key: string;
  count: number;
  seconds: number;
}

export interface Visit {
  isCounted: boolean;
  /** When the last hundred were counted, this one included, oldest first; milliseconds of the store's clock, as `now`. */
  times: number[];
  now: number;
}

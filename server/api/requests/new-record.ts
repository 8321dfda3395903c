import { newUuid, type Clock } from '../../schema/ids.ts';

/** Milliseconds that an `Idempotency-Key` counts for. */
const KEY_MS = 24 * 60 * 60 * 1000;

/** The record that a request creates. */
export class NewRecord {
  readonly #clock: Clock;
  #uuid: string;

  /** `uuid`: that of each request with the same `Idempotency-Key`; a new one by default. */
  constructor(clock: Clock, uuid?: string) {
    this.#clock = clock;
    this.#uuid = uuid ?? newUuid();
  }

  /**
   * What `create` makes for a uuid, or the record that the same request has made before its reply was lost. `undefined` where
   * `create` gives that and there is none.
   */
  async make<T extends { created_at: string }>(
    find: (uuid: string) => Promise<T | undefined>,
    create: (uuid: string) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const before = await find(this.#uuid);
    if (before && this.#clock() - Date.parse(before.created_at) < KEY_MS) return before;
    if (before) this.#uuid = newUuid();
    // One whose end was not waited for may be stored only now.
    return (await create(this.#uuid)) ?? find(this.#uuid);
  }
}

import type { StoredKey } from './store.ts';

const ignore = (): void => {};

const WRITE_INTERVAL_MS = 60_000;

interface LastUse {
  /** When the key was last used, and the use that was last written. */
  at: string;
  written: string;
}

/** When keys were last used: current in memory, written at most once a minute, without blocking requests. */
export class KeyUse {
  readonly #write: (hash: string, at: string) => Promise<void>;
  readonly #uses = new Map<string, LastUse>();

  constructor(write: (hash: string, at: string) => Promise<void>) {
    this.#write = write;
  }

  lastUsedAt({ hash, last_used_at }: StoredKey): string {
    return this.#uses.get(hash)?.at ?? last_used_at;
  }

  note({ hash, last_used_at }: StoredKey, at: string): void {
    const use = this.#uses.get(hash) ?? { at: last_used_at, written: last_used_at };
    if (at <= use.at) return;
    use.at = at;
    this.#uses.set(hash, use);
    if (use.written !== '' && Date.parse(at) - Date.parse(use.written) < WRITE_INTERVAL_MS) return;
    use.written = at;
    this.#write(hash, at).catch(ignore);
  }
}

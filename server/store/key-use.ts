const ignore = (): void => {};

const WRITE_INTERVAL_MS = 60_000;

/** A key, or a sign-in. */
interface Used {
  hash: string;
  last_used_at: string;
}

interface LastUse {
  /** When it was last used, and the use that was last written. */
  at: string;
  written: string;
}

/** When keys, or sign-ins, were last used: current in memory, written at most once a minute, without blocking requests. */
export class KeyUse {
  readonly #write: (hash: string, at: string) => Promise<void>;
  readonly #uses = new Map<string, LastUse>();

  constructor(write: (hash: string, at: string) => Promise<void>) {
    this.#write = write;
  }

  lastUsedAt({ hash, last_used_at }: Used): string {
    // Another process may have used it later.
    const own = this.#uses.get(hash)?.at ?? '';
    return own > last_used_at ? own : last_used_at;
  }

  note({ hash, last_used_at }: Used, at: string): void {
    const use = this.#uses.get(hash) ?? { at: last_used_at, written: last_used_at };
    if (last_used_at > use.written) use.written = last_used_at;
    if (at <= use.at) return;
    use.at = at;
    this.#uses.set(hash, use);
    if (use.written !== '' && Date.parse(at) - Date.parse(use.written) < WRITE_INTERVAL_MS) return;
    use.written = at;
    this.#write(hash, at).catch(ignore);
  }
}

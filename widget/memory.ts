/** What this browser keeps of one chat. */
export interface Remembered {
  session?: string | undefined;
  draft?: string | undefined;
  /** A question that was sent and not yet acknowledged. */
  asked?: string | undefined;
}

export interface Memory {
  read(): Remembered;
  /** Changes what is named; `undefined` forgets it. */
  write(change: Remembered): void;
}

/** What `use` gives; undefined where storage is blocked or full. Blocked storage throws at the mere mention of it. */
function stored<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(localStorage);
  } catch {
    return undefined;
  }
}

/** Nothing is stored before the first `write`; where storage is refused, it lasts as long as the page. */
export function createMemory(server: string, chatbot: string): Memory {
  const key = `docent:${server}:${chatbot}`;
  let kept: Remembered | undefined;
  const read = (): Remembered =>
    (kept ??= { ...stored((storage) => JSON.parse(storage.getItem(key) ?? '{}') as Remembered) });
  return {
    read,
    write(change) {
      kept = { ...read(), ...change };
      const json = JSON.stringify(kept);
      stored((storage) => (json === '{}' ? storage.removeItem(key) : storage.setItem(key, json)));
    },
  };
}

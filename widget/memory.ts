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

/** Blocked storage throws at the mere mention of it. */
function openStorage(): Storage | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}

function load(storage: Storage | undefined, key: string): Remembered {
  try {
    return { ...(JSON.parse(storage?.getItem(key) ?? '{}') as Remembered) };
  } catch {
    return {};
  }
}

function save(storage: Storage | undefined, key: string, kept: Remembered): void {
  try {
    if (kept.session || kept.draft || kept.asked) storage?.setItem(key, JSON.stringify(kept));
    else storage?.removeItem(key);
  } catch {
    // Full or refused: this page still has it, the next one starts anew.
  }
}

/** Nothing is stored before the first `write`; where storage is refused, it lasts as long as the page. */
export function createMemory(server: string, chatbot: string): Memory {
  const key = `docent:${server}:${chatbot}`;
  const storage = openStorage();
  let kept: Remembered | undefined;
  const read = (): Remembered => (kept ??= load(storage, key));
  return {
    read,
    write(change) {
      kept = { ...read(), ...change };
      save(storage, key, kept);
    },
  };
}

import type { Question } from './client.ts';

/** What this browser keeps of one chat. */
export interface Remembered {
  session?: string | undefined;
  /** The newest message of it that the server is known to have. */
  last?: string | undefined;
  draft?: string | undefined;
  /** To what the owner wants agreed before the first message. */
  agreed?: boolean | undefined;
  /** The visitor has closed what came by itself. */
  closed?: boolean | undefined;
  /** Questions that were sent and not yet acknowledged, the oldest first. */
  sent?: Question[] | undefined;
}

export interface Memory {
  /** As it is now: another tab may have changed it. */
  read(): Remembered;
  /** Changes what is named; `undefined` forgets it. */
  write(change: Remembered): void;
  /** Calls back when another tab has changed it, until the function it returns is called. */
  watch(changed: () => void): () => void;
}

/** What `use` gives; undefined where storage is blocked or full. Blocked storage throws at the mere mention of it. */
function stored<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}

/** Nothing is stored before the first `write`; where storage is refused, it lasts as long as the page. */
export function createMemory(server: string, chatbot: string): Memory {
  const key = `docent:${server}:${chatbot}`;
  let kept: Remembered | undefined;

  const readFrom = (storage: Storage): Remembered => ({ ...JSON.parse(storage.getItem(key) ?? '{}') }) as Remembered;
  const writeTo = (storage: Storage, content: Remembered): boolean => {
    const json = JSON.stringify(content);
    if (json === '{}') storage.removeItem(key);
    else storage.setItem(key, json);
    return true;
  };
  // A tab's own draft comes before what another has written.
  const read = (): Remembered =>
    kept ?? { ...stored(() => readFrom(localStorage)), ...stored(() => readFrom(sessionStorage)) };

  return {
    read,
    write(change) {
      const next = { ...read(), ...change };
      kept = stored(() => writeTo(localStorage, next)) ? undefined : next;
      if ('draft' in change) stored(() => writeTo(sessionStorage, { draft: change.draft }));
    },
    watch(changed) {
      const hear = (event: StorageEvent): void => {
        if (event.key === key) changed();
      };
      addEventListener('storage', hear);
      return () => removeEventListener('storage', hear);
    },
  };
}

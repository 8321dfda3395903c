import type { Question } from '../client/client.ts';

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
  /** Questions that were sent and not yet acknowledged, by their identifiers, the oldest first. */
  sent?: Record<string, Question | undefined> | undefined;
}

export interface Memory {
  /** As it is now: another tab may have changed it. */
  read(): Remembered;
  /** Changes what is named; `undefined` forgets it. A draft comes alone: it is the tab's own. */
  write(change: Remembered): void;
}

/** Nothing is stored before the first `write`. Where storage is blocked or full, what is written lasts as long as the page. */
export function createMemory(server: string, chatbot: string): Memory {
  const key = `docent:${server}:${chatbot}`;
  let kept: Remembered | undefined;
  const readFrom = (storage: Storage): Remembered => JSON.parse(storage.getItem(key)!) as Remembered;

  function read(): Remembered {
    try {
      // A tab's own draft comes before what another has written.
      return kept ?? { ...readFrom(localStorage), ...readFrom(sessionStorage) };
    } catch {
      return {};
    }
  }

  return {
    read,
    write(change) {
      kept = { ...read(), ...change };
      try {
        localStorage.setItem(key, JSON.stringify(kept));
        if ('draft' in change) sessionStorage.setItem(key, JSON.stringify(change));
        kept = undefined;
      } catch {}
    },
  };
}

import type { Question } from '../client/client.ts';

/** What this browser keeps of one chat. */
export interface StoredChat {
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

export interface ChatStorage {
  /** As it is now: another tab may have changed it. */
  read(): StoredChat;
  /** Changes what is named; `undefined` forgets it. A draft comes alone: it is the tab's own. */
  write(change: StoredChat): void;
}

/** Nothing is stored before the first `write`. Where storage is blocked or full, what is written lasts as long as the page. */
export function createChatStorage(server: string, chatbot: string): ChatStorage {
  const key = `docent:${server}:${chatbot}`;
  let unsaved: StoredChat | undefined;
  const readFrom = (storage: Storage): StoredChat => JSON.parse(storage.getItem(key)!) as StoredChat;

  function read(): StoredChat {
    try {
      // A tab's own draft comes before what another has written.
      return unsaved ?? { ...readFrom(localStorage), ...readFrom(sessionStorage) };
    } catch {
      return {};
    }
  }

  return {
    read,
    write(change) {
      unsaved = { ...read(), ...change };
      try {
        localStorage.setItem(key, JSON.stringify(unsaved));
        if ('draft' in change) sessionStorage.setItem(key, JSON.stringify(change));
        unsaved = undefined;
      } catch {}
    },
  };
}
